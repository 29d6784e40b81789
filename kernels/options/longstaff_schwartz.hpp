#pragma once

#include <cstdint>
#include <vector>

#include "kernels/options/exercise_policy.hpp"

namespace ergode::kernels {

inline constexpr int max_training_underlyings = 64;

/// Simulated states at the exercise dates. Real is float or double; the fit works in double either way.
template <class Real>
struct TrainingPaths {
  std::int64_t paths = 0;
  int dates = 0, underlyings = 0;
  const Real* spot = nullptr;        ///< (dates, underlyings, paths)
  const Real* variance = nullptr;    ///< as spot, or null where no variance is stochastic
  const Real* dispersion = nullptr;  ///< (underlyings, paths), or null: factors of the spots that the rule is fitted to
};

/// How wide the spots of the paths are dispersed, and the step of the sequence that does it (dispersion_factor), for
/// each underlying; empty without.
struct Dispersion {
  std::vector<double> width, step;
};

struct ExerciseRule {
  ExercisePayoff kind = ExercisePayoff::single;
  bool call = false;
  double strike = 0;
  std::vector<double> weights;  ///< of a basket, one an underlying; else empty
  BasisFamily family = BasisFamily::chebyshev;
  int order = 5;                     ///< total degree, 0 to max_basis_order
  std::vector<double> discount;      ///< (dates) value today of 1 paid at the date, > 0
  std::vector<char> may_exercise{};  ///< (dates), or empty: at every date
};

/// What the training paths say of a date.
struct ExerciseDateFit {
  std::int64_t in_the_money = 0;  ///< paths that the rule was fitted to
  int order = -1;                 ///< of the polynomial; -1 without one
  int rank = 0;                   ///< of the regression
  double exercised = 0;           ///< fraction of all paths whose first exercise is here
  double critical_spot =
      0;  ///< where payoff and continuation meet; NaN if nowhere, of several underlyings, or with variance
};

struct ExercisePolicy {
  std::vector<double> data;            ///< laid out as kernels/options/exercise_policy.hpp says
  std::vector<ExerciseDateFit> dates;  ///< (dates)
  double in_sample_price = 0;  ///< mean over the training paths, value today; biased high, since the rule has seen them
  double in_sample_standard_error = 0;  ///< as of independent paths

  ExercisePolicyView<double> view() const { return view_exercise_policy(data.data(), data.data()); }
};

/// What a backend needs to train by itself, on the paths that it can record.
struct TrainingPlan {
  std::int64_t paths = 0;
  bool variance = false;  ///< some variance is stochastic
  ExerciseRule rule;
  Dispersion dispersion;
};

/// Throws std::invalid_argument for sizes or an order that do not fit: at most 64 underlyings, 2048 terms.
void check_exercise_rule(const ExerciseRule& rule, std::int64_t paths, int dates, int underlyings, bool variance);

/// The array of a policy that never exercises.
std::vector<double> empty_exercise_policy(const ExerciseRule& rule, int dates, int underlyings, bool variance);

/// Says that a path is not finite.
[[noreturn]] void throw_not_finite(std::int64_t path, int date);

/// TrainingPaths::dispersion, (underlyings, paths).
template <class Real>
std::vector<Real> dispersion_factors(const Dispersion& dispersion, std::int64_t paths, int threads);

/// Regression of the realised cash flows on the state at each date, from the last to the first, paths in the money only
/// (Longstaff & Schwartz 2001, section 2). Where fewer than twice as many paths are in the money as the polynomial has
/// terms, its order is lowered; with fewer than two there is no exercise. Each variable is centred and scaled by its 1
/// % and 99 % quantiles in the money. The bits do not depend on `threads` >= 1.
///
/// With a dispersion the rule is fitted to paths that begin at different spots, so that it is known around the states
/// that the paths themselves reach (Wang & Caflisch 2010, J. Computational Finance 13, p. 95: differences of the
/// spot want that); fractions and price are those of the paths as they are.
///
/// Throws as check_exercise_rule, and std::domain_error naming the first path and date whose payoff or variance is not
/// finite. Memory: 20 bytes a path beside the paths themselves.
template <class Real>
ExercisePolicy fit_exercise_policy(const TrainingPaths<Real>& training, const ExerciseRule& rule, int threads);

extern template std::vector<float> dispersion_factors(const Dispersion&, std::int64_t, int);
extern template std::vector<double> dispersion_factors(const Dispersion&, std::int64_t, int);
extern template ExercisePolicy fit_exercise_policy(const TrainingPaths<float>&, const ExerciseRule&, int);
extern template ExercisePolicy fit_exercise_policy(const TrainingPaths<double>&, const ExerciseRule&, int);

}  // namespace ergode::kernels
