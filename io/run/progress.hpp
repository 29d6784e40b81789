#pragma once

#include <cstdint>
#include <string>

#include "io/run/log.hpp"

namespace ergode::io {

enum class ProgressStyle { automatic, bar, lines, none };

/// How far a run is, for show().
struct ProgressState {
  std::int64_t unit = 0;
  std::int64_t total = 0;  ///< 0: not known
  std::string unit_name;
  std::string detail;
};

/// `1:02:03`, `4 d 1:02:03`.
std::string duration_text(double seconds);
/// Four significant digits: `1234`, `0.01234`, `1.234e+09`.
std::string short_number(double value);

/// One line about `state`: done, rate, time left.
std::string progress_text(const ProgressState& state, double units_per_second);

/// Shows progress: on a terminal one line redrawn a few times a second, elsewhere lines every 10 s and at each quarter.
/// Times are seconds of a monotonic clock, given by the caller.
class ProgressDisplay {
 public:
  ProgressDisplay(Log& log, ProgressStyle style);
  /// Starts counting at `state`: what was done before a resume must not enter the rate.
  void start(const ProgressState& state, double now);
  void show(const ProgressState& state, double now);
  void finish();

 private:
  void update_rate(std::int64_t unit, double now);
  Log& log_;
  ProgressStyle style_;
  double rate_ = 0;
  std::int64_t rate_unit_ = 0;
  double rate_time_ = 0;
  double shown_ = -1e9;
  int quarter_ = 0;
};

}  // namespace ergode::io
