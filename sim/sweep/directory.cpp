#include "sim/sweep/directory.hpp"

#include <fmt/format.h>

#include "io/checkpoint.hpp"
#include "io/fs/file.hpp"
#include "io/run/process.hpp"
#include "io/run/text_file.hpp"
#include "sim/runner/resume.hpp"

namespace ergode::sim {
namespace {

namespace fs = std::filesystem;
using io::Error;
using io::ExitCode;

std::string task_suffix(const SweepTask& task) {
  return fmt::format("_of_{:06}", task.count);
}

/// Removes the lock of `directory` if it is of this process.
void remove_own_lock(const fs::path& directory) {
  const auto owner = io::read_lock(directory);
  const io::ProcessIdentity me = io::this_process();
  if (!owner || owner->process.pid != me.pid || owner->process.host != me.host || owner->process.started != me.started)
    return;
  std::error_code ignored;
  fs::remove(directory / io::lock_name, ignored);
}

std::vector<fs::path> task_folders(const fs::path& sweep) {
  std::vector<fs::path> folders;
  std::error_code problem;
  for (fs::directory_iterator it(sweep / "tasks", problem), end; !problem && it != end; it.increment(problem))
    if (it->path().filename().string().starts_with("task_")) folders.push_back(it->path());
  return folders;
}

/// Throws when the sweep whose config.used.yaml is `used` is another one than `plan`.
void check_same(const std::string& used, const SweepPlan& plan, const std::vector<SimulationType>& types) {
  io::Checkpoint then;
  then.simulation = plan.config().common.simulation;
  then.config = used;
  const ResumePlan resume = check_resumable(then, plan.config(), types);
  if (resume.changed.empty()) return;
  std::string text = "the config differs from that of the sweep in what may not change while its members are made:";
  for (const std::string& key : resume.changed) text += "\n  " + key;
  throw Error(ExitCode::config, text + "\nrestore these values, or start a new sweep in another directory (-o DIR)");
}

}  // namespace

std::optional<io::LockOwner> live_owner(const fs::path& directory) {
  const auto owner = io::read_lock(directory);
  if (!owner || io::stale_reason(*owner, io::this_process(), io::lock_silence_seconds)) return std::nullopt;
  return owner;
}

SweepDirectory::SweepDirectory(const SweepPlan& plan, const SweepTask& task, const RunOptions& options,
                               const std::vector<SimulationType>& types,
                               const std::function<void(const std::string&)>& say,
                               const std::function<void(const std::string&)>& warn)
    : path_(plan.directory()), place_(path_), task_(task), warn_(warn) {
  if (task.count > 1) place_ /= fs::path("tasks") / fmt::format("task_{:06}{}", task.index, task_suffix(task));
  if (task.count > 1 && options.exists != Exists::fail)
    throw Error(ExitCode::command_line,
                "--exists and --task exclude each other: the tasks of a sweep share its directory; give another "
                "directory (-o DIR), or --resume");
  const std::vector<fs::path> made = missing_folders(place_);
  try {
    take(plan, options, types, say);
  } catch (...) {
    lock_.reset();
    std::error_code not_empty;
    for (auto folder = made.rbegin(); folder != made.rend(); ++folder)
      if (!fs::remove(*folder, not_empty)) break;
    throw;
  }
}

void SweepDirectory::take(const SweepPlan& plan, const RunOptions& options, const std::vector<SimulationType>& types,
                          const std::function<void(const std::string&)>& say) {
  if (task_.count > 1 && !options.resume && inspect(path_).run) refuse_second_start();
  io::make_writable_directory(path_);
  if (place_ != path_) io::make_writable_directory(place_);
  lock();
  refuse_others();
  const auto used = io::read_text(path_ / "config.used.yaml");
  const bool may_join = options.resume || task_.count > 1;
  if (!used && may_join && fs::exists(path_ / "members"))
    throw Error(
        ExitCode::io,
        fmt::format("{}: has members, but no config.used.yaml that says of which sweep; bring it back, or choose "
                    "another directory (-o DIR)",
                    path_.string()));
  if (may_join) {
    if (used) check_same(*used, plan, types);
    resumed_ = used.has_value();
    if (!used && task_.count == 1) {
      say(fmt::format("{}: no sweep to resume, starting from the beginning", path_.string()));
      remove_run(path_, /*keep_log=*/true);
    }
    return;
  }
  make_room(
      path_, options.exists, inspect(path_), [this] { release(); },
      [this] {
        io::make_writable_directory(path_);
        lock();
      },
      say);
}

void SweepDirectory::lock() {
  auto lock = std::make_unique<io::RunLock>(place_, warn_);
  const std::lock_guard guard(mutex_);
  lock_ = std::move(lock);
}

void SweepDirectory::enter(const fs::path& member) {
  const std::lock_guard guard(mutex_);
  member_ = path_ / member;
}

void SweepDirectory::release() {
  const std::lock_guard guard(mutex_);
  if (!member_.empty()) remove_own_lock(member_);
  if (lock_) lock_->release();
}

/// Each of two processes has its lock before it looks for the other's: at least one of them sees it.
void SweepDirectory::refuse_others() const {
  const auto refuse = [&](const fs::path& folder) {
    const auto owner = live_owner(folder);
    if (!owner) return;
    throw Error(ExitCode::io,
                fmt::format("{}: in use by {}, which shares the members out in another way. Wait for it, stop it, or "
                            "choose another directory (-o DIR)",
                            path_.string(), owner->text()));
  };
  if (place_ != path_) refuse(path_);
  for (const fs::path& folder : task_folders(path_))
    if (place_ == path_ || !folder.filename().string().ends_with(task_suffix(task_))) refuse(folder);
}

/// Tasks of one sweep come one after the other into its directory, but each of them only once without --resume.
void SweepDirectory::refuse_second_start() const {
  bool other = fs::exists(path_ / "run.log") || fs::exists(place_ / "run.log");
  for (const fs::path& folder : task_folders(path_))
    other = other || !folder.filename().string().ends_with(task_suffix(task_));
  if (other)
    throw Error(ExitCode::io,
                fmt::format("{}: this sweep was run in it before; continue it with --resume, or choose another "
                            "directory (-o DIR)",
                            path_.string()));
}

void SweepDirectory::write_config(const SweepPlan& plan, const std::vector<SimulationType>& types) const {
  const fs::path file = path_ / "config.used.yaml";
  const std::string& text = plan.config().used_yaml;
  if (task_.count == 1) return io::write_text(file, text);
  if (io::write_text_once(file, text)) return;
  check_same(io::read_text(file).value_or(""), plan, types);
}

}  // namespace ergode::sim
