#include <cmath>
#include <cstring>

#include "kernels/device/cuda_check.cuh"
#include "kernels/options/longstaff_schwartz.cuh"
#include "kernels/options/longstaff_schwartz_kernels.cuh"

namespace ergode::kernels {
namespace {

int columns_of(const TrainingPlan& plan, int underlyings) {
  return basis_terms(exercise_variable_count(plan.rule.kind, plan.variance, underlyings), plan.rule.order) + 1;
}

/// Where the arrays of a fit begin in one allocation: first what the host sends, then what it gets back with the
/// policy, then the rest.
struct Layout {
  std::int64_t policy, discount, may_exercise, totals, figures;
  std::int64_t value, first_exercise, dispersion, in_the_money, rank, triangles, joined, partial, bytes = 0;

  Layout(std::int64_t paths, int dates, int underlyings, int columns, std::int64_t policy_size, bool dispersed,
         int real_bytes) {
    const std::int64_t parts = (paths + fit_part - 1) / fit_part, square = std::int64_t{8} * columns * columns;
    policy = take(8 * policy_size);
    totals = take(2 * 8);
    figures = take(dates * static_cast<std::int64_t>(sizeof(DateFigures)));
    discount = take(std::int64_t{8} * dates);
    may_exercise = take(dates);
    value = take(8 * paths);
    first_exercise = take(4 * paths);
    dispersion = take(dispersed ? paths * underlyings * real_bytes : 0);
    in_the_money = take(dates * parts * (fit_part / 8));
    rank = take(8 * dates * parts);
    triangles = take(parts * square);
    joined = take((parts / triangles_a_tile(columns) + 1) * square);
    partial = take(8 * parts);
  }

 private:
  std::int64_t take(std::int64_t size) {
    const std::int64_t at = bytes;
    bytes += (size + 255) / 256 * 256;
    return at;
  }
};

Layout layout_of(const TrainingPlan& plan, int underlyings, int real_bytes) {
  const auto dates = static_cast<int>(plan.rule.discount.size());
  const auto size =
      static_cast<std::int64_t>(empty_exercise_policy(plan.rule, dates, underlyings, plan.variance).size());
  return {plan.paths, dates, underlyings, columns_of(plan, underlyings), size, !plan.dispersion.width.empty(),
          real_bytes};
}

/// Launches the induction. `most` underlyings as the kernels are compiled for.
template <class Real, int most>
class Induction {
 public:
  Induction(const PolicyFit<Real>& fit, const Dispersion& dispersion, cudaStream_t stream)
      : fit_(fit), dispersion_(dispersion), stream_(stream) {
    shared_ = factor_memory(fit.columns);
    allow(factor_kernel<Real, most>);
    allow(join_kernel<Real>);
  }

  void operator()() const {
    const int dates = fit_.training.dates;
    prepare();
    for (int date = dates - 2; date >= 0; --date) regress(date);
    go(exercise_kernel<Real, most>, static_cast<unsigned>(fit_.parts), fit_threads, 0, fit_, 0);
    finish();
  }

  void prepare() const {
    const auto parts = static_cast<unsigned>(fit_.parts), dates = static_cast<unsigned>(fit_.training.dates);
    for (std::size_t u = 0; u < dispersion_.width.size(); ++u)
      go(disperse_kernel<Real>, blocks_of_paths(), fit_threads, 0, fit_, static_cast<int>(u), dispersion_.width[u],
         dispersion_.step[u]);
    go(list_kernel<Real, most>, dim3(parts, dates), fit_threads, 0, fit_);
    go(rank_kernel<Real>, dates, fit_threads, 0, fit_);
    go(scale_kernel<Real, most>, dim3(static_cast<unsigned>(fit_.policy.variables), dates), sort_threads, 0, fit_);
  }

  /// Exercise at the date after, and the regression.
  void regress(int date) const {
    go(factor_kernel<Real, most>, static_cast<unsigned>(fit_.parts), fit_threads, shared_, fit_, date);
    const int each = triangles_a_tile(fit_.columns);
    const double* from = fit_.triangles;
    double* to = fit_.joined;
    std::int64_t count = fit_.parts;
    do {
      const std::int64_t blocks = (count + each - 1) / each;
      go(join_kernel<Real>, static_cast<unsigned>(blocks), fit_threads, shared_, fit_, date, from, to, count);
      from = to;
      to = to == fit_.joined ? fit_.triangles : fit_.joined;
      count = blocks;
    } while (count > 1);
  }

