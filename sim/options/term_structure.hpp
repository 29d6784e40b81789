#pragma once

#include <vector>

namespace ergode::sim::options {

/// A number, or nodes over time, as a config gives them: `0.03` or `[[0.5, 0.031], [1, 0.03]]`. Of rates and yields the
/// nodes are zero rates (continuously compounded), of volatilities Black volatilities to t. Between nodes r t (or
/// sigma^2 t) is linear; before the first node the value is the first's; after the last node the forward is flat.
struct TermStructure {
  std::vector<double> times;   ///< years, > 0, ascending; empty for a constant
  std::vector<double> values;  ///< one a node; a single one for a constant

  TermStructure() : values{0} {}
  explicit TermStructure(double constant) : values{constant} {}
  bool constant() const { return times.size() < 2; }

  /// r(t) t, the integral of the forward rate from 0 to t. t in years, >= 0.
  double rate_integral(double t) const;
  /// sigma(t)^2 t, the integral of the forward variance from 0 to t.
  double variance_integral(double t) const;
  /// The zero rate itself. t >= 0.
  double at(double t) const;
  /// The Black volatility to t itself. t >= 0.
  double volatility_at(double t) const;
  /// All values moved by `shift`.
  TermStructure shifted(double shift) const;
  bool operator==(const TermStructure&) const = default;
};

}  // namespace ergode::sim::options
