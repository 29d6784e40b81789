#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/gravity/engine.hpp"
#include "sim/benchmark/ceilings.hpp"
#include "sim/nbody/diagnostics.hpp"

namespace ergode::sim::nbody {

/// Whole leapfrog steps of a Plummer sphere in Henon units (softening 0.01), timed from outside; interactions are
/// directed pairs, N^2 of them a step.
struct GravityRate {
  std::int64_t bodies = 0;
  kernels::Precision precision = kernels::Precision::mixed;
  Timing timing;  ///< of a step
  double interactions() const { return static_cast<double>(bodies) * static_cast<double>(bodies); }
  bool pairs = false;  ///< each pair is looked at once
  /// kernels/gravity/plummer.hpp: three subtractions and ten further instructions for one side of a pair, or three and
  /// twelve for both where masses are equal, as here; one of them is the reciprocal square root.
  Need need() const {
    const double seen = pairs ? interactions() / 2 : interactions();
    return {(pairs ? 15 : 13) * seen, seen, precision == kernels::Precision::float64};
  }
};

GravityRate measure_gravity(const kernels::Device& device, int threads, std::int64_t bodies,
                            kernels::Precision precision, const Pace& pace);

/// Steps that would take longer than the pace allows, to go by a smaller size (`measured`), of whose kind they are.
bool too_long(std::int64_t bodies, const GravityRate& measured, const Pace& pace);

/// How far accelerations of a sphere are from an independent sum in double.
struct SphereError {
  std::int64_t bodies = 0;
  std::int64_t sample = 0;  ///< bodies that were looked at: all of them, or spread evenly
  kernels::Precision precision = kernels::Precision::mixed;
  double softening = 0;
  double offset = 0;  ///< of the sphere's centre from the origin along each axis, in scale radii
  ForceError error;
};

/// Of `bodies` bodies of the same sphere, at softening 0.01 and 0.001, in place and moved, in both precisions.
std::vector<SphereError> measure_force_errors(const kernels::Device& device, int threads, std::int64_t bodies);

}  // namespace ergode::sim::nbody
