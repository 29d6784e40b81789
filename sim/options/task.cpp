#include "sim/options/task.hpp"

#include <algorithm>
#include <cmath>

#include "io/error.hpp"
#include "kernels/options/chunk.hpp"
#include "sim/options/assemble_results.hpp"

namespace ergode::sim::options {

namespace k = kernels::options;

namespace {
/// An estimate without any spread meets a tolerance after so many samples at the earliest.
constexpr std::int64_t least_alike = 1 << 16;

/// How many of the chunks [first, first + count) count for an estimator.
std::int64_t taking_part(std::int64_t first, std::int64_t count, std::int32_t stride, std::int64_t replications) {
  if (stride <= 1) return count;
  std::int64_t taking = 0;
  for (std::int64_t c = first; c < first + count; ++c) taking += k::takes_part(c, stride, replications) ? 1 : 0;
  return taking;
}

}  // namespace

Task::Task(Group g, const MonteCarloSettings& settings, bool with_extras)
    : group(std::move(g)), extras(with_extras), options(group.items.size()), common_tolerance_(settings.tolerance) {
  one_round = !settings.time_limit && !decides();
  k::GroupPlan plan;
  plan.samples = group.samples;
  plan.replications = group.choices.replications;
  chunks_ = plan.chunks();
  points_ = plan.points();
}

bool Task::wants_upper_bound() const {
  return extras && needs_training() && early_exercise(group.items.front().option)->lsm.upper_bound;
}

k::GroupPlan Task::plan() {
  if (needs_training()) {
    GroupItem& item = group.items.front();
    item.policy = 0;
    item.exercise_now = exercise.exercise_now;
    item.exercise_dates = static_cast<int>(exercise.dates.size());
  }
  auto plan = plan_group(group, exercise.policy, extras);
  if (accumulators.empty()) accumulators.assign(group.estimators.size(), Accumulator(group.choices.replications));
  return plan;
}

std::int64_t Task::first_end() const {
  return group.choices.replications > 0 ? group.choices.replications : 4;
}

std::int64_t Task::next_end(std::int64_t end) const {
  // With a tolerance a round adds a quarter, so that little is done beyond need; else it doubles. Sobol points keep
  // their balance at powers of two only.
  if (group.choices.replications > 0 || one_round || !decides()) return 2 * end;
  return end + std::max<std::int64_t>(1, end / 4);
}

std::int64_t Task::round_end(std::int64_t r) const {
  if (one_round) return chunks_;
  std::int64_t end = first_end();
  for (std::int64_t i = 0; i < r && end < chunks_; ++i) end = next_end(end);
  return std::min(end, chunks_);
}

bool Task::regular(std::int64_t chunks_done) const {
  std::int64_t end = first_end();
  while (end < chunks_done) end = next_end(end);
  return end == chunks_done;
}

bool Task::decides() const {
  for (std::size_t i = 0; i < group.items.size(); ++i)
    if (tolerance(i)) return true;
  return false;
}

bool Task::done() const {
  return std::all_of(options.begin(), options.end(), [](const OptionProgress& o) { return o.done; });
}

std::int64_t Task::round() const {
  std::int64_t r = 0;
  while (round_end(r) < next_chunk || (round_end(r) == next_chunk && ended_ == next_chunk && next_chunk < chunks_)) ++r;
  return r;
}

void Task::add(std::int64_t first, const double* sums, std::int64_t count) {
  const int replications = group.choices.replications;
  const auto range = k::chunk_range(first, group.samples, points_, replications);
  next_chunk = first + count;
  if (next_chunk == chunks_ && replications == 0) before_last_ = accumulators;
  for (std::size_t e = 0; e < group.estimators.size(); ++e) {
    const Estimator& estimator = group.estimators[e];
    // An option that is done keeps what it had, whatever company it is in.
    if (options[estimator.item].done) continue;
    const std::int64_t samples = range.count * taking_part(first, count, estimator.stride, replications);
    if (replications > 0) {
      if (samples > 0) accumulators[e].add(sums + e * k::moments, samples, range.replication);
      continue;
    }
    if (samples > 0) accumulators[e].add_to_block(sums + e * k::moments, samples);
    if (next_chunk % k::fold_chunks == 0) accumulators[e].close_block();
  }
  // Where a whole run is one round, the way to its end is noted as it goes.
  if (one_round && next_chunk < chunks_ && regular(next_chunk)) note_convergence();
}

void Task::note_convergence() {
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i].done) continue;
    const std::size_t e = price_estimator(i);
    const MeanError m = estimate(e);
    const std::int64_t paths = group.paths_of(accumulators[e].samples());
    if (!options[i].convergence.empty() && options[i].convergence.back().paths == paths) continue;
    options[i].convergence.push_back({paths, m.mean, m.standard_error});
  }
}

