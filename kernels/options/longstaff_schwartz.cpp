#include "kernels/options/longstaff_schwartz.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/options/exercise_fit.hpp"
#include "kernels/options/regression.hpp"

namespace ergode::kernels {

namespace {

constexpr std::int64_t chunk = 4096;  ///< paths of one partial sum
constexpr int max_terms = 2048;       ///< a regression of n terms costs n^2 a path

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

/// Backward induction over one set of paths. Holds what is a number a path.
template <class Real>
class Induction {
 public:
  Induction(const TrainingPaths<Real>& training, const ExerciseRule& rule, int threads)
      : training_(training),
        rule_(rule),
        threads_(std::max(threads, 1)),
        value_(training.paths, 0.0),
        first_exercise_(training.paths, -1),
        list_(training.paths),
        counts_((training.paths + chunk - 1) / chunk) {
    policy_.data = empty_exercise_policy(rule, training.dates, training.underlyings, training.variance != nullptr);
    policy_.dates.resize(training.dates);
    for (ExerciseDateFit& d : policy_.dates) d.critical_spot = std::numeric_limits<double>::quiet_NaN();
  }

  ExercisePolicy operator()() {
    for (int date = training_.dates - 1; date >= 0; --date) {
      list_in_the_money(date);
      if (!rule_.may_exercise.empty() && !rule_.may_exercise[date]) continue;
      double* record = record_of(date);
      if (date == training_.dates - 1) {
        record[0] = static_cast<int>(ExerciseAction::in_the_money);
      } else if (listed_ >= 2) {
        regress(date, record);
      }
      if (exercise_action(policy_.view(), date) == ExerciseAction::never) continue;
      exercise(date);
      policy_.dates[date].critical_spot = critical_spot(date);
    }
    if (training_.dispersion) walk();
    sum();
    return std::move(policy_);
  }

 private:
  double* record_of(int date) {
    return policy_.data.data() + (exercise_record(policy_.view(), date) - policy_.data.data());
  }
  using State = PathState<max_training_underlyings>;
  State state(int date, std::int64_t path, bool dispersed = true) const {
    return state_at<max_training_underlyings>(training_, date, path, dispersed);
  }
  double payoff_of(const State& s) const { return exercise_payoff(policy_.view(), s.spot); }

  /// Paths in the money, ascending, to list_[0 .. listed_).
  void list_in_the_money(int date) {
    const auto chunks = static_cast<std::int64_t>(counts_.size());
    std::int64_t bad = training_.paths;
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(min : bad)
    for (std::int64_t c = 0; c < chunks; ++c) {
      // Compacted within the chunk's own part of the list first.
      std::int64_t count = 0;
      for (std::int64_t p = c * chunk; p < std::min((c + 1) * chunk, training_.paths); ++p) {
        const State s = state(date, p);
        const double payoff = payoff_of(s);
        if (!is_finite(s, payoff, training_.underlyings)) bad = std::min(bad, p);
        if (payoff > 0) list_[c * chunk + count++] = p;
      }
      counts_[c] = count;
    }
    if (bad < training_.paths) throw_not_finite(bad, date);
    listed_ = 0;
    for (std::int64_t c = 0; c < chunks; ++c) {
      std::copy_n(list_.begin() + c * chunk, counts_[c], list_.begin() + listed_);
      listed_ += counts_[c];
    }
    policy_.dates[date].in_the_money = listed_;
  }

  /// Centre and scale of each variable to record[2 ..).
  void scale_variables(int date, int variables, double* record) {
    const std::int64_t step = quantile_step(listed_);
    std::vector<std::vector<double>> sample(variables);
    for (std::int64_t i = 0; i < listed_; i += step) {
      double x[max_basis_variables];
      variables_of(policy_.view(), state(date, list_[i]), x);
      for (int k = 0; k < variables; ++k) sample[k].push_back(x[k]);
    }
    for (int k = 0; k < variables; ++k) {
      std::vector<double>& s = sample[k];
      std::sort(s.begin(), s.end());
      centre_and_scale(s.data(), static_cast<std::int64_t>(s.size()), record[2 + k], record[2 + variables + k]);
    }
  }

