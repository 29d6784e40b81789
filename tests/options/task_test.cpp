#include "sim/options/task.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <memory>

#include "kernels/options/engine.hpp"
#include "sim/options/simulation.hpp"
#include "tests/options/read_settings.hpp"

using namespace ergode;
using namespace ergode::sim::options;
namespace k = ergode::kernels::options;

namespace {

Task task_of(int paths) {
  const auto settings =
      testing::read_settings("monte_carlo: {antithetic: false, paths: " + std::to_string(paths) +
                             "}\nmarket: {underlyings: {A: {spot: 100, model: gbm, volatility: 0.2}}}\n"
                             "options: [{product: european, strike: 100, maturity: 1}]\n")
          .settings;
  return std::move(make_tasks(settings, 1).at(0));
}

/// Chunks up to number `last`, and the end of the round where that is the end of all.
void run(Task& t, std::int64_t last, bool ends) {
  const auto engine = k::make_path_engine(kernels::cpu_device(kernels::Isa::baseline), 1);
  const int number = engine->add(t.plan());
  while (t.next_chunk < last) {
    const k::Work work{number, t.next_chunk, 1};
    const auto sums = engine->run({&work, 1});
    t.add(t.next_chunk, sums.data());
  }
  if (ends) t.end_round(0);
}

}  // namespace

/// A chunk is 1,024 paths; what a single round notes on its way it notes after 4, 8, 16 ... chunks.
TEST_CASE("a task that is given more paths notes its convergence as if it had had them from the start") {
  Task whole = task_of(9216);
  run(whole, 9, true);
  REQUIRE(whole.options[0].convergence.size() == 3);  // after 4, 8 and 9
  for (const int first : {4096, 3500, 4500, 8192}) {
    for (const bool ended : {false, true}) {
      INFO(first << " paths first, " << (ended ? "to its end" : "its round still open"));
      Task before = task_of(first);
      run(before, before.chunks(), ended);
      io::State state;
      before.save(state, "");
      Task after = task_of(9216);
      after.restore(state, "");
      CHECK_FALSE(after.done());
      run(after, 9, true);
      CHECK(after.done());
      REQUIRE(after.options[0].convergence.size() == 3);
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(after.options[0].convergence[i].paths == whole.options[0].convergence[i].paths);
        CHECK(after.options[0].convergence[i].price == whole.options[0].convergence[i].price);
        CHECK(after.options[0].convergence[i].standard_error == whole.options[0].convergence[i].standard_error);
      }
      CHECK(after.estimate(0).mean == whole.estimate(0).mean);
      CHECK(after.estimate(0).standard_error == whole.estimate(0).standard_error);
    }
  }
}

namespace {

/// One option with all its paths in one round, three that stop by tolerance, another in rounds of its own, scenarios.
Settings book(int paths, int most, const std::string& more = "") {
  const std::string m = std::to_string(most);
  return testing::read_settings(
             "monte_carlo: {paths: " + std::to_string(paths) + ", steps_per_year: 4" + more +
             "}\nmarket:\n  underlyings:\n"
             "    A: {spot: 100, model: gbm, volatility: 0.2}\n"
             "    H: {spot: 100, model: heston, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.3, rho: -0.6}\n"
             "options:\n"
             "  - {id: all, product: european, underlying: A, strike: 100, maturity: 1, greeks: [delta, vega]}\n"
             "  - {id: soon, product: european, underlying: H, strike: 90, maturity: 1, tolerance: {absolute: 0.5, "
             "max_paths: " +
             m +
             "}}\n"
             "  - {id: later, product: european, underlying: H, strike: 110, maturity: 1, tolerance: {absolute: 0.16, "
             "max_paths: " +
             m +
             "}}\n"
             "  - {id: never, product: european, underlying: H, strike: 100, maturity: 1, tolerance: {absolute: 1e-9, "
             "max_paths: " +
             m +
             "}}\n"
             "  - {id: other, product: asian, underlying: H, strike: 100, fixings: 3, maturity: 1, tolerance: "
             "{absolute: "
             "0.2, max_paths: 70000}}\n"
             "scenarios: {spot: [0.9, 1]}\n")
      .settings;
}

std::unique_ptr<sim::Simulation> pricing(const Settings& settings) {
  sim::RunContext context;
  context.device = kernels::cpu_device(kernels::best_isa());
  context.seed = 3;
  context.info = context.warning = [](const std::string&) {};
  return make_simulation(settings, context);
}

/// All sums, decisions and noted prices at the end, with steps of `units`.
io::State at_the_end(sim::Simulation& simulation, std::int64_t units) {
  while (!simulation.done()) simulation.advance(units);
  return simulation.save();
}

void check_same(const io::State& a, const io::State& b) {
  REQUIRE(a.arrays.size() == b.arrays.size());
  for (const auto& [name, array] : a.arrays) {
    INFO(name);
    const auto x = array.as<double>(), y = b.arrays.at(name).as<double>();
    REQUIRE(x.size() == y.size());
    for (std::size_t i = 0; i < x.size(); ++i) CHECK((x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))));
  }
}

}  // namespace

