#pragma once

#include "kernels/options/exercise_fit.hpp"
#include "kernels/options/householder.hpp"

// The kernels of fit_exercise_policy_cuda. Paths are counted off in parts of 1,024. Of each part a block makes the
// triangle of its rows, tile by tile, and triangles are joined as the rows that they are, so many at a time as fill a
// tile. So the shape of every sum depends on the number of paths and terms alone.

namespace ergode::kernels {

inline constexpr int fit_part = 1024;    ///< paths
inline constexpr int fit_threads = 128;  ///< of a block that absorbs
inline constexpr int fit_max_columns = 64;
inline constexpr int sort_threads = 1024;
inline constexpr int path_threads = 256;  ///< of a block whose threads have a path each

/// What is found of a date.
struct DateFigures {
  unsigned long long in_the_money, exercised;
  unsigned long long bad;      ///< paths - p of the first path p that is not finite, else 0
  unsigned long long deepest;  ///< bits of the price farthest in the money, of a put inverted; 0: none
  double critical_spot;
  int order, rank;
};

/// All that the kernels work on, in device memory.
template <class Real>
struct PolicyFit {
  TrainingPaths<Real> training;
  Real* dispersion;
  ExercisePolicyView<double> policy;
  double* records;           ///< of the policy, to write
  const double* discount;    ///< (dates)
  const char* may_exercise;  ///< (dates)
  int order;
  int columns;  ///< of the rows at full order: the terms and the value
  std::int64_t parts;
  double* value;           ///< (paths) cash flow under the rule so far, discounted to today
  int* first_exercise;     ///< (paths) its date, -1 without one
  unsigned* in_the_money;  ///< (dates, paths) a bit each
  std::int64_t* rank;      ///< (dates, parts) paths in the money, then those before the part
  double* triangles;       ///< (parts, columns, columns)
  double* joined;          ///< as triangles
  double* partial;         ///< (parts)
  double* totals;          ///< sum of the values, sum of squares about their mean
  DateFigures* figures;    ///< (dates)

  __device__ std::int64_t words() const { return parts * (fit_part / 32); }  // of in_the_money, a date
  __device__ std::int64_t paths_of(std::int64_t part) const {
    const std::int64_t left = training.paths - part * fit_part;
    return left < fit_part ? left : fit_part;
  }
  __device__ double* record(int date) const { return records + static_cast<std::int64_t>(date) * policy.record_size; }
  __device__ bool regresses(int date) const {
    return exercise_action(policy, date) == ExerciseAction::above_continuation;
  }
  __device__ int columns_of(int date) const {
    return basis_terms(policy.variables, static_cast<int>(record(date)[1])) + 1;
  }
  __device__ bool is_in_the_money(int date, std::int64_t path) const {
    return in_the_money[date * words() + path / 32] >> (path % 32) & 1;
  }
  /// Path number `n` of those in the money.
  __device__ std::int64_t nth_in_the_money(int date, std::int64_t n) const {
    const std::int64_t* before = rank + date * parts;
    std::int64_t low = 0, high = parts;
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      (before[middle] <= n ? low : high) = middle;
    }
    int left = static_cast<int>(n - before[low]);
    std::int64_t word = low * (fit_part / 32);
    for (; left >= __popc(in_the_money[date * words() + word]); ++word)
      left -= __popc(in_the_money[date * words() + word]);
    unsigned bits = in_the_money[date * words() + word];
    for (; left > 0; --left) bits &= bits - 1;
    return word * 32 + __ffs(static_cast<int>(bits)) - 1;
  }
  /// `most`: 1 where the compiler may know it.
  template <int most>
  __device__ ExercisePolicyView<double> policy_of() const {
    ExercisePolicyView<double> v = policy;
    if (most == 1) v.underlyings = 1;
    return v;
  }
};

