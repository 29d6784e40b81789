#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ergode::kernels {

enum class Backend { cpu, cuda };

/// Builds of the CPU loops, in ascending order.
enum class Isa { baseline, avx2, avx512 };

std::string_view name(Backend backend);
std::string_view name(Isa isa);

/// The best instruction set that both this processor and the binary have.
Isa best_isa();
bool isa_supported(Isa isa);

/// A device as `ergode devices` lists it.
struct Device {
  Backend backend = Backend::cpu;
  Isa isa = Isa::baseline;        ///< CPU only
  int index = 0;                  ///< CUDA ordinal
  std::string name;               ///< model name
  std::string uuid;               ///< empty for a CPU
  std::int64_t memory_free = 0;   ///< bytes
  std::int64_t memory_total = 0;  ///< bytes
  std::string architecture;       ///< "sm_90"; the instruction set's name for a CPU
  bool usable = false;
  std::string reason;  ///< why not usable, and what would mend it
};

/// The CPU, with `isa` as its instruction set.
Device cpu_device(Isa isa);

/// What the CUDA side of this binary and machine looks like. A missing driver is told apart from one too old.
struct CudaInventory {
  bool built = false;          ///< this binary has CUDA code
  std::string architectures;   ///< those built in, "sm_80 sm_90 compute_90"
  std::string driver_version;  ///< "13.0", empty without a driver
  std::string runtime_version;
  std::string problem;  ///< why there is no device at all; empty when there is one
  std::vector<Device> devices;
};
CudaInventory cuda_inventory();

}  // namespace ergode::kernels
