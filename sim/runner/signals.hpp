#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace ergode::sim {

/// Takes the signals that concern a run in a thread of its own, so that no handler runs in the midst of other code:
/// the first SIGINT, SIGTERM or SIGUSR1 asks for a clean stop, the second ends the process at once with 128 + its
/// number, SIGUSR2 asks for a checkpoint. To be made before other threads are, which inherit the blocked signals.
class SignalWatcher {
 public:
  /// `at_once` is called (in the watching thread) before the second signal ends the process.
  explicit SignalWatcher(std::function<void(int signal)> at_once);
  ~SignalWatcher();

  /// The signal that asked for a stop, 0 when none did.
  int stop_signal() const { return stop_; }
  /// One that another process of the run received; it is never taken for a second one.
  void note(int signal);
  /// True once for each request.
  bool take_checkpoint_request() { return checkpoint_.exchange(false); }

 private:
  void watch();
  std::function<void(int)> at_once_;
  std::atomic<int> stop_{0};
  std::atomic<bool> checkpoint_{false};
  std::atomic<bool> end_{false};
  sigset_t watched_{};
  sigset_t before_{};
  std::thread thread_;
};

/// "SIGTERM" for the signals that a run knows.
const char* signal_name(int signal);

/// SIGPIPE and SIGXFSZ become errors of the call that met them instead of ending the process.
void ignore_write_signals();

}  // namespace ergode::sim
