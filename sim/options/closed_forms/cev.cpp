#include "sim/options/closed_forms/cev.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/options/closed_forms/black.hpp"
#include "sim/options/closed_forms/normal.hpp"

namespace ergode::sim::options::closed_forms {

namespace {

/// ln Gamma(n + 1) - [(n + 1/2) ln n - n + ln(2 pi)/2].
double stirling_error(double n) {
  if (n < 16) return std::lgamma(n + 1) - (n + 0.5) * std::log(n) + n - 0.5 * std::log(2 * std::numbers::pi);
  const double t = 1 / (n * n);
  return (1.0 / 12 - t * (1.0 / 360 - t * (1.0 / 1260 - t * (1.0 / 1680 - t / 1188)))) / n;
}

/// x ln(x / m) + m - x, without cancellation for x near m.
double deviance(double x, double m) {
  const double e = (x - m) / (x + m);
  if (std::abs(e) > 0.1) return x * std::log(x / m) + m - x;
  double sum = (x - m) * e, power = 2 * x * e;
  for (int j = 1; j < 40; ++j) {
    power *= e * e;
    const double next = sum + power / (2 * j + 1);
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

/// m^x e^-m / Gamma(x + 1) for real x >= 0: the saddle point form, exact to rounding for large arguments too (Loader
/// 2000, "Fast and accurate computation of binomial probabilities").
double poisson_density(double x, double m) {
  if (m == 0) return x == 0 ? 1 : 0;
  if (x < 1e-3) return std::exp(x * std::log(m) - m - std::lgamma(x + 1));
  return std::exp(-stirling_error(x) - deviance(x, m)) / std::sqrt(2 * std::numbers::pi * x);
}

/// Regularised lower incomplete gamma function P(a, x), a > 0: the series below the mean, Lentz's continued fraction
/// above (DLMF 8.11.4, 8.9.2).
double gamma_p(double a, double x) {
  if (!(x > 0)) return 0;
  const double density = poisson_density(a, x);
  if (x < a + 1) {
    double sum = 1, term = 1;
    for (double n = 1; term > 1e-17 * sum && n < 1e7; ++n) sum += term *= x / (a + n);
    return std::min(1.0, density * sum);
  }
  constexpr double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
  for (double n = 1; n < 1e7; ++n) {
    const double an = -n * (n - a);
    b += 2;
    d = an * d + b;
    if (std::abs(d) < tiny) d = tiny;
    c = b + an / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-16) break;
  }
  return std::clamp(1 - density * a * h, 0.0, 1.0);
}

/// What both distributions take: a of the strike, c of the spot, and the degrees of freedom 1/|1 - beta|.
struct ChiSquare {
  double strike, spot, degrees;
};

ChiSquare chi_square(const CevInputs& in, double strike, double maturity) {
  const double slope = 1 - in.cev_beta;
  // Integral of sigma^2 exp(-2 carry (1 - beta) t): the variance in units in which the drift is gone.
  const double rate = -2 * in.carry * slope;
  const double clock = rate == 0 ? maturity : std::expm1(rate * maturity) / rate;
  const double scale = slope * slope * in.cev_sigma * in.cev_sigma * clock;
  return {std::pow(strike * std::exp(-in.carry * maturity), 2 * slope) / scale, std::pow(in.spot, 2 * slope) / scale,
          1 / std::abs(slope)};
}

enum class Limit { deterministic, lognormal, none };

Limit limit(const CevInputs& in, double maturity) {
  if (!(maturity > 0) || in.cev_sigma == 0) return Limit::deterministic;
  // So near to 1 that the noncentrality is beyond the series, and the elasticity beyond notice.
  return std::abs(in.cev_beta - 1) < 1e-8 ? Limit::lognormal : Limit::none;
}

double forward_of(const CevInputs& in, double maturity) {
  return in.spot * std::exp(in.carry * maturity);
}

double black_variance(const CevInputs& in, double maturity) {
  const double volatility = in.cev_sigma * std::pow(in.spot, in.cev_beta - 1);
  return volatility * volatility * maturity;
}

}  // namespace

double noncentral_chi_square_cdf(double x, double degrees, double noncentrality) {
  if (!(x > 0)) return 0;
  if (std::isinf(x)) return 1;
  const double half = 0.5 * noncentrality, y = 0.5 * x;
  const double middle = std::floor(half), shape = 0.5 * degrees + middle;
  const double weight = poisson_density(middle, half), value = gamma_p(shape, y), step = poisson_density(shape, y);
  double sum = 0;
  // Upwards P(a + 1, y) = P(a, y) - y^a e^-y / Gamma(a + 1), downwards the reverse.
  double w = weight, p = value, s = step;
  for (double j = middle; w > 1e-19; ++j) {
    sum += w * p;
    p = std::max(0.0, p - s);
    s *= y / (0.5 * degrees + j + 1);
    w *= half / (j + 1);
    if (p == 0 && j > middle + 10) break;
  }
  w = weight;
  p = value;
  s = step;
  for (double j = middle; j >= 1 && w > 1e-19; --j) {
    w *= j / half;
    s *= (0.5 * degrees + j) / y;  // the density at a - 1
    p = std::min(1.0, p + s);
    sum += w * p;
  }
  return std::clamp(sum, 0.0, 1.0);
}

double cev_expected_spot(const CevInputs& in, double maturity) {
  const double forward = forward_of(in, maturity);
  if (in.cev_beta <= 1 || limit(in, maturity) != Limit::none) return forward;
  const ChiSquare x = chi_square(in, in.spot, maturity);
  return forward * gamma_p(0.5 * x.degrees, 0.5 * x.spot);
}

double cev_european(OptionType type, const CevInputs& in, double strike, double discount, double maturity,
                    bool expectation) {
  const double forward = forward_of(in, maturity);
  const Limit which = limit(in, maturity);
  if (which != Limit::none) {
    const double variance = which == Limit::lognormal ? black_variance(in, maturity) : 0.0;
    return black_scholes(type, forward, strike, discount, variance);
  }
  const double mean = expectation ? cev_expected_spot(in, maturity) : forward;
  if (!(strike > 0)) return type == OptionType::call ? discount * (mean - strike) : 0.0;
  const ChiSquare x = chi_square(in, strike, maturity);
  double put = 0;
  if (in.cev_beta < 1) {
    put = strike * (1 - noncentral_chi_square_cdf(x.spot, x.degrees, x.strike)) -
          forward * noncentral_chi_square_cdf(x.strike, x.degrees + 2, x.spot);
  } else {
    put = strike * (1 - noncentral_chi_square_cdf(x.strike, 2 + x.degrees, x.spot)) -
          forward * noncentral_chi_square_cdf(x.spot, x.degrees, x.strike);
  }
  put = std::max(put, 0.0);
  return discount * (type == OptionType::put ? put : std::max(0.0, put + mean - strike));
}

double cev_probability_above(const CevInputs& in, double strike, double maturity) {
  const double forward = forward_of(in, maturity);
  const Limit which = limit(in, maturity);
  if (which != Limit::none) {
    const double variance = which == Limit::lognormal ? black_variance(in, maturity) : 0.0;
    return digital(OptionType::call, Payout::cash, 1, forward, strike, 1, variance);
  }
  if (strike <= 0) {
    if (in.cev_beta > 1) return 1;
    const ChiSquare x = chi_square(in, in.spot, maturity);
    return gamma_p(0.5 * x.degrees, 0.5 * x.spot);
  }
  const ChiSquare x = chi_square(in, strike, maturity);
  return in.cev_beta < 1 ? noncentral_chi_square_cdf(x.spot, x.degrees, x.strike)
                         : noncentral_chi_square_cdf(x.strike, 2 + x.degrees, x.spot);
}

}  // namespace ergode::sim::options::closed_forms