/// A block as a team; a warp has the lanes of SerialTeam.
struct BlockTeam {
  template <class Body>
  __device__ void each(int count, const Body& body) const {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) body(i);
    __syncthreads();
  }
  template <class Add>
  __device__ void sums(int count, int terms, const Add& add, double* out) const {
    const int lane = static_cast<int>(threadIdx.x) % 32, warps = static_cast<int>(blockDim.x) / 32;
    for (int k = static_cast<int>(threadIdx.x) / 32; k < count; k += warps) {
      double sum = 0;
      for (int i = lane; i < terms; i += 32) sum = add(k, i, sum);
      for (int width = 16; width > 0; width /= 2) sum += __shfl_down_sync(0xffffffffu, sum, width);
      if (lane == 0) out[k] = sum;
    }
    __syncthreads();
  }
  __device__ void sync() const { __syncthreads(); }
};

template <class Real>
__global__ void disperse_kernel(PolicyFit<Real> f, int underlying, double width, double step) {
  const std::int64_t p = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (p < f.training.paths)
    f.dispersion[underlying * f.training.paths + p] = static_cast<Real>(dispersion_factor(width, step, p));
}

/// Which paths are in the money: a block a part, a row of blocks a date.
template <class Real, int most>
__global__ void list_kernel(PolicyFit<Real> f) {
  const auto v = f.template policy_of<most>();
  const int date = static_cast<int>(blockIdx.y);
  const std::int64_t part = blockIdx.x, count = f.paths_of(part);
  unsigned long long deepest = 0;
  int listed = 0;
  for (int i = static_cast<int>(threadIdx.x); i < fit_part; i += static_cast<int>(blockDim.x)) {
    bool in = false;
    if (i < count) {
      const std::int64_t path = part * fit_part + i;
      const auto s = state_at<most>(f.training, date, path);
      const double payoff = exercise_payoff(v, s.spot);
      if (!is_finite(s, payoff, v.underlyings))
        atomicMax(&f.figures[date].bad, static_cast<unsigned long long>(f.training.paths - path));
      in = payoff > 0;
      if (in) {
        // Numbers >= 0 are in the order of their bits.
        const auto bits = static_cast<unsigned long long>(__double_as_longlong(s.spot[0]));
        deepest = max(deepest, v.call ? bits : ~bits);
      }
    }
    const unsigned word = __ballot_sync(0xffffffffu, in);
    if (i % 32 == 0) f.in_the_money[date * f.words() + part * (fit_part / 32) + i / 32] = word;
    listed += __syncthreads_count(in);
  }
  for (int width = 16; width > 0; width /= 2) deepest = max(deepest, __shfl_down_sync(0xffffffffu, deepest, width));
  if (threadIdx.x % 32 == 0 && deepest > 0) atomicMax(&f.figures[date].deepest, deepest);
  if (threadIdx.x == 0) f.rank[date * f.parts + part] = listed;
}

/// Counts to ranks, and what is done at the date: a block a date.
template <class Real>
__global__ void rank_kernel(PolicyFit<Real> f) {
  __shared__ std::int64_t before[path_threads + 1];
  const int date = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  std::int64_t* rank = f.rank + date * f.parts;
  const std::int64_t each = (f.parts + path_threads - 1) / path_threads;
  const std::int64_t first = min(thread * each, f.parts), last = min(first + each, f.parts);
  std::int64_t sum = 0;
  for (std::int64_t i = first; i < last; ++i) sum += rank[i];
  before[thread + 1] = sum;
  __syncthreads();
  if (thread == 0) {
    before[0] = 0;
    for (int i = 0; i < path_threads; ++i) before[i + 1] += before[i];
    const std::int64_t listed = before[path_threads];
    const bool end = date == f.training.dates - 1, regressed = !end && f.may_exercise[date] && listed >= 2;
    double* record = f.record(date);
    DateFigures& figures = f.figures[date];
    figures.in_the_money = static_cast<unsigned long long>(listed);
    figures.order = -1;
    if (end && f.may_exercise[date]) record[0] = static_cast<int>(ExerciseAction::in_the_money);
    if (regressed) {
      record[0] = static_cast<int>(ExerciseAction::above_continuation);
      record[1] = figures.order = order_for(f.order, f.policy.variables, listed);
    }
  }
  __syncthreads();
  sum = before[thread];
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t count = rank[i];
    rank[i] = sum;
    sum += count;
  }
}

