#pragma once

#include "kernels/options/models/model.hpp"

namespace ergode::kernels::options {

/// Constant elasticity of variance (Cox 1975): dS = (r - q) S dt + sigma S^beta dW, absorbed at 0. Euler's step between
/// exact growths. With y = S / S0 the diffusion is sigma S0^(beta - 1) y^beta.
/// Model: [0] sigma S0^(beta - 1), [1] beta. Step: [0] exp(integral of r - q), [1] sqrt(dt).
struct Cev {
  static constexpr int normals = 1;
  static constexpr int step_constants = 2;

  template <class T>
  ERGODE_HOST_DEVICE static T local_volatility(const T& y, const AssetConstants<T>& c) {
    return c.model[0] * power(y, c.model[1] - Scalar<T>(1));
  }

  template <class T>
  ERGODE_HOST_DEVICE static void start(AssetState<T>& s, const AssetConstants<T>& c) {
    s.log_return = T(0);
    s.level = T(1);
    s.variance = c.model[0] * c.model[0];
    clear_score(s);
  }

  template <class T>
  ERGODE_HOST_DEVICE static void step(AssetState<T>& s, const AssetConstants<T>& c, const Scalar<T>* z) {
    using Real = Scalar<T>;
    const auto alive = !(value_of(s.level) <= Real(0));
    if (!any(alive)) return;
    const T deviation = local_volatility(s.level, c) * c.step[1];
    const T y = s.level * c.step[0] * (Real(1) + deviation * z[0]);
    const auto absorbed = alive && value_of(y) <= Real(1e-26);  // NaN is not absorbed
    const auto goes_on = alive && !absorbed;
    if (any(absorbed)) {
      s.level = select(absorbed, T(0), s.level);
      s.log_return = select(absorbed, T(lowest_log_return<T>()), s.log_return);
      s.variance = select(absorbed, T(0), s.variance);
      s.segment_variance = select(absorbed, T(0), s.segment_variance);
    }
    if (any(goes_on)) {
      s.level = select(goes_on, y, s.level);
      s.log_return = select(goes_on, logarithm(y), s.log_return);
      const T volatility = local_volatility(y, c);
      s.variance = select(goes_on, volatility * volatility, s.variance);
      s.segment_variance = select(goes_on, deviation * deviation, s.segment_variance);
    }
  }
};

}  // namespace ergode::kernels::options
