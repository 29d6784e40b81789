#pragma once

#include "kernels/options/products/product.hpp"

namespace ergode::kernels::options {

/// The extreme of ln(S / S0) so far. Between two points the extreme of the Brownian bridge has the law
/// P(max > m) = exp(-2 (m - x0)(m - x1) / variance) and is sampled by its inverse (Glasserman 2004, section 6.4).
struct ExtremeObserver {
  template <class T>
  ERGODE_HOST_DEVICE static void fixing(T* extreme, bool maximum_wanted, const T& x) {
    *extreme = maximum_wanted ? maximum(*extreme, x) : minimum(*extreme, x);
  }

  /// `uniform` in (0, 1).
  template <class T>
  ERGODE_HOST_DEVICE static void segment(T* extreme, bool maximum_wanted, const T& x0, const T& x1, const T& variance,
                                         Scalar<T> uniform) {
    using Real = Scalar<T>;
    const T d = x1 - x0;
    const T reach = square_root(d * d - Real(2) * variance * logarithm(uniform));
    fixing(extreme, maximum_wanted, Real(0.5) * (x0 + x1 + (maximum_wanted ? reach : -reach)));
  }
};

/// A fixed strike pays on extreme - K; a floating call on S_T - minimum, a floating put on maximum - S_T (Goldman,
/// Sosin & Gatto 1979; Conze & Viswanathan 1991).
template <class T>
ERGODE_HOST_DEVICE inline T extreme_payoff(const PayoffSpec& p, Constants<T> c, const T& extreme, const T& spot) {
  const T difference = p.kind == PayoffKind::extreme_price ? extreme - c[1] : spot - extreme;
  return c[0] * positive_part(Scalar<T>(p.sign) * difference);
}

}  // namespace ergode::kernels::options
