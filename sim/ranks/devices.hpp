#pragma once

#include <string>
#include <vector>

#include "kernels/device/device.hpp"
#include "sim/ranks/leader.hpp"

namespace ergode::sim {

/// What a rank finds where it runs.
struct RankPlace {
  std::string host;
  std::vector<int> processors;  ///< that it may use
  int quota = 0;                ///< of processors for all of the host, largest int: none
  int wanted_threads = 0;       ///< as OMP_NUM_THREADS says, largest int: nothing
  kernels::Isa best_isa = kernels::Isa::baseline;
  std::vector<kernels::Device> gpus;  ///< usable ones; not looked for when the CPU is asked for
  std::string why_no_gpu;
};

/// What each rank is given.
struct RankDevices {
  std::vector<kernels::Device> devices;  ///< the backend is the same for all; of a CPU the instruction set is left open
  std::vector<int> threads;
  kernels::Isa best_isa = kernels::Isa::baseline;  ///< that all have
  std::string fallback;                            ///< why `auto` came to the CPU
  std::vector<std::string> table;                  ///< a line a rank
};

/// `requested`: auto, cpu, cuda or cuda:N. Each rank of a host gets a GPU of its own, by UUID, so that it does not
/// matter whether each sees all GPUs of the host or its own alone; `auto` takes the CPU for all where one rank has no
/// GPU. Ranks of a host share its processors unless `threads` > 0 says how many each takes. Throws io::Error(no_device)
/// with the table when a GPU would serve two ranks, unless `share`, and when the GPUs are of unlike architecture:
/// approximate instructions (of square roots) need not give the same bits on each.
RankDevices assign_devices(const std::string& requested, const std::vector<RankPlace>& places, int threads, bool share);

/// The same among the ranks of a run, each of which then knows its own.
RankDevices settle_devices(Leader& leader, const std::string& requested, int threads, bool share);

/// What this rank finds, as a message.
Bytes survey(const std::string& requested);

}  // namespace ergode::sim
