#include "sim/options/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "io/state.hpp"
#include "kernels/device/profile.hpp"
#include "kernels/random/joe_kuo.hpp"
#include "sim/options/assemble_results.hpp"
#include "sim/options/path_work.hpp"
#include "sim/options/results_file.hpp"
#include "sim/options/results_table.hpp"
#include "sim/options/task.hpp"
#include "sim/ranks/engines.hpp"

namespace ergode::sim::options {
namespace {

namespace k = kernels::options;

/// Outer paths of the dual bound begin here in the stream.
constexpr std::uint64_t bound_stream = std::uint64_t{1} << 41;

/// Of the table on the terminal.
constexpr int table_width = 120;

bool lacks_bound(const Task& t) {
  return t.wants_upper_bound() && static_cast<std::int64_t>(t.upper_bounds.size()) <
                                      early_exercise(t.group.items.front().option)->lsm.outer_paths;
}

std::int64_t bound_pieces(std::int64_t paths) {
  return (paths + bound_piece - 1) / bound_piece;
}

/// A training, chunks, and pieces of the bound.
std::int64_t units_done(const Task& t) {
  return (t.exercise.policy.empty() ? 0 : 1) + t.next_chunk +
         bound_pieces(static_cast<std::int64_t>(t.upper_bounds.size()));
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class OptionPricing final : public Simulation {
 public:
  OptionPricing(const Settings& settings, const RunContext& context)
      : settings_(settings),
        context_(context),
        engine_(make_path_engine(context)),
        tasks_(make_tasks(settings, context.seed)),
        numbers_(tasks_.size(), -1) {}

  void initialise() override {
    enter_phase(Phase::train);
    begun_ = true;
  }

  void restore(const io::State& state) override {
    // The config's other keys are known to be the same.
    const auto saved = io::integer(state, "tasks", 1, static_cast<std::int64_t>(state.arrays.size()));
    check_groups(state, static_cast<std::size_t>(saved), tasks_);
    phase_ = static_cast<Phase>(io::integer(state, "phase", 0, static_cast<std::int64_t>(Phase::done)));
    task_ = static_cast<std::size_t>(io::integer(state, "task", 0, saved));
    elapsed_before_ = io::real(state, "elapsed");
    const auto& limit = settings_.monte_carlo.time_limit;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      tasks_[i].restore(state, state_prefix(i));
      if (!limit || elapsed_before_ < limit->seconds) tasks_[i].go_on();
      unit_ += units_done(tasks_[i]);
    }
    // Also where the run was at its end, and is now to do more than was asked for then.
    if (phase_ != Phase::train && !std::all_of(tasks_.begin(), tasks_.end(), [](const Task& t) { return t.done(); }))
      enter_phase(Phase::paths);
    begun_ = true;
  }

  io::State save() override {
    io::State state;
    state.attributes["phase"] = static_cast<std::int64_t>(phase_);
    state.attributes["task"] = static_cast<std::int64_t>(task_);
    state.attributes["tasks"] = static_cast<std::int64_t>(tasks_.size());
    state.attributes["elapsed"] = elapsed();
    for (std::size_t i = 0; i < tasks_.size(); ++i) tasks_[i].save(state, state_prefix(i));
    return state;
  }

  Progress progress() const override {
    std::int64_t left = 0;
    std::size_t done = 0, options = 0;
    for (const Task& t : tasks_) {
      if (!t.done()) left += t.chunks() - t.next_chunk;
      if (phase_ == Phase::train && t.needs_training() && t.exercise.policy.empty()) ++left;
      if (lacks_bound(t)) {
        left += bound_pieces(early_exercise(t.group.items.front().option)->lsm.outer_paths -
                             static_cast<std::int64_t>(t.upper_bounds.size()));
      }
      for (const OptionProgress& o : t.options) done += o.done ? 1 : 0;
      options += t.options.size();
    }
    return {unit_, begun_ ? unit_ + left : 0, "chunk",
            std::to_string(done) + " of " + std::to_string(options) + " prices done"};
  }

  bool done() const override { return phase_ == Phase::done; }
  std::int64_t next_observation() const override { return std::numeric_limits<std::int64_t>::max(); }
  void observe() override {}

  void advance(std::int64_t units) override {
    while (units > 0 && phase_ != Phase::done) {
      switch (phase_) {
        case Phase::train:
          units -= train_next();
          break;
        case Phase::paths:
          units -= run_paths(units);
          break;
        case Phase::bound:
          units -= bound_next();
          break;
        case Phase::done:
          break;
      }
    }
  }

  void finish() override {
    {
      const kernels::Scope scope(kernels::Phase::host, "results");
      assemble();
    }
    {
      const kernels::Scope scope(kernels::Phase::files, "results");
      write_results(*output_of(context_), results_, context_.provenance, context_.name);
    }
    for (const std::string& line : results_table(results_, table_width)) context_.info(line);
  }
  void suspend() override {}

  const Results& assemble() {
    results_ = assemble_results(settings_, tasks_, *engine_, [this](std::size_t t) { return number_of(t); });
    return results_;
  }

  Summary summary() const override {
    std::int64_t paths = 0, missed = 0;
    double steps = 0, value = 0, error = 0;
    for (const Task& t : tasks_) {
      paths += t.group.paths_of(t.accumulators.empty() ? 0 : t.accumulators.front().samples());
      if (!t.accumulators.empty())
        steps += static_cast<double>(t.group.paths_of(t.accumulators.front().samples())) * t.group.grid.steps();
    }
    for (const InstrumentResult& r : results_.instruments) {
      value += r.quantity * r.price;
      error += std::abs(r.quantity) * r.standard_error;
      missed += r.status == "tolerance missed" ? 1 : 0;
    }
    Summary out{{"options", static_cast<std::int64_t>(settings_.options.size()), ""},
                {"paths", paths, ""},
                {"path_steps", steps, ""}};
    if (padded_dimensions_ > 0) out.push_back({"dimensions_beyond_sobol", padded_dimensions_, ""});
    if (!results_.instruments.empty()) {
      out.push_back({"book_value", value, "currency"});
      // Options on one underlying see the same draws, and their errors depend on each other: the sum bounds them all.
      out.push_back({"book_value_standard_error_bound", error, "currency"});
      out.push_back({"tolerances_missed", missed, ""});
    }
    return out;
  }

 private:
  enum class Phase : std::int64_t { train, paths, bound, done };

  double elapsed() const { return elapsed_before_ + now() - started_; }

  /// The engine's number of a task's group, which is added when it is first needed.
  int number_of(std::size_t i) {
    if (numbers_[i] >= 0) return numbers_[i];
    const k::GroupPlan plan = tasks_[i].plan();
    note_padding(tasks_[i], plan);
    return numbers_[i] = engine_->add(plan);
  }

  /// Says once that there are more dimensions than the Sobol numbers have.
  void note_padding(const Task& t, const k::GroupPlan& plan) {
    const std::int64_t wanted = std::int64_t{plan.grids[0].steps} * plan.grids[0].normals;
    const std::int64_t padded = plan.replications > 0 ? wanted - kernels::sobol_dimensions : 0;
    if (padded > 0 && padded_dimensions_ == 0)
      context_.warning(fmt::format(
          "option {}: its paths have {} dimensions, the Sobol numbers {}; the {} least important (the last of the "
          "Brownian bridge) are drawn from Philox, for other options alike",
          t.group.items.front().option.id, wanted, kernels::sobol_dimensions, padded));
    padded_dimensions_ = std::max(padded_dimensions_, padded);
  }

  void enter_phase(Phase phase) {
    phase_ = phase;
    task_ = 0;
    if (phase == Phase::train)
      skip([](const Task& t) { return t.needs_training() && t.exercise.policy.empty(); }, Phase::paths);
    if (phase == Phase::paths) {
      round_ = first_open_round();
      skip([](const Task& t) { return !t.done(); }, Phase::bound);
    }
    if (phase == Phase::bound) skip(lacks_bound, Phase::done);
  }
  /// The first round in which there is something to do.
  std::int64_t first_open_round() const {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const Task& t : tasks_)
      if (!t.done()) first = std::min(first, t.round());
    return first;
  }
  template <class Wanted>
  void skip(const Wanted& wanted, Phase then) {
    while (task_ < tasks_.size() && !wanted(tasks_[task_])) ++task_;
    if (task_ == tasks_.size()) enter_phase(then);
  }

