#include "io/disk_retry.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "io/fs/file.hpp"

namespace ergode::io {
namespace {

bool really_sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  return true;
}

}  // namespace

void retry_while_full(const DiskRetry& retry, const std::function<void()>& work) {
  double left = retry.seconds, interval = retry.interval;
  for (;;) {
    try {
      return work();
    } catch (const fs::SystemError& error) {
      if (!error.disk_full() || left <= 0 || interval <= 0) throw;
      if (retry.warn) retry.warn(std::string(error.what()) + "; trying again");
      if (!(retry.sleep ? retry.sleep(interval) : really_sleep(interval))) throw;
      left -= interval;
      interval = std::max(interval, std::min(2 * interval, retry.longest_interval));
    }
  }
}

}  // namespace ergode::io
