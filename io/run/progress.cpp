#include "io/run/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ergode::io {

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e15) return "?";
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const std::int64_t days = whole / 86400, rest = whole % 86400;
  const std::string clock = fmt::format("{}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60);
  return days > 0 ? fmt::format("{} d {}", days, clock) : clock;
}

std::string short_number(double value) {
  return fmt::format("{:.4g}", value);
}

std::string progress_text(const ProgressState& state, double rate) {
  const std::string name = state.unit_name.empty() ? "unit" : state.unit_name;
  std::string text = fmt::format("{} {}", name, state.unit);
  if (state.total > 0) {
    const double percent = 100.0 * static_cast<double>(state.unit) / static_cast<double>(state.total);
    // Rounded down, so that 100 % is said at the end only.
    text += fmt::format(" of {} ({:.1f} %)", state.total, std::floor(percent * 10) / 10);
  }
  if (rate > 0) {
    text += fmt::format("  {} {}s/s", short_number(rate), name);
    if (state.total > state.unit)
      text += "  left " + duration_text(static_cast<double>(state.total - state.unit) / rate);
  }
  if (!state.detail.empty()) text += "  " + state.detail;
  return text;
}

ProgressDisplay::ProgressDisplay(Log& log, ProgressStyle style) : log_(log), style_(style) {
  if (style_ == ProgressStyle::automatic)
    style_ = log.console().interactive() ? ProgressStyle::bar : ProgressStyle::lines;
  if (log.verbosity() == Verbosity::quiet) style_ = ProgressStyle::none;
}

void ProgressDisplay::start(const ProgressState& state, double now) {
  rate_unit_ = state.unit;
  rate_time_ = now;
  shown_ = now;
  quarter_ =
      state.total > 0 ? static_cast<int>(4 * static_cast<double>(state.unit) / static_cast<double>(state.total)) : 0;
}

void ProgressDisplay::update_rate(std::int64_t unit, double now) {
  const double seconds = now - rate_time_;
  if (seconds < 0.2 || unit <= rate_unit_) return;
  const double latest = static_cast<double>(unit - rate_unit_) / seconds;
  // Half the weight on the last ten seconds: steady enough to read, quick enough to follow a change.
  const double weight = rate_ > 0 ? 1 - std::exp2(-seconds / 10) : 1;
  rate_ += weight * (latest - rate_);
  rate_unit_ = unit;
  rate_time_ = now;
}

void ProgressDisplay::show(const ProgressState& state, double now) {
  update_rate(state.unit, now);
  if (style_ == ProgressStyle::none) return;
  if (style_ == ProgressStyle::bar) {
    if (now - shown_ < 0.2) return;
    constexpr int width = 20;
    std::string bar;
    if (state.total > 0) {
      const double part = std::clamp(static_cast<double>(state.unit) / static_cast<double>(state.total), 0.0, 1.0);
      const auto filled = static_cast<std::size_t>(part * width);
      bar = "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] ";
    }
    log_.console().bar(bar + progress_text(state, rate_));
    shown_ = now;
    return;
  }
  const int quarter =
      state.total > 0 ? static_cast<int>(4 * static_cast<double>(state.unit) / static_cast<double>(state.total)) : 0;
  if (now - shown_ < 10 && quarter <= quarter_) return;
  quarter_ = std::max(quarter, quarter_);
  shown_ = now;
  log_.info(progress_text(state, rate_));
}

void ProgressDisplay::finish() {
  log_.console().clear_bar();
}

}  // namespace ergode::io
