#pragma once

#include <cstdint>

#include "kernels/gravity/engine.hpp"

namespace ergode::kernels {

/// A measured force pass.
struct GravityRate {
  std::int64_t bodies = 0;
  double seconds = 0;                 ///< a leapfrog step, one force pass in it: the median of the repeats
  double fastest = 0, slowest = 0;    ///< seconds a step among the repeats
  double interactions_per_second = 0; ///< bodies^2 / seconds: directed pairs, the body itself among them
};

/// Times leapfrog steps of `bodies` random bodies in a unit cube, all of them sources with softening 0.01, on a fresh state in
/// `engine` after a warm-up of one batch. Each of the `repeats` >= 1 batches makes enough steps to last some 50 ms, at most 16,
/// with a wait for the device at its end.
GravityRate measure_gravity(GravityEngine& engine, std::int64_t bodies, int repeats);

}  // namespace ergode::kernels
