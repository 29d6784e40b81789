#pragma once

#include <vector>

#include "sim/options/closed_forms/jumps.hpp"
#include "sim/options/settings.hpp"

// Expected variances: of Heston's process, and the fair variance (1/T) E[sum of squared log returns] of every model.
// The mean is not removed.

namespace ergode::sim::options::closed_forms {

/// E[v_t] and the integral of E[v] over [0, t] (Cox, Ingersoll & Ross 1985, Econometrica 53, p. 392); kappa = 0
/// allowed.
double heston_expected_variance(const HestonModel& model, double t);
double heston_integrated_variance(const HestonModel& model, double t);

/// Fixings at times[i] > 0, ascending, the return of the first counted from 0; T is the last. drift[i] is the integral
/// of r - q from 0 to times[i], variance[i] that of sigma^2. Jumps count with their squares and with their compensator.
double fair_variance_gbm(const std::vector<double>& times, const std::vector<double>& drift,
                         const std::vector<double>& variance, const JumpMoments& jumps = {});

/// The same under Heston or Bates, exact for discrete fixings: a return r - q - (1/2) integral of v plus its
/// martingale, whose variance and covariance with the integral of v follow from v's linear drift (result: Broadie &
/// Jain 2008, International J. Theoretical and Applied Finance 11, p. 761).
double fair_variance_heston(const HestonModel& model, const std::vector<double>& times,
                            const std::vector<double>& drift, const JumpMoments& jumps = {});

/// Continuous fixings: (1/T) times the integral of E[v], and the squares of the jumps.
double fair_variance_continuous(double integrated_variance, double maturity, const JumpMoments& jumps = {});

}  // namespace ergode::sim::options::closed_forms
