#pragma once

#include "kernels/options/models/model.hpp"
#include "kernels/random/normal.hpp"

namespace ergode::kernels::options {

/// Heston's stochastic variance (1993): dv = kappa (theta - v) dt + sigma_v sqrt(v) dW_v, d ln S = (r - q - v/2) dt +
/// sqrt(v) dW_S, d<W_v, W_S> = rho dt.
///
/// The scheme is Andersen's QE with martingale correction (2008, "Simple and efficient simulation of the Heston
/// stochastic volatility model", sections 3.2, 4.2, 4.3), central weights. His constants K0 ... K4 hold rho / sigma_v,
/// which cancels in float; here the step is written in n = (v' - E[v' | v]) / sigma_v:
///   ln S gains  (r - q) dt + R n - dt vbar / 2 + sqrt((1 - rho^2) dt vbar) Z + rho^2 dt vhat / 2 - ln E[exp(Q n)],
///   vhat = v + (theta - v) E / 2, vbar = vhat + sigma_v n / 2, E = 1 - exp(-kappa dt),
///   R = rho (1 + kappa dt / 2), Q = R - rho^2 dt sigma_v / 4,
/// the same numbers with the cancelling part divided out.
///
/// Model: [0] v0, [1] sigma_v, [2] rho, [3] sqrt(1 - rho^2), [4] scheme (0 QE, 1 full truncation; Lord, Koekkoek & van
/// Dijk 2010), [5] theta, [6] kappa.
/// Step: [0] integral of r - q (less what jumps add), [1] dt, [2] E, [3] h1 and [4] h2 with Var[v' | v] = sigma_v^2 (h1
/// v + h2), [5] R, [6] Q, [7] sqrt(dt), [8] C = rho (E (1 + kappa dt / 2) - kappa dt) / sigma_v, for the rare step
/// whose martingale correction does not exist.
struct Heston {
  static constexpr int normals = 2;
  static constexpr int step_constants = 9;

  template <class T>
  ERGODE_HOST_DEVICE static void start(AssetState<T>& s, const AssetConstants<T>& c) {
    s.log_return = T(0);
    s.variance = c.model[0];
    clear_score(s);
  }

