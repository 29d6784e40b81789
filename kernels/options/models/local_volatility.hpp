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
  ERGODE_HOST_DEVICE static T volatility(const T& x, const T* log_strikes, const T* row, int n) {
    if (!(value_of(x) > value_of(log_strikes[0]))) return row[0];
    if (!(value_of(x) < value_of(log_strikes[n - 1]))) return row[n - 1];
    int low = 0, high = n - 1;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (value_of(x) < value_of(log_strikes[middle]))
        high = middle;
      else
        low = middle;
    }
    const T w = quotient(x - log_strikes[low], log_strikes[high] - log_strikes[low]);
    return fused_multiply_add(w, row[high] - row[low], row[low]);
  }

  template <class T>
  ERGODE_HOST_DEVICE static void start(AssetState<T>& s, const AssetConstants<T>& c) {
    s.log_return = T(0);
    const T sigma = volatility(s.log_return, c.model + 1, c.step + 3, static_cast<int>(value_of(c.model[0])));
    s.variance = sigma * sigma;
    s.score = 0;
    s.first_deviation = 0;
  }

  template <class T>
  ERGODE_HOST_DEVICE static void step(AssetState<T>& s, const AssetConstants<T>& c, const Scalar<T>* z) {
    using Real = Scalar<T>;
    const T sigma = volatility(s.log_return, c.model + 1, c.step + 3, static_cast<int>(value_of(c.model[0])));
    s.variance = sigma * sigma;
    s.segment_variance = s.variance * c.step[1];
    s.log_return = s.log_return + c.step[0] - Real(0.5) * s.segment_variance + sigma * c.step[2] * z[0];
  }
};

}  // namespace ergode::kernels::options
