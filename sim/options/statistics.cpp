#include "sim/options/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "sim/options/closed_forms/normal.hpp"
#include "sim/options/closed_forms/quadrature.hpp"

namespace ergode::sim::options {

Accumulator::Accumulator(int replications)
    : sums(static_cast<std::size_t>(std::max(replications, 1))), counts(sums.size(), 0) {}

void Accumulator::add(const double* chunk, std::int64_t samples, std::int64_t replication) {
  const auto r = static_cast<std::size_t>(replication);
  for (std::size_t i = 0; i < 5; ++i) sums[r][i] += chunk[i];
  counts[r] += samples;
}

void Accumulator::add_to_block(const double* chunk, std::int64_t samples) {
  for (std::size_t i = 0; i < 5; ++i) block[i] += chunk[i];
  counts[0] += samples;
}

void Accumulator::close_block() {
  for (std::size_t i = 0; i < 5; ++i) sums[0][i] += block[i];
  block = {};
}

std::int64_t Accumulator::samples() const {
  std::int64_t n = 0;
  for (const std::int64_t c : counts) n += c;
  return n;
}

MeanError mean_and_error(const Accumulator& a, bool controlled, double control_mean) {
  MeanError out;
  std::array<double, 5> s{};
  for (const auto& r : a.sums)
    for (std::size_t i = 0; i < 5; ++i) s[i] += r[i];
  for (std::size_t i = 0; i < 5; ++i) s[i] += a.block[i];
  const auto n = static_cast<double>(a.samples());
  if (n == 0) return out;
  const double x = s[0] / n, c = s[1] / n;
  const double xx = std::max(s[2] / n - x * x, 0.0), xc = s[3] / n - x * c, cc = std::max(s[4] / n - c * c, 0.0);
  // A control that does not vary beyond rounding explains nothing.
  const double beta = controlled && cc > 1e-12 * c * c ? xc / cc : 0;
  const double variance = std::max(xx - 2 * beta * xc + beta * beta * cc, 0.0);
  out.mean = x - beta * (c - control_mean);
  if (a.sums.size() == 1) {
    // The mean takes a degree of freedom, and a fitted beta another. With none left the error is not 0 but unknown.
    const double degrees = beta != 0 ? n - 2 : n - 1;
    out.standard_error = degrees > 0 ? std::sqrt(variance / degrees) : std::nan("");
    return out;
  }
  const auto replications = static_cast<double>(a.sums.size());
  double mean = 0, square = 0;
  std::vector<double> means;
  for (std::size_t r = 0; r < a.sums.size(); ++r) {
    const auto m = static_cast<double>(a.counts[r]);
    if (m == 0) return out;
    means.push_back(a.sums[r][0] / m - beta * (a.sums[r][1] / m - control_mean));
    mean += means.back() / replications;
  }
  for (const double m : means) square += (m - mean) * (m - mean);
  out.mean = mean;
  out.standard_error = std::sqrt(square / (replications - 1) / replications);
  return out;
}

double confidence_quantile(double confidence, int degrees) {
  const double nu = degrees;
  // P(0 <= T <= t) wanted.
  const double half = 0.5 * confidence;
  const double scale =
      degrees > 0 ? std::exp(std::lgamma(0.5 * (nu + 1)) - std::lgamma(0.5 * nu)) / std::sqrt(nu * M_PI) : 0;
  auto probability = [&](double t) {
    if (degrees == 0) return closed_forms::normal_cdf(t) - 0.5;
    return scale *
           closed_forms::integrate([&](double x) { return std::pow(1 + x * x / nu, -0.5 * (nu + 1)); }, 0, t, 1e-13);
  };
  double low = 0, high = 1;
  while (probability(high) < half && high < 1e8) high *= 2;
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (probability(middle) < half ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace ergode::sim::options
