#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "io/checkpoint.hpp"
#include "io/disk_retry.hpp"
#include "io/run/lock.hpp"
#include "io/run/log.hpp"
#include "io/run/progress.hpp"
#include "sim/runner/simulation.hpp"

namespace ergode::sim {

/// How a full disk is waited for: 300 s in all, or ERGODE_CHECKPOINT_RETRY=SECONDS, after 1 s, 2 s ... up to 30 s.
/// `sleep` and `warn` are still to be given.
io::DiskRetry disk_retry_from_environment();

/// The same, which sleeps until `give_up` says so and tells `warn`.
io::DiskRetry disk_retry_until(const std::function<bool()>& give_up,
                               const std::function<void(const std::string&)>& warn);

/// Seals checkpoints of one run, and keeps what is needed to say where it can be resumed.
class Checkpointer {
 public:
  /// `now` gives seconds of a monotonic clock.
  Checkpointer(std::filesystem::path directory, io::Checkpoint header, int keep, io::DiskRetry retry,
               std::function<double()> now, io::Log& log, const io::RunLock& lock);

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
  io::DiskRetry retry_;
  std::function<double()> now_;
  io::Log& log_;
  const io::RunLock& lock_;
  std::int64_t newest_unit_ = -1;
  std::int64_t bytes_ = 0;
  int count_ = 0;
};

}  // namespace ergode::sim