  void finish() const {
    const auto parts = static_cast<unsigned>(fit_.parts), dates = static_cast<unsigned>(fit_.training.dates);
    if constexpr (most == 1) go(boundary_kernel<Real>, dates, fit_threads, 0, fit_);
    if (fit_.dispersion) go(walk_kernel<Real, most>, blocks_of_paths(), fit_threads, 0, fit_);
    go(count_kernel<Real>, dim3(parts, dates), fit_threads, 0, fit_);
    for (const bool squares : {false, true}) {
      go(part_sum_kernel<Real>, parts, SerialTeam::lanes, 0, fit_, squares);
      go(total_kernel<Real>, 1, SerialTeam::lanes, 0, fit_, squares);
    }
  }

 private:
  template <class Kernel>
  void allow(Kernel kernel) const {
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_),
               "shared memory of a regression");
  }
  unsigned blocks_of_paths() const {
    return static_cast<unsigned>((fit_.training.paths + fit_threads - 1) / fit_threads);
  }
  template <class... Parameters, class... Arguments>
  void go(void (*kernel)(Parameters...), dim3 blocks, int threads, int shared, const Arguments&... arguments) const {
    kernel<<<blocks, static_cast<unsigned>(threads), static_cast<std::size_t>(shared), stream_>>>(arguments...);
    cuda_check_launch("fit of an exercise policy");
  }

  PolicyFit<Real> fit_;
  const Dispersion& dispersion_;
  cudaStream_t stream_;
  int shared_;
};

/// What is copied to the device: the policy, figures of zeros, discount factors, dates.
std::vector<unsigned char> start_of(const Layout& at, const std::vector<double>& policy, const ExerciseRule& rule) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(at.value), 0);
  std::memcpy(bytes.data() + at.policy, policy.data(), policy.size() * sizeof(double));
  std::memcpy(bytes.data() + at.discount, rule.discount.data(), rule.discount.size() * sizeof(double));
  for (std::size_t date = 0; date < rule.discount.size(); ++date)
    bytes[static_cast<std::size_t>(at.may_exercise) + date] = rule.may_exercise.empty() || rule.may_exercise[date];
  return bytes;
}

void set_up(const Layout& at, unsigned char* base, const std::vector<unsigned char>& sent, cudaStream_t stream) {
  const auto fill = [&](std::int64_t first, std::int64_t last, int byte) {
    cuda_check(cudaMemsetAsync(base + first, byte, static_cast<std::size_t>(last - first), stream), "cudaMemsetAsync");
  };
  cuda_check(cudaMemcpyAsync(base, sent.data(), sent.size(), cudaMemcpyHostToDevice, stream), "copy of a policy");
  fill(at.value, at.first_exercise, 0);
  fill(at.first_exercise, at.dispersion, 0xff);
}

/// The arrays in their place. `policy` is the host's, for its header.
template <class Real>
PolicyFit<Real> fit_in(const Layout& at, unsigned char* base, const TrainingPaths<Real>& training,
                       const TrainingPlan& plan, const std::vector<double>& policy) {
  const auto place = [&]<class T>(T*& pointer, std::int64_t offset) { pointer = reinterpret_cast<T*>(base + offset); };
  PolicyFit<Real> fit{};
  fit.training = training;
  if (!plan.dispersion.width.empty()) place(fit.dispersion, at.dispersion);
  fit.training.dispersion = fit.dispersion;
  double* data = nullptr;
  place(data, at.policy);
  fit.policy = view_exercise_policy<double>(policy.data(), data);
  fit.records = data + (fit.policy.records - data);
  fit.order = plan.rule.order;
  fit.columns = columns_of(plan, training.underlyings);
  fit.parts = (training.paths + fit_part - 1) / fit_part;
  place(fit.discount, at.discount);
  place(fit.may_exercise, at.may_exercise);
  place(fit.value, at.value);
  place(fit.first_exercise, at.first_exercise);
  place(fit.in_the_money, at.in_the_money);
  place(fit.rank, at.rank);
  place(fit.triangles, at.triangles);
  place(fit.joined, at.joined);
  place(fit.partial, at.partial);
  place(fit.totals, at.totals);
  place(fit.figures, at.figures);
  return fit;
}