  std::int64_t train_next() {
    Task& t = tasks_[task_];
    {
      const kernels::Scope scope(kernels::Phase::kernels, "exercise training");
      t.exercise = train(t.group, *engine_, context_.threads);
    }
    ++unit_;
    ++task_;
    skip([](const Task& task) { return task.needs_training() && task.exercise.policy.empty(); }, Phase::paths);
    return 1;
  }

  std::int64_t bound_next() {
    Task& t = tasks_[task_];
    const LsmSettings& lsm = early_exercise(t.group.items.front().option)->lsm;
    k::UpperBoundPlan plan;
    plan.outer = lsm.outer_paths;
    plan.inner = lsm.inner_paths;
    plan.first_sample = bound_stream;
    plan.first = static_cast<std::int64_t>(t.upper_bounds.size());
    plan.count = std::min(bound_piece, lsm.outer_paths - plan.first);
    const auto piece = engine_->upper_bound(number_of(task_), plan);
    t.upper_bounds.insert(t.upper_bounds.end(), piece.begin(), piece.end());
    const auto bad = std::find_if(piece.begin(), piece.end(), [](double x) { return !std::isfinite(x); });
    if (bad != piece.end())
      throw io::Error(io::ExitCode::numerical, "option " + t.group.items.front().option.id +
                                                   ": its upper bound is not finite, first on outer path " +
                                                   std::to_string(plan.first + (bad - piece.begin())));
    ++unit_;
    skip(lacks_bound, Phase::done);
    return 1;
  }