/// Centre and scale: a block a variable, a row of blocks a date.
template <class Real, int most>
__global__ void __launch_bounds__(sort_threads) scale_kernel(PolicyFit<Real> f) {
  __shared__ double sample[quantile_paths];
  const int date = static_cast<int>(blockIdx.y), variable = static_cast<int>(blockIdx.x);
  const auto v = f.template policy_of<most>();
  if (!f.regresses(date)) return;
  const auto listed = static_cast<std::int64_t>(f.figures[date].in_the_money), step = quantile_step(listed);
  const int count = static_cast<int>((listed + step - 1) / step), thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < quantile_paths; i += sort_threads) {
    double x[max_basis_variables];
    if (i < count) variables_of(v, state_at<most>(f.training, date, f.nth_in_the_money(date, i * step)), x);
    sample[i] = i < count ? x[variable] : HUGE_VAL;
  }
  // Batcher's bitonic sort (1968).
  for (int run = 2; run <= quantile_paths; run *= 2)
    for (int distance = run / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (int k = thread; k < quantile_paths / 2; k += sort_threads) {
        const int low = 2 * k - (k & (distance - 1)), high = low + distance;
        const double a = sample[low], b = sample[high];
        if ((a > b) == ((low & run) == 0)) {
          sample[low] = b;
          sample[high] = a;
        }
      }
    }
  __syncthreads();
  double* record = f.record(date);
  if (thread == 0) centre_and_scale(sample, count, record[2 + variable], record[2 + v.variables + variable]);
}

/// The triangle of a part's rows.
template <class Real, int most>
__global__ void __launch_bounds__(fit_threads) factor_kernel(PolicyFit<Real> f, int date) {
  extern __shared__ double memory[];
  if (!f.regresses(date)) return;
  const auto v = f.template policy_of<most>();
  const std::int64_t part = blockIdx.x;
  const double to_date = 1 / f.discount[date];
  const double* record = f.record(date);
  Absorber<BlockTeam> rows({}, f.columns_of(date), memory);
  const int columns = rows.columns;
  rows.absorb(static_cast<int>(f.paths_of(part)), [&](int i, const TileRow& row) {
    const std::int64_t path = part * fit_part + i;
    if (!f.is_in_the_money(date, path)) {  // a row of zeros leaves no trace
      for (int k = 0; k < columns; ++k) row[k] = 0;
      return;
    }
    double x[max_basis_variables];
    variables_of(v, state_at<most>(f.training, date, path), x);
    regressors(v, record, x, [&](int k, double value) { row[k] = value; });
    row[columns - 1] = f.value[path] * to_date;
  });
  rows.write(f.triangles + part * f.columns * f.columns);
}

/// Each block's triangles to one; of the last the coefficients.
template <class Real>
__global__ void __launch_bounds__(fit_threads)
    join_kernel(PolicyFit<Real> f, int date, const double* from, double* to, std::int64_t count) {
  extern __shared__ double memory[];
  if (!f.regresses(date)) return;
  const std::int64_t stride = std::int64_t{f.columns} * f.columns, each = triangles_a_tile(f.columns);
  const std::int64_t first = blockIdx.x * each;
  Absorber<BlockTeam> rows({}, f.columns_of(date), memory);
  rows.absorb_triangles(from + first * stride, static_cast<int>(min(each, count - first)), stride);
  if (gridDim.x > 1) return rows.write(to + blockIdx.x * stride);
  const int terms = rows.columns - 1;
  double *scratch = rows.tile, *coefficients = scratch + solve_scratch(terms);
  const int rank = solve_triangle(rows.team, rows.triangle, terms, scratch, coefficients);
  double* record = f.record(date) + 2 + 2 * f.policy.variables;
  rows.team.each(terms, [&](int k) { record[k] = coefficients[k]; });
  if (threadIdx.x == 0) f.figures[date].rank = rank;
}

