#include "io/run/lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <vector>

#include "io/error.hpp"
#include "io/run/text_file.hpp"
#include "tests/sim/temporary.hpp"

using namespace ergode::io;
using ergode::testing::TemporaryDirectory;

namespace {

/// A lock file whose owner died without removing it.
void leave_stale_lock(const std::filesystem::path& directory) {
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(new RunLock(directory, {}));
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

LockOwner owner_like_me() {
  LockOwner owner;
  owner.process = this_process();
  owner.since = "2031-01-01T00:00:00Z";
  return owner;
}

}  // namespace

TEST_CASE("a lock names its owner to a second run and is gone afterwards") {
  const TemporaryDirectory directory;
  {
    const RunLock first(directory.path(), {});
    CHECK(first.held());
    try {
      const RunLock second(directory.path(), {});
      FAIL("two runs hold one directory");
    } catch (const Error& e) {
      CHECK(e.code() == ExitCode::io);
      CHECK(std::string(e.what()).find("process " + std::to_string(::getpid())) != std::string::npos);
      CHECK(std::string(e.what()).find(this_process().host) != std::string::npos);
    }
    CHECK(first.held());
  }
  CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("the lock of a process that died is taken over, and that is said") {
  const TemporaryDirectory directory;
  leave_stale_lock(directory.path());
  REQUIRE(std::filesystem::exists(directory / "lock.json"));
  std::string said;
  const RunLock lock(directory.path(), [&](const std::string& line) { said = line; });
  CHECK(said.find("is gone") != std::string::npos);
  CHECK(lock.held());
}

TEST_CASE("a live owner is respected however silent, a reused pid or a restarted host is not") {
  const ProcessIdentity me = this_process();
  LockOwner owner = owner_like_me();
  owner.silent_seconds = 1e6;
  CHECK_FALSE(stale_reason(owner, me, 120));
  owner.process.started = "1";
  CHECK(stale_reason(owner, me, 120));
  owner = owner_like_me();
  owner.process.boot = "another";
  CHECK(stale_reason(owner, me, 120));
}

TEST_CASE("an owner elsewhere is judged by its heartbeat, the same job by its requeueing") {
  ProcessIdentity me = this_process();
  LockOwner owner = owner_like_me();
  owner.process.host = "another-node";
  owner.silent_seconds = 100;
  CHECK_FALSE(stale_reason(owner, me, 120));
  owner.silent_seconds = 130;
  CHECK(stale_reason(owner, me, 120));

  owner.silent_seconds = 10;
  owner.process.job = me.job = "slurm 7";
  CHECK_FALSE(stale_reason(owner, me, 120));
  owner.silent_seconds = 20;
  CHECK(stale_reason(owner, me, 120));
  owner.silent_seconds = 1;
  me.job_restart = "1";
  CHECK(stale_reason(owner, me, 120));

  // The same host name in another container says nothing about the pid.
  owner = owner_like_me();
  owner.process.pid_namespace = "pid:[1]";
  owner.process.pid = 1 << 29;
  CHECK_FALSE(stale_reason(owner, this_process(), 120));
}

TEST_CASE("a lock file that its owner did not live to write is waited for a moment and taken over") {
  const TemporaryDirectory directory;
  write_text(directory / "lock.json", "");
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec -= static_cast<time_t>(lock_empty_seconds);
  const timespec times[2] = {now, now};
  ::utimensat(AT_FDCWD, (directory / "lock.json").c_str(), times, 0);
  std::string said;
  const RunLock lock(directory.path(), [&](const std::string& line) { said = line; });
  CHECK(said.find("before it wrote its name") != std::string::npos);
}

TEST_CASE("a foreign lock file is respected until it has been silent for long") {
  const TemporaryDirectory directory;
  write_text(directory / "lock.json", "not ours");
  CHECK_THROWS_AS(RunLock(directory.path(), {}), Error);
  const timespec old[2] = {{1000, 0}, {1000, 0}};
  ::utimensat(AT_FDCWD, (directory / "lock.json").c_str(), old, 0);
  CHECK_NOTHROW(RunLock(directory.path(), {}));
}

TEST_CASE("of many runs that find one stale lock exactly one gets it") {
  for (int round = 0; round < 10; ++round) {
    const TemporaryDirectory directory;
    leave_stale_lock(directory.path());
    // A child begins when `gate` is closed, says on `tried` that it has tried, and keeps what it has until `held` is.
    int gate[2], tried[2], held[2];
    REQUIRE((::pipe(gate) == 0 && ::pipe(tried) == 0 && ::pipe(held) == 0));
    const auto wait_until_closed = [](const int(&ends)[2]) {
      char nothing = 0;
      ::close(ends[1]);
      static_cast<void>(!::read(ends[0], &nothing, 1));
    };
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        wait_until_closed(gate);
        int code = 1;
        std::optional<RunLock> lock;
        try {
          lock.emplace(directory.path(), nullptr);
        } catch (const Error&) {
        }
        static_cast<void>(!::write(tried[1], "", 1));
        if (lock) {
          wait_until_closed(held);
          code = lock->held() ? 0 : 2;
          lock.reset();
        }
        ::_exit(code);
      }
      children.push_back(child);
    }
    ::close(gate[0]), ::close(gate[1]), ::close(tried[1]);
    char byte = 0;
    for (std::size_t i = 0; i < children.size(); ++i) REQUIRE(::read(tried[0], &byte, 1) == 1);
    ::close(held[0]), ::close(held[1]), ::close(tried[0]);
    int winners = 0, robbed = 0;
    for (const pid_t child : children) {
      int status = 0;
      ::waitpid(child, &status, 0);
      winners += WEXITSTATUS(status) == 0;
      robbed += WEXITSTATUS(status) == 2;
    }
    CHECK(winners == 1);
    CHECK(robbed == 0);
  }
}

TEST_CASE("a lock that another took over is not held any more and not removed") {
  const TemporaryDirectory directory;
  {
    const RunLock lock(directory.path(), {});
    write_text(directory / "lock.json", "{}\n");
    CHECK_FALSE(lock.held());
  }
  CHECK(std::filesystem::exists(directory / "lock.json"));
}

TEST_CASE("a lock whose file has gone, as with a directory that was moved, is not held any more") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "run");
  const RunLock lock(directory / "run", {});
  CHECK_NOTHROW(lock.require());
  std::filesystem::rename(directory / "run", directory / "moved");
  CHECK_FALSE(lock.held());
  try {
    lock.require();
    FAIL("not noticed");
  } catch (const Error& e) {
    CHECK(e.code() == ExitCode::io);
    CHECK(std::string(e.what()).find("was moved or removed") != std::string::npos);
  }
}
