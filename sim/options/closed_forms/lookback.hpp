#pragma once

#include "sim/options/closed_forms/black.hpp"
#include "sim/options/settings.hpp"

// Continuously watched lookbacks under gbm with constant parameters, r = q included.

namespace ergode::sim::options::closed_forms {

/// D E[max(M - L, 0)] of the maximum M of the path from the spot <= level (Conze & Viswanathan 1991, J. Finance 46, p.
/// 1897).
double excess_of_maximum(const GbmConstants& market, double level, double maturity);
/// D E[max(L - m, 0)] of the minimum m of the path from the spot >= level.
double excess_of_minimum(const GbmConstants& market, double level, double maturity);

/// Fixed strike: call max(M - K, 0), put max(K - m, 0), where the running extreme (the maximum so far for a call, the
/// minimum for a put) counts.
double lookback_fixed(OptionType type, const GbmConstants& market, double strike, double running_extreme,
                      double maturity);

/// Floating strike: call S_T - m, put M - S_T (Goldman, Sosin & Gatto 1979, J. Finance 34, p. 1111); the running
/// extreme is the minimum so far for a call, the maximum for a put.
double lookback_floating(OptionType type, const GbmConstants& market, double running_extreme, double maturity);

}  // namespace ergode::sim::options::closed_forms
