#include "sim/runner/loop.hpp"

#include <algorithm>
#include <cmath>

namespace ergode::sim {

void BatchSizer::measured(std::int64_t units, double seconds) {
  const double latest = std::max(seconds, 1e-9) / static_cast<double>(units);
  per_unit_ = per_unit_ > 0 ? 0.5 * (per_unit_ + latest) : latest;
  const double fitting = std::clamp(target_ / per_unit_, 1.0, 1e15);
  units_ = std::clamp(static_cast<std::int64_t>(fitting), std::int64_t{1}, 8 * std::max(units_, std::int64_t{1}));
}

namespace {

/// When checkpoints are due, and what they cost.
struct CheckpointSchedule {
  io::Interval every;
  bool cost_wanted;  ///< a wall-time limit needs to know it early
  double last_time;
  std::int64_t last_unit;
  double worst_seconds = 0;

  bool due(std::int64_t unit, double now) const {
    if (unit == last_unit || unit == 0) return false;
    if (every.steps > 0 && unit % every.steps == 0) return true;
    if (every.seconds > 0 && now - last_time >= every.seconds) return true;
    return cost_wanted;
  }
  std::int64_t units_until_due(std::int64_t unit) const {
    return every.steps > 0 ? every.steps - unit % every.steps : std::numeric_limits<std::int64_t>::max();
  }
};

}  // namespace

LoopResult run_loop(Simulation& simulation, const LoopLimits& limits, const LoopHooks& hooks) {
  LoopResult result;
  BatchSizer sizer;
  const bool limited = std::isfinite(limits.walltime);
  const std::int64_t start = simulation.progress().unit;
  CheckpointSchedule schedule{limits.checkpoint_every, limited, hooks.now(), limits.resumed ? start : -1};
  std::int64_t observed = limits.resumed ? start : -1;
  std::int64_t shown = start;
  double worst_observation = 0;

  auto checkpoint = [&](std::int64_t unit) {
    const double before = hooks.now();
    hooks.write_checkpoint();
    schedule.last_time = hooks.now();
    schedule.last_unit = unit;
    schedule.cost_wanted = false;
    const double cost = schedule.last_time - before;
    schedule.worst_seconds = std::max(schedule.worst_seconds, cost);
    result.checkpoint_seconds += cost;
  };

  for (;;) {
    const std::int64_t unit = simulation.progress().unit;
    if (observed != unit && simulation.next_observation() <= unit) {
      const double before = hooks.now();
      simulation.observe();
      observed = unit;
      const double cost = hooks.now() - before;
      worst_observation = std::max(worst_observation, cost);
      result.observe_seconds += cost;
    }
    // After the observation, so that what is shown beside a step was measured at it.
    if (unit != shown) hooks.show(simulation.progress());
    shown = unit;
    if (simulation.done()) {
      result.stop = Stop::done;
      break;
    }
    result.signal = hooks.stop_signal();
    if (result.signal != 0) {
      result.stop = Stop::signal;
      break;
    }
    const bool asked = hooks.take_checkpoint_request();
    if ((asked && unit != schedule.last_unit) || schedule.due(unit, hooks.now())) checkpoint(unit);

    std::int64_t units = sizer.units();
    if (limited) {
      // Kept in hand: the checkpoint at its worst twice (disks have bad moments), an observation, and a little for the
      // end.
      const double reserve =
          2 * schedule.worst_seconds + worst_observation + 0.25 + std::min(0.01 * limits.walltime, 5.0);
      const double left = limits.walltime - hooks.now() - reserve;
      if (left <= 2 * sizer.seconds_per_unit()) {
        result.stop = Stop::walltime;
        break;
      }
      if (sizer.seconds_per_unit() > 0)
        units = std::min(units, std::max(std::int64_t{1},
                                         static_cast<std::int64_t>(std::min(left / sizer.seconds_per_unit(), 1e15))));
    }
    const Progress progress = simulation.progress();
    if (progress.total > unit) units = std::min(units, progress.total - unit);
    if (const std::int64_t next = simulation.next_observation(); next > unit) units = std::min(units, next - unit);
    units = std::min(units, schedule.units_until_due(unit));

    const double before = hooks.now();
    simulation.advance(units);
    const double seconds = hooks.now() - before;
    result.advance_seconds += seconds;
    sizer.measured(units, seconds);
  }
  result.checkpointed_unit = schedule.last_unit;
  return result;
}

}  // namespace ergode::sim
