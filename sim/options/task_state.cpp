#include <algorithm>
#include <cmath>

#include "io/state.hpp"
#include "sim/options/task.hpp"

// What a checkpoint keeps of a task.

namespace ergode::sim::options {

namespace k = kernels::options;

namespace {

io::Array numbers(const std::vector<double>& x) {
  return io::Array::from(x);
}

/// Of each accumulator (replication, 6), sums and the number of samples, and the open block's sums.
std::vector<double> numbers_of(const std::vector<Accumulator>& accumulators) {
  std::vector<double> out;
  for (const Accumulator& a : accumulators) {
    for (std::size_t r = 0; r < a.sums.size(); ++r) {
      out.insert(out.end(), a.sums[r].begin(), a.sums[r].end());
      out.push_back(static_cast<double>(a.counts[r]));
    }
    out.insert(out.end(), a.block.begin(), a.block.end());
  }
  return out;
}

/// What numbers_of() made of `count` accumulators, or of none where `optional`.
std::vector<Accumulator> read_accumulators(const io::State& state, const std::string& name, std::size_t count,
                                           int replications, bool optional) {
  const auto numbers = io::numbers<double>(state, name);
  const std::size_t each = 6 * static_cast<std::size_t>(std::max(replications, 1)) + 5;
  if (numbers.size() != count * each && !(optional && numbers.empty()))
    io::refuse_length(name, numbers.size(),
                      std::to_string(count * each) + (optional ? " or 0: " : ": ") + std::to_string(each) +
                          " for each of " + std::to_string(count) + " estimators");
  std::vector<Accumulator> out;
  for (auto at = numbers.begin(); at != numbers.end();) {
    Accumulator& a = out.emplace_back(replications);
    for (std::size_t r = 0; r < a.sums.size(); ++r) {
      for (double& sum : a.sums[r]) sum = *at++;
      a.counts[r] = static_cast<std::int64_t>(*at++);
    }
    for (double& sum : a.block) sum = *at++;
  }
  return out;
}

std::int64_t chunks_of(std::int64_t samples, int replications) {
  k::GroupPlan plan;
  plan.samples = samples;
  plan.replications = replications;
  return plan.chunks();
}

constexpr std::int64_t most_samples = std::int64_t{1} << 51;
constexpr std::int64_t most_points = 1 << 16;  ///< of an option's convergence: rounds grow by a quarter at least
constexpr std::size_t progress_size = 5;       ///< numbers that are kept of an option

}  // namespace

std::string state_prefix(std::size_t i) {
  return "task_" + std::to_string(i) + "_";
}

void Task::save(io::State& state, const std::string& prefix) const {
  std::vector<double> progress, convergence, dates;
  for (const OptionProgress& o : options) {
    progress.insert(progress.end(), {o.done ? 1.0 : 0.0, o.missed ? 1.0 : 0.0, o.late ? 1.0 : 0.0,
                                     static_cast<double>(o.chunks), static_cast<double>(o.convergence.size())});
    for (const auto& p : o.convergence)
      convergence.insert(convergence.end(), {static_cast<double>(p.paths), p.price, p.standard_error});
  }
  for (const ExerciseDate& d : exercise.dates)
    dates.insert(dates.end(), {d.time, d.probability, d.boundary.value_or(std::nan(""))});
  const std::vector<double> instruments(group.instruments.begin(), group.instruments.end());
  state.arrays[prefix + "instruments"] = numbers(instruments);
  state.arrays[prefix + "sums"] = numbers(numbers_of(accumulators));
  state.arrays[prefix + "sums_before_last"] = numbers(numbers_of(before_last_));
  state.arrays[prefix + "progress"] = numbers(progress);
  state.arrays[prefix + "convergence"] = numbers(convergence);
  state.arrays[prefix + "policy"] = numbers(exercise.policy);
  state.arrays[prefix + "exercise_dates"] = numbers(dates);
  state.arrays[prefix + "upper_bounds"] = numbers(upper_bounds);
  state.arrays[prefix + "position"] = numbers({static_cast<double>(next_chunk), exercise.exercise_now ? 1.0 : 0.0,
                                               static_cast<double>(group.samples), static_cast<double>(ended_)});
}

void Task::restore(const io::State& state, const std::string& prefix) {
  const int replications = group.choices.replications;
  const auto position = io::numbers<double>(state, prefix + "position", 4);
  const std::int64_t samples_before = io::whole_number(prefix + "position", position[2], 1, most_samples);
  if (group.samples < samples_before)
    throw io::Error(io::ExitCode::config,
                    "option " + group.items.front().option.id + ": on a resume its paths may only be raised, and are " +
                        std::to_string(group.paths_of(group.samples)) + " now and " +
                        std::to_string(group.paths_of(samples_before)) +
                        " in the checkpoint; restore their number, or start a new run in another directory (-o DIR)");
  const std::int64_t chunks_before = chunks_of(samples_before, replications);
  next_chunk = io::whole_number(prefix + "position", position[0], 0, chunks_before);
  ended_ = io::whole_number(prefix + "position", position[3], -1, chunks_before);
  exercise.exercise_now = position[1] != 0;
  restore_training(state, prefix);
  restore_progress(state, prefix, chunks_before);
  const std::size_t estimators = count_estimators(group, extras);
  const bool at_end = replications == 0 && next_chunk == chunks_before;
  accumulators = read_accumulators(state, prefix + "sums", estimators, replications, next_chunk == 0);
  before_last_ = read_accumulators(state, prefix + "sums_before_last", estimators, replications, !at_end);
  if (group.samples > samples_before) extend(samples_before);
}

void Task::restore_training(const io::State& state, const std::string& prefix) {
  const auto policy = io::numbers<double>(state, prefix + "policy");
  PolicySize size{0, 0};
  if (needs_training()) size = policy_size(group);
  if (!policy.empty() && policy.size() != size.numbers)
    io::refuse_length(prefix + "policy", policy.size(), std::to_string(size.numbers) + " or 0");
  exercise.policy.assign(policy.begin(), policy.end());
  const std::size_t kept = policy.empty() ? 0 : 3 * size.dates;
  const auto dates = io::numbers<double>(state, prefix + "exercise_dates", static_cast<std::int64_t>(kept));
  exercise.dates.clear();
  for (std::size_t i = 0; i < dates.size(); i += 3) {
    exercise.dates.push_back({dates[i], dates[i + 1], std::nullopt});
    if (std::isfinite(dates[i + 2])) exercise.dates.back().boundary = dates[i + 2];
  }
  const auto bounds = io::numbers<double>(state, prefix + "upper_bounds");
  const std::int64_t most =
      wants_upper_bound() ? early_exercise(group.items.front().option)->lsm.outer_paths : std::int64_t{0};
  const bool piecewise = std::ssize(bounds) < most && std::ssize(bounds) % bound_piece == 0;
  if (!piecewise && std::ssize(bounds) != most)
    io::refuse_length(prefix + "upper_bounds", bounds.size(),
                      std::to_string(most) + (most > 0 ? " or less, in pieces of " + std::to_string(bound_piece) : ""));
  upper_bounds.assign(bounds.begin(), bounds.end());
}

void Task::restore_progress(const io::State& state, const std::string& prefix, std::int64_t chunks) {
  const auto progress =
      io::numbers<double>(state, prefix + "progress", static_cast<std::int64_t>(progress_size * options.size()));
  const auto points = [&](std::size_t i) {
    return io::whole_number(prefix + "progress", progress[progress_size * i + 4], 0, most_points);
  };
  std::int64_t all = 0;
  for (std::size_t i = 0; i < options.size(); ++i) all += points(i);
  const auto convergence = io::numbers<double>(state, prefix + "convergence", 3 * all);
  auto point = convergence.begin();
  for (std::size_t i = 0; i < options.size(); ++i) {
    const double* of = &progress[progress_size * i];
    OptionProgress& o = options[i];
    o.done = of[0] != 0;
    o.missed = of[1] != 0;
    o.late = of[2] != 0;
    o.chunks = io::whole_number(prefix + "progress", of[3], 0, chunks);
    o.convergence.clear();
    for (std::int64_t n = points(i); n > 0; --n, point += 3)
      o.convergence.push_back(
          {io::whole_number(prefix + "convergence", point[0], 0, 2 * most_samples), point[1], point[2]});
  }
}

}  // namespace ergode::sim::options
