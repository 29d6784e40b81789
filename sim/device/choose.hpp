#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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

/// The device that is asked for, not yet found. Throws as choose_device() where it is none.
DeviceChoice requested_device(const DeviceRequest& request);

/// N of "cuda:N", -1 where that is no number; nullopt for any other device.
std::optional<int> cuda_index(const std::string& device);

/// Why there is no GPU to be used in `inventory`.
std::string why_no_gpu(const kernels::CudaInventory& inventory);

/// `flag`: auto, baseline, avx2 or avx512; `kept`: the checkpoint's, empty without one. `auto` keeps that,
/// else takes the best. Throws io::Error(command_line) when both differ, io::Error(no_device) when this machine has it
/// not. `best`: that can be had. `whose`: what `kept` is of.
kernels::Isa choose_isa(const std::string& flag, const std::string& kept, kernels::Isa best = kernels::best_isa(),
                        const std::string& whose = "the checkpoint");

/// CPU threads that this process may use: its affinity mask, the cgroup's quota and OMP_NUM_THREADS, whichever is
/// least.
int available_threads();

/// What that is made of: the numbers of the processors in the affinity mask, and the two bounds, largest int where
/// there is none.
std::vector<int> allowed_processors();
int processor_quota();
int wanted_threads();

/// Cores among `processors`, of which a core may have two or more; where the machine does not tell, each is its own.
int cores_of(const std::vector<int>& processors, const std::filesystem::path& system = "/sys/devices/system/cpu");

/// "NVIDIA H200 (cuda:0, GPU-..., sm_90)", "AMD EPYC ... (cpu, avx2)".
std::string describe(const kernels::Device& device);

}  // namespace ergode::sim
