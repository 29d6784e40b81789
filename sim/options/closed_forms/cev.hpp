#pragma once

#include "sim/options/settings.hpp"

// Constant elasticity of variance dS = (r - q) S dt + sigma S^beta dW, absorbed at 0.

namespace ergode::sim::options::closed_forms {

/// spot > 0, carry = r - q a year, cev_sigma >= 0.
struct CevInputs {
  double spot = 0, carry = 0, cev_sigma = 0, cev_beta = 1;
};

/// Noncentral chi-square distribution P(X <= x), degrees of freedom > 0, noncentrality >= 0: Poisson mixture of central
/// ones from the middle outwards (Benton & Krishnamoorthy 2003, Computational Statistics & Data Analysis 43, p. 249).
/// Absolute error below 1e-13 up to noncentralities of 1e6.
double noncentral_chi_square_cdf(double x, double degrees, double noncentrality);

/// European (Schroder 1989, J. Finance 44, p. 211; beta > 1: Emanuel & MacBeth 1982, J. Financial and Quantitative
/// Analysis 17, p. 533). For beta > 1 the discounted price is not a martingale: with `expectation` the call is D
/// E[max(S - K, 0)], which is what paths give; without, it is put-call parity's, larger by D (F - E[S_T]).
double cev_european(OptionType type, const CevInputs& inputs, double strike, double discount, double maturity,
                    bool expectation = true);

/// P(S_T > strike) for a strike >= 0; at 0 the probability of not being absorbed.
double cev_probability_above(const CevInputs& inputs, double strike, double maturity);

/// E[S_T]: the forward, for beta > 1 less (the part of the share measure that explodes; Lewis 2000, Option Valuation
/// under Stochastic Volatility, ch. 9).
double cev_expected_spot(const CevInputs& inputs, double maturity);

}  // namespace ergode::sim::options::closed_forms
