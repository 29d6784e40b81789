#pragma once

#include "kernels/options/products/product.hpp"

namespace ergode::kernels::options {

/// [0] discount factor, [1] strike.
template <class T>
ERGODE_HOST_DEVICE inline T european_payoff(const PayoffSpec& p, Constants<T> c, const T& spot) {
  return c[0] * positive_part(Scalar<T>(p.sign) * (spot - c[1]));
}

/// Pays strictly in the money: [2] in cash, or the asset.
template <class T>
ERGODE_HOST_DEVICE inline T digital_payoff(const PayoffSpec& p, Constants<T> c, const T& spot) {
  const auto pays = p.sign > 0 ? spot > c[1] : spot < c[1];
  return select(pays, c[0] * (p.kind == PayoffKind::digital_cash ? T(c[2]) : spot), T(0));
}

}  // namespace ergode::kernels::options
