// `ergode run --profile`: its table and its trace, and that it changes nothing.
#include "tests/tools/profile.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace ergode;
using namespace ergode::testing;

namespace {

const std::string cluster =
    "simulation: nbody\nname: cluster\nseed: 5\nunits: nbody\n"
    "initial_conditions: {type: plummer, particles: 300, mass: 1, scale_radius: 0.589}\n"
    "integrator: {scheme: yoshida4, timestep: 0.0078125, end_time: 0.25}\n"
    "output: {series: {interval: 0.0625}, snapshots: {interval: 0.125, potential: true}}\n"
    "checkpoint: {every: 8 steps}\n";

const std::string book =
    "simulation: option_pricing\nname: book\nseed: 42\nmonte_carlo: {paths: 9999, steps_per_year: 12}\n"
    "market:\n  rate: 0.03\n  underlyings:\n    A: {spot: 100, model: gbm, volatility: 0.2}\n"
    "options:\n  - {id: mean, product: asian, type: call, strike: 100, fixings: 12, maturity: 1}\n";

/// Runs a config with the option and without.
void check(const std::string& config, const std::vector<std::string>& more = {}) {
  const TemporaryDirectory d;
  spill(d / "run.yaml", config);
  const auto run = [&](const std::string& directory, const std::vector<std::string>& last) {
    std::vector<std::string> all{"run", d / "run.yaml", "-o", d / directory, "--device", "cpu", "--progress", "none"};
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), last.begin(), last.end());
    return Child(d.path(), all, {}, ERGODE_PROGRAM).wait();
  };
  const Outcome plain = run("plain", {}), profiled = run("profiled", {"--profile"});
  INFO(plain.error << profiled.error);
  REQUIRE(plain.code == 0);
  REQUIRE(profiled.code == 0);
  check_profile(d, "cpu", profiled, "profiled");
  CHECK_FALSE(fs::exists(d / "plain/profile.json"));
  CHECK(plain.out.find("seconds") == std::string::npos);
  const Outcome diff = Child(d.path(), {"diff", d / "plain", d / "profiled"}, {}, ERGODE_PROGRAM).wait();
  INFO(diff.out << diff.error);
  CHECK(diff.code == 0);
  // It is a file of the run, and goes with it.
  CHECK(run("profiled", {"--exists", "overwrite"}).code == 0);
  CHECK_FALSE(fs::exists(d / "profiled/profile.json"));
}

}  // namespace

TEST_CASE("the profile of an N-body run adds up, and leaves its bits alone") {
  check(cluster);
}
TEST_CASE("the profile of a run of options adds up, and leaves its bits alone") {
  check(book);
  check(book, {"--set", "monte_carlo.rng=sobol"});
}

TEST_CASE("the profile of a sweep is the sum over its members") {
  for (const char* packed : {"true", "false"}) {
    const TemporaryDirectory d;
    spill(d / "sweep.yaml", cluster + "sweep: {seeds: 3, packed: " + packed + "}\n");
    const Outcome outcome =
        Child(d.path(), {"run", d / "sweep.yaml", "-o", d / "sweep", "--device", "cpu", "--profile"}, {},
              ERGODE_PROGRAM)
            .wait();
    INFO(outcome.error);
    REQUIRE(outcome.code == 0);
    check_profile(d, "sweep", outcome, "sweep");
    CHECK_FALSE(fs::exists(d / "sweep/members/member_000000/profile.json"));
  }
}

TEST_CASE("one task of a sweep refuses to be profiled") {
  const TemporaryDirectory d;
  spill(d / "sweep.yaml", cluster + "sweep: {seeds: 3}\n");
  const Outcome outcome =
      Child(d.path(), {"run", d / "sweep.yaml", "-o", d / "sweep", "--profile", "--task", "0/2"}, {}, ERGODE_PROGRAM)
          .wait();
  CHECK(outcome.code == 2);
  CHECK(outcome.error.find("--profile is for a sweep in one process") != std::string::npos);
  CHECK_FALSE(fs::exists(d / "sweep"));
}

TEST_CASE("a run that is stopped has the profile of its part, and its summary the memory that it took") {
  const TemporaryDirectory d;
  spill(d / "run.yaml", cluster);
  const Child child(d.path(),
                    {"run", d / "run.yaml", "-o", d / "run", "--device", "cpu", "--profile", "--progress", "none",
                     "--set", "integrator.end_time=1e6", "--set", "integrator.timestep=0.0078125", "--set",
                     "output.series.interval=10", "--set", "output.snapshots.interval=1e6"},
                    {}, ERGODE_PROGRAM);
  CHECK(eventually([&] { return fs::exists(d / "run/checkpoint.prev.h5"); }));
  child.kill(SIGTERM);
  const Outcome outcome = child.wait();
  INFO(outcome.error);
  REQUIRE(outcome.code == 75);
  check_profile(d, "cpu", outcome, "run");
  const std::string summary = slurp(d / "run/summary.json");
  const auto at = summary.find("\"host_peak_bytes\": ");
  REQUIRE(at != std::string::npos);
  const double bytes = std::stod(summary.substr(at + 19));
  CHECK(bytes > 4e6);
  CHECK(bytes < 4e9);
  CHECK(summary.find("device_peak_bytes") == std::string::npos);
  CHECK(outcome.out.find("most memory in use: ") != std::string::npos);
}
