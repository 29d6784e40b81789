#pragma once

#include "kernels/options/products/product.hpp"

namespace ergode::kernels::options {

/// Averages (Kemna & Vorst 1990). The observer's sum starts at constants[0], which holds what past fixings (and, for a
/// continuous average, the present spot) give, and gains weight S or weight ln S at each fixing.
struct AverageObserver {
  template <class T>
  ERGODE_HOST_DEVICE static void fixing(T* sum, const T& weight, const T& spot) {
    *sum = multiply_add(weight, spot, *sum);
  }
};

/// A fixed strike pays on A - K, a floating one on S_T - A. A geometric average's observer holds ln A.
template <class T>
ERGODE_HOST_DEVICE inline T average_payoff(const PayoffSpec& p, Constants<T> c, const T& average, const T& spot) {
  const T difference = p.kind == PayoffKind::average_price ? average - T(c[1]) : spot - average;
  return c[0] * positive_part(Scalar<T>(p.sign) * difference);
}

}  // namespace ergode::kernels::options
