#pragma once

#include "sim/options/closed_forms/black.hpp"
#include "sim/options/settings.hpp"

// Continuously watched barriers under gbm with constant parameters. A spot at or beyond a barrier has crossed it: a
// knock-out is worth its rebate, a knock-in is the vanilla. The rebate of a knock-in is paid at maturity where the
// barrier was not reached, whatever `rebate_at` says, since before that nobody knows.

namespace ergode::sim::options::closed_forms {

/// All eight single-barrier options (Reiner & Rubinstein 1991, Risk 4(8), p. 28). strike >= 0, barrier > 0.
double barrier(OptionType type, BarrierType barrier_type, const GbmConstants& market, double strike, double level,
               double rebate, double maturity, RebateTime rebate_at = RebateTime::automatic);

/// P(the barrier is not reached before maturity), under the pricing measure.
double survival_probability(const GbmConstants& market, double level, bool upper, double maturity);

/// Flat double barriers: the density between two absorbing barriers as a sum over images (Kunitomo & Ikeda 1992,
/// Mathematical Finance 2, p. 275), integrated against the payoff. lower < upper.
double double_barrier(OptionType type, DoubleBarrierType barrier_type, const GbmConstants& market, double strike,
                      double lower, double upper, double rebate, double maturity,
                      RebateTime rebate_at = RebateTime::automatic);

/// P(neither barrier is reached before maturity).
double double_survival_probability(const GbmConstants& market, double lower, double upper, double maturity);

}  // namespace ergode::sim::options::closed_forms
