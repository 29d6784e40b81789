#include "sim/options/term_structure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ergode::sim::options {
namespace {

/// The integral from 0 to t of a forward that is constant between the nodes, where `total(i)` is the integral to node
/// i.
template <class Total>
double integral(const std::vector<double>& times, const Total& total, double t) {
  const std::size_t n = times.size();
  if (t <= times[0]) return total(0) / times[0] * t;
  // Beyond the last node the last segment goes on.
  const auto above = static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), t) - times.begin());
  const std::size_t i = std::min(above, n - 1);
  const double slope = (total(i) - total(i - 1)) / (times[i] - times[i - 1]);
  return total(i) + slope * (t - times[i]);
}

}  // namespace

double TermStructure::rate_integral(double t) const {
  if (constant()) return values[0] * t;
  return integral(
      times, [&](std::size_t i) { return values[i] * times[i]; }, t);
}

double TermStructure::variance_integral(double t) const {
  if (constant()) return values[0] * values[0] * t;
  // Where the total variance does not rise, rounding may not make it fall.
  return std::max(0.0, integral(
                           times, [&](std::size_t i) { return values[i] * values[i] * times[i]; }, t));
}

double TermStructure::at(double t) const {
  return constant() || t <= times[0] ? values[0] : rate_integral(t) / t;
}

double TermStructure::volatility_at(double t) const {
  return constant() || t <= times[0] ? values[0] : std::sqrt(variance_integral(t) / t);
}

TermStructure TermStructure::shifted(double shift) const {
  TermStructure moved = *this;
  for (double& value : moved.values) value += shift;
  return moved;
}

}  // namespace ergode::sim::options
