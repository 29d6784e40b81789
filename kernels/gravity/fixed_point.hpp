#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/host_device.hpp"

// Sums whose bits depend on nothing but their terms: integers commute, floating-point numbers do not. A float is
// rounded to a multiple of a quantum and added as a 64-bit integer. Two accumulators, 2^24 apart, cover what one
// cannot: a term that is too large for the first is rounded to the second's quantum with about the error that a float
// has (up to eight million bodies; with more, somewhat more).

namespace ergode::kernels {

/// Quanta in the unit of the terms, and the largest term in quanta. Both are powers of two.
struct FixedPointScale {
  float fine = 1;   ///< quanta of the first accumulator in a unit
  float limit = 1;  ///< of a term, in quanta of its accumulator: as many terms as there may be fit
};
/// Quanta of the first accumulator in one of the second: a float's significant bits.
inline constexpr float coarseness = 0x1p24f;

/// The scale for sums of `terms` terms. `pull` is that of all bodies but the heaviest from across the whole system, in
/// the terms' unit: the least that the acceleration of a body comes to, unless pulls cancel. It is 2^34 quanta; what
/// `terms` roundings add up to is below a float's last bit of it.
inline FixedPointScale fixed_point_scale(double pull, std::int64_t terms) {
  FixedPointScale scale{std::ldexp(1.0f, 34 - std::ilogb(pull)), 0x1p62f};
  for (std::int64_t room = 1; room < terms; room *= 2) scale.limit /= 2;
  return scale;
}

/// Of the mass of all others to that of the heaviest body: below, what the heaviest does to the others leaves no room
/// for what they do to it.
inline constexpr double least_pulling_mass = 0x1p-16;

enum class FixedPoint {
  fine,
  coarse,
  neither,  ///< too large for both, or not a number
};

/// Which accumulator takes `value`, and what is added to it.
ERGODE_HOST_DEVICE inline FixedPoint to_fixed_point(float value, const FixedPointScale& scale, std::int64_t& quanta) {
  float scaled = value * scale.fine;
  const bool small = ::fabsf(scaled) < scale.limit;
  if (!small) scaled *= 1 / coarseness;
  if (!(::fabsf(scaled) < scale.limit)) return FixedPoint::neither;
#ifdef __CUDA_ARCH__
  quanta = __float2ll_rn(scaled);
#else
  quanta = __builtin_llrintf(scaled);
#endif
  return small ? FixedPoint::fine : FixedPoint::coarse;
}

ERGODE_HOST_DEVICE inline double from_fixed_point(std::int64_t fine, std::int64_t coarse,
                                                  const FixedPointScale& scale) {
  return (static_cast<double>(fine) + static_cast<double>(coarse) * coarseness) * (1 / static_cast<double>(scale.fine));
}

}  // namespace ergode::kernels
