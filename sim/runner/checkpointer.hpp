#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "io/checkpoint.hpp"
#include "io/run/lock.hpp"
#include "io/run/log.hpp"
#include "io/run/progress.hpp"
#include "sim/runner/simulation.hpp"

namespace ergode::sim {

/// How long a checkpoint that cannot be written (disk full, quota, a file server that is away) is tried again.
struct RetryPolicy {
  double total_seconds = 300;
  double first_delay = 1;  ///< doubled each time ...
  double last_delay = 30;  ///< ... up to this
};
/// ERGODE_CHECKPOINT_RETRY=SECONDS replaces the total.
RetryPolicy retry_policy_from_environment();

/// Seals checkpoints of one run, and keeps what is needed to say where it can be resumed.
class Checkpointer {
 public:
  struct Surroundings {
    std::function<double()> now;        ///< seconds, monotonic
    std::function<bool()> give_up;      ///< a signal, or no wall time left
    std::function<void(double)> sleep;  ///< at most so many seconds
  };
  Checkpointer(std::filesystem::path directory, io::Checkpoint header, int keep, RetryPolicy retry,
               Surroundings surroundings, io::Log& log, const io::RunLock& lock);

  /// Throws io::Error(io) when it could not be written in the time allowed: the checkpoint before is then still there.
  void write(io::State state, std::int64_t unit, bool finished);

  std::int64_t newest_unit() const { return newest_unit_; }  ///< -1: none yet
  void found(std::int64_t unit) { newest_unit_ = unit; }     ///< one that was there at the start
  std::int64_t bytes() const { return bytes_; }
  int count() const { return count_; }
  std::filesystem::path file() const { return directory_ / "checkpoint.h5"; }

 private:
  std::filesystem::path directory_;
  io::Checkpoint checkpoint_;
  int keep_;
  RetryPolicy retry_;
  Surroundings around_;
  io::Log& log_;
  const io::RunLock& lock_;
  std::int64_t newest_unit_ = -1;
  std::int64_t bytes_ = 0;
  int count_ = 0;
};

}  // namespace ergode::sim
