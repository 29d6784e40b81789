#pragma once

#include "kernels/options/products/product.hpp"

namespace ergode::kernels::options {

/// Strike set at `start`: [2] moneyness (Rubinstein 1991).
template <class T>
ERGODE_HOST_DEVICE inline T forward_start_payoff(const PayoffSpec& p, Constants<T> c, const T& start_spot,
                                                 const T& spot) {
  return c[0] * positive_part(Scalar<T>(p.sign) * (spot - c[2] * start_spot));
}

/// State: [0] sum of the clipped returns, [1] ln(S / S0) at the last reset. Constants: [0] local floor, [1] local cap.
struct CliquetObserver {
  template <class T>
  ERGODE_HOST_DEVICE static void fixing(T* state, Constants<T> c, const T& x) {
    state[0] = state[0] + clip(exponential(x - state[1]) - Scalar<T>(1), T(c[0]), T(c[1]));
    state[1] = x;
  }
};

/// [0] discount factor times notional, [2] global floor, [3] global cap.
template <class T>
ERGODE_HOST_DEVICE inline T cliquet_payoff(Constants<T> c, const T& sum) {
  return c[0] * clip(sum, T(c[2]), T(c[3]));
}

}  // namespace ergode::kernels::options
