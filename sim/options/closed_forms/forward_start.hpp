#pragma once

#include <optional>
#include <vector>

#include "sim/options/settings.hpp"

// Options whose strikes are fixed by later prices of the same underlying, under gbm with curves.

namespace ergode::sim::options::closed_forms {

/// D E[max(S_T - m S_s, 0)] or its put: `start_forward` and `forward` to s and T, `discount` to T, `variance` from s to
/// T (Rubinstein 1991, Risk 4(2), p. 61).
double forward_start(OptionType type, double moneyness, double start_forward, double forward, double discount,
                     double variance);

/// notional D sum_i E[clip(S_i/S_(i-1) - 1, floor, cap)], paid at maturity: the returns are independent, and clipping
/// is a call spread. growth[i] = F_i / F_(i-1), variance[i] from t_(i-1) to t_i. No global bounds.
double cliquet(double notional, const std::vector<double>& growth, const std::vector<double>& variance,
               std::optional<double> local_floor, std::optional<double> local_cap, double discount);

}  // namespace ergode::sim::options::closed_forms
