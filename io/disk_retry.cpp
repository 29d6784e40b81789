#include "io/disk_retry.hpp"

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
  for (double left = retry.seconds;; left -= retry.interval) {
    try {
      return work();
    } catch (const fs::SystemError& error) {
      if (!error.disk_full() || left <= 0 || retry.interval <= 0) throw;
      if (retry.warn) retry.warn(std::string(error.what()) + "; trying again");
      if (!(retry.sleep ? retry.sleep(retry.interval) : really_sleep(retry.interval))) throw;
    }
  }
}

}  // namespace ergode::io