/// Payment and date of those that exercise.
template <class Real, int most>
__global__ void exercise_kernel(PolicyFit<Real> f, int date) {
  const auto v = f.template policy_of<most>();
  const std::int64_t path = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (path >= f.training.paths || !f.is_in_the_money(date, path)) return;
  const auto s = state_at<most>(f.training, date, path);
  if (!should_exercise(v, date, s.spot, s.variance_or_null())) return;
  f.value[path] = f.discount[date] * exercise_payoff(v, s.spot);
  f.first_exercise[path] = date;
}

/// The critical spot: a block a date.
template <class Real>
__global__ void boundary_kernel(PolicyFit<Real> f) {
  __shared__ int first;
  const auto v = f.template policy_of<1>();
  const int date = static_cast<int>(blockIdx.x);
  DateFigures& figures = f.figures[date];
  if (threadIdx.x == 0) {
    first = CriticalSpot::scan + 1;
    figures.critical_spot = nan("");
  }
  __syncthreads();
  const ExerciseAction action = exercise_action(v, date);
  if (v.variance || figures.in_the_money == 0 || action == ExerciseAction::never) return;
  if (action == ExerciseAction::in_the_money) {
    if (threadIdx.x == 0) figures.critical_spot = v.strike;
    return;
  }
  const unsigned long long bits = v.call ? figures.deepest : ~figures.deepest;
  const CriticalSpot boundary{v, date, __longlong_as_double(static_cast<long long>(bits))};
  for (int k = 1 + static_cast<int>(threadIdx.x); k <= CriticalSpot::scan; k += static_cast<int>(blockDim.x))
    if (boundary.exercises_at(boundary.price(k))) {
      atomicMin(&first, k);
      break;
    }
  __syncthreads();
  if (threadIdx.x == 0 && first <= CriticalSpot::scan) figures.critical_spot = boundary.before(first);
}

/// The rule at work on the paths as they are.
template <class Real, int most>
__global__ void walk_kernel(PolicyFit<Real> f) {
  const auto v = f.template policy_of<most>();
  const std::int64_t path = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (path >= f.training.paths) return;
  double value = 0;
  int first = -1;
  for (int date = 0; date < f.training.dates && first < 0; ++date) {
    const auto s = state_at<most>(f.training, date, path, false);
    if (!should_exercise(v, date, s.spot, s.variance_or_null())) continue;
    value = f.discount[date] * exercise_payoff(v, s.spot);
    first = date;
  }
  f.value[path] = value;
  f.first_exercise[path] = first;
}

/// How many exercise first at a date: a block a part, a row of blocks a date.
template <class Real>
__global__ void count_kernel(PolicyFit<Real> f) {
  const int date = static_cast<int>(blockIdx.y);
  const std::int64_t part = blockIdx.x, count = f.paths_of(part);
  int exercised = 0;
  for (int i = static_cast<int>(threadIdx.x); i < fit_part; i += static_cast<int>(blockDim.x))
    exercised += __syncthreads_count(i < count && f.first_exercise[part * fit_part + i] == date);
  if (threadIdx.x == 0 && exercised > 0)
    atomicAdd(&f.figures[date].exercised, static_cast<unsigned long long>(exercised));
}

/// Of each part the sum of the values, or of their squares about the mean: a warp a part.
template <class Real>
__global__ void part_sum_kernel(PolicyFit<Real> f, bool squares) {
  const std::int64_t part = blockIdx.x;
  const double mean = squares ? f.totals[0] / static_cast<double>(f.training.paths) : 0;
  const auto add = [&](int, int i, double sum) {
    const double x = f.value[part * fit_part + i] - mean;
    return squares ? fused_multiply_add(x, x, sum) : sum + x;
  };
  BlockTeam().sums(1, static_cast<int>(f.paths_of(part)), add, f.partial + part);
}

/// Of all parts, by one warp.
template <class Real>
__global__ void total_kernel(PolicyFit<Real> f, bool squares) {
  BlockTeam().sums(
      1, static_cast<int>(f.parts), [&](int, int i, double sum) { return sum + f.partial[i]; },
      f.totals + (squares ? 1 : 0));
}

}  // namespace ergode::kernels
