#pragma once

#include <string>
#include <vector>

#include "io/array.hpp"
#include "sim/device/choose.hpp"
#include "sim/runner/common_config.hpp"

namespace ergode::sim {

struct RunOptions;

/// The device of a run and how it came to be chosen.
struct RunDevice {
  DeviceChoice choice;
  kernels::CudaInventory inventory;
  int threads = 1;
  kernels::Isa best_isa = kernels::best_isa();  ///< that all ranks have
  int ranks = 1;
  std::vector<std::string> rank_table;  ///< a line a rank, of several
};

RunDevice pick_device(const RunOptions& options, const CommonConfig& config);

/// The instruction set of the CPU loops: that of the flag, or the one that `whose` was computed with (`kept`, else
/// empty).
void settle_instruction_set(RunDevice& device, const std::string& isa, const std::string& kept,
                            const std::string& whose = "the checkpoint");

io::Attributes make_provenance(const RunDevice& device, const RunOptions& options);

/// "device: AMD EPYC (cpu, avx2), 8 threads; no GPU is used: ..."
std::string device_line(const RunDevice& device);

}  // namespace ergode::sim
