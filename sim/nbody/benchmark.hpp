#pragma once

#include <cstdint>
#include <vector>

#include "kernels/gravity/engine.hpp"

namespace ergode::sim::nbody {

/// Whole leapfrog steps of a Plummer sphere (softening 0.01), timed from outside; interactions are directed pairs.
struct GravityRate {
  std::int64_t bodies = 0;
  kernels::Precision precision = kernels::Precision::mixed;
  std::int64_t steps = 0;  ///< in one sample
  int samples = 0;
  double seconds_per_step = 0;      ///< median over samples
  double fastest = 0, slowest = 0;  ///< seconds a step
  double interactions_per_second() const {
    return static_cast<double>(bodies) * static_cast<double>(bodies) / seconds_per_step;
  }
};

/// `seconds`: about how long one size may take.
GravityRate measure_gravity(const kernels::Device& device, int threads, std::int64_t bodies,
                            kernels::Precision precision, double seconds);

}  // namespace ergode::sim::nbody
