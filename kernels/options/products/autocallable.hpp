#pragma once

#include "kernels/options/products/barrier.hpp"

namespace ergode::kernels::options {

/// A note on the worst performer. On an observation date at or above the autocall level it pays par and the coupon
/// (with memory, the missed ones too) and ends. On the last date else: par where the knock-in barrier was not touched,
/// the worst performance where it was. State: [0] discounted payment so far, [1] observations so far; once it was
/// called -1, on the last date -2, [2] probability that the knock-in barrier was not touched. Constants: [0] autocall
/// level, [1] coupon, [2] 1: memory, [3] ln of the knock-in level, [4] notional, [5] number of observations, [6] 1:
/// knock-in watched at the observations, [7 ...) ln(S0 / initial spot) of each asset.
struct AutocallObserver {
  static constexpr int first_initial = 7;

  template <class T>
  ERGODE_HOST_DEVICE static void start(T* state, const T* c, const T& worst) {
    state[0] = T(0);
    state[1] = T(0);
    state[2] = T(value_of(c[6]) == 0 && value_of(worst) <= value_of(c[3]) ? 0 : 1);
  }

  /// `worst`: the least ln(S / initial spot).
  template <class T>
  ERGODE_HOST_DEVICE static void fixing(T* state, const T* c, const T& worst, const T& discount) {
    using Real = Scalar<T>;
    if (value_of(state[1]) < 0) return;
    state[1] = state[1] + Real(1);
    const T performance = exponential(worst);
    if (value_of(c[6]) != 0 && value_of(worst) <= value_of(c[3])) state[2] = T(0);
    if (value_of(performance) >= value_of(c[0])) {
      const T coupons = value_of(c[2]) != 0 ? c[1] * value_of(state[1]) : c[1];
      state[0] = discount * c[4] * (coupons + Real(1));
      state[1] = T(Real(value_of(state[1]) >= value_of(c[5]) ? -2 : -1));
    } else if (value_of(state[1]) >= value_of(c[5])) {
      state[0] = discount * c[4] * (state[2] + (Real(1) - state[2]) * performance);
    }
  }

  template <class T>
  ERGODE_HOST_DEVICE static void segment(T* state, const T* c, const T& x0, const T& x1, const T& variance) {
    if (value_of(c[6]) == 0 && value_of(state[1]) >= 0)
      state[2] = state[2] * (Scalar<T>(1) - crossing_probability(x0, x1, variance, c[3], false));
  }
};

}  // namespace ergode::kernels::options
