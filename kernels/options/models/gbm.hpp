#pragma once

#include "kernels/options/models/model.hpp"

namespace ergode::kernels::options {

/// Geometric Brownian motion (Black & Scholes 1973): ln S gains a + b z, exactly for any step. A cash dividend c at the
/// step's end takes the spot from S to max(S - c, 0).
/// Step: [0] a = integral of r - q - sigma^2/2, [1] b = sqrt(integral of sigma^2), [2] c, [3] forward variance at the
/// end.
struct Gbm {
  static constexpr int normals = 1;
  static constexpr int step_constants = 4;

  template <class T>
  ERGODE_HOST_DEVICE static void start(AssetState<T>& s, const AssetConstants<T>& c) {
    s.log_return = T(0);
    s.variance = c.step[3];
    // A shift of S0 shifts the first fixing's log: the score sees it with the first step.
    s.score = 0;
    s.first_deviation = 0;
  }

  template <class T>
  ERGODE_HOST_DEVICE static void step(AssetState<T>& s, const AssetConstants<T>& c, const Scalar<T>* z) {
    using Real = Scalar<T>;
    // The layout puts a step's four numbers where one load fetches them.
    const T* step = static_cast<const T*>(__builtin_assume_aligned(c.step, 4 * sizeof(Real)));
    const T mean = step[0], deviation = step[1];
    s.log_return = s.log_return + fused_multiply_add(deviation, z[0], mean);
    s.segment_variance = deviation * deviation;
    s.variance = step[3];
    if constexpr (is_dual<T>) {
      // d ln f / dp of a normal increment with mean a(p) and deviation b(p).
      const Real b = value_of(deviation);
      if (b > 0) {
        Real shift = tangent_of(mean);
        if (s.first_deviation == 0) {
          shift += quotient(tangent_of(*c.spot), value_of(*c.spot));
          s.first_deviation = b;
        }
        s.score += quotient(shift * z[0] + tangent_of(deviation) * (z[0] * z[0] - 1), b);
      }
    }
  }

  /// The cash dividend at the step's end; false where there is none.
  template <class T>
  ERGODE_HOST_DEVICE static bool pay_dividend(AssetState<T>& s, const AssetConstants<T>& c) {
    const T dividend = c.step[2];
    if (value_of(dividend) == 0) return false;
    const T after = exponential(s.log_return) - quotient(dividend, *c.spot);
    s.log_return = value_of(after) > Scalar<T>(1e-26) ? logarithm(after) : T(lowest_log_return<T>());
    return true;
  }
};

}  // namespace ergode::kernels::options
