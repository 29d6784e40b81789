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

/// What makes each shipped config short: fewer bodies or an earlier end.
const std::vector<std::pair<std::string, std::vector<std::string>>> shorter{
    {"cold_collapse",
     {"integrator.end_time=0.0625", "initial_conditions.0.particles=300", "output.snapshots.interval=0.03125"}},
    {"figure_eight", {}},
    {"from_file", {"integrator.end_time=730"}},
    {"galaxy_collision",
     {"integrator.end_time=0.03125", "output.snapshots.interval=0.015625", "initial_conditions.0.particles=200",
      "initial_conditions.1.particles=100"}},
    {"plummer",
     {"integrator.end_time=0.25", "output.snapshots.interval=0.125", "initial_conditions.0.particles=300",
      "diagnostics.force_check.every=0.125"}},
    {"solar_system", {"integrator.end_time=4000"}}};

}  // namespace

TEST_CASE("every shipped config runs, is whole, and config.used.yaml runs to the same bits") {
  std::set<std::string> known, there;
  for (const auto& [name, changes] : shorter) {
    INFO(name);
    known.insert(name);
    std::vector<std::string> arguments;
    for (const std::string& change : changes) arguments.insert(arguments.end(), {"--set", change});
    const TemporaryDirectory d;
    check_runs_twice(d, ERGODE_SOURCE_DIR "/configs/nbody/" + name + ".yaml", arguments);
  }
  for (const auto& entry : fs::recursive_directory_iterator(ERGODE_SOURCE_DIR "/configs"))
    if (entry.path().extension() == ".yaml") there.insert(entry.path().stem().string());
  CHECK(there == known);
}

TEST_CASE("the config that `ergode new nbody` prints runs") {
  const TemporaryDirectory d;
  const Outcome printed = run(d, {"new", "nbody"});
  REQUIRE(printed.code == 0);
  spill(d / "new.yaml", printed.out);
  check_runs_twice(d, d / "new.yaml",
                   {"--set", "initial_conditions.0.particles=200", "--set", "integrator.end_time=0.125"});
}

TEST_CASE("docs/configuration.md is what the program prints") {
  const TemporaryDirectory d;
  const Outcome printed = run(d, {"schema", "--markdown"});
  CHECK(printed.code == 0);
  CHECK(printed.out.rfind("# Configuration\n\n", 0) == 0);
  CHECK(printed.out == slurp(ERGODE_SOURCE_DIR "/docs/configuration.md"));
}
