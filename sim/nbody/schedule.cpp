#include "sim/nbody/schedule.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ergode::sim::nbody {
namespace {

constexpr double tolerance = 1e-9;  // relative: decimal fractions are not exact in binary
constexpr double most_steps = 1e15;

// A product such as 3 * 0.1 shown as a person would write it.
std::string rounded(double x) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::general, 12).ptr};
}

// How often `unit` goes into `length`, or 0 with a problem said.
std::int64_t multiple(double length, double unit, const std::string& key, const std::string& path,
                      const std::string& of, std::vector<Problem>& problems) {
  const double ratio = length / unit;
  if (!(ratio < most_steps)) {
    problems.push_back({key, path + " " + text(length) + " is more than 1e15 times " + of + " (" + text(unit) + ")"});
    return 0;
  }
  const double whole = std::max(1.0, std::round(ratio));
  if (std::fabs(ratio - whole) > std::min(tolerance * whole, 1e-3)) {
    problems.push_back({key, path + " " + text(length) + " is no multiple of " + of + " (" + text(unit) +
                                 "); the nearest is " + rounded(whole * unit)});
    return 0;
  }
  return static_cast<std::int64_t>(whole);
}

}  // namespace

std::string text(double x) {
  if (std::isnan(x)) return "nan";  // without the sign that it may have
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr};
}

std::int64_t Schedule::next(std::int64_t step) const {
  if (step < 0) return 0;
  const auto after = [step](std::int64_t every) { return (step / every + 1) * every; };
  return std::min({steps, after(series_every), after(snapshot_every)});
}

Schedule make_schedule(const IntegratorSettings& integrator, const OutputSettings& output,
                       const DiagnosticsSettings& diagnostics, std::vector<Problem>& problems) {
  Schedule s;
  if (integrator.timestep.has_value() == integrator.steps.has_value()) {
    problems.push_back({"integrator", "integrator: give `timestep` or `steps`, one of the two"});
    return s;
  }
  if (integrator.steps) {
    s.steps = *integrator.steps;
    s.timestep = integrator.end_time / static_cast<double>(s.steps);
  } else {
    s.timestep = *integrator.timestep;
    s.steps = multiple(integrator.end_time, s.timestep, "integrator", "integrator.end_time", "the time step", problems);
  }
  if (s.steps < 1 || !(s.timestep > 0)) return s;

  s.series_every = output.series.interval ? multiple(*output.series.interval, s.timestep, "output",
                                                     "output.series.interval", "the time step", problems)
                                          : std::max<std::int64_t>(1, s.steps / 100);
  s.snapshot_every = output.snapshots.interval ? multiple(*output.snapshots.interval, s.timestep, "output",
                                                          "output.snapshots.interval", "the time step", problems)
                                               : s.steps;
  s.force_check_every = s.series_every;
  if (s.series_every > 0 && diagnostics.force_check && diagnostics.force_check->every)
    s.force_check_every =
        s.series_every * multiple(*diagnostics.force_check->every, static_cast<double>(s.series_every) * s.timestep,
                                  "diagnostics", "diagnostics.force_check.every", "the series interval", problems);
  for (auto* every : {&s.series_every, &s.snapshot_every, &s.force_check_every})
    *every = std::max<std::int64_t>(1, *every);
  return s;
}

}  // namespace ergode::sim::nbody
