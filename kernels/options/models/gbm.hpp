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
    clear_score(s);
  }

  template <class T>
  ERGODE_HOST_DEVICE static void step(AssetState<T>& s, const AssetConstants<T>& c, const Scalar<T>* z) {
    using Real = Scalar<T>;
    const Constants<T> step = fetched_at_once(c.step);
    const T mean = step[0], deviation = step[1];
    s.log_return = s.log_return + multiply_add(deviation, z[0], mean);
    s.segment_variance = deviation * deviation;
    s.variance = step[3];
    if constexpr (is_dual<T>) {
      if (!s.scored) return;
      // d ln f / dp of a normal increment with mean a(p) and deviation b(p).
      const Real b = value_of(deviation);
      if (plain_constant(c.step, 1) > 0) {
        Tangents<Real> shift = tangents_of(mean);
        const auto first = s.first_deviation == Real(0);
        if (any(first)) {
          const T spot = *c.spot;
          shift = select(first, shift + tangents_of(spot) * quotient(Real(1), value_of(spot)), shift);
          s.first_deviation = select(first, b, s.first_deviation);
        }
        s.score = s.score + (shift * z[0] + tangents_of(deviation) * (z[0] * z[0] - Real(1))) * quotient(Real(1), b);
      }
    }
  }

  /// The cash dividend at the step's end; false where there is none.
  template <class T>
  ERGODE_HOST_DEVICE static bool pay_dividend(AssetState<T>& s, const AssetConstants<T>& c) {
    if (plain_constant(c.step, 2) == 0) return false;
    const T after = exponential(s.log_return) - quotient(c.step[2], *c.spot);
    s.log_return = select(value_of(after) > Scalar<T>(1e-26), logarithm(after), T(lowest_log_return<T>()));
    return true;
  }

 private:
  /// The layout puts a step's four numbers where one load fetches them.
  template <class T>
  ERGODE_HOST_DEVICE static const T* fetched_at_once(const T* step) {
    return static_cast<const T*>(__builtin_assume_aligned(step, 4 * sizeof(Scalar<T>)));
  }
  template <class VectorConstants>
  ERGODE_HOST_DEVICE static VectorConstants fetched_at_once(VectorConstants step) {
    return step;
  }
};

}  // namespace ergode::kernels::options
