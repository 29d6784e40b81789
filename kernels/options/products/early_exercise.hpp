#pragma once

#include "kernels/options/exercise_policy.hpp"
#include "kernels/options/products/product.hpp"

namespace ergode::kernels::options {

/// Early exercise by a policy that was fitted on other paths (Longstaff & Schwartz 2001), so that the mean is a lower
/// bound. State: [0] discounted payment, [1] number of the exercise date (1, 2, ...) or 0, [2] dates so far. Constants:
/// [0] strike, [1] 1: exercised now, [2] dates, [3] dates of the policy to one of the grid's (2 where a coarse grid has
/// every second one).
struct ExerciseObserver {
  template <class T>
  ERGODE_HOST_DEVICE static T payoff(const ExercisePolicyView<Scalar<T>>& policy, const T& strike, const T* spot) {
    return exercise_payoff(policy.kind, policy.call, strike, policy.weights, spot, policy.underlyings);
  }

  /// `spot` and `variance` of all assets at the date, of one path. `c`: constants, `discount` that of the date.
  template <class T>
  ERGODE_HOST_DEVICE static void fixing(T* state, const T* c, const ExercisePolicyView<Scalar<T>>& policy,
                                        const T* spot, const Scalar<T>* spot_value, const Scalar<T>* variance,
                                        const T& discount) {
    using Real = Scalar<T>;
    const int stride = static_cast<int>(value_of(c[3]));
    const int date = static_cast<int>(value_of(state[2])) + stride - 1;
    state[2] = T(Real(date + 1));
    if (value_of(state[1]) != 0) return;
    if (!should_exercise(policy, date, spot_value, variance)) return;
    state[0] = discount * payoff(policy, c[0], spot);
    state[1] = T(Real(date + 1));
  }
};

}  // namespace ergode::kernels::options