std::size_t Task::price_estimator(std::size_t item) const {
  for (std::size_t e = 0; e < group.estimators.size(); ++e)
    if (group.estimators[e].item == item && group.estimators[e].role == Estimator::Role::price) return e;
  throw io::Error(io::ExitCode::internal, "an option without a price");
}

MeanError Task::estimate(std::size_t e) const {
  const Estimator& estimator = group.estimators[e];
  MeanError m = mean_and_error(accumulators[e], estimator.controlled, estimator.control_mean);
  m.mean += estimator.offset;
  return m;
}

const std::optional<ToleranceSettings>& Task::tolerance(std::size_t item) const {
  const auto& own = group.items[item].option.tolerance;
  return own ? own : common_tolerance_;
}

double Task::quantile(std::size_t item) const {
  const auto& t = tolerance(item);
  const int degrees = group.choices.replications > 0 ? group.choices.replications - 1 : 0;
  return confidence_quantile(t ? t->confidence : 0.95, degrees);
}

bool Task::met(std::size_t item) const {
  const auto& t = tolerance(item);
  if (!t) return false;
  const MeanError m = estimate(price_estimator(item));
  const double half_width = quantile(item) * m.standard_error;
  // Samples that were all alike say little of those that would not be.
  if (!(m.standard_error > 0) && (m.mean == 0 || accumulators[price_estimator(item)].samples() < least_alike))
    return false;
  return (t->absolute && half_width <= *t->absolute) || (t->relative && half_width <= *t->relative * std::abs(m.mean));
}

void Task::end_round(std::int64_t r) {
  // Resumed tasks may be beyond this round, or have had its end.
  if (next_chunk == ended_ || next_chunk != round_end(r)) return;
  ended_ = next_chunk;
  note_convergence();
  for (std::size_t i = 0; i < options.size(); ++i) {
    OptionProgress& o = options[i];
    if (o.done) continue;
    const bool within = met(i);
    o.done = within || next_chunk >= chunks_;
    o.missed = o.done && !within && tolerance(i).has_value();
    o.chunks = next_chunk;
  }
}

void Task::stop() {
  for (std::size_t i = 0; i < options.size(); ++i) {
    OptionProgress& o = options[i];
    if (o.done) continue;
    o.missed = tolerance(i).has_value() && !met(i);
    o.done = o.late = true;
    o.chunks = next_chunk;
  }
}

void Task::go_on() {
  for (OptionProgress& o : options)
    if (o.late) o.done = o.missed = o.late = false;
}

void Task::extend(std::int64_t samples_before) {
  if (group.choices.replications > 0) {
    next_chunk = 0;
    ended_ = -1;
    accumulators.clear();
    options.assign(options.size(), {});
    return;
  }
  const std::int64_t chunks_before = (samples_before + k::chunk_samples - 1) / k::chunk_samples;
  const bool at_end = next_chunk == chunks_before, full = samples_before % k::chunk_samples == 0;
  // Full chunks up to a regular end of a round: what was noted and met there stands.
  const bool stands = full && regular(chunks_before);
  for (std::size_t i = 0; i < options.size(); ++i) {
    OptionProgress& o = options[i];
    if (!o.done || o.chunks != chunks_before || (stands && tolerance(i) && !o.missed)) continue;
    o.done = o.missed = o.late = false;
    if (!stands) o.convergence.pop_back();
  }
  if (!at_end) return;
  // Also where what is noted at a regular end was not noted yet.
  if (!full || (one_round && stands && ended_ != next_chunk)) {
    accumulators = std::move(before_last_);
    before_last_.clear();
    --next_chunk;
  }
  if (!stands) ended_ = next_chunk;  // the end of the round that follows is still to come
}

std::vector<Task> make_tasks(const Settings& settings, std::uint32_t seed) {
  std::vector<Task> tasks;
  for (Group& g : make_groups(settings, seed)) tasks.emplace_back(std::move(g), settings.monte_carlo, true);
  if (settings.scenarios)
    for (const Scenario& s : scenarios_of(*settings.scenarios))
      for (Group& g : make_groups(settings, seed, s)) tasks.emplace_back(std::move(g), settings.monte_carlo, false);
  return tasks;
}

}  // namespace ergode::sim::options
