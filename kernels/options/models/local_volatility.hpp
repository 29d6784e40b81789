#pragma once

#include "kernels/options/models/model.hpp"

namespace ergode::kernels::options {

/// Local volatility on a grid (Dupire 1994), bilinear in (ln K/S0, t) and flat outside. The log's Euler step with the
/// volatility at the step's beginning.
/// Model: [0] number of log strikes n (as a number), [1 ...] the n log strikes ln K/S0.
/// Step: [0] integral of r - q, [1] dt, [2] sqrt(dt), [3 ... 3 + n) the grid's volatilities at the step's beginning.
struct LocalVolatility {
  static constexpr int normals = 1;

  /// Volatility at log-moneyness x from the row of one time.
  template <class T>
  ERGODE_HOST_DEVICE static T volatility(const T& x, Constants<T> log_strikes, Constants<T> row, int n) {
    using Index = typename NumberTraits<T>::Bits;
    const auto above_first = value_of(x) > value_of(log_strikes[0]);
    const auto inside = above_first && value_of(x) < value_of(log_strikes[n - 1]);
    T sigma = select(above_first, row[n - 1], row[0]);
    if (!any(inside)) return sigma;
    Index low(0), high(static_cast<unsigned>(n - 1));
    while (any(high - low > Index(1))) {  // of lanes that are done, low stays what it is
      const Index middle = (low + high) >> 1;
      const auto below = value_of(x) < value_of(gather<T>(log_strikes, middle));
      high = select(below, middle, high);
      low = select(below, low, middle);
    }
    const T left = gather<T>(log_strikes, low), sigma_left = gather<T>(row, low);
    const T w = quotient(x - left, gather<T>(log_strikes, high) - left);
    return select(inside, multiply_add(w, gather<T>(row, high) - sigma_left, sigma_left), sigma);
  }

  template <class T>
  ERGODE_HOST_DEVICE static void start(AssetState<T>& s, const AssetConstants<T>& c) {
    s.log_return = T(0);
    const T sigma = volatility<T>(s.log_return, c.model + 1, c.step + 3, static_cast<int>(plain_constant(c.model, 0)));
    s.variance = sigma * sigma;
    clear_score(s);
  }

  template <class T>
  ERGODE_HOST_DEVICE static void step(AssetState<T>& s, const AssetConstants<T>& c, const Scalar<T>* z) {
    using Real = Scalar<T>;
    const T sigma = volatility<T>(s.log_return, c.model + 1, c.step + 3, static_cast<int>(plain_constant(c.model, 0)));
    s.variance = sigma * sigma;
    s.segment_variance = s.variance * c.step[1];
    s.log_return = s.log_return + c.step[0] - Real(0.5) * s.segment_variance + sigma * c.step[2] * z[0];
  }
};

}  // namespace ergode::kernels::options
