#pragma once

// The normal distribution in one and two dimensions, accurate in both tails.

namespace ergode::sim::options::closed_forms {

/// Density of the standard normal distribution; 0 at +-infinity.
double normal_density(double x);

/// P(Z <= x) of a standard normal Z, with full relative accuracy in the lower tail.
double normal_cdf(double x);

/// exp(exponent) * P(Z <= x), also where one factor overflows while the other underflows, as in image terms
/// (H/S)^(2 mu) N(y) of a barrier when the volatility is small.
double scaled_normal_cdf(double exponent, double x);

/// exp(exponent) * P(low < Z <= high), without cancellation in the upper tail; 0 when high <= low.
double scaled_normal_interval(double exponent, double low, double high);

/// P(X <= x, Y <= y) of two standard normals with the given correlation in [-1, 1], to about 1e-14. The derivative in
/// the correlation is the bivariate density (Plackett 1954, Biometrika 41, p. 353), integrated over the arcsine of the
/// correlation.
double bivariate_normal_cdf(double x, double y, double correlation);

}  // namespace ergode::sim::options::closed_forms
