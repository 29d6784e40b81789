#pragma once

#include "sim/options/settings.hpp"

// Two lognormal prices at maturity, by their forwards (>= 0), total log variances (>= 0) and log covariance.

namespace ergode::sim::options::closed_forms {

struct TwoAssets {
  double forward_1 = 0, forward_2 = 0;
  double variance_1 = 0, variance_2 = 0, covariance = 0;
  /// Variance of ln S1/S2.
  double ratio_variance() const;
};

/// D E[max(S1 - S2, 0)] (Margrabe 1978, J. Finance 33, p. 179).
double exchange(const TwoAssets& assets, double discount);

/// Option on the larger or the smaller of the two (Stulz 1982, J. Financial Economics 10, p. 161; puts by parity with
/// the value of the extreme itself). strike >= 0.
double best_or_worst(OptionType type, Select select, const TwoAssets& assets, double strike, double discount);

/// D E[max(a1 S1 + a2 S2 - K, 0)] or its put, coefficients and strike of any sign: spreads (1, -1) and arithmetic
/// baskets of two. Given S2 the price is lognormal in S1, which leaves one integral over a normal variable (Pearson
/// 1995, J. Derivatives 3, p. 76). Absolute error below 1e-11 of the forwards.
double linear_combination(OptionType type, double a1, double a2, const TwoAssets& assets, double strike,
                          double discount);

}  // namespace ergode::sim::options::closed_forms
