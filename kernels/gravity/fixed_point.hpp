#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/host_device.hpp"

// Sums whose bits depend on nothing but their terms: integers commute, floating-point numbers do not. A float is
// rounded to a multiple of a fixed quantum and added as a 64-bit integer. Two accumulators, 2^24 apart, cover what one
// cannot: a term that is too large for the first is rounded to the second's quantum with about the error that a float
// has (up to eight million bodies; with more, somewhat more).

namespace ergode::kernels {

/// Quanta of the two accumulators in the terms' unit, which is the pull of the heaviest body across the whole system:
/// that of a body 2^-16 as heavy is still 2^12 quanta, and a pair of the heaviest ones may come as near as some 2^-22
/// of the system's size.
inline constexpr float fine_quanta = 0x1p28f, coarse_quanta = 0x1p4f;
static_assert(fine_quanta / coarse_quanta == 0x1p24f);  // a float's significant bits
/// Lightest and heaviest body, both with mass, between which that holds.
inline constexpr double mass_range = 0x1p-16;

/// What one term may be, in quanta, if `terms` of them are to fit: a power of two.
constexpr float largest_term(std::int64_t terms) {
  float limit = 0x1p62f;
  for (std::int64_t room = 1; room < terms; room *= 2) limit /= 2;
  return limit;
}

enum class FixedPoint {
  fine,
  coarse,
  neither,  ///< too large for both, or not a number
};

/// Which accumulator takes `value`, and what is added to it.
ERGODE_HOST_DEVICE inline FixedPoint to_fixed_point(float value, float limit, std::int64_t& quanta) {
  const bool small = ::fabsf(value) < limit / fine_quanta;
  const float scaled = value * (small ? fine_quanta : coarse_quanta);
  if (!(::fabsf(scaled) < limit)) return FixedPoint::neither;
#ifdef __CUDA_ARCH__
  quanta = __float2ll_rn(scaled);
#else
  quanta = __builtin_llrintf(scaled);
#endif
  return small ? FixedPoint::fine : FixedPoint::coarse;
}

ERGODE_HOST_DEVICE inline double from_fixed_point(std::int64_t fine, std::int64_t coarse) {
  return static_cast<double>(fine) / fine_quanta + static_cast<double>(coarse) / coarse_quanta;
}

}  // namespace ergode::kernels
