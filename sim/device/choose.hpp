#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kernels/device/device.hpp"

namespace ergode::sim {

/// Who asked for which device: the flag counts before the config, that before ERGODE_DEVICE. `auto` in the config
/// leaves the choice to what comes after it.
struct DeviceRequest {
  std::optional<std::string> flag;         ///< `--device`
  std::string config = "auto";             ///< `device:`
  std::optional<std::string> environment;  ///< ERGODE_DEVICE
};

struct DeviceChoice {
  kernels::Device device;
  std::string requested;  ///< "auto", "cpu", "cuda", "cuda:1"
  std::string source;     ///< "--device", "device in the config", "ERGODE_DEVICE", "default"
  std::string fallback;   ///< why `auto` did not take a (or the first) GPU; empty otherwise
};

/// `auto`, `cpu`, `cuda` or `cuda:N`; nothing else is a device.
bool is_device_name(const std::string& text);

/// The device of a run. `inventory` is asked only when CUDA may be used. Throws io::Error(no_device) when `cuda` cannot
/// be had, saying what was found and what would help.
DeviceChoice choose_device(const DeviceRequest& request, const std::function<kernels::CudaInventory()>& inventory,
                           const std::function<kernels::Device()>& cpu);

/// `flag`: auto, baseline, avx2 or avx512; `kept`: the checkpoint's, empty without one. `auto` keeps the checkpoint's,
/// else takes the best. Throws io::Error(command_line) when both differ, io::Error(no_device) when this machine has it
/// not.
kernels::Isa choose_isa(const std::string& flag, const std::string& kept);

/// CPU threads that this process may use: its affinity mask, the cgroup's quota and OMP_NUM_THREADS, whichever is
/// least.
int available_threads();

/// "NVIDIA H200 (cuda:0, GPU-..., sm_90)", "AMD EPYC ... (cpu, avx2)".
std::string describe(const kernels::Device& device);

}  // namespace ergode::sim
