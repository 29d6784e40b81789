// The shipped configs and the page of the configuration, through the program.
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "tests/sim/program.hpp"

using namespace ergode;
using namespace ergode::testing;

namespace {

Outcome run(const TemporaryDirectory& d, std::vector<std::string> arguments) {
  return Child(d.path(), std::move(arguments), {}, ERGODE_PROGRAM).wait();
}

/// Runs `config`, checks the checksums, runs what config.used.yaml says and compares the bits.
void check_runs_twice(const TemporaryDirectory& d, const std::string& config, const std::vector<std::string>& shorter) {
  std::vector<std::string> first{"run", config, "-o", d / "first", "--device", "cpu", "-q"};
  first.insert(first.end(), shorter.begin(), shorter.end());
  const Outcome outcome = run(d, first);
  INFO(outcome.error);
  REQUIRE(outcome.code == 0);
  CHECK(run(d, {"verify", d / "first"}).code == 0);
  const Outcome again = run(d, {"run", d / "first/config.used.yaml", "-o", d / "again", "-q"});
  INFO(again.error);
  REQUIRE(again.code == 0);
  const Outcome difference = run(d, {"diff", d / "first", d / "again"});
  INFO(difference.out << difference.error);
  CHECK(difference.code == 0);
}

/// What makes each shipped config short: fewer bodies or an earlier end, fewer paths.
const std::vector<std::pair<std::string, std::vector<std::string>>> shorter{
    {"nbody/cold_collapse",
     {"integrator.end_time=0.0625", "initial_conditions.0.particles=300", "output.snapshots.interval=0.03125"}},
    {"nbody/figure_eight", {}},
    {"nbody/from_file", {"integrator.end_time=730"}},
    {"nbody/galaxy_collision",
     {"integrator.end_time=0.03125", "output.snapshots.interval=0.015625", "initial_conditions.0.particles=200",
      "initial_conditions.1.particles=100"}},
    {"nbody/plummer",
     {"integrator.end_time=0.25", "output.snapshots.interval=0.125", "initial_conditions.0.particles=300",
      "diagnostics.force_check.every=0.125"}},
    {"nbody/solar_system", {"integrator.end_time=4000"}},
    {"nbody/sweep_timestep", {}},
    {"options/american_put",
     {"monte_carlo.paths=4096", "options.1.lsm.training_paths=2048", "options.1.lsm.outer_paths=8",
      "options.1.lsm.inner_paths=8", "options.2.lsm.training_paths=2048", "options.3.lsm.training_paths=2048"}},
    {"options/asian", {"monte_carlo.paths=2048", "options.4.paths=1024"}},
    {"options/autocallable", {"monte_carlo.paths=1024", "monte_carlo.steps_per_year=12"}},
    {"options/barriers", {"monte_carlo.paths=4096", "options.4.paths=1024"}},
    {"options/basket_book",
     {"monte_carlo.tolerance.max_paths=2048", "options.2.tolerance.max_paths=2048",
      "options.5.tolerance.max_paths=2048", "monte_carlo.steps_per_year=12"}},
    {"options/book_from_csv", {"monte_carlo.tolerance.max_paths=4096"}},
    {"options/european_greeks", {"monte_carlo.paths=8192"}},
    {"options/heston_smile", {"monte_carlo.paths=2048", "monte_carlo.steps_per_year=12"}},
    {"options/max_call_bermudan",
     {"monte_carlo.paths=4096", "options.0.lsm.training_paths=2048", "options.0.lsm.outer_paths=8",
      "options.0.lsm.inner_paths=8", "options.1.lsm.training_paths=2048", "options.1.lsm.outer_paths=8",
      "options.1.lsm.inner_paths=8"}},
    {"options/sweep_volatility", {"monte_carlo.paths=4096"}}};

}  // namespace

TEST_CASE("every shipped config runs, is whole, and config.used.yaml runs to the same bits") {
  std::set<std::string> known, there;
  for (const auto& [name, changes] : shorter) {
    INFO(name);
    known.insert(name);
    std::vector<std::string> arguments;
    for (const std::string& change : changes) arguments.insert(arguments.end(), {"--set", change});
    const TemporaryDirectory d;
    check_runs_twice(d, ERGODE_SOURCE_DIR "/configs/" + name + ".yaml", arguments);
  }
  const fs::path configs = ERGODE_SOURCE_DIR "/configs";
  for (const auto& entry : fs::recursive_directory_iterator(configs))
    if (entry.path().extension() == ".yaml")
      there.insert(fs::relative(entry.path(), configs).replace_extension().generic_string());
  CHECK(there == known);
}

TEST_CASE("the config that `ergode new` prints runs, for each type") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> types{
      {"nbody", {"--set", "initial_conditions.0.particles=200", "--set", "integrator.end_time=0.125"}},
      {"option_pricing", {"--set", "monte_carlo.paths=4096"}}};
  for (const auto& [type, changes] : types) {
    INFO(type);
    const TemporaryDirectory d;
    const Outcome printed = run(d, {"new", type});
    REQUIRE(printed.code == 0);
    spill(d / "new.yaml", printed.out);
    check_runs_twice(d, d / "new.yaml", changes);
  }
}

TEST_CASE("docs/configuration.md is what the program prints") {
  const TemporaryDirectory d;
  const Outcome printed = run(d, {"schema", "--markdown"});
  CHECK(printed.code == 0);
  CHECK(printed.out.rfind("# Configuration\n\n", 0) == 0);
  CHECK(printed.out == slurp(ERGODE_SOURCE_DIR "/docs/configuration.md"));
}
