#pragma once

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "kernels/options/chunk.hpp"
#include "kernels/options/engine.hpp"
#include "sim/options/exercise_training.hpp"
#include "sim/options/task.hpp"
#include "tests/options/read_settings.hpp"

// Books of options as groups that are ready to run, for comparing engines.

namespace ergode::testing {

inline int all_threads() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

inline std::unique_ptr<kernels::options::PathEngine> cpu_engine() {
  return kernels::options::make_path_engine(kernels::cpu_device(kernels::best_isa()), all_threads());
}

struct ReadyGroup {
  sim::options::Task task;
  kernels::options::GroupPlan plan;

  /// All sums, in pieces of so many chunks.
  std::vector<double> run(kernels::options::PathEngine& engine, std::int64_t at_a_time = std::int64_t{1} << 40) const {
    const int number = engine.add(plan);
    std::vector<double> sums;
    for (std::int64_t first = 0; first < plan.chunks(); first += at_a_time) {
      const kernels::options::Work work{number, first, std::min(at_a_time, plan.chunks() - first)};
      const auto piece = engine.run({&work, 1});
      sums.insert(sums.end(), piece.begin(), piece.end());
    }
    engine.remove(number);
    return sums;
  }

  /// Of each estimator, from all sums.
  std::vector<sim::options::MeanError> estimates(const std::vector<double>& sums) const {
    sim::options::Task t = task;
    const auto row = static_cast<std::size_t>(plan.estimators * kernels::options::moments);
    for (std::int64_t chunk = 0; chunk < plan.chunks(); ++chunk)
      t.add(chunk, sums.data() + static_cast<std::size_t>(chunk) * row);
    std::vector<sim::options::MeanError> out;
    for (std::size_t e = 0; e < t.group.estimators.size(); ++e) out.push_back(t.estimate(e));
    return out;
  }

