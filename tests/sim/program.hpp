#pragma once

// Runs the program as a user does, in a process of its own that can be killed: either the real one, or the same command
// line with the toy simulation registered.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/cli/command_line.hpp"
#include "tests/sim/temporary.hpp"
#include "tests/sim/toy_simulation.hpp"

namespace ergode::testing {

struct Outcome {
  int code = -1;  ///< exit code; -1 when a signal ended it
  int signal = 0;
  std::string out;
  std::string error;
};

class Child {
 public:
  /// `setup` runs in the child before the program does (environment, limits, descriptors).
  Child(const std::filesystem::path& folder, std::vector<std::string> arguments, const std::function<void()>& setup,
        const char* program) {
    static std::atomic<int> number{0};
    const std::string stem = (folder / (".child" + std::to_string(number++))).string();
    out_ = stem + ".out";
    error_ = stem + ".err";
    arguments.insert(arguments.begin(), "ergode");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int out = ::open(out_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644),
              error = ::open(error_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
    ::dup2(out, 1), ::dup2(error, 2);
    ::close(out), ::close(error);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE, SIGSEGV, SIGABRT, SIGFPE})
      std::signal(signal, SIG_DFL);
    ::unsetenv("ERGODE_DEVICE");
    if (setup) setup();
    if (program != nullptr) {
      ::execv(program, argv.data());
      ::_exit(127);
    }
    ::_exit(sim::command_line(static_cast<int>(arguments.size()), argv.data(), {toy::simulation_type()}));
  }
  Child(Child&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), out_(std::move(other.out_)), error_(std::move(other.error_)) {}
  /// A test that has failed leaves nobody who takes the processor from the others.
  ~Child() {
    if (pid_ <= 0 || !running()) return;
    kill(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  void kill(int signal) const { ::kill(pid_, signal); }
  bool running() const {
    siginfo_t ended{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
  }
  pid_t pid() const { return pid_; }
  Outcome wait() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    Outcome outcome;
    if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
    outcome.out = slurp(out_);
    outcome.error = slurp(error_);
    return outcome;
  }

 private:
  pid_t pid_ = -1;
  std::string out_;
  std::string error_;
};

inline Child start_toy(const std::filesystem::path& folder, std::vector<std::string> arguments,
                       const std::function<void()>& setup = {}) {
  return Child(folder, std::move(arguments), setup, nullptr);
}
inline Outcome run_toy(const std::filesystem::path& folder, std::vector<std::string> arguments,
                       const std::function<void()>& setup = {}) {
  return start_toy(folder, std::move(arguments), setup).wait();
}

}  // namespace ergode::testing
