#include "sim/options/closed_forms/multi_asset.hpp"

#include <algorithm>
#include <cmath>

#include "sim/options/closed_forms/black.hpp"
#include "sim/options/closed_forms/normal.hpp"
#include "sim/options/closed_forms/quadrature.hpp"

namespace ergode::sim::options::closed_forms {

namespace {

/// Call on the smaller one, undiscounted.
double call_on_minimum(const TwoAssets& a, double strike) {
  const double f1 = a.forward_1, f2 = a.forward_2;
  if (!(f1 > 0) || !(f2 > 0)) return std::max(-strike, 0.0);
  if (!(strike > 0)) return f1 - exchange(a, 1) - strike;
  const auto call = [](double forward, double k, double variance) {
    return black_scholes(OptionType::call, forward, k, 1, variance);
  };
  const double variance = a.ratio_variance();
  // One price known at once: the smaller one is the other, capped.
  if (!(a.variance_1 > 0)) return f1 <= strike ? 0.0 : call(f2, strike, a.variance_2) - call(f2, f1, a.variance_2);
  if (!(a.variance_2 > 0)) return f2 <= strike ? 0.0 : call(f1, strike, a.variance_1) - call(f1, f2, a.variance_1);
  // Prices in a fixed ratio: the same one is always the smaller.
  if (variance <= 1e-15 * (a.variance_1 + a.variance_2)) return call(std::min(f1, f2), strike, a.variance_1);

  const double s1 = std::sqrt(a.variance_1), s2 = std::sqrt(a.variance_2), s = std::sqrt(variance);
  const double y1 = std::log(f1 / strike) / s1 + 0.5 * s1, y2 = std::log(f2 / strike) / s2 + 0.5 * s2;
  const double ratio = std::log(f1 / f2) / s;
  const auto bounded = [](double c) { return std::clamp(c, -1.0, 1.0); };
  const double rho = bounded(a.covariance / (s1 * s2));
  const double rho_1 = bounded((s1 - rho * s2) / s), rho_2 = bounded((s2 - rho * s1) / s);
  return f1 * bivariate_normal_cdf(y1, -ratio - 0.5 * s, -rho_1) +
         f2 * bivariate_normal_cdf(y2, ratio - 0.5 * s, -rho_2) - strike * bivariate_normal_cdf(y1 - s1, y2 - s2, rho);
}

}  // namespace

double TwoAssets::ratio_variance() const {
  return std::max(0.0, variance_1 + variance_2 - 2 * covariance);
}

double exchange(const TwoAssets& a, double discount) {
  return black_scholes(OptionType::call, a.forward_1, a.forward_2, discount, a.ratio_variance());
}

double best_or_worst(OptionType type, Select select, const TwoAssets& a, double strike, double discount) {
  double call = call_on_minimum(a, strike), mean = a.forward_1 - exchange(a, 1);
  if (select == Select::maximum) {
    // The larger and the smaller one together are the two.
    call = black_scholes(OptionType::call, a.forward_1, strike, 1, a.variance_1) +
           black_scholes(OptionType::call, a.forward_2, strike, 1, a.variance_2) - call;
    mean = a.forward_1 + a.forward_2 - mean;
  }
  return discount * std::max(0.0, type == OptionType::call ? call : call - mean + strike);
}

double linear_combination(OptionType type, double a1, double a2, const TwoAssets& a, double strike, double discount) {
  if (a1 <= 0 && a2 > 0) {
    return linear_combination(type, a2, a1, {a.forward_2, a.forward_1, a.variance_2, a.variance_1, a.covariance},
                              strike, discount);
  }
  if (a1 <= 0) {  // neither is positive: the other type on the negative
    if (a1 == 0 && a2 == 0) return discount * std::max(type == OptionType::call ? -strike : strike, 0.0);
    const auto other = type == OptionType::call ? OptionType::put : OptionType::call;
    return a1 < 0 ? linear_combination(other, -a1, -a2, a, -strike, discount)
                  : linear_combination(other, -a2, 0, {a.forward_2, 0, a.variance_2, 0, 0}, -strike, discount);
  }
  // A put by parity: an integral of the call alone is enough.
  const double mean = a1 * a.forward_1 + a2 * a.forward_2;
  const double s2 = std::sqrt(std::max(a.variance_2, 0.0));
  const double loading = s2 > 0 ? a.covariance / s2 : 0.0;  // of ln S1 on the standard normal that drives S2
  const double rest = std::max(0.0, a.variance_1 - loading * loading);
  const auto given = [&](double z) {
    const double second = a.forward_2 * std::exp(s2 * z - 0.5 * s2 * s2);
    const double first = a.forward_1 * std::exp(loading * z - 0.5 * loading * loading);
    return normal_density(z) * black_scholes(type, a1 * first, strike - a2 * second, 1, rest);
  };
  // The factors exp(s z) move the weight: the range follows them.
  const double low = -9.5 + std::min({0.0, s2, loading}), high = 9.5 + std::max({0.0, s2, loading});
  const double scale = std::abs(mean) + std::abs(strike) + a1 * a.forward_1;
  return discount * integrate(given, low, high, 1e-14 * scale, 16);
}

}  // namespace ergode::sim::options::closed_forms
