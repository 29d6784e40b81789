#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>

namespace ergode::test {

/// How a child process ended.
struct Ending {
  int exit = -1;   ///< its exit status, -1 when killed
  int signal = 0;  ///< the signal that killed it
};

/// Forks; the child runs `work` and exits normally with what it returns (100 on an exception), through the exit
/// handlers.
inline pid_t start_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int status = 100;
  try {
    status = work();
  } catch (...) {
  }
  std::exit(status);
}

inline Ending wait_for(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return {};
  if (WIFSIGNALED(status)) return {-1, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace ergode::test
