#include "sim/runner/signals.hpp"

#include <pthread.h>
#include <unistd.h>

namespace ergode::sim {

const char* signal_name(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGUSR2:
      return "SIGUSR2";
    default:
      return "a signal";
  }
}

void ignore_write_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

SignalWatcher::SignalWatcher(std::function<void(int)> at_once) : at_once_(std::move(at_once)) {
  sigemptyset(&watched_);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) sigaddset(&watched_, signal);
  pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  thread_ = std::thread([this] { watch(); });
}

SignalWatcher::~SignalWatcher() {
  end_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR2);  // wakes it
  thread_.join();
  // What came too late for this run must not kill the process while it ends.
  const timespec none{};
  while (sigtimedwait(&watched_, nullptr, &none) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void SignalWatcher::note(int signal) {
  int none = 0;
  if (signal == SIGUSR2)
    checkpoint_ = true;
  else
    stop_.compare_exchange_strong(none, signal);
}

void SignalWatcher::watch() {
  for (;;) {
    int signal = 0;
    if (sigwait(&watched_, &signal) != 0) continue;
    if (end_) return;
    if (signal == SIGUSR2) {
      checkpoint_ = true;
    } else if (stop_ == 0) {
      stop_ = signal;
    } else {
      if (at_once_) at_once_(signal);
      ::_exit(128 + signal);
    }
  }
}

}  // namespace ergode::sim
