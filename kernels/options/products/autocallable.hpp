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
  ERGODE_HOST_DEVICE static void start(T* state, Constants<T> c, const T& worst) {
    state[0] = T(0);
    state[1] = T(0);
    state[2] = T(1);
    if (plain_constant(c, 6) == 0) touch(state, value_of(worst) <= value_of(c[3]));
  }

  /// `worst`: the least ln(S / initial spot).
  template <class T>
  ERGODE_HOST_DEVICE static void fixing(T* state, Constants<T> c, const T& worst, const T& discount) {
    using Real = Scalar<T>;
    const auto alive = !(value_of(state[1]) < Real(0));
    if (!any(alive)) return;
    const T count = state[1] + Real(1);
    const T performance = exponential(worst);
    if (plain_constant(c, 6) != 0) touch(state, alive && value_of(worst) <= value_of(c[3]));
    const auto last = value_of(count) >= value_of(c[5]);
    const auto called = alive && value_of(performance) >= value_of(c[0]);
    const auto redeemed = alive && !called && last;
    if (any(called)) {
      const T coupons = plain_constant(c, 2) != 0 ? c[1] * value_of(count) : T(c[1]);
      state[0] = select(called, discount * c[4] * (coupons + Real(1)), state[0]);
    }
    if (any(redeemed)) {
      const T paid = discount * c[4] * (state[2] + (Real(1) - state[2]) * performance);
      state[0] = select(redeemed, paid, state[0]);
    }
    const Real ended = select(last, Real(-2), Real(-1));
    state[1] = select(called, T(ended), select(alive, count, state[1]));
  }

  template <class T>
  ERGODE_HOST_DEVICE static void segment(T* state, Constants<T> c, const T& x0, const T& x1, const T& variance) {
    using Real = Scalar<T>;
    if (plain_constant(c, 6) != 0) return;
    const auto alive = value_of(state[1]) >= Real(0);
    if (!any(alive)) return;
    const T left = state[2] * (Real(1) - crossing_probability(x0, x1, variance, T(c[3]), false));
    state[2] = select(alive, left, state[2]);
  }

 private:
  template <class T, class Condition>
  ERGODE_HOST_DEVICE static void touch(T* state, const Condition& touched) {
    state[2] = select(touched, T(0), state[2]);
  }
};

}  // namespace ergode::kernels::options