/// The policy from what came back.
ExercisePolicy policy_from(std::vector<double> data, const DateFigures* figures, const double* totals,
                           std::int64_t paths, int dates, int underlyings) {
  ExercisePolicy policy;
  policy.data = std::move(data);
  policy.dates.resize(static_cast<std::size_t>(dates));
  for (int date = dates - 1; date >= 0; --date) {
    const DateFigures& from = figures[date];
    if (from.bad != 0) throw_not_finite(paths - static_cast<std::int64_t>(from.bad), date);
    ExerciseDateFit& to = policy.dates[static_cast<std::size_t>(date)];
    to.in_the_money = static_cast<std::int64_t>(from.in_the_money);
    to.order = from.order;
    to.rank = from.rank;
    to.exercised = static_cast<double>(from.exercised) / static_cast<double>(paths);
    to.critical_spot = underlyings == 1 ? from.critical_spot : std::nan("");
  }
  const auto n = static_cast<double>(paths);
  policy.in_sample_price = totals[0] / n;
  policy.in_sample_standard_error = paths > 1 ? std::sqrt(totals[1] / n / (n - 1)) : 0.0;
  return policy;
}

}  // namespace

std::optional<std::int64_t> policy_fit_bytes(const TrainingPlan& plan, int underlyings, int real_bytes,
                                             int shared_memory) {
  const auto dates = static_cast<std::int64_t>(plan.rule.discount.size());
  check_exercise_rule(plan.rule, plan.paths, static_cast<int>(dates), underlyings, plan.variance);
  constexpr std::int64_t most_rows_of_blocks = 65535, most_paths = std::int64_t{1} << 38;
  constexpr int static_shared = 1024;
  const int columns = columns_of(plan, underlyings);
  if (plan.paths < 1 || plan.paths > most_paths || dates > most_rows_of_blocks || columns > fit_max_columns ||
      factor_memory(columns) + static_shared > shared_memory)
    return std::nullopt;
  return layout_of(plan, underlyings, real_bytes).bytes;
}

template <class Real>
ExercisePolicy fit_exercise_policy_cuda(const TrainingPaths<Real>& training, const TrainingPlan& plan,
                                        unsigned char* memory, cudaStream_t stream) {
  const Layout at = layout_of(plan, training.underlyings, static_cast<int>(sizeof(Real)));
  std::vector<double> policy = empty_exercise_policy(plan.rule, training.dates, training.underlyings, plan.variance);
  const std::vector<unsigned char> sent = start_of(at, policy, plan.rule);
  set_up(at, memory, sent, stream);
  const PolicyFit<Real> fit = fit_in(at, memory, training, plan, policy);
  if (training.underlyings == 1)
    Induction<Real, 1>(fit, plan.dispersion, stream)();
  else
    Induction<Real, max_training_underlyings>(fit, plan.dispersion, stream)();

  std::vector<unsigned char> got(static_cast<std::size_t>(at.discount));
  cuda_check(cudaMemcpyAsync(got.data(), memory, got.size(), cudaMemcpyDeviceToHost, stream), "copy of a policy");
  cuda_check(cudaStreamSynchronize(stream), "fit of an exercise policy");
  std::memcpy(policy.data(), got.data() + at.policy, policy.size() * sizeof(double));
  return policy_from(std::move(policy), reinterpret_cast<const DateFigures*>(got.data() + at.figures),
                     reinterpret_cast<const double*>(got.data() + at.totals), training.paths, training.dates,
                     training.underlyings);
}

template ExercisePolicy fit_exercise_policy_cuda(const TrainingPaths<float>&, const TrainingPlan&, unsigned char*,
                                                 cudaStream_t);
template ExercisePolicy fit_exercise_policy_cuda(const TrainingPaths<double>&, const TrainingPlan&, unsigned char*,
                                                 cudaStream_t);

}  // namespace ergode::kernels
