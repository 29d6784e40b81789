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

/// Quanta, as a power of two, of the pull of all bodies but the heaviest from across the whole system: the least that
/// the acceleration of a body comes to, unless pulls cancel. What the roundings of all tiles add up to at random is far
/// below a float's last bit of it, and still near that bit for a body a hundred times as far out.
inline constexpr int quanta_of_all = 40;

/// The scale for sums of `terms` terms, where that pull is `pull` in the terms' unit.
inline FixedPointScale fixed_point_scale(double pull, std::int64_t terms) {
  FixedPointScale scale{std::ldexp(1.0f, quanta_of_all - std::ilogb(pull)), 0x1p62f};
  for (std::int64_t room = 1; room < terms; room *= 2) scale.limit /= 2;
  return scale;
}

/// Whether such sums serve bodies of these masses: the heaviest one's pull leaves room for what all others, `pulling`
/// in all, do to it, and that of the lightest from across the system is not lost among the quanta.
inline bool fixed_point_serves(double heaviest, double pulling, double lightest) {
  return pulling > 0 && pulling >= 0x1p-10 * heaviest && lightest >= std::ldexp(pulling, 2 - quanta_of_all);
}

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
