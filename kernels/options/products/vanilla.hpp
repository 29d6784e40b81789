#pragma once

#include "kernels/options/products/product.hpp"

namespace ergode::kernels::options {

/// [0] discount factor, [1] strike.
template <class T>
ERGODE_HOST_DEVICE inline T european_payoff(const PayoffSpec& p, const T* c, const T& spot) {
  return c[0] * positive_part(Scalar<T>(p.sign) * (spot - c[1]));
}

/// Pays strictly in the money: [2] in cash, or the asset.
template <class T>
ERGODE_HOST_DEVICE inline T digital_payoff(const PayoffSpec& p, const T* c, const T& spot) {
  const bool pays = p.sign > 0 ? spot > c[1] : spot < c[1];
  if (!pays) return T(0);
  return c[0] * (p.kind == PayoffKind::digital_cash ? c[2] : spot);
}

}  // namespace ergode::kernels::options
