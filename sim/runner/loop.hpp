#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "io/config/config.hpp"
#include "sim/runner/simulation.hpp"

namespace ergode::sim {

/// What the loop needs from around it; times are seconds of a monotonic clock since the process started.
struct LoopHooks {
  std::function<double()> now;
  std::function<int()> stop_signal;  ///< 0: none
  std::function<bool()> take_checkpoint_request;
  std::function<void()> write_checkpoint;  ///< throws io::Error when it gave up
  std::function<void(const Progress&)> show;
};

struct LoopLimits {
  double walltime = std::numeric_limits<double>::infinity();  ///< on the clock of now()
  io::Interval checkpoint_every;
  bool resumed = false;  ///< the present unit was observed before, and is that of a checkpoint
};

enum class Stop { done, signal, walltime };

struct LoopResult {
  Stop stop = Stop::done;
  int signal = 0;
  std::int64_t checkpointed_unit = -1;  ///< of the newest checkpoint, -1: none
  double advance_seconds = 0;
  double observe_seconds = 0;
  double checkpoint_seconds = 0;
};

/// Sizes batches of work so that each takes about `target_seconds`: signals, the clock and checkpoints are looked at
/// between.
class BatchSizer {
 public:
  explicit BatchSizer(double target_seconds = 0.25) : target_(target_seconds) {}
  std::int64_t units() const { return units_; }
  double seconds_per_unit() const { return per_unit_; }
  /// `units` took `seconds`. Grows by 8 at most, so that one lucky measurement cannot make a batch of minutes.
  void measured(std::int64_t units, double seconds);

 private:
  double target_;
  double per_unit_ = 0;
  std::int64_t units_ = 1;
};

/// Advances and observes until the simulation is done, a signal asks for a stop, or so little wall time is left that a
/// last checkpoint just fits. Never advances past next_observation() or a checkpoint that is due by steps; how the work
/// is cut into batches otherwise depends on timing, and by the contract of Simulation cannot change a result.
LoopResult run_loop(Simulation& simulation, const LoopLimits& limits, const LoopHooks& hooks);

}  // namespace ergode::sim
