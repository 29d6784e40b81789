#pragma once

#include "kernels/options/basis.hpp"

// When to exercise: a rule that a kernel reads from one flat array, fitted by kernels/options/longstaff_schwartz.hpp.
//
// The array, all numbers of one type (small whole numbers are exact in float too):
//   [0] dates            [1] underlyings d    [2] variables m of the regression    [3] ExercisePayoff
//   [4] 1 call, 0 put    [5] BasisFamily      [6] 1 with stochastic variance       [7] length of a date's record
//   [8] strike           [9 .. 9 + d) weights, 1 where the payoff has none
//   then a record for each date:
//     [0] ExerciseAction   [1] order of the date's polynomial
//     [2 .. 2 + m) centre  [2 + m .. 2 + 2 m) scale   [2 + 2 m ..) coefficients, the rest 0
// The polynomial gives the value of holding on, in money of the exercise date.

namespace ergode::kernels {

enum class ExercisePayoff : int { single, maximum, minimum, basket };

enum class ExerciseAction : int {
  never,
  above_continuation,  ///< when the payoff is positive and at least the polynomial
  in_the_money,        ///< whenever the payoff is positive: the last date
};

inline constexpr int max_sorted_prices = 5;     ///< of a maximum or minimum, that the regression sees
inline constexpr int max_basket_prices = 3;     ///< underlyings of a basket up to which it sees them one by one
inline constexpr int exercise_header_size = 9;  ///< numbers before the weights

/// What the payoff is on: the price, or the maximum, minimum or weighted sum of d prices. Price is Real or a dual of
/// it.
template <class Real, class Price>
ERGODE_BASIS_INLINE Price exercise_underlying(ExercisePayoff kind, const Real* weights, const Price* spot, int d) {
  if (kind == ExercisePayoff::basket) {
    Price sum = Price(Real(0));
    for (int i = 0; i < d; ++i) sum = sum + weights[i] * spot[i];
    return sum;
  }
  Price value = spot[0];
  if (kind == ExercisePayoff::single) return value;
  for (int i = 1; i < d; ++i)
    if (kind == ExercisePayoff::maximum ? spot[i] > value : spot[i] < value) value = spot[i];
  return value;
}

/// max(x - strike, 0) of a call, max(strike - x, 0) of a put; NaN if x is.
template <class Real, class Price>
ERGODE_BASIS_INLINE Price exercise_payoff(ExercisePayoff kind, bool call, const Price& strike, const Real* weights,
                                          const Price* spot, int d) {
  const Price x = exercise_underlying(kind, weights, spot, d);
  const Price value = call ? x - strike : strike - x;
  return value < Price(Real(0)) ? Price(Real(0)) : value;
}

/// How many variables exercise_variables writes, at most 6.
ERGODE_BASIS_INLINE int exercise_variable_count(ExercisePayoff kind, bool variance, int d) {
  int count = 1;
  if (kind == ExercisePayoff::maximum || kind == ExercisePayoff::minimum)
    count = d < max_sorted_prices ? d : max_sorted_prices;
  if (kind == ExercisePayoff::basket && d <= max_basket_prices) count = d;
  return count + (variance ? 1 : 0);
}

/// What the value of holding on is regressed on, to out[0 ..): the price; of a maximum the highest prices in
/// descending order, of a minimum the lowest in ascending order; of a basket its value, and while there are few all
/// prices but the last, which the value gives; then the variance, of several underlyings its mean. `variance` is null
/// where there is none. Prices stay in money, since the mapping to [-1, 1] makes them relative.
template <class Real>
ERGODE_BASIS_INLINE void exercise_variables(ExercisePayoff kind, const Real* weights, const Real* spot,
                                            const Real* variance, int d, Real* out) {
  int count = 1;
  if (kind == ExercisePayoff::single) {
    out[0] = spot[0];
  } else if (kind == ExercisePayoff::basket) {
    out[0] = exercise_underlying(kind, weights, spot, d);
    if (d <= max_basket_prices)
      for (int i = 0; i + 1 < d; ++i) out[count++] = spot[i];
  } else {
    count = 0;
    for (int i = 0; i < d; ++i) {
      int k = count < max_sorted_prices ? count++ : max_sorted_prices;
      for (; k > 0 && (kind == ExercisePayoff::maximum ? spot[i] > out[k - 1] : spot[i] < out[k - 1]); --k)
        if (k < max_sorted_prices) out[k] = out[k - 1];
      if (k < max_sorted_prices) out[k] = spot[i];
    }
  }
  if (variance != nullptr) {
    Real sum = 0;
    for (int i = 0; i < d; ++i) sum += variance[i];
    out[count] = sum / static_cast<Real>(d);
  }
}

/// The array, read. Plain data, to be passed by value.
template <class Real>
struct ExercisePolicyView {
  int dates, underlyings, variables;
  ExercisePayoff kind;
  bool call;
  BasisFamily family;
  bool variance;
  int record_size;
  Real strike;
  const Real* weights;
  const Real* records;
};

/// `header`: the first exercise_header_size numbers; `data`: the whole array where it will be read (on a device its
/// address there, with the host's copy as the header).
template <class Real>
ERGODE_BASIS_INLINE ExercisePolicyView<Real> view_exercise_policy(const Real* header, const Real* data) {
  ExercisePolicyView<Real> v;
  v.dates = static_cast<int>(header[0]);
  v.underlyings = static_cast<int>(header[1]);
  v.variables = static_cast<int>(header[2]);
  v.kind = static_cast<ExercisePayoff>(static_cast<int>(header[3]));
  v.call = header[4] != 0;
  v.family = static_cast<BasisFamily>(static_cast<int>(header[5]));
  v.variance = header[6] != 0;
  v.record_size = static_cast<int>(header[7]);
  v.strike = header[8];
  v.weights = data + exercise_header_size;
  v.records = v.weights + v.underlyings;
  return v;
}

template <class Real>
ERGODE_BASIS_INLINE const Real* exercise_record(const ExercisePolicyView<Real>& v, int date) {
  return v.records + static_cast<long long>(date) * v.record_size;
}

template <class Real>
ERGODE_BASIS_INLINE ExerciseAction exercise_action(const ExercisePolicyView<Real>& v, int date) {
  return static_cast<ExerciseAction>(static_cast<int>(exercise_record(v, date)[0]));
}

/// The estimated value of holding on at a date with the action above_continuation, >= 0, in money of that date; NaN if
/// a variable is. Meant for paths in the money: it was fitted to those alone.
template <class Real>
ERGODE_BASIS_INLINE Real continuation_value(const ExercisePolicyView<Real>& v, int date, const Real* spot,
                                            const Real* variance) {
  const Real* record = exercise_record(v, date);
  Real x[max_basis_variables];
  exercise_variables(v.kind, v.weights, spot, v.variance ? variance : nullptr, v.underlyings, x);
  const BasisView<Real> basis{v.variables, static_cast<int>(record[1]), v.family,
                              record + 2,  record + 2 + v.variables,    record + 2 + 2 * v.variables};
  const Real value = evaluate_basis(basis, x);
  return value < 0 ? Real(0) : value;
}

template <class Real>
ERGODE_BASIS_INLINE Real exercise_payoff(const ExercisePolicyView<Real>& v, const Real* spot) {
  return exercise_payoff(v.kind, v.call, v.strike, v.weights, spot, v.underlyings);
}

/// `date` in [0, dates); spot (underlyings), variance (underlyings, or null). A NaN never exercises.
template <class Real>
ERGODE_BASIS_INLINE bool should_exercise(const ExercisePolicyView<Real>& v, int date, const Real* spot,
                                         const Real* variance) {
  const ExerciseAction action = exercise_action(v, date);
  if (action == ExerciseAction::never) return false;
  const Real payoff = exercise_payoff(v, spot);
  if (!(payoff > 0)) return false;
  return action == ExerciseAction::in_the_money || payoff >= continuation_value(v, date, spot, variance);
}

}  // namespace ergode::kernels