TEST_CASE("wherever a book is stopped, more paths lead to the state that they would have led to from the start") {
  for (const std::string more : {"", ", rng: sobol, replications: 4"})
    for (const auto& [paths, most] : {std::pair{60000, 90000}, {40000, 120000}, {4096, 131072}}) {
      const auto larger = pricing(book(60000, 131072, more));
      larger->initialise();
      const io::State whole = at_the_end(*larger, 1000);
      for (const std::int64_t cut : {1, 5, 23, 47, 70, 111, 150, 100000}) {
        INFO(more << " " << paths << " and " << most << " paths, stopped at unit " << cut);
        const auto first = pricing(book(paths, most, more));
        first->initialise();
        for (std::int64_t unit = 0; unit < cut && !first->done(); unit += 1) first->advance(1);
        const io::State state = first->save();
        const auto second = pricing(book(60000, 131072, more));
        second->restore(state);
        check_same(at_the_end(*second, 7), whole);
        CHECK(second->progress().unit == larger->progress().unit);
      }
    }
}

namespace {

/// Long enough for folded work, with a bias, which every other chunk counts for, and without.
Settings long_book(std::int64_t paths, const std::string& more = "", const std::string& spot = "100") {
  return testing::read_settings(
             "monte_carlo: {antithetic: false, steps_per_year: 2, paths: " + std::to_string(paths) + more +
             "}\nmarket:\n  underlyings:\n"
             "    G: {spot: " +
             spot +
             ", model: gbm, volatility: 1}\n"
             "    H: {spot: 100, model: heston, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.3, rho: -0.6}\n"
             "options:\n"
             "  - {id: far, product: asian, underlying: G, strike: 100, fixings: 2, maturity: 1}\n"
             "  - {id: stepped, product: european, underlying: H, strike: 100, maturity: 1}\n")
      .settings;
}

constexpr std::int64_t all_at_once = std::int64_t{1} << 40;

}  // namespace

TEST_CASE("a long run has the same bits whatever its steps are, with its rounds and without") {
  for (const auto& [paths, more] : {std::pair{1'200'000, ""}, {2'200'000, ", time_limit: 1 h"}}) {
    const auto one = pricing(long_book(paths, more));
    one->initialise();
    const io::State whole = at_the_end(*one, 1);
    for (const std::int64_t units : {std::int64_t{63}, std::int64_t{1100}, all_at_once}) {
      INFO(more << " in steps of " << units);
      const auto other = pricing(long_book(paths, more));
      other->initialise();
      check_same(at_the_end(*other, units), whole);
    }
  }
}

TEST_CASE("a long run that is stopped within a block, at its end or at its own end goes on to the same bits") {
  const std::int64_t most = 2'200'000;
  const auto undisturbed = pricing(long_book(most));
  undisturbed->initialise();
  const io::State whole = at_the_end(*undisturbed, all_at_once);
  // To the same number of paths; from a last chunk that is not full, from a full block, and from a regular end.
  for (const std::int64_t paths : {most, std::int64_t{2'150'000}, std::int64_t{1152 * 1024}, std::int64_t{2048 * 1024}})
    for (const std::int64_t cut :
         {std::int64_t{70}, std::int64_t{1151}, std::int64_t{1152}, std::int64_t{2048}, all_at_once}) {
      INFO(paths << " paths, stopped at unit " << cut);
      const auto first = pricing(long_book(paths));
      first->initialise();
      first->advance(cut);
      const auto second = pricing(long_book(most));
      second->restore(first->save());
      check_same(at_the_end(*second, all_at_once), whole);
    }
}

TEST_CASE("a path that is not finite is named alike whether its chunk is folded or not") {
  // A fixing, half of S, passes the largest float where the normal numbers pass some 4.6, which is rare.
  const auto message = [](std::int64_t units) -> std::string {
    const auto simulation = pricing(long_book(1'200'000, "", "1.2e37"));
    simulation->initialise();
    try {
      at_the_end(*simulation, units);
    } catch (const io::Error& e) {
      CHECK(e.code() == io::ExitCode::numerical);
      return e.what();
    }
    return "none";
  };
  const std::string one_by_one = message(1);
  const std::string before = "option far: a value is not finite, first path ";
  INFO(one_by_one);
  REQUIRE(one_by_one.starts_with(before));
  const std::int64_t path = std::stoll(one_by_one.substr(before.size()));
  CHECK(path >= 64 * 1024);
  CHECK(path < 1152 * 1024);
  CHECK(message(all_at_once) == one_by_one);
}