  /// z[0] drives the asset, z[1] is the variance's own part: W_v = rho W_S + sqrt(1 - rho^2) B.
  template <class T>
  ERGODE_HOST_DEVICE static void step(AssetState<T>& s, const AssetConstants<T>& c, const Scalar<T>* z) {
    if (plain_constant(c.model, 4) != 0) return full_truncation(s, c, z);
    using Real = Scalar<T>;
    const T zv = multiply_add(c.model[2], z[0], c.model[3] * z[1]);           // of the variance
    const T residual = multiply_add(c.model[3], z[0], -(c.model[2] * z[1]));  // independent of it
    const T v = s.variance;
    const T pull = (c.model[5] - v) * c.step[2];
    const T mean = maximum(v + pull, T(0));
    const T spread = maximum(multiply_add(T(c.step[3]), v, T(c.step[4])), T(0));  // Var[v' | v] / sigma_v^2
    const T sigma = c.model[1];
    const T psi_mean2 = sigma * sigma * spread;  // psi mean^2
    const Real mean2 = value_of(mean) * value_of(mean);
    const auto at_rest = mean2 <= Real(smallest_mean2);

    const auto still = value_of(psi_mean2) <= Real(1e-6) * mean2 || at_rest;
    const auto quadratic = !still && value_of(psi_mean2) <= Real(1.5) * mean2;
    const auto tailed = !still && !quadratic;
    T next = mean, n = T(0), correction = T(0);
    auto corrected = still;
    if (any(still)) {
      // psi -> 0: the variance is Gaussian to first order.
      const auto moves = still && !at_rest;
      n = select(moves, square_root(spread) * zv, n);
      next = select(still, maximum(multiply_add(sigma, n, mean), T(0)), next);
      correction = select(moves, Real(0.5) * c.step[6] * c.step[6] * spread, correction);
    }
    if (any(quadratic)) {
      // Quadratic: v' = a (b + Z)^2.
      const T two_by_psi = quotient(Real(2) * mean * mean, psi_mean2);
      const T b2 = two_by_psi - Real(1) + square_root(two_by_psi * (two_by_psi - Real(1)));
      const T b = square_root(b2);
      const T a = quotient(mean, b2 + Real(1));
      next = select(quadratic, a * (b + zv) * (b + zv), next);
      const T a_by_sigma = a * quotient(Real(1), sigma);
      n = select(quadratic, a_by_sigma * multiply_add(zv, multiply_add(b, Real(2), zv), T(-1)), n);
      const T g = c.step[6] * a_by_sigma;
      const auto exists = quadratic && value_of(g) < Real(0.499);
      corrected = corrected || exists;
      if (any(exists)) {
        // 2 g^2 b^2 / (1 - 2 g) - g - ln(1 - 2 g) / 2
        const T x = Real(-2) * g;
        const T log_mean =
            multiply_add(logarithm_beyond_first(x), Real(-0.5), quotient(Real(2) * g * g * b2, Real(1) + x));
        correction = select(exists, log_mean, correction);
      }
    }
    if (any(tailed)) {
      // Exponential: a mass p at 0 and an exponential tail.
      const T psi = quotient(psi_mean2, mean * mean);
      const T rest = quotient(T(Real(2)), psi + Real(1));  // 1 - p, without its cancellation
      const T tail = Real(0.5) * mean * (psi + Real(1));   // 1 / beta
      const Real one_minus_u = normal_cumulative(-value_of(zv));
      const auto in_tail = tailed && one_minus_u < value_of(rest);
      next = select(tailed, T(0), next);
      if (any(in_tail)) next = select(in_tail, tail * (logarithm(rest) - logarithm_of_tail(zv)), next);
      n = select(tailed, quotient(next - mean, sigma), n);
      const T q = quotient(c.step[6], sigma);
      const auto exists = tailed && value_of(q * tail) < Real(0.99);
      corrected = corrected || exists;
      // The logarithm of p + (1 - p) / (1 - q tail) = 1 + x, less q mean = x (1 - q tail).
      if (any(exists)) {
        const T x = quotient(q * mean, Real(1) - q * tail);
        const T log_mean = multiply_add(x, q * tail, logarithm_beyond_first(x));
        correction = select(exists, log_mean, correction);
      }
    }
    const T vhat = multiply_add(pull, Real(0.5), v);
    const T vbar = maximum(multiply_add(Real(0.5) * sigma, n, vhat), T(0));
    const T dt_vbar = c.step[1] * vbar;
    const T rho2 = c.model[2] * c.model[2];
    T martingale = multiply_add(Real(0.5) * rho2 * c.step[1], vhat, -correction);
    if (any(!corrected)) martingale = select(corrected, martingale, c.step[8] * (c.model[5] - v));
    const T drift = multiply_add(T(c.step[5]), n, multiply_add(dt_vbar, Real(-0.5), martingale));
    const T gain = multiply_add(c.model[3] * residual, square_root(dt_vbar), c.step[0] + drift);
    s.log_return = s.log_return + gain;
    s.variance = next;
    s.segment_variance = dt_vbar;
  }

 private:
  /// Of (E[v' | v])^2: below, the variance is at rest, and no quotient of a step has a subnormal divisor.
  static constexpr double smallest_mean2 = 1e-30;

  /// ln(1 - Phi(z)), with its derivative.
  template <class T>
  ERGODE_HOST_DEVICE static T logarithm_of_tail(const T& z) {
    return logarithm(normal_cumulative(-z));
  }

  template <class T>
  ERGODE_HOST_DEVICE static void full_truncation(AssetState<T>& s, const AssetConstants<T>& c, const Scalar<T>* z) {
    using Real = Scalar<T>;
    const T zv = c.model[2] * z[0] + c.model[3] * z[1];
    const T v = maximum(s.variance, T(0));
    const T deviation = square_root(v) * c.step[7];
    s.segment_variance = v * c.step[1];
    s.log_return = s.log_return + c.step[0] - Real(0.5) * s.segment_variance + deviation * z[0];
    s.variance = s.variance + c.model[6] * (c.model[5] - v) * c.step[1] + c.model[1] * deviation * zv;
  }
};

}  // namespace ergode::kernels::options