  /// Up to `units` chunks of the present round; its end is where decisions are made.
  std::int64_t run_paths(std::int64_t units) {
    std::vector<k::Work> work;
    std::vector<Task*> owners;
    std::int64_t chunks = 0;
    const std::int64_t wanted = std::min(units, most_chunks);
    while (task_ < tasks_.size() && chunks < wanted) {
      Task& t = tasks_[task_];
      const std::int64_t end = t.done() ? t.next_chunk : t.round_end(round_);
      const std::int64_t count = std::min(end - t.next_chunk, wanted - chunks);
      if (count > 0) {
        append_work(work, t, number_of(task_), t.next_chunk, count);
        owners.resize(work.size(), &t);
        chunks += count;
      }
      if (t.next_chunk + std::max<std::int64_t>(count, 0) < end) break;
      ++task_;
    }
    const std::vector<double> sums = engine_->run(work);
    const double* at = sums.data();
    for (std::size_t w = 0; w < work.size(); ++w) at = add_sums(*owners[w], work[w], at, *engine_);
    unit_ += chunks;
    if (task_ == tasks_.size()) end_round();
    return std::max<std::int64_t>(chunks, 1);
  }

  void end_round() {
    bool more = false;
    const bool late = settings_.monte_carlo.time_limit && elapsed() >= settings_.monte_carlo.time_limit->seconds;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      Task& t = tasks_[i];
      if (t.done()) continue;
      number_of(i);  // a task restored with its round behind it has its estimators with its plan
      t.end_round(round_);
      if (late) t.stop();
      more = more || !t.done();
    }
    ++round_;
    task_ = 0;
    if (!more) enter_phase(Phase::bound);
  }

  Settings settings_;
  RunContext context_;
  std::unique_ptr<k::PathEngine> engine_;
  std::vector<Task> tasks_;
  std::vector<int> numbers_;
  Phase phase_ = Phase::train;
  std::size_t task_ = 0;
  std::int64_t round_ = 0, unit_ = 0;
  bool begun_ = false;  ///< it has a state; before, restore() says better than a count what does not fit
  std::int64_t padded_dimensions_ = 0;  ///< at most, of a group
  double started_ = now(), elapsed_before_ = 0;
  Results results_;
};

class Config final : public SimulationConfig {
 public:
  void declare(io::Section& root) override { settings_.declare(root); }
  sim::Estimate estimate(const kernels::Device& device) const override { return options::estimate(settings_, device); }
  std::unique_ptr<Simulation> make(const RunContext& context) const override {
    return make_simulation(settings_, context);
  }
  std::vector<InputFile> input_files() const override {
    std::vector<InputFile> files;
    for (const auto& underlying : settings_.market.underlyings)
      if (const auto* model = std::get_if<LocalVolatilityModel>(&underlying.model); model && !model->file.empty())
        files.push_back({model->file});
    return files;
  }

 private:
  Settings settings_;
};

constexpr const char* example =
    R"(# A European call and an up-and-out barrier call on one underlying.
simulation: option_pricing
name: two-calls
seed: 42
monte_carlo:
  paths: 1e6                # paths, not antithetic pairs
  precision: float          # paths; sums are always double
market:
  rate: 0.03                # per year, continuously compounded
  underlyings:
    SX5E: {spot: 4300, dividend_yield: 0.025, model: gbm, volatility: 0.21}
options:
  - {id: call, product: european, type: call, underlying: SX5E, strike: 4300, maturity: 1, greeks: [delta, gamma, vega]}
  - {id: knock-out, product: barrier, type: call, underlying: SX5E, strike: 4300, barrier: 5500, barrier_type: up_out, monitoring: continuous, maturity: 1}
output:
  directory: runs/two-calls
)";

}  // namespace

std::unique_ptr<Simulation> make_simulation(const Settings& settings, const RunContext& context) {
  return std::make_unique<OptionPricing>(settings, context);
}

Results price_book(const Settings& settings, const RunContext& context) {
  OptionPricing pricing(settings, context);
  pricing.initialise();
  while (!pricing.done()) pricing.advance(std::int64_t{1} << 40);
  return pricing.assemble();
}

SimulationType simulation_type() {
  return {"option_pricing",
          "options by Monte Carlo, with an error bar on every number",
          example,
          [](std::filesystem::path) { return std::make_unique<Config>(); },
          {"results.h5", "results.csv"}};
}

}  // namespace ergode::sim::options
