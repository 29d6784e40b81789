#include "sim/options/closed_forms/average.hpp"

#include <algorithm>
#include <cmath>

#include "sim/options/closed_forms/black.hpp"

namespace ergode::sim::options::closed_forms {

double LogNormal::forward() const {
  return std::exp(log_mean + 0.5 * log_variance);
}

LogNormal geometric_average(const std::vector<double>& weights, const std::vector<double>& log_means,
                            const std::vector<double>& log_covariance) {
  const std::size_t n = weights.size();
  LogNormal g;
  for (std::size_t i = 0; i < n; ++i) {
    g.log_mean += weights[i] * log_means[i];
    for (std::size_t j = 0; j < n; ++j) g.log_variance += weights[i] * weights[j] * log_covariance[i * n + j];
  }
  g.log_variance = std::max(g.log_variance, 0.0);
  return g;
}

LogNormal geometric_average(double spot, const std::vector<double>& drift, const std::vector<double>& variance,
                            const std::vector<double>& past_fixings, const std::vector<double>& weights) {
  const std::size_t n = drift.size();
  const double equal = 1.0 / static_cast<double>(n + past_fixings.size());
  LogNormal g;
  for (const double past : past_fixings) g.log_mean += equal * std::log(past);
  // A fixing moves by every increment of the Brownian motion before it: an increment counts with all later weights.
  double later = 0;
  for (std::size_t i = n; i-- > 0;) {
    const double weight = weights.empty() ? equal : weights[i];
    later += weight;
    g.log_mean += weight * (std::log(spot) + drift[i] - 0.5 * variance[i]);
    g.log_variance += later * later * (variance[i] - (i > 0 ? variance[i - 1] : 0.0));
  }
  return g;
}

LogNormal geometric_average_continuous(double spot, double carry, double volatility, double maturity) {
  const double variance = volatility * volatility * maturity;
  return {std::log(spot) + 0.5 * (carry * maturity - 0.5 * variance), variance / 3};
}

double covariance_with_terminal(const std::vector<double>& variance, std::size_t past_fixings,
                                const std::vector<double>& weights) {
  const double equal = 1.0 / static_cast<double>(variance.size() + past_fixings);
  double covariance = 0;
  for (std::size_t i = 0; i < variance.size(); ++i) covariance += (weights.empty() ? equal : weights[i]) * variance[i];
  return covariance;
}

double lognormal_option(OptionType type, const LogNormal& value, double strike, double discount) {
  return black_scholes(type, value.forward(), strike, discount, value.log_variance);
}

double floating_strike_geometric_asian(OptionType type, const LogNormal& average, double forward, double variance,
                                       double covariance, double discount) {
  const double ratio_variance = std::max(0.0, variance + average.log_variance - 2 * covariance);
  return black_scholes(type, forward, average.forward(), discount, ratio_variance);
}

}  // namespace ergode::sim::options::closed_forms
