#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/gravity/engine.hpp"

namespace ergode::sim::nbody {

/// A symmetric composition of leapfrog steps (kick-drift-kick) of lengths w_1 dt, w_2 dt, ... w_2 dt, w_1 dt. It is
/// symplectic and time-reversible by construction; the weights decide its order.
struct Integrator {
  std::string name;  ///< `scheme: yoshida4`
  int order = 2;
  std::vector<double> weights;  ///< the first half and the middle one: w_1 ... w_m; the rest mirrors them
  std::string source;           ///< where the weights come from: "Suzuki 1990"

  int stages() const { return 2 * static_cast<int>(weights.size()) - 1; }
  /// Name, source and stages, as results carry them: "yoshida4 (Suzuki 1990, 5 stages)". The names in configs say the
  /// kind of composition, of which there are many sets of weights.
  std::string description() const;
};

/// All of them. Adding one is one line in integrators.cpp; config, schema and tests go over this list.
std::span<const Integrator> integrators();

/// By name; throws std::out_of_range.
const Integrator& integrator(const std::string& name);

/// The kicks and drifts of one step; neighbouring half kicks are merged.
kernels::StepPlan step_plan(const Integrator& integrator);

}  // namespace ergode::sim::nbody