  void regress(int date, double* record) {
    const ExercisePolicyView<double> v = policy_.view();
    const int order = order_for(rule_.order, v.variables, listed_), terms = basis_terms(v.variables, order);
    record[1] = order;
    scale_variables(date, v.variables, record);
    const double to_date = 1 / rule_.discount[date];
    const auto rows = [&](std::int64_t first, std::int64_t last, double* row) {
      for (std::int64_t i = first; i < last; ++i, row += terms + 1) {
        double x[max_basis_variables];
        variables_of(v, state(date, list_[i]), x);
        regressors(v, record, order, terms, x, [&](int k, double value) { row[k] = value; });
        row[terms] = value_[list_[i]] * to_date;
      }
      return static_cast<int>(last - first);
    };
    const LeastSquaresFit fit = least_squares(listed_, terms, rows, threads_);
    record[0] = static_cast<int>(ExerciseAction::above_continuation);
    std::copy(fit.coefficients.begin(), fit.coefficients.end(), record + 2 + 2 * v.variables);
    policy_.dates[date].order = order;
    policy_.dates[date].rank = fit.rank;
  }

  void exercise(int date) {
    const ExercisePolicyView<double> v = policy_.view();
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t i = 0; i < listed_; ++i) {
      const std::int64_t path = list_[i];
      const State s = state(date, path);
      if (!should_exercise(v, date, s.spot, s.variance_or_null())) continue;
      value_[path] = rule_.discount[date] * payoff_of(s);
      first_exercise_[path] = date;
    }
  }

  /// From the strike into the money: the first price at which exercise begins, to rounding.
  double critical_spot(int date) const {
    const ExercisePolicyView<double> v = policy_.view();
    if (training_.underlyings > 1 || v.variance || listed_ == 0) return std::numeric_limits<double>::quiet_NaN();
    if (exercise_action(v, date) == ExerciseAction::in_the_money) return v.strike;
    // No further than paths went: beyond them the polynomial is nothing but extrapolated.
    double deepest = v.strike;
    for (std::int64_t i = 0; i < listed_; ++i) {
      const double spot = state(date, list_[i]).spot[0];
      deepest = v.call ? std::max(deepest, spot) : std::min(deepest, spot);
    }
    const CriticalSpot boundary{v, date, deepest};
    for (int k = 1; k <= CriticalSpot::scan; ++k)
      if (boundary.exercises_at(boundary.price(k))) return boundary.before(k);
    return std::numeric_limits<double>::quiet_NaN();
  }

  /// The rule at work on the paths as they are.
  void walk() {
    const ExercisePolicyView<double> v = policy_.view();
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t p = 0; p < training_.paths; ++p) {
      value_[p] = 0;
      first_exercise_[p] = -1;
      for (int date = 0; date < training_.dates && first_exercise_[p] < 0; ++date) {
        const State s = state(date, p, false);
        if (!should_exercise(v, date, s.spot, s.variance_or_null())) continue;
        value_[p] = rule_.discount[date] * payoff_of(s);
        first_exercise_[p] = date;
      }
    }
  }

  void sum() {
    const std::int64_t n = training_.paths;
    if (n == 0) return;
    std::vector<std::int64_t> exercised(training_.dates, 0);
    for (std::int32_t date : first_exercise_)
      if (date >= 0) ++exercised[date];
    for (int date = 0; date < training_.dates; ++date)
      policy_.dates[date].exercised = static_cast<double>(exercised[date]) / static_cast<double>(n);
    const auto mean_of = [&](auto&& f) {
      double total = 0;
      for (std::int64_t first = 0; first < n; first += chunk) {
        double part = 0;
        for (std::int64_t p = first; p < std::min(first + chunk, n); ++p) part += f(value_[p]);
        total += part;
      }
      return total / static_cast<double>(n);
    };
    const double mean = mean_of([](double x) { return x; });
    const double variance = mean_of([mean](double x) { return (x - mean) * (x - mean); });
    policy_.in_sample_price = mean;
    policy_.in_sample_standard_error = n > 1 ? std::sqrt(variance / static_cast<double>(n - 1)) : 0.0;
  }

