#pragma once

#include "kernels/options/products/product.hpp"

namespace ergode::kernels::options {

/// Realised variance a year, mean not removed (Demeterfi, Derman, Kamal & Zou 1999). At fixings: state [0] the sum of
/// weight ln^2 returns, [1] ln(S / S0) at the last fixing. Continuous: [0] the trapezoid of weight v.
struct VarianceObserver {
  template <class T>
  ERGODE_HOST_DEVICE static void fixing(T* state, const T& weight, const T& x) {
    const T r = x - state[1];
    state[0] = state[0] + weight * r * r;
    state[1] = x;
  }
  template <class T>
  ERGODE_HOST_DEVICE static void instant(T* state, const T& weight, const T& variance) {
    state[0] = state[0] + weight * maximum(variance, T(0));
  }
};

/// [0] discount factor times notional (1 for a fair variance), [1] strike (0).
template <class T>
ERGODE_HOST_DEVICE inline T variance_swap_payoff(Constants<T> c, const T& variance) {
  return c[0] * (variance - c[1]);
}

}  // namespace ergode::kernels::options
