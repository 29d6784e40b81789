#pragma once

#include <vector>

#include "sim/options/settings.hpp"

// Geometric averages of lognormal prices: of one price over time (Asian) and of several prices (basket). The logarithm
// of such an average is normal, so two numbers describe it.

namespace ergode::sim::options::closed_forms {

/// A lognormal value by the mean and variance of its logarithm.
struct LogNormal {
  double log_mean = 0, log_variance = 0;
  /// E of the value itself.
  double forward() const;
};

/// prod S_i^weights_i, where ln S has these means and this covariance (row-major, n x n).
LogNormal geometric_average(const std::vector<double>& weights, const std::vector<double>& log_means,
                            const std::vector<double>& log_covariance);

/// The average of one price under gbm over fixings at t_i: drift[i] is the integral of r - q, variance[i] that of
/// sigma^2, both from 0 to t_i and in the order of time. weights (empty: equal) sum to 1 for an average. past_fixings
/// are values already known, each of weight 1/(all fixings); weights may then not be given. With trapezoid weights it
/// is the continuous average on a time grid. (Kemna & Vorst 1990, J. Banking and Finance 14, p. 113; the discrete sum
/// is direct.)
LogNormal geometric_average(double spot, const std::vector<double>& drift, const std::vector<double>& variance,
                            const std::vector<double>& past_fixings = {}, const std::vector<double>& weights = {});

/// The continuous average over [0, maturity] with constant parameters: exp((1/T) integral of ln S)
/// (Kemna & Vorst 1990, p. 119). `carry` = r - q.
LogNormal geometric_average_continuous(double spot, double carry, double volatility, double maturity);

/// Covariance of ln S_T (T the last fixing's time or later) and the log of the average above; for floating strikes.
double covariance_with_terminal(const std::vector<double>& variance, std::size_t past_fixings = 0,
                                const std::vector<double>& weights = {});

/// D E[max(G - K, 0)] or its put.
double lognormal_option(OptionType type, const LogNormal& value, double strike, double discount);

/// D E[max(S_T - G, 0)] (put: max(G - S_T, 0)), with the forward and total variance of S_T and cov(ln S_T, ln G).
double floating_strike_geometric_asian(OptionType type, const LogNormal& average, double forward, double variance,
                                       double covariance, double discount);

}  // namespace ergode::sim::options::closed_forms
