#include "sim/options/closed_forms/normal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/options/closed_forms/quadrature.hpp"

namespace ergode::sim::options::closed_forms {

namespace {

constexpr double inverse_sqrt_two_pi = 0.39894228040143267794;

double log_normal_cdf(double x) {
  if (x > -35) return std::log(normal_cdf(x));
  // Asymptotic series of Mills' ratio: at this distance four terms are exact to rounding.
  const double t = 1 / (x * x);
  return -0.5 * x * x + std::log(inverse_sqrt_two_pi / -x) + std::log1p(-t * (1 - 3 * t * (1 - 5 * t * (1 - 7 * t))));
}

}  // namespace

double normal_density(double x) {
  return inverse_sqrt_two_pi * std::exp(-0.5 * x * x);
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x * std::numbers::sqrt2 / 2);
}

double scaled_normal_cdf(double exponent, double x) {
  if (x == -INFINITY || exponent == -INFINITY) return 0;
  if (std::abs(exponent) < 600 && x > -35) return std::exp(exponent) * normal_cdf(x);
  return std::exp(exponent + log_normal_cdf(x));
}

double scaled_normal_interval(double exponent, double low, double high) {
  if (!(high > low)) return 0;
  if (low > 0) return scaled_normal_interval(exponent, -high, -low);
  return scaled_normal_cdf(exponent, high) - scaled_normal_cdf(exponent, low);
}

double bivariate_normal_cdf(double x, double y, double correlation) {
  if (x == -INFINITY || y == -INFINITY) return 0;
  if (x == INFINITY) return normal_cdf(y);
  if (y == INFINITY) return normal_cdf(x);
  const double independent = normal_cdf(x) * normal_cdf(y);
  if (correlation == 0) return independent;
  if (correlation >= 1) return normal_cdf(std::min(x, y));
  if (correlation <= -1) return std::max(0.0, normal_cdf(x) - normal_cdf(-y));
  const auto density = [&](double angle) {
    const double sine = std::sin(angle), cosine = std::cos(angle);
    return std::exp(-(x * x + y * y - 2 * x * y * sine) / (2 * cosine * cosine));
  };
  const double end = std::asin(correlation);
  const double integral = integrate(density, 0.0, end, 1e-15) / (2 * std::numbers::pi);
  return std::clamp(independent + integral, 0.0, std::min(normal_cdf(x), normal_cdf(y)));
}

}  // namespace ergode::sim::options::closed_forms
