#pragma once

#include "kernels/options/exercise_fit.hpp"
#include "kernels/options/householder.hpp"

// The kernels of fit_exercise_policy_cuda. Paths are counted off in parts of 2,048. Of each part a block makes the
// triangle of its rows, tile by tile, and triangles are joined as the rows that they are, so many at a time as fill a
// tile. So the shape of every sum depends on the number of paths and terms alone.

namespace ergode::kernels {

inline constexpr int fit_part = 2048;  ///< paths
inline constexpr int fit_words = fit_part / 32;
inline constexpr int fit_threads = 256;  ///< of a block
inline constexpr int fit_max_columns = 64;
inline constexpr int sort_threads = 1024;

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

  __device__ std::int64_t words() const { return parts * fit_words; }  // of in_the_money, a date
  __device__ std::int64_t paths_of(std::int64_t part) const {
    const std::int64_t left = training.paths - part * fit_part;
    return left < fit_part ? left : fit_part;
  }
  __device__ double* record(int date) const { return records + static_cast<std::int64_t>(date) * policy.record_size; }
  __device__ bool regresses(int date) const {
    return exercise_action(policy, date) == ExerciseAction::above_continuation;
  }
  __device__ int order_of(int date) const { return static_cast<int>(record(date)[1]); }
  __device__ int columns_of(int date) const { return basis_terms(policy.variables, order_of(date)) + 1; }
  /// Path number `n` of those in the money.
  __device__ std::int64_t nth_in_the_money(int date, std::int64_t n) const {
    const std::int64_t* before = rank + date * parts;
    std::int64_t low = 0, high = parts;
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      (before[middle] <= n ? low : high) = middle;
    }
    int left = static_cast<int>(n - before[low]);
    std::int64_t word = low * fit_words;
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
#pragma unroll 4
      for (int i = lane; i < terms; i += 32) sum = add(k, i, sum);
      for (int width = 16; width > 0; width /= 2) sum += __shfl_down_sync(0xffffffffu, sum, width);
      if (lane == 0) out[k] = sum;
    }
    __syncthreads();
  }
};

template <class Real>
__global__ void disperse_kernel(PolicyFit<Real> f, int underlying, double width, double step) {
  const std::int64_t p = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (p < f.training.paths)
    f.dispersion[underlying * f.training.paths + p] = static_cast<Real>(dispersion_factor(width, step, p));
}

/// The states of paths first, first + fit_threads, ..., so many that their loads are under way together; those beyond
/// `count` paths are the last's.
template <class Real, int most>
struct StateBatch {
  static constexpr int size = most == 1 ? 4 : 1;
  PathState<most> state[size];
  __device__ StateBatch(const TrainingPaths<Real>& t, int date, std::int64_t base, int first, int count) {
#pragma unroll
    for (int i = 0; i < size; ++i) state[i] = state_at<most>(t, date, base + min(first + i * fit_threads, count - 1));
  }
};

/// Which paths are in the money: a block a part, a row of blocks a date.
template <class Real, int most>
__global__ void __launch_bounds__(fit_threads) list_kernel(PolicyFit<Real> f) {
  __shared__ unsigned words[fit_words];
  const auto v = f.template policy_of<most>();
  const int date = static_cast<int>(blockIdx.y), thread = static_cast<int>(threadIdx.x);
  const std::int64_t part = blockIdx.x;
  const int count = static_cast<int>(f.paths_of(part));
  using Batch = StateBatch<Real, most>;
  unsigned long long deepest = 0;
  for (int first = thread; first < fit_part; first += fit_threads * Batch::size) {
    const Batch batch(f.training, date, part * fit_part, first, count);
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) {
      const int i = first + k * fit_threads;
      const auto& s = batch.state[k];
      const double payoff = exercise_payoff(v, s.spot);
      if (i < count && !is_finite(s, payoff, v.underlyings))
        atomicMax(&f.figures[date].bad, static_cast<unsigned long long>(f.training.paths - part * fit_part - i));
      const bool in = i < count && payoff > 0;
      // Numbers >= 0 are in the order of their bits.
      const auto bits = static_cast<unsigned long long>(__double_as_longlong(s.spot[0]));
      if (in) deepest = max(deepest, v.call ? bits : ~bits);
      const unsigned word = __ballot_sync(0xffffffffu, in);
      if (i % 32 == 0) words[i / 32] = word;
    }
  }
  for (int width = 16; width > 0; width /= 2) deepest = max(deepest, __shfl_down_sync(0xffffffffu, deepest, width));
  if (thread % 32 == 0 && deepest > 0) atomicMax(&f.figures[date].deepest, deepest);
  __syncthreads();
  if (thread >= fit_words) return;
  f.in_the_money[date * f.words() + part * fit_words + thread] = words[thread];
  if (thread > 0) return;
  int listed = 0;
  for (const unsigned word : words) listed += __popc(word);
  f.rank[date * f.parts + part] = listed;
}

