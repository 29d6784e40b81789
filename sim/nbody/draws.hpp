#pragma once

#include <cstdint>

#include "kernels/core/vec3.hpp"

namespace ergode::sim::nbody {

/// What a draw is for: the last word of the counter, so that no two uses share random numbers.
enum class Purpose : std::uint32_t { radius = 1, direction = 2, speed = 3, velocity_direction = 4, force_check = 5 };

/// Philox draws by name: key (seed, stream), counter (particle, attempt, purpose). No state, so a draw depends on nothing else.
struct Draws {
  std::uint32_t seed = 0;
  std::uint32_t stream = 0;  ///< the component's index

  /// Two uniform numbers in (0, 1), odd multiples of 2^-53.
  struct Pair {
    double first, second;
  };
  Pair uniform(std::int64_t particle, std::uint32_t attempt, Purpose purpose) const;

  /// A unit vector, isotropic (Marsaglia 1972): rejection and a square root, no trigonometry.
  kernels::Vec3 direction(std::int64_t particle, Purpose purpose) const;
};

}  // namespace ergode::sim::nbody
