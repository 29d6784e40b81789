#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/nbody/settings.hpp"

namespace ergode::sim::nbody {

/// A run's steps and the steps at which it is observed. Times are step * timestep.
struct Schedule {
  double timestep = 0;
  std::int64_t steps = 0;
  std::int64_t series_every = 1;    ///< steps; the last step has a row too
  std::int64_t snapshot_every = 1;  ///< steps; the last step has a snapshot too
  std::int64_t force_check_every = 1;

  double time(std::int64_t step) const { return static_cast<double>(step) * timestep; }
  bool row_due(std::int64_t step) const { return step % series_every == 0 || step == steps; }
  bool snapshot_due(std::int64_t step) const { return step % snapshot_every == 0 || step == steps; }
  bool force_check_due(std::int64_t step) const { return step % force_check_every == 0 || step == steps; }
  /// The first observed step after `step` (-1: from the start).
  std::int64_t next(std::int64_t step) const;
};

struct Problem {
  std::string key, message;  ///< the key at the config's root that it belongs to
};

/// The schedule; what does not fit (an end or interval that is no multiple of the time step) goes into `problems`, with the
/// nearest value that is one.
Schedule make_schedule(const IntegratorSettings& integrator, const OutputSettings& output,
                       const DiagnosticsSettings& diagnostics, std::vector<Problem>& problems);

/// The shortest decimal text that reads back as `x`, with a point in every locale.
std::string text(double x);

}  // namespace ergode::sim::nbody