/// Counts to ranks, and what is done at the date: a block a date.
template <class Real>
__global__ void rank_kernel(PolicyFit<Real> f) {
  __shared__ std::int64_t before[fit_threads + 1];
  const int date = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  std::int64_t* rank = f.rank + date * f.parts;
  const std::int64_t each = (f.parts + fit_threads - 1) / fit_threads;
  const std::int64_t first = min(thread * each, f.parts), last = min(first + each, f.parts);
  std::int64_t sum = 0;
  for (std::int64_t i = first; i < last; ++i) sum += rank[i];
  before[thread + 1] = sum;
  __syncthreads();
  if (thread == 0) {
    before[0] = 0;
    for (int i = 0; i < fit_threads; ++i) before[i + 1] += before[i];
    const std::int64_t listed = before[fit_threads];
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

/// Payment and date of the paths of a part that exercise.
template <class Real, int most>
__device__ void exercise(const PolicyFit<Real>& f, int date, std::int64_t part) {
  const auto v = f.template policy_of<most>();
  const int count = static_cast<int>(f.paths_of(part));
  using Batch = StateBatch<Real, most>;
  for (int first = static_cast<int>(threadIdx.x); first < count; first += fit_threads * Batch::size) {
    const Batch batch(f.training, date, part * fit_part, first, count);
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) {
      const int i = first + k * fit_threads;
      const auto& s = batch.state[k];
      if (i >= count || !should_exercise(v, date, s.spot, s.variance_or_null())) continue;
      f.value[part * fit_part + i] = f.discount[date] * exercise_payoff(v, s.spot);
      f.first_exercise[part * fit_part + i] = date;
    }
  }
}

template <class Real, int most>
__global__ void __launch_bounds__(fit_threads) exercise_kernel(PolicyFit<Real> f, int date) {
  exercise<Real, most>(f, date, blockIdx.x);
}

/// Shared memory of factor_kernel, bytes.
__host__ __device__ inline int factor_memory(int columns) {
  return static_cast<int>(sizeof(double)) * Absorber<BlockTeam>::memory(columns) +
         static_cast<int>(sizeof(unsigned short)) * fit_part;
}

/// Exercise at the date after, and then the triangle of a part's rows at this one.
template <class Real, int most>
__global__ void __launch_bounds__(fit_threads, most == 1 ? 4 : 2) factor_kernel(PolicyFit<Real> f, int date) {
  extern __shared__ double memory[];
  __shared__ int count;
  const std::int64_t part = blockIdx.x;
  exercise<Real, most>(f, date + 1, part);
  if (!f.regresses(date)) return;
  Absorber<BlockTeam> rows({}, f.columns_of(date), memory);
  // The part's paths in the money.
  auto* listed = reinterpret_cast<unsigned short*>(memory + Absorber<BlockTeam>::memory(f.columns));
  rows.team.each(fit_words, [&](int w) {
    const unsigned* words = f.in_the_money + date * f.words() + part * fit_words;
    int at = 0;
    for (int before = 0; before < w; ++before) at += __popc(words[before]);
    for (unsigned word = words[w]; word != 0; word &= word - 1)
      listed[at++] = static_cast<unsigned short>(w * 32 + __ffs(static_cast<int>(word)) - 1);
    if (w == fit_words - 1) count = at;
  });
  const auto v = f.template policy_of<most>();
  const double* record = f.record(date);
  const double to_date = 1 / f.discount[date];
  const int order = f.order_of(date), terms = rows.columns - 1;
  rows.absorb(count, [&](int i, const TileRow& row) {
    const std::int64_t path = part * fit_part + listed[i];
    row[terms] = f.value[path] * to_date;
    double x[max_basis_variables];
    variables_of(v, state_at<most>(f.training, date, path), x);
    regressors(v, record, order, terms, x, [&](int k, double value) { row[k] = value; });
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
