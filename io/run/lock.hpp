#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/run/process.hpp"

namespace ergode::io {

/// What a lock file says, and how long its owner has been silent.
struct LockOwner {
  ProcessIdentity process;
  std::string since;          ///< UTC
  double silent_seconds = 0;  ///< since the last heartbeat, by the clock of the file system
  bool readable = true;       ///< false: the file is empty or not ours
  bool empty = false;         ///< made, but nothing is written in it
  std::string text() const;   ///< "host node7, process 4711, job slurm 88, since ..., last sign of life 3 s ago"
};

/// Whether the lock's owner is gone, seen by `me`; the reason in words, nullopt while it must be respected.
///  - same host and pid namespace: the process decides (gone, another start time, or the host was restarted)
///  - elsewhere: silent for `silence_limit` seconds; in a job that is ours (requeued) a few missed beats are enough
std::optional<std::string> stale_reason(const LockOwner& owner, const ProcessIdentity& me, double silence_limit);

constexpr const char* lock_name = "lock.json";
constexpr double lock_heartbeat_seconds = 5;
constexpr double lock_silence_seconds = 120;
constexpr double lock_empty_seconds = 5;

std::optional<LockOwner> read_lock(const std::filesystem::path& directory);

/// Holds `directory` for this process while it lives: a file made with O_EXCL, whose modification time is its
/// heartbeat.
class RunLock {
 public:
  /// Throws Error(io) naming the owner when another run holds it. A stale lock is taken over, which `say` is told.
  RunLock(const std::filesystem::path& directory, const std::function<void(const std::string&)>& say);
  ~RunLock();  ///< removes the file if it is still ours

  /// False when another process took the lock over (this one was suspended for longer than the silence limit), or the
  /// file is gone, as when the directory was moved.
  bool held() const { return loss().empty(); }
  /// Throws Error(io) with the reason where it is not held.
  void require() const;
  /// Removes the file; may be called from another thread while a run is being given up.
  void release();

 private:
  struct Heart;
  std::string loss() const;
  std::filesystem::path file_;
  std::string content_;
  std::unique_ptr<Heart> heart_;
};

}  // namespace ergode::io
