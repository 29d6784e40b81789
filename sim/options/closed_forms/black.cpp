#include "sim/options/closed_forms/black.hpp"

#include <algorithm>
#include <cmath>

#include "sim/options/closed_forms/normal.hpp"

namespace ergode::sim::options::closed_forms {

namespace {

double sign_of(OptionType type) {
  return type == OptionType::call ? 1.0 : -1.0;
}

bool degenerate(double forward, double strike, double variance) {
  return !(variance > 0) || !(strike > 0) || !(forward > 0);
}

double d_one(double forward, double strike, double s) {
  return std::log(forward / strike) / s + 0.5 * s;
}
/// d1 - s, also where s is infinite.
double d_two(double forward, double strike, double s) {
  return std::log(forward / strike) / s - 0.5 * s;
}

/// Derivatives of a European value in ln F and in s = sqrt(w). Of any payoff on a lognormal price
/// dV/dw = (V_xx - V_x) / 2, so these two are enough.
struct ForwardDerivatives {
  double value = 0, in_log_forward = 0, in_s = 0;
  double in_variance = 0;
};

SpotGreeks spot_greeks(const ForwardDerivatives& v, const GreekInputs& in) {
  SpotGreeks g;
  g.price = v.value;
  g.delta = v.in_log_forward / in.spot;
  g.gamma = 2 * v.in_variance / (in.spot * in.spot);
  g.vega = v.in_s * std::sqrt(in.maturity);
  const double in_rate = v.in_log_forward - v.value;  // a rise of the integral of r lifts the forward and discounts
  g.rho = in.maturity * in_rate;
  g.theta = -(in.short_rate * in_rate - in.short_dividend_yield * v.in_log_forward);
  if (in.short_variance != 0) g.theta -= in.short_variance * v.in_variance;
  return g;
}

GreekInputs inputs_of(const GbmConstants& m, double maturity) {
  return {m.spot, maturity, m.rate, m.dividend_yield, m.volatility * m.volatility};
}

/// Undiscounted out-of-the-money price over the forward's scale, and its derivative in s.
struct Normalised {
  double price, vega;
};

Normalised normalised(double log_moneyness, double s) {
  // Of a call with F = exp(-|x|/2), K = exp(|x|/2): by symmetry the out-of-the-money option for either sign of x.
  const double x = -std::abs(log_moneyness);
  const double d1 = x / s + 0.5 * s, d2 = d1 - s;
  const double price = std::exp(0.5 * x) * normal_cdf(d1) - std::exp(-0.5 * x) * normal_cdf(d2);
  return {std::max(price, 0.0), std::exp(0.5 * x) * normal_density(d1)};
}

}  // namespace

double GbmConstants::forward(double maturity) const {
  return spot * std::exp((rate - dividend_yield) * maturity);
}
double GbmConstants::discount(double maturity) const {
  return std::exp(-rate * maturity);
}

double black_scholes(OptionType type, double forward, double strike, double discount, double variance) {
  const double sign = sign_of(type);
  if (degenerate(forward, strike, variance)) return discount * std::max(sign * (forward - strike), 0.0);
  const double s = std::sqrt(variance), d1 = d_one(forward, strike, s), d2 = d_two(forward, strike, s);
  return std::max(0.0, discount * sign * (forward * normal_cdf(sign * d1) - strike * normal_cdf(sign * d2)));
}

double digital(OptionType type, Payout payout, double cash, double forward, double strike, double discount,
               double variance) {
  const double sign = sign_of(type), paid = payout == Payout::cash ? cash : forward;
  if (degenerate(forward, strike, variance)) return sign * (forward - strike) > 0 ? discount * paid : 0.0;
  const double s = std::sqrt(variance);
  const double d = payout == Payout::cash ? d_two(forward, strike, s) : d_one(forward, strike, s);
  return discount * paid * normal_cdf(sign * d);
}

SpotGreeks black_scholes_greeks(OptionType type, double forward, double strike, double discount, double variance,
                                const GreekInputs& inputs) {
  const double sign = sign_of(type);
  ForwardDerivatives v;
  v.value = black_scholes(type, forward, strike, discount, variance);
  if (degenerate(forward, strike, variance)) {
    const bool at_the_money = forward == strike && forward > 0;
    v.in_log_forward = sign * discount * forward * (at_the_money ? 0.5 : sign * (forward - strike) > 0 ? 1.0 : 0.0);
    v.in_s = at_the_money ? discount * forward * normal_density(0) : 0.0;
    v.in_variance = at_the_money ? INFINITY : 0.0;
  } else {
    const double s = std::sqrt(variance), d1 = d_one(forward, strike, s);
    v.in_log_forward = sign * discount * forward * normal_cdf(sign * d1);
    v.in_s = discount * forward * normal_density(d1);
    v.in_variance = v.in_s / (2 * s);
  }
  return spot_greeks(v, inputs);
}

SpotGreeks digital_greeks(OptionType type, Payout payout, double cash, double forward, double strike, double discount,
                          double variance, const GreekInputs& inputs) {
  const double sign = sign_of(type);
  ForwardDerivatives v;
  v.value = digital(type, payout, cash, forward, strike, discount, variance);
  if (degenerate(forward, strike, variance)) {
    v.in_log_forward = payout == Payout::asset ? v.value : 0.0;
  } else {
    const double s = std::sqrt(variance), d1 = d_one(forward, strike, s), d2 = d_two(forward, strike, s);
    if (payout == Payout::cash) {
      const double density = discount * cash * sign * normal_density(d2);
      v.in_log_forward = density / s;
      v.in_s = -density * d1 / s;
    } else {
      const double density = discount * forward * sign * normal_density(d1);
      v.in_log_forward = v.value + density / s;
      v.in_s = -density * d2 / s;
    }
    v.in_variance = v.in_s / (2 * s);
  }
  return spot_greeks(v, inputs);
}

SpotGreeks black_scholes_greeks(OptionType type, const GbmConstants& m, double strike, double maturity) {
  return black_scholes_greeks(type, m.forward(maturity), strike, m.discount(maturity), m.variance(maturity),
                              inputs_of(m, maturity));
}

SpotGreeks digital_greeks(OptionType type, Payout payout, double cash, const GbmConstants& m, double strike,
                          double maturity) {
  return digital_greeks(type, payout, cash, m.forward(maturity), strike, m.discount(maturity), m.variance(maturity),
                        inputs_of(m, maturity));
}

std::optional<double> implied_volatility(OptionType type, double price, double forward, double strike, double discount,
                                         double maturity) {
  if (!(forward > 0 && strike > 0 && discount > 0 && maturity > 0) || !std::isfinite(price)) return std::nullopt;
  const double intrinsic = std::max(sign_of(type) * (forward - strike), 0.0);
  // Over intrinsic value a call and a put of the same strike are worth the same: the out-of-the-money price.
  const double scale = std::sqrt(forward) * std::sqrt(strike);
  const double target = (price / discount - intrinsic) / scale;
  const double limit = std::min(forward, strike) / scale;
  if (target < 0 || target >= limit) return std::nullopt;
  if (target == 0) return 0.0;

  const double x = std::log(forward / strike);
  double s = x == 0 ? target * std::sqrt(2 * 3.14159265358979323846) : std::sqrt(2 * std::abs(x));
  const bool below = target < normalised(x, s).price;
  double low = 0, high = s;
  while (normalised(x, high).price < target) {
    low = high;
    high *= 2;
    if (high > 1e3) return std::nullopt;  // the price cannot be told from its limit
  }
  for (int i = 0; i < 200; ++i) {
    const Normalised value = normalised(x, s);
    (value.price < target ? low : high) = s;
    double next = s;
    if (value.vega > 0 && value.price > 0) {
      next = below ? s - value.price * std::log(value.price / target) / value.vega
                   : s - (value.price - target) / value.vega;
    }
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - s) <= 4e-16 * s) {
      s = next;
      break;
    }
    s = next;
  }
  return s / std::sqrt(maturity);
}

}  // namespace ergode::sim::options::closed_forms
