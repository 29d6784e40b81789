#pragma once

#include <functional>
#include <string>

namespace ergode::io {

/// What to do while the disk is full (or the quota used up): wait and try again. Other errors are not repeated.
struct DiskRetry {
  double seconds = 0;                            ///< in all
  double interval = 5;                           ///< between two trials, seconds
  std::function<bool(double seconds)> sleep;     ///< waits; false: give up now. Empty: really sleep
  std::function<void(const std::string&)> warn;  ///< told of each failed trial; may be empty
  double longest_interval = 0;                   ///< `interval` doubles up to this; 0: it stays
};

/// Does `work` until it no longer fails for want of space or `retry` has no time left; then throws its last error.
void retry_while_full(const DiskRetry& retry, const std::function<void()>& work);

}  // namespace ergode::io
