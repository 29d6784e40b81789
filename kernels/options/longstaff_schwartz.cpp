#include "kernels/options/longstaff_schwartz.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/options/regression.hpp"

namespace ergode::kernels {

namespace {

constexpr std::int64_t chunk = 4096;           ///< paths of one partial sum
constexpr std::int64_t quantile_paths = 4096;  ///< that centre and scale are taken from
constexpr double degenerate_spread = 1e-5;     ///< relative; below it a variable is rounding noise of the paths
constexpr int max_underlyings = 64;
constexpr int max_terms = 2048;  ///< a regression of n terms costs n^2 a path

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

/// The state of one path at one date.
struct PathState {
  double spot[max_underlyings], variance[max_underlyings];
  bool stochastic_variance;
  const double* variance_or_null() const { return stochastic_variance ? variance : nullptr; }
};

/// `dispersed`: as the rule is fitted to it.
template <class Real>
PathState state_at(const TrainingPaths<Real>& t, int date, std::int64_t path, bool dispersed = true) {
  PathState s;
  s.stochastic_variance = t.variance != nullptr;
  for (int u = 0; u < t.underlyings; ++u) {
    const std::int64_t at = (static_cast<std::int64_t>(date) * t.underlyings + u) * t.paths + path;
    s.spot[u] = t.spot[at];
    if (dispersed && t.dispersion) s.spot[u] *= t.dispersion[u * t.paths + path];
    if (t.variance) s.variance[u] = t.variance[at];
  }
  return s;
}

template <class Real>
void check(const TrainingPaths<Real>& t, const ExerciseRule& rule) {
  require(t.paths >= 0 && t.dates >= 1, "an exercise policy needs at least one date");
  require(t.underlyings >= 1 && t.underlyings <= max_underlyings, "an exercise policy takes 1 to 64 underlyings");
  require(rule.kind != ExercisePayoff::single || t.underlyings == 1, "a payoff on a single price has one underlying");
  require(rule.kind != ExercisePayoff::basket || static_cast<int>(rule.weights.size()) == t.underlyings,
          "a basket has one weight an underlying");
  require(rule.order >= 0 && rule.order <= max_basis_order, "the regression's order lies in 0 to 20");
  require(
      basis_terms(exercise_variable_count(rule.kind, t.variance != nullptr, t.underlyings), rule.order) <= max_terms,
      "the regression has more than 2048 terms: lower its order");
  require(static_cast<int>(rule.discount.size()) == t.dates, "there is one discount factor a date");
  for (double d : rule.discount) require(d > 0 && std::isfinite(d), "discount factors are positive and finite");
  require(rule.may_exercise.empty() || static_cast<int>(rule.may_exercise.size()) == t.dates,
          "may_exercise has one entry a date");
}

/// The array with all dates on `never`.
std::vector<double> empty_policy(int dates, int underlyings, bool variance, const ExerciseRule& rule) {
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
    policy_.data = empty_policy(training.dates, training.underlyings, training.variance != nullptr, rule);
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
  double payoff_of(const PathState& s) const { return exercise_payoff(policy_.view(), s.spot); }
  void variables_of(std::int64_t path, int date, double* x) const {
    const PathState s = state_at(training_, date, path);
    const ExercisePolicyView<double> v = policy_.view();
    exercise_variables(v.kind, v.weights, s.spot, s.variance_or_null(), v.underlyings, x);
  }

  /// Paths in the money, ascending, to list_[0 .. listed_).
  void list_in_the_money(int date) {
    const auto chunks = static_cast<std::int64_t>(counts_.size());
    std::int64_t bad = training_.paths;
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(min : bad)
    for (std::int64_t c = 0; c < chunks; ++c) {
      // Compacted within the chunk's own part of the list first.
      std::int64_t count = 0;
      for (std::int64_t p = c * chunk; p < std::min((c + 1) * chunk, training_.paths); ++p) {
        const PathState s = state_at(training_, date, p);
        const double payoff = payoff_of(s);
        double finite = payoff;
        if (s.stochastic_variance)
          for (int u = 0; u < training_.underlyings; ++u) finite += s.variance[u];
        if (!std::isfinite(finite)) bad = std::min(bad, p);
        if (payoff > 0) list_[c * chunk + count++] = p;
      }
      counts_[c] = count;
    }
    if (bad < training_.paths)
      throw std::domain_error("training path " + std::to_string(bad) + " is not finite at exercise date " +
                              std::to_string(date));
    listed_ = 0;
    for (std::int64_t c = 0; c < chunks; ++c) {
      std::copy_n(list_.begin() + c * chunk, counts_[c], list_.begin() + listed_);
      listed_ += counts_[c];
    }
    policy_.dates[date].in_the_money = listed_;
  }

  /// Centre and scale of each variable to record[2 ..).
  void scale_variables(int date, int variables, double* record) {
    const std::int64_t step = (listed_ + quantile_paths - 1) / quantile_paths;
    std::vector<std::vector<double>> sample(variables);
    for (std::int64_t i = 0; i < listed_; i += step) {
      double x[max_basis_variables];
      variables_of(list_[i], date, x);
      for (int k = 0; k < variables; ++k) sample[k].push_back(x[k]);
    }
    for (int k = 0; k < variables; ++k) {
      std::vector<double>& s = sample[k];
      std::sort(s.begin(), s.end());
      double low = s[s.size() / 100], high = s[s.size() - 1 - s.size() / 100];
      if (low == high) low = s.front(), high = s.back();
      const double half = (high - low) / 2, centre = low + half;
      record[2 + k] = centre;
      record[2 + variables + k] = half > degenerate_spread * std::abs(centre) ? 1 / half : 0.0;
    }
  }

  void regress(int date, double* record) {
    const ExercisePolicyView<double> v = policy_.view();
    int order = rule_.order;
    while (order > 0 && listed_ < 2 * std::int64_t{basis_terms(v.variables, order)}) --order;
    const int terms = basis_terms(v.variables, order);
    scale_variables(date, v.variables, record);
    const double to_date = 1 / rule_.discount[date];
    const auto rows = [&](std::int64_t first, std::int64_t last, double* row) {
      for (std::int64_t i = first; i < last; ++i, row += terms + 1) {
        const std::int64_t path = list_[i];
        double x[max_basis_variables];
        variables_of(path, date, x);
        for (int k = 0; k < v.variables; ++k) x[k] = (x[k] - record[2 + k]) * record[2 + v.variables + k];
        BasisTerms<double> term(v.family, v.variables, order, x);
        row[0] = 1;
        for (int k = 1; k < terms; ++k) {
          term.advance();
          row[k] = term.value();
        }
        row[terms] = value_[path] * to_date;
      }
      return static_cast<int>(last - first);
    };
    const LeastSquaresFit fit = least_squares(listed_, terms, rows, threads_);
    record[0] = static_cast<int>(ExerciseAction::above_continuation);
    record[1] = order;
    std::copy(fit.coefficients.begin(), fit.coefficients.end(), record + 2 + 2 * v.variables);
    policy_.dates[date].order = order;
    policy_.dates[date].rank = fit.rank;
  }

  void exercise(int date) {
    const ExercisePolicyView<double> v = policy_.view();
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t i = 0; i < listed_; ++i) {
      const std::int64_t path = list_[i];
      const PathState s = state_at(training_, date, path);
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
      const double spot = state_at(training_, date, list_[i]).spot[0];
      deepest = v.call ? std::max(deepest, spot) : std::min(deepest, spot);
    }
    // An array although there is one underlying, since the loops over underlyings are compiled for more.
    const auto exercises = [&](double price) {
      const double spot[max_underlyings] = {price};
      return should_exercise(v, date, spot, static_cast<const double*>(nullptr));
    };
    constexpr int scan = 2048;
    double hold = v.strike;
    for (int k = 1; k <= scan; ++k) {
      double beyond = v.strike + (deepest - v.strike) * k / scan;
      if (!exercises(beyond)) {
        hold = beyond;
        continue;
      }
      for (int bisection = 0; bisection < 50; ++bisection) {
        const double middle = hold + (beyond - hold) / 2;
        (exercises(middle) ? beyond : hold) = middle;
      }
      return beyond;
    }
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
        const PathState s = state_at(training_, date, p, false);
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

template <class Real>
ExercisePolicy fit_exercise_policy(const TrainingPaths<Real>& training, const ExerciseRule& rule, int threads) {
  check(training, rule);
  return Induction<Real>(training, rule, threads)();
}

template ExercisePolicy fit_exercise_policy(const TrainingPaths<float>&, const ExerciseRule&, int);
template ExercisePolicy fit_exercise_policy(const TrainingPaths<double>&, const ExerciseRule&, int);

}  // namespace ergode::kernels
