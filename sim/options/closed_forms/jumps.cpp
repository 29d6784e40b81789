#include "sim/options/closed_forms/jumps.hpp"

#include <algorithm>
#include <cmath>

#include "sim/options/closed_forms/black.hpp"

namespace ergode::sim::options::closed_forms {

namespace {

/// Sum over the number of jumps of its probability times value(forward, variance) given that number.
template <class Value>
double mixture(double forward, double variance, const MertonJump& jump, double maturity, const Value& value) {
  const double expected = jump.jump_intensity * maturity;
  if (!(expected > 0)) return value(forward, variance);
  const double jump_variance = jump.jump_stddev * jump.jump_stddev;
  const double log_growth = jump.jump_mean + 0.5 * jump_variance, compensator = std::expm1(log_growth);
  // The number that matters is Poisson under the pricing measure and, with the larger mean, under that of the asset.
  const double mean = expected * std::max(1.0, std::exp(log_growth));
  const double last = mean + 12 * std::sqrt(mean) + 40;
  double sum = 0;
  for (double n = 0; n <= last; ++n) {
    const double log_weight = n * std::log(expected) - expected - std::lgamma(n + 1);
    const double growth = std::exp(n * log_growth - expected * compensator);
    sum += std::exp(log_weight) * value(forward * growth, variance + n * jump_variance);
  }
  return sum;
}

}  // namespace

JumpMoments jump_moments(const MertonJump& j) {
  const double variance = j.jump_stddev * j.jump_stddev;
  return {j.jump_intensity, j.jump_mean, j.jump_mean * j.jump_mean + variance,
          std::expm1(j.jump_mean + 0.5 * variance)};
}

JumpMoments jump_moments(const KouJumpModel& m) {
  const double up = m.jump_up_prob, down = 1 - up;
  return {m.jump_intensity, up / m.eta_up - down / m.eta_down,
          2 * up / (m.eta_up * m.eta_up) + 2 * down / (m.eta_down * m.eta_down),
          up / (m.eta_up - 1) - down / (m.eta_down + 1)};
}

double merton_european(OptionType type, double forward, double strike, double discount, double variance,
                       const MertonJump& jump, double maturity) {
  return mixture(forward, variance, jump, maturity,
                 [&](double f, double w) { return black_scholes(type, f, strike, discount, w); });
}

double merton_digital(OptionType type, Payout payout, double cash, double forward, double strike, double discount,
                      double variance, const MertonJump& jump, double maturity) {
  return mixture(forward, variance, jump, maturity,
                 [&](double f, double w) { return digital(type, payout, cash, f, strike, discount, w); });
}

}  // namespace ergode::sim::options::closed_forms
