#include "io/run/lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "io/error.hpp"
#include "io/run/json.hpp"
#include "io/run/text_file.hpp"

namespace ergode::io {
namespace {

namespace fs = std::filesystem;

/// Seconds since `path` was last modified, by the clock that stamps files in its directory: on a network file system
/// that is the server's, and neither host's clock needs to be right.
double silence(const fs::path& path) {
  struct stat lock {};
  if (::stat(path.c_str(), &lock) != 0) return 0;
  const std::string probe = path.string() + ".clock." + std::to_string(::getpid());
  const int descriptor = ::open(probe.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (descriptor < 0) return 0;
  ::futimens(descriptor, nullptr);
  struct stat now {};
  const bool known = ::fstat(descriptor, &now) == 0;
  ::close(descriptor);
  ::unlink(probe.c_str());
  if (!known) return 0;
  return static_cast<double>(now.st_mtim.tv_sec - lock.st_mtim.tv_sec) +
         1e-9 * static_cast<double>(now.st_mtim.tv_nsec - lock.st_mtim.tv_nsec);
}

LockOwner parse(const std::string& text, double silent) {
  LockOwner owner;
  auto field = [&](const char* key) { return json_field(text, key).value_or(""); };
  owner.process.host = field("host");
  owner.process.boot = field("boot");
  owner.process.pid_namespace = field("pid_namespace");
  const std::string pid = field("pid");
  owner.process.pid = pid.empty() ? 0 : std::strtoll(pid.c_str(), nullptr, 10);
  owner.process.started = field("process_start");
  owner.process.job = field("job");
  owner.process.job_restart = field("job_restart");
  owner.since = field("since");
  owner.silent_seconds = silent;
  owner.empty = text.empty();
  owner.readable = owner.process.pid > 0 && !owner.since.empty();
  return owner;
}

std::string lock_text(const ProcessIdentity& me) {
  JsonObject lock;
  lock.set("host", me.host).set("boot", me.boot).set("pid_namespace", me.pid_namespace);
  lock.set("pid", me.pid).set("process_start", me.started);
  lock.set("job", me.job).set("job_restart", me.job_restart).set("since", utc_now());
  return lock.text() + "\n";
}

/// Whether a file stays away: one that takes a lock over may have it in hand for a moment. One that cannot be seen just
/// now, as on a network file system without its server, is not gone.
bool is_gone(const fs::path& file) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    std::error_code problem;
    if (fs::symlink_status(file, problem).type() != fs::file_type::not_found) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

/// Makes the file with its content, or says false when there is one already.
bool create(const fs::path& file, const std::string& content) {
  const int descriptor = ::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    if (errno == EEXIST) return false;
    throw Error(ExitCode::io, fmt::format("{}: the lock cannot be made: {}", file.string(), std::strerror(errno)));
  }
  const bool written = ::write(descriptor, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  const int problem = errno;
  ::close(descriptor);
  if (!written) {
    ::unlink(file.c_str());
    throw Error(ExitCode::io, fmt::format("{}: the lock cannot be written: {}", file.string(), std::strerror(problem)));
  }
  return true;
}

}  // namespace

std::string LockOwner::text() const {
  if (!readable) return fmt::format("an owner that its lock file does not name, silent for {:.0f} s", silent_seconds);
  std::string who = fmt::format("host {}, process {}", process.host, process.pid);
  if (!process.job.empty()) who += ", job " + process.job;
  return who + fmt::format(", since {}, last sign of life {:.0f} s ago", since, silent_seconds);
}

std::optional<std::string> stale_reason(const LockOwner& owner, const ProcessIdentity& me, double silence_limit) {
  const ProcessIdentity& other = owner.process;
  if (owner.readable && other.host == me.host) {
    if (!other.boot.empty() && !me.boot.empty() && other.boot != me.boot) return "the host was restarted since";
    if (other.pid_namespace == me.pid_namespace) {
      const std::string start = process_start(other.pid);
      if (start.empty()) return fmt::format("process {} is gone", other.pid);
      if (start != other.started) return fmt::format("process {} is another one now", other.pid);
      return std::nullopt;  // alive, however silent: it may be suspended
    }
  }
  if (owner.readable && !me.job.empty() && other.job == me.job) {
    if (other.job_restart != me.job_restart) return "this job was requeued";
    if (owner.silent_seconds > 3 * lock_heartbeat_seconds) return "this job was requeued and its owner is silent";
  }
  if (owner.empty && owner.silent_seconds > lock_empty_seconds) return "its owner ended before it wrote its name";
  if (owner.silent_seconds > silence_limit)
    return fmt::format("its owner is silent for {:.0f} s", owner.silent_seconds);
  return std::nullopt;
}

std::optional<LockOwner> read_lock(const fs::path& directory) {
  const fs::path file = directory / lock_name;
  // Between O_EXCL and write() the file is empty for a moment.
  for (int attempt = 0; attempt < 10; ++attempt) {
    const auto text = read_text(file);
    if (!text) return std::nullopt;
    LockOwner owner = parse(*text, silence(file));
    if (owner.readable || attempt == 9) return owner;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return std::nullopt;
}

struct RunLock::Heart {
  std::mutex mutex;
  std::condition_variable wake;
  bool stop = false;
  std::atomic<bool> lost{false};
  std::atomic<bool> released{false};
  std::thread thread;
};

namespace {

/// One process of this machine at a time looks at a lock and takes it over: between the look and the taking another
/// could have made it its own. Where the file system has no flock the renaming below must do.
class TakingTurns {
 public:
  explicit TakingTurns(const fs::path& directory)
      : descriptor_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  TakingTurns(const TakingTurns&) = delete;
  TakingTurns& operator=(const TakingTurns&) = delete;
  ~TakingTurns() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

 private:
  int descriptor_;
};

}  // namespace

RunLock::RunLock(const fs::path& directory, const std::function<void(const std::string&)>& say)
    : file_(directory / lock_name), content_(lock_text(this_process())) {
  const TakingTurns mine(directory);
  for (int attempt = 0; !create(file_, content_); ++attempt) {
    const auto seen = read_text(file_);
    const auto owner = read_lock(directory);
    if (!seen || !owner) {  // released in between, or not to be read
      if (attempt > 20) throw Error(ExitCode::io, fmt::format("{}: the lock cannot be read", file_.string()));
      std::this_thread::sleep_for(std::chrono::milliseconds(attempt));
      continue;
    }
    const auto reason = stale_reason(*owner, this_process(), lock_silence_seconds);
    // A process that was killed in between left it empty, or one is about to write it: each look takes half a second.
    if (!reason && owner->empty && attempt < 15) continue;
    if (!reason || attempt > 20)
      throw Error(
          ExitCode::io,
          fmt::format("{}: in use by {}. Wait for it, stop it, or choose another directory (-o DIR); if that run is "
                      "surely dead, remove {}",
                      directory.string(), owner->text(), file_.string()));
    // Moved aside first: of two processes that both found it stale, one gets it.
    const fs::path aside = file_.string() + ".stale." + std::to_string(::getpid());
    if (::rename(file_.c_str(), aside.c_str()) != 0) continue;
    if (read_text(aside) != seen) {  // it was not the stale one any more
      if (::link(aside.c_str(), file_.c_str()) == 0) ::unlink(aside.c_str());
      continue;
    }
    ::unlink(aside.c_str());
    if (say) say(fmt::format("a lock left by {} is taken over: {}", owner->text(), *reason));
  }
  heart_ = std::make_unique<Heart>();
  heart_->thread = std::thread([this] {
    std::unique_lock lock(heart_->mutex);
    const auto period = std::chrono::duration<double>(lock_heartbeat_seconds);
    while (!heart_->wake.wait_for(lock, period, [this] { return heart_->stop; })) {
      // Lost is a file with another's content. One that cannot be read just now says nothing.
      const auto seen = read_text(file_);
      if (seen == content_) {
        ::utimensat(AT_FDCWD, file_.c_str(), nullptr, 0);
      } else if (seen && !seen->empty() && !heart_->released) {
        heart_->lost = true;
      }
    }
  });
}

std::string RunLock::loss() const {
  const std::string taken = "another run has taken this directory over (this process was silent for too long)";
  if (heart_->lost) return taken;
  if (heart_->released) return {};
  if (is_gone(file_))
    return "its lock.json is gone: the directory was moved or removed, or files in it, while this process was in it";
  const auto seen = read_text(file_);
  return !seen || seen->empty() || *seen == content_ ? "" : taken;
}

void RunLock::require() const {
  if (const std::string why = loss(); !why.empty())
    throw Error(ExitCode::io, fmt::format("{}: {}; nothing more is written", file_.parent_path().string(), why));
}

void RunLock::release() {
  if (heart_->released.exchange(true)) return;
  if (read_text(file_) == content_) ::unlink(file_.c_str());
}

RunLock::~RunLock() {
  {
    const std::lock_guard lock(heart_->mutex);
    heart_->stop = true;
  }
  heart_->wake.notify_all();
  heart_->thread.join();
  release();
}

}  // namespace ergode::io
