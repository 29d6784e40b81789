#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/options/longstaff_schwartz.hpp"
#include "kernels/random/normal.hpp"

// What fitting an exercise policy does at one path, one date or one price: the backward inductions of host and device
// are loops around it.

namespace ergode::kernels {

inline constexpr int quantile_paths = 4096;  ///< at most, that centre and scale are taken from

/// Factor of a spot, lognormal of deviation `width`: each path its point of an additive sequence of the given step,
/// which fills the space evenly and owes nothing to the draws.
ERGODE_HOST_DEVICE inline double dispersion_factor(double width, double step, std::int64_t path) {
  const double turns = 0.5 + step * static_cast<double>(path + 1);
  const double place = turns - ::floor(turns);
  return ::exp(width * normal_from_word<double>(static_cast<std::uint32_t>(place * 0x1p32)));
}

/// The state of one path at one date, of at most `most` underlyings.
template <int most>
struct PathState {
  double spot[most], variance[most];
  bool stochastic_variance;
  ERGODE_HOST_DEVICE const double* variance_or_null() const { return stochastic_variance ? variance : nullptr; }
};

/// `dispersed`: as the rule is fitted to it.
template <int most, class Real>
ERGODE_HOST_DEVICE inline PathState<most> state_at(const TrainingPaths<Real>& t, int date, std::int64_t path,
                                                   bool dispersed = true) {
  PathState<most> s;
  s.stochastic_variance = t.variance != nullptr;
  const int underlyings = most == 1 ? 1 : t.underlyings;
  for (int u = 0; u < underlyings; ++u) {
    const std::int64_t at = (static_cast<std::int64_t>(date) * underlyings + u) * t.paths + path;
    s.spot[u] = static_cast<double>(t.spot[at]);
    if (dispersed && t.dispersion) s.spot[u] *= static_cast<double>(t.dispersion[u * t.paths + path]);
    if (t.variance) s.variance[u] = static_cast<double>(t.variance[at]);
  }
  return s;
}

/// Whether payoff and variances are.
template <int most>
ERGODE_HOST_DEVICE inline bool is_finite(const PathState<most>& s, double payoff, int underlyings) {
  double sum = payoff;
  if (s.stochastic_variance)
    for (int u = 0; u < underlyings; ++u) sum += s.variance[u];
  return sum - sum == 0;
}

/// What the cash flows are regressed on.
template <int most>
ERGODE_HOST_DEVICE inline void variables_of(const ExercisePolicyView<double>& v, const PathState<most>& s, double* x) {
  exercise_variables(v.kind, v.weights, s.spot, s.variance_or_null(), v.underlyings, x);
}

/// The order of a polynomial fitted to so many paths.
ERGODE_HOST_DEVICE inline int order_for(int order, int variables, std::int64_t listed) {
  while (order > 0 && listed < 2 * std::int64_t{basis_terms(variables, order)}) --order;
  return order;
}

/// Every so manieth path in the money is one that centre and scale are taken from.
ERGODE_HOST_DEVICE inline std::int64_t quantile_step(std::int64_t listed) {
  return (listed + quantile_paths - 1) / quantile_paths;
}

/// Of a variable, from its values in ascending order.
ERGODE_HOST_DEVICE inline void centre_and_scale(const double* sorted, std::int64_t count, double& centre,
                                                double& scale) {
  constexpr double degenerate_spread = 1e-5;  // relative; below it a variable is rounding noise of the paths
  double low = sorted[count / 100], high = sorted[count - 1 - count / 100];
  if (low == high) {
    low = sorted[0];
    high = sorted[count - 1];
  }
  const double half = (high - low) / 2;
  centre = low + half;
  scale = half > degenerate_spread * ::fabs(centre) ? 1 / half : 0.0;
}

/// put(k, value) for each term k of a polynomial of the given order, at the variables x, which are mapped in place by
/// centre and scale of a date's record.
template <class Put>
ERGODE_HOST_DEVICE inline void regressors(const ExercisePolicyView<double>& v, const double* record, int order,
                                          int terms, double* x, const Put& put) {
  for (int k = 0; k < v.variables; ++k) x[k] = (x[k] - record[2 + k]) * record[2 + v.variables + k];
  put(0, 1.0);
  if (v.variables == 1) {  // as evaluate_basis does it, without the tables of BasisTerms
    double previous = 1, current = first_polynomial(v.family, x[0]);
    for (int k = 1; k < terms; ++k) {
      put(k, current);
      const double next = next_polynomial(v.family, k, x[0], current, previous);
      previous = current;
      current = next;
    }
    return;
  }
  BasisTerms<double> term(v.family, v.variables, order, x);
  for (int k = 1; k < terms; ++k) {
    term.advance();
    put(k, term.value());
  }
}

/// Where a policy on one price begins to exercise, from the strike to `deepest`, by a scan and then bisection.
struct CriticalSpot {
  static constexpr int scan = 2048;
  const ExercisePolicyView<double>& policy;
  int date;
  double deepest;

  ERGODE_HOST_DEVICE double price(int k) const { return policy.strike + (deepest - policy.strike) * k / scan; }
  ERGODE_HOST_DEVICE bool exercises_at(double price) const {
    // An array although there is one underlying, since the loops over underlyings are compiled for more.
    const double spot[max_training_underlyings] = {price};
    return should_exercise(policy, date, spot, static_cast<const double*>(nullptr));
  }
  /// Of the first price that is exercised at, number k in [1, scan]: the boundary before it, to rounding.
  ERGODE_HOST_DEVICE double before(int k) const {
    double hold = price(k - 1), beyond = price(k);
    for (int bisection = 0; bisection < 50; ++bisection) {
      const double middle = hold + (beyond - hold) / 2;
      (exercises_at(middle) ? beyond : hold) = middle;
    }
    return beyond;
  }
};

}  // namespace ergode::kernels
