#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/run/lock.hpp"
#include "sim/runner/run.hpp"
#include "sim/sweep/plan.hpp"
#include "sim/sweep/task.hpp"

namespace ergode::sim {

/// The owner of a directory's lock when it is alive.
std::optional<io::LockOwner> live_owner(const std::filesystem::path& directory);

/// The directory of a sweep, held by this process. One that does all members holds the directory itself; each of
/// several tasks holds a folder of its own below `tasks/`, and none of them goes along with a process that shares the
/// members out in another way.
class SweepDirectory {
 public:
  /// Makes the directory, locks it and settles what becomes of a sweep that is in it. Throws io::Error(io) when it is
  /// in use or there is a run in it that may not be touched, io::Error(config) when a sweep with another config is to
  /// be resumed or joined.
  SweepDirectory(const SweepPlan& plan, const SweepTask& task, const RunOptions& options,
                 const std::vector<SimulationType>& types, const std::function<void(const std::string&)>& say,
                 const std::function<void(const std::string&)>& warn);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path log_file() const { return place_ / "run.log"; }
  bool resumed() const { return resumed_; }  ///< there may be members in it
  void require_lock() const { lock_->require(); }
  void enter(const std::filesystem::path& member);  ///< the run directory that this process is in, seen from path()
  void release();  ///< and the lock of that member; may be called from another thread while the sweep is being given up

  /// Writes config.used.yaml, and of several tasks the first alone; for the others it must be of the same sweep.
  void write_config(const SweepPlan& plan, const std::vector<SimulationType>& types) const;

 private:
  void take(const SweepPlan& plan, const RunOptions& options, const std::vector<SimulationType>& types,
            const std::function<void(const std::string&)>& say);
  void lock();
  void refuse_others() const;
  void refuse_second_start() const;

  std::filesystem::path path_, place_, member_;
  SweepTask task_;
  bool resumed_ = false;
  std::function<void(const std::string&)> warn_;
  std::mutex mutex_;
  std::unique_ptr<io::RunLock> lock_;
};

}  // namespace ergode::sim
