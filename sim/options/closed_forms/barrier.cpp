#include "sim/options/closed_forms/barrier.hpp"

#include <algorithm>
#include <cmath>

#include "sim/options/closed_forms/normal.hpp"
#include "sim/options/closed_forms/quadrature.hpp"

namespace ergode::sim::options::closed_forms {

namespace {

/// Without volatility the path is monotone: the time at which it reaches the level, infinite when it does not.
double deterministic_hit(const GbmConstants& m, double level, double maturity) {
  const double carry = m.rate - m.dividend_yield, distance = std::log(level / m.spot);
  if (carry * distance <= 0) return INFINITY;
  const double time = distance / carry;
  return time <= maturity ? time : INFINITY;
}

/// E[exp(-r tau); tau <= T] from P(tau > t), by parts, so that it holds for any sign of the rate.
template <class Survival>
double discounted_hit(const Survival& survival, double rate, double maturity) {
  const double end = std::exp(-rate * maturity);
  const double integral = rate == 0 ? 0.0
                                    : integrate([&](double t) { return std::exp(-rate * t) * survival(t); }, 0.0,
                                                maturity, 1e-14 * maturity, 8);
  return 1 - end * survival(maturity) - rate * integral;
}

bool deterministic(const GbmConstants& m, double maturity) {
  return !(m.variance(maturity) > 0);
}

/// The terms A to D of Reiner and Rubinstein: values of payoffs beyond strike or barrier, with and without reflection.
struct Terms {
  double a, b, c, d;
};

Terms terms(OptionType type, bool upper, const GbmConstants& m, double strike, double level, double maturity) {
  const double phi = type == OptionType::call ? 1 : -1, eta = upper ? -1 : 1;
  const double s = std::sqrt(m.variance(maturity)), carry = m.rate - m.dividend_yield;
  const double mu = carry / (m.volatility * m.volatility) - 0.5;
  const double asset = m.spot * std::exp(-m.dividend_yield * maturity), cash = strike * m.discount(maturity);
  const double distance = std::log(level / m.spot), drift = (1 + mu) * s;
  const auto plain = [&](double x) { return phi * (asset * normal_cdf(phi * x) - cash * normal_cdf(phi * (x - s))); };
  const auto reflected = [&](double y) {
    return phi * (asset * scaled_normal_cdf(2 * (mu + 1) * distance, eta * y) -
                  cash * scaled_normal_cdf(2 * mu * distance, eta * (y - s)));
  };
  // ln of strike 0 is -infinity, and the normal distribution takes that.
  const double to_strike = std::log(m.spot / strike);
  return {plain(to_strike / s + drift), plain(-distance / s + drift), reflected((to_strike + 2 * distance) / s + drift),
          reflected(distance / s + drift)};
}

/// The knock-out of a barrier that has not been reached, without rebate.
double knock_out(OptionType type, bool upper, const GbmConstants& m, double strike, double level, double maturity) {
  const Terms t = terms(type, upper, m, strike, level, maturity);
  const bool call = type == OptionType::call, strike_above = strike > level;
  double value = 0;
  if (call != upper) {  // down call, up put: knocked where it is out of the money
    value = strike_above == call ? t.a - t.c : t.b - t.d;
  } else if (strike_above == call) {  // in the money only beyond the barrier
    value = 0;
  } else {
    value = t.a - t.b + t.c - t.d;
  }
  return std::max(value, 0.0);
}

/// Density of the absorbed log price integrated against exp(power x) over [from, to] within the barriers, in logs of
/// S_T/S_0.
double image_series(double low, double high, double log_drift, double volatility, double maturity, double from,
                    double to, double power) {
  from = std::max(from, low);
  to = std::min(to, high);
  if (!(to > from)) return 0;
  const double variance = volatility * volatility * maturity, s = std::sqrt(variance), width = high - low;
  const double tilt = log_drift / (volatility * volatility);
  const auto image = [&](double centre) {
    // exp(tilt x - ...) times the density about the image is a normal density again, moved by the drift.
    const double mean = centre + log_drift * maturity;
    return scaled_normal_interval(tilt * centre + power * mean + 0.5 * power * power * variance,
                                  (from - mean - power * variance) / s, (to - mean - power * variance) / s);
  };
  const int terms = static_cast<int>(std::min(1e5, 2 + 5 * s / width));
  double sum = 0;
  for (int n = terms; n >= 1; --n) {  // small ones first
    const double shift = 2 * n * width;
    sum += image(shift) + image(-shift) - image(2 * high + shift) - image(2 * high - shift);
  }
  return sum + image(0) - image(2 * high);
}

double rebate_of(bool knock_in, double rebate, RebateTime rebate_at, double discount, double survival,
                 double hit_value) {
  if (rebate == 0) return 0;
  if (knock_in) return rebate * discount * survival;
  return rebate_at == RebateTime::at_maturity ? rebate * discount * (1 - survival) : rebate * hit_value;
}

}  // namespace

double survival_probability(const GbmConstants& m, double level, bool upper, double maturity) {
  if (upper ? m.spot >= level : m.spot <= level) return 0;
  if (deterministic(m, maturity)) return std::isinf(deterministic_hit(m, level, maturity)) ? 1 : 0;
  const double s = std::sqrt(m.variance(maturity)), eta = upper ? -1 : 1;
  const double log_drift = m.rate - m.dividend_yield - 0.5 * m.volatility * m.volatility;
  const double distance = std::log(level / m.spot), moved = log_drift * maturity;
  return std::clamp(
      normal_cdf(eta * (moved - distance) / s) -
          scaled_normal_cdf(2 * log_drift * distance / (m.volatility * m.volatility), eta * (moved + distance) / s),
      0.0, 1.0);
}

double barrier(OptionType type, BarrierType barrier_type, const GbmConstants& m, double strike, double level,
               double rebate, double maturity, RebateTime rebate_at) {
  const bool upper = barrier_type == BarrierType::up_in || barrier_type == BarrierType::up_out;
  const bool knock_in = barrier_type == BarrierType::up_in || barrier_type == BarrierType::down_in;
  const double discount = m.discount(maturity);
  const double vanilla = black_scholes(type, m.forward(maturity), strike, discount, m.variance(maturity));
  const bool crossed = upper ? m.spot >= level : m.spot <= level;
  if (crossed) {
    return knock_in ? vanilla : rebate * (rebate_at == RebateTime::at_maturity ? discount : 1.0);
  }
  if (deterministic(m, maturity)) {
    const double time = deterministic_hit(m, level, maturity);
    const bool hit = !std::isinf(time);
    return (hit == knock_in ? vanilla : 0.0) +
           rebate_of(knock_in, rebate, rebate_at, discount, hit ? 0 : 1, hit ? std::exp(-m.rate * time) : 0);
  }
  const double out = knock_out(type, upper, m, strike, level, maturity);
  const double survival = survival_probability(m, level, upper, maturity);
  double hit_value = 0;
  if (rebate != 0 && !knock_in && rebate_at != RebateTime::at_maturity) {
    const double v = m.volatility * m.volatility, mu = (m.rate - m.dividend_yield) / v - 0.5;
    const double square = mu * mu + 2 * m.rate / v;
    if (square >= 0) {
      const double eta = upper ? -1 : 1, s = std::sqrt(m.variance(maturity)), distance = std::log(level / m.spot);
      const double lambda = std::sqrt(square), z = distance / s + lambda * s;
      hit_value = scaled_normal_cdf((mu + lambda) * distance, eta * z) +
                  scaled_normal_cdf((mu - lambda) * distance, eta * (z - 2 * lambda * s));
    } else {
      hit_value = discounted_hit([&](double t) { return survival_probability(m, level, upper, t); }, m.rate, maturity);
    }
  }
  return (knock_in ? std::max(vanilla - out, 0.0) : out) +
         rebate_of(knock_in, rebate, rebate_at, discount, survival, hit_value);
}

double double_survival_probability(const GbmConstants& m, double lower, double upper, double maturity) {
  if (m.spot <= lower || m.spot >= upper) return 0;
  if (deterministic(m, maturity)) {
    return std::isinf(deterministic_hit(m, lower, maturity)) && std::isinf(deterministic_hit(m, upper, maturity)) ? 1
                                                                                                                  : 0;
  }
  const double low = std::log(lower / m.spot), high = std::log(upper / m.spot);
  const double log_drift = m.rate - m.dividend_yield - 0.5 * m.volatility * m.volatility;
  return std::clamp(image_series(low, high, log_drift, m.volatility, maturity, low, high, 0), 0.0, 1.0);
}

double double_barrier(OptionType type, DoubleBarrierType barrier_type, const GbmConstants& m, double strike,
                      double lower, double upper, double rebate, double maturity, RebateTime rebate_at) {
  const bool knock_in = barrier_type == DoubleBarrierType::knock_in;
  const double discount = m.discount(maturity);
  const double vanilla = black_scholes(type, m.forward(maturity), strike, discount, m.variance(maturity));
  if (m.spot <= lower || m.spot >= upper) {
    return knock_in ? vanilla : rebate * (rebate_at == RebateTime::at_maturity ? discount : 1.0);
  }
  if (deterministic(m, maturity)) {
    const double time = std::min(deterministic_hit(m, lower, maturity), deterministic_hit(m, upper, maturity));
    const bool hit = !std::isinf(time);
    return (hit == knock_in ? vanilla : 0.0) +
           rebate_of(knock_in, rebate, rebate_at, discount, hit ? 0 : 1, hit ? std::exp(-m.rate * time) : 0);
  }
  const double low = std::log(lower / m.spot), high = std::log(upper / m.spot);
  const double log_drift = m.rate - m.dividend_yield - 0.5 * m.volatility * m.volatility;
  const bool call = type == OptionType::call;
  const double at_strike = std::log(strike / m.spot), from = call ? at_strike : low, to = call ? high : at_strike;
  const auto part = [&](double power) {
    return image_series(low, high, log_drift, m.volatility, maturity, from, to, power);
  };
  const double out = std::max(0.0, (call ? 1 : -1) * discount * (m.spot * part(1) - strike * part(0)));
  const double survival = double_survival_probability(m, lower, upper, maturity);
  double hit_value = 0;
  if (rebate != 0 && !knock_in && rebate_at != RebateTime::at_maturity) {
    hit_value = discounted_hit([&](double t) { return t > 0 ? double_survival_probability(m, lower, upper, t) : 1.0; },
                               m.rate, maturity);
  }
  return (knock_in ? std::max(vanilla - out, 0.0) : out) +
         rebate_of(knock_in, rebate, rebate_at, discount, survival, hit_value);
}

}  // namespace ergode::sim::options::closed_forms
