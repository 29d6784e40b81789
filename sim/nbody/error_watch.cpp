#include "sim/nbody/error_watch.hpp"

#include <cmath>
#include <limits>

#include "sim/nbody/schedule.hpp"

namespace ergode::sim::nbody {
namespace {

/// Where an error is no number.
constexpr const char* out_of_range =
    "what it is made of is beyond the range of numbers, 2e-308 to 2e308; choose units in which masses, lengths and "
    "speeds are nearer to 1";

}  // namespace

std::optional<std::string> ErrorWatch::look(const Kind& kind, double error, std::optional<double> bound,
                                            const Observation& o, bool& said) {
  std::string text = std::string(kind.name) + " is " + nbody::text(error) + " at step " + std::to_string(o.step) +
                     " (t = " + nbody::text(o.time) + ")";
  const std::string remedy = ": " + (std::isfinite(error) ? kind.remedy : std::string(out_of_range));
  const auto once = [&](const std::string& line) {
    if (!std::exchange(said, true)) warning_(line);
  };
  if (!bound) {
    const std::string key = kind.bound == nullptr ? "" : kind.bound;
    if (!(error <= kind.large))
      once(text + remedy + (key.empty() ? "" : "; diagnostics." + key + " would stop such a run"));
    return std::nullopt;
  }
  text += ", the bound diagnostics." + std::string(kind.bound) + " is " + nbody::text(*bound);
  if (error <= *bound) {
    if (error > 0.5 * *bound) once(text + ": more than half of it");
    return std::nullopt;
  }
  warning_(text);
  return text + remedy;
}

std::optional<std::string> ErrorWatch::look(const Observation& o, kernels::Precision used) {
  const bool mixed = used == kernels::Precision::mixed;
  std::optional<std::string> energy, force;
  if (o.energies)
    energy = look({"the relative energy error", "max_relative_energy_error", 0.01,
                   std::string("a smaller timestep or another integrator may mend it") +
                       (mixed ? ", or gravity.precision: double" : "")},
                  std::fabs(o.relative_energy_error), settings_.max_relative_energy_error, o, said_energy_);
  if (o.force)
    force = look({"the force error E2", "max_force_error", 1e-4,
                  mixed ? "bodies are too close for their distances from others; use gravity.precision: double"
                        : "the forces on the sampled bodies all but cancel"},
                 o.force->e2, settings_.max_force_error, o, said_force_);
  look({"the momentum drift", nullptr, std::numeric_limits<double>::infinity(), ""}, o.momentum_drift, std::nullopt, o,
       said_momentum_);
  return energy ? energy : force;
}

}  // namespace ergode::sim::nbody