  /// "id price", "id delta A", ...
  std::string name(std::size_t estimator) const {
    const sim::options::Estimator& e = task.group.estimators[estimator];
    using Role = sim::options::Estimator::Role;
    std::string text = task.group.items[e.item].option.id + " ";
    text += e.role == Role::price ? "price" : e.role == Role::event ? "event" : e.role == Role::bias ? "bias" : e.name;
    return e.of_asset ? text + " " + task.group.market.assets[e.asset].name : text;
  }
};

/// The groups of a book. Exercise policies come from the CPU, so that all engines follow the same.
inline std::vector<ReadyGroup> ready_groups(const std::string& yaml, std::uint32_t seed = 11) {
  const sim::options::Settings settings = read_settings(yaml).settings;
  const auto trainer = cpu_engine();
  std::vector<ReadyGroup> ready;
  for (sim::options::Group& group : sim::options::make_groups(settings, seed)) {
    sim::options::Task task(std::move(group), settings.monte_carlo, true);
    if (task.needs_training()) task.exercise = sim::options::train(task.group, *trainer, all_threads());
    auto plan = task.plan();
    ready.push_back({std::move(task), std::move(plan)});
  }
  return ready;
}

/// What an engine gives for three pieces of each group, the middle one folded, and what by the sums of all chunks it
/// should. Groups of 200 chunks at least.
struct Folding {
  std::vector<double> found, expected;
};
inline Folding fold(kernels::options::PathEngine& engine, const std::vector<ReadyGroup>& groups) {
  using namespace kernels::options;
  Folding out;
  std::vector<Work> work;
  for (const ReadyGroup& g : groups) {
    const int number = engine.add(g.plan);
    work.insert(work.end(), {{number, 0, 64}, {number, 64, 128, true}, {number, 192, 8}});
    const auto sums = g.run(engine);
    const auto row = static_cast<std::ptrdiff_t>(g.plan.estimators * moments);
    const auto chunks = [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      out.expected.insert(out.expected.end(), sums.begin() + first * row, sums.begin() + last * row);
    };
    chunks(0, 64);
    for (const std::ptrdiff_t block : {64, 128})
      for (std::ptrdiff_t i = 0; i < row; ++i) {
        double sum = 0;
        for (std::ptrdiff_t c = block; c < block + 64; ++c)
          if (c % g.task.group.estimators[static_cast<std::size_t>(i / moments)].stride == 0)
            sum += sums[static_cast<std::size_t>(c * row + i)];
        out.expected.push_back(sum);
      }
    chunks(192, 200);
  }
  out.found = engine.run(work);
  return out;
}

/// Markets of every model: G, S gbm, H heston, B bates, C cev, L local volatility, M merton_jump, K kou_jump, and D1 to
/// D9.
inline std::string markets_of_all_models() {
  std::string text =
      "market:\n"
      "  rate: 0.03\n"
      "  underlyings:\n"
      "    G: {spot: 100, dividend_yield: 0.01, model: gbm, volatility: 0.2}\n"
      "    S: {spot: 95, dividend_yield: 0.02, model: gbm, volatility: 0.3}\n"
      "    H: {spot: 100, model: heston, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.4, rho: -0.6}\n"
      "    B: {spot: 100, model: bates, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.4, rho: -0.6, jump_intensity: "
      "0.5, "
      "jump_mean: -0.1, jump_stddev: 0.15}\n"
      "    C: {spot: 100, model: cev, cev_sigma: 2, cev_beta: 0.5}\n"
      "    L: {spot: 100, model: local_volatility, strikes: [80, 100, 120], maturities: [0.5, 1], local_volatility: "
      "[[0.25, 0.2, 0.18], [0.24, 0.21, 0.19]]}\n"
      "    M: {spot: 100, model: merton_jump, volatility: 0.2, jump_intensity: 0.5, jump_mean: -0.1, jump_stddev: "
      "0.15}\n"
      "    K: {spot: 100, model: kou_jump, volatility: 0.2, jump_intensity: 1, jump_up_prob: 0.4, eta_up: 12, "
      "eta_down: "
      "9}\n";
  for (int i = 1; i <= 9; ++i)
    text += "    D" + std::to_string(i) + ": {spot: " + std::to_string(90 + 2 * i) + ", model: gbm, volatility: 0." +
            std::to_string(15 + i) + "}\n";
  return text + "  correlation: 0.3\n";
}

inline std::string head(const std::string& monte_carlo) {
  return "monte_carlo: {steps_per_year: 12, " + monte_carlo + "}\n" + markets_of_all_models() + "options:\n";
}

/// Every kernel with and without tangents, every model, every family of products.
inline std::string every_kernel(const std::string& monte_carlo) {
  std::string text = head(monte_carlo);
  const auto add = [&](const std::string& line, const std::string& maturity = "1") {
    text += "  - {" + line + ", maturity: " + maturity + "}\n";
  };
  const std::string all = ", greeks: [delta, gamma, vega, theta, rho]";
  add("id: plain, product: european, type: call, underlying: G, strike: 100", "0.5");
  add("id: plain-heston, product: european, type: call, underlying: H, strike: 100", "0.5");
  add("id: european, product: european, type: put, underlying: S, strike: 100" + all);
  add("id: digital, product: digital, type: call, underlying: S, strike: 100" + all);
  add("id: asian, product: asian, average: arithmetic, type: call, underlying: G, strike: 100, fixings: 12" + all);
  add("id: geometric, product: asian, average: geometric, strike_type: floating, type: put, underlying: G, fixings: "
      "12");
  add("id: barrier, product: barrier, type: put, underlying: G, strike: 100, barrier: 85, barrier_type: down_out, "
      "rebate: 2, greeks: [delta, vega]");
  add("id: fixings, product: barrier, type: call, underlying: G, strike: 100, barrier: 120, barrier_type: up_in, "
      "monitoring: discrete, fixings: 12, greeks: [delta]");
  add("id: double, product: double_barrier, type: call, underlying: G, strike: 100, lower_barrier: 80, upper_barrier: "
      "130, barrier_type: knock_out");
  add("id: lookback, product: lookback, strike_type: floating, type: call, underlying: G, greeks: [delta]");
  add("id: extreme, product: lookback, strike_type: fixed, strike: 100, type: call, underlying: G, monitoring: "
      "discrete, "
      "fixings: 12");
  add("id: forward, product: forward_start, type: call, underlying: G, start: 0.5, moneyness: 1, greeks: [delta]");
  add("id: cliquet, product: cliquet, underlying: G, resets: 12, notional: 100, local_floor: -0.02, local_cap: 0.03");
  add("id: variance, product: variance_swap, underlying: G, fixings: 12");
  add("id: autocall, product: autocallable, underlying: G, autocall_level: 1, coupon: 0.02, observations: 4, "
      "knock_in_barrier: 0.8, notional: 100, greeks: [delta]");
  add("id: bermudan, product: bermudan, type: put, underlying: G, strike: 100, exercise_dates: 4, lsm: "
      "{training_paths: "
      "4096, order: 3}");
  add("id: heston, product: european, type: put, underlying: H, strike: 100" + all);
  add("id: heston-variance, product: variance_swap, underlying: H, monitoring: continuous");
  add("id: heston-barrier, product: barrier, type: call, underlying: H, strike: 100, barrier: 85, barrier_type: "
      "down_out, greeks: [delta]");
  for (const std::string model : {"B", "C", "L", "M", "K"})
    add("id: model-" + model + ", product: european, type: call, underlying: " + model + ", strike: 100" + all);
  add("id: basket, product: basket, average: arithmetic, type: call, underlyings: [G, S], strike: 98, greeks: [delta]");
  add("id: mixed, product: rainbow, select: max, type: call, underlyings: [G, H, K], strike: 100, greeks: [delta, "
      "vega]");
  add("id: spread, product: spread, underlyings: [G, S], strike: 3, greeks: [delta]");
  add("id: exchange, product: exchange, underlyings: [S, G]");
  add("id: worst-of, product: autocallable, underlyings: [G, S], autocall_level: 1, coupon: 0.02, observations: 4, "
      "knock_in_barrier: 0.7");
  add("id: max-call, product: bermudan, payoff: max, type: call, underlyings: [G, S], strike: 100, exercise_dates: 3, "
      "lsm: {training_paths: 4096, order: 2}");
  add("id: many, product: basket, average: arithmetic, type: call, underlyings: [D1, D2, D3, D4, D5, D6, D7, D8, D9], "
      "strike: 100, greeks: [delta]");
  add("id: many-mixed, product: rainbow, select: min, type: put, underlyings: [H, D1, D2, D3, D4, D5, D6, D7, D8, C], "
      "strike: 100");
  return text;
}

/// Groups of 206 chunks, with tangents and without, with a control variate, and with a bias that every other chunk
/// counts for.
inline std::string book_to_fold() {
  return head("paths: 210000, antithetic: false") +
         "  - {id: plain, product: european, type: call, underlying: G, strike: 100, maturity: 1}\n"
         "  - {id: asian, product: asian, underlying: S, strike: 100, fixings: 4, maturity: 1, greeks: [delta, "
         "gamma]}\n"
         "  - {id: stepped, product: european, underlying: H, strike: 100, maturity: 0.5, greeks: [vega]}\n";
}

}  // namespace ergode::testing
