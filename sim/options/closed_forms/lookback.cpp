#include "sim/options/closed_forms/lookback.hpp"

#include <algorithm>
#include <cmath>

#include "sim/options/closed_forms/normal.hpp"
#include "sim/options/closed_forms/quadrature.hpp"

namespace ergode::sim::options::closed_forms {

namespace {

/// Both extremes at once: side = 1 for the maximum above a level >= spot, -1 for the minimum below a level <= spot.
double excess(double side, const GbmConstants& m, double level, double maturity) {
  const double discount = m.discount(maturity), forward = m.forward(maturity), variance = m.variance(maturity);
  // Below the spot (above it, for the minimum) the extreme has passed already: a sure amount more.
  if (side * (level - m.spot) < 0) return side * discount * (m.spot - level) + excess(side, m, m.spot, maturity);
  if (!(variance > 0)) return discount * std::max(side * (forward - level), 0.0);  // a monotone path
  if (level <= 0) return 0;

  const double s = std::sqrt(variance), carry = m.rate - m.dividend_yield, distance = std::log(m.spot / level);
  const double ratio = 2 * carry / (m.volatility * m.volatility);
  if (std::abs(ratio) > 1e-3) {
    const double d = (distance + carry * maturity) / s + 0.5 * s;
    const double plain = side * (forward * normal_cdf(side * d) - level * normal_cdf(side * (d - s)));
    const double reflected =
        side * (forward * normal_cdf(side * d) - m.spot * scaled_normal_cdf(-ratio * distance, side * (d - ratio * s)));
    return std::max(0.0, discount * (plain + reflected / ratio));
  }
  // Near r = q the two last terms cancel: the probability that the extreme passes x, integrated over x, does not.
  const double log_drift = (carry - 0.5 * m.volatility * m.volatility) * maturity, start = -side * distance;
  const auto beyond = [&](double y) {  // y >= 0: distance of ln x from the spot's
    const double probability = normal_cdf((side * log_drift - y) / s) +
                               scaled_normal_cdf(2 * side * log_drift * y / variance, (-y - side * log_drift) / s);
    return probability * m.spot * std::exp(side * y);
  };
  const double reach = 10 * s + std::abs(log_drift) + variance;
  return discount * integrate(beyond, start, start + reach, 1e-15 * m.spot, 16);
}

}  // namespace

double excess_of_maximum(const GbmConstants& market, double level, double maturity) {
  return excess(1, market, level, maturity);
}

double excess_of_minimum(const GbmConstants& market, double level, double maturity) {
  return excess(-1, market, level, maturity);
}

double lookback_fixed(OptionType type, const GbmConstants& m, double strike, double running_extreme, double maturity) {
  const double discount = m.discount(maturity);
  if (type == OptionType::call) {
    const double extreme = std::max(running_extreme, m.spot);
    return discount * std::max(extreme - strike, 0.0) + excess_of_maximum(m, std::max(extreme, strike), maturity);
  }
  const double extreme = std::min(running_extreme, m.spot);
  return discount * std::max(strike - extreme, 0.0) + excess_of_minimum(m, std::min(extreme, strike), maturity);
}

double lookback_floating(OptionType type, const GbmConstants& m, double running_extreme, double maturity) {
  const double discount = m.discount(maturity), forward = m.forward(maturity);
  if (type == OptionType::call) {
    const double extreme = std::min(running_extreme, m.spot);
    return std::max(0.0, discount * (forward - extreme) + excess_of_minimum(m, extreme, maturity));
  }
  const double extreme = std::max(running_extreme, m.spot);
  return std::max(0.0, discount * (extreme - forward) + excess_of_maximum(m, extreme, maturity));
}

}  // namespace ergode::sim::options::closed_forms