  const TrainingPaths<Real>& training_;
  const ExerciseRule& rule_;
  int threads_;
  ExercisePolicy policy_;
  std::vector<double> value_;                 ///< cash flow of each path under the rule so far, discounted to today
  std::vector<std::int32_t> first_exercise_;  ///< its date, -1 without one
  std::vector<std::int64_t> list_;            ///< paths in the money at the present date
  std::int64_t listed_ = 0;
  std::vector<std::int64_t> counts_;  ///< of list_, a chunk
};

}  // namespace

void check_exercise_rule(const ExerciseRule& rule, std::int64_t paths, int dates, int underlyings, bool variance) {
  require(paths >= 0 && dates >= 1, "an exercise policy needs at least one date");
  require(underlyings >= 1 && underlyings <= max_training_underlyings, "an exercise policy takes 1 to 64 underlyings");
  require(rule.kind != ExercisePayoff::single || underlyings == 1, "a payoff on a single price has one underlying");
  require(rule.kind != ExercisePayoff::basket || static_cast<int>(rule.weights.size()) == underlyings,
          "a basket has one weight an underlying");
  require(rule.order >= 0 && rule.order <= max_basis_order, "the regression's order lies in 0 to 20");
  require(basis_terms(exercise_variable_count(rule.kind, variance, underlyings), rule.order) <= max_terms,
          "the regression has more than 2048 terms: lower its order");
  require(static_cast<int>(rule.discount.size()) == dates, "there is one discount factor a date");
  for (double d : rule.discount) require(d > 0 && std::isfinite(d), "discount factors are positive and finite");
  require(rule.may_exercise.empty() || static_cast<int>(rule.may_exercise.size()) == dates,
          "may_exercise has one entry a date");
}

std::vector<double> empty_exercise_policy(const ExerciseRule& rule, int dates, int underlyings, bool variance) {
  const int variables = exercise_variable_count(rule.kind, variance, underlyings);
  const int record = 2 + 2 * variables + basis_terms(variables, rule.order);
  std::vector<double> data(exercise_header_size + underlyings + static_cast<std::size_t>(dates) * record, 0.0);
  data[0] = dates;
  data[1] = underlyings;
  data[2] = variables;
  data[3] = static_cast<int>(rule.kind);
  data[4] = rule.call ? 1 : 0;
  data[5] = static_cast<int>(rule.family);
  data[6] = variance ? 1 : 0;
  data[7] = record;
  data[8] = rule.strike;
  for (int u = 0; u < underlyings; ++u)
    data[exercise_header_size + u] = rule.kind == ExercisePayoff::basket ? rule.weights[u] : 1.0;
  return data;
}

void throw_not_finite(std::int64_t path, int date) {
  throw std::domain_error("training path " + std::to_string(path) + " is not finite at exercise date " +
                          std::to_string(date));
}

template <class Real>
std::vector<Real> dispersion_factors(const Dispersion& dispersion, std::int64_t paths, int threads) {
  std::vector<Real> factors(dispersion.width.size() * static_cast<std::size_t>(paths));
  for (std::size_t u = 0; u < dispersion.width.size(); ++u) {
    Real* of = factors.data() + u * static_cast<std::size_t>(paths);
#pragma omp parallel for schedule(static) num_threads(std::max(threads, 1))
    for (std::int64_t p = 0; p < paths; ++p)
      of[p] = static_cast<Real>(dispersion_factor(dispersion.width[u], dispersion.step[u], p));
  }
  return factors;
}

template <class Real>
ExercisePolicy fit_exercise_policy(const TrainingPaths<Real>& training, const ExerciseRule& rule, int threads) {
  check_exercise_rule(rule, training.paths, training.dates, training.underlyings, training.variance != nullptr);
  return Induction<Real>(training, rule, threads)();
}

template std::vector<float> dispersion_factors(const Dispersion&, std::int64_t, int);
template std::vector<double> dispersion_factors(const Dispersion&, std::int64_t, int);
template ExercisePolicy fit_exercise_policy(const TrainingPaths<float>&, const ExerciseRule&, int);
template ExercisePolicy fit_exercise_policy(const TrainingPaths<double>&, const ExerciseRule&, int);

}  // namespace ergode::kernels
