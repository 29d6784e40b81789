// The Python package of scripts/python on sweeps that the program ran, in directories of their members and packed.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/sim/program.hpp"
#include "tests/tools/python.hpp"

using namespace ergode;
using namespace ergode::testing;

namespace {

/// 2 seeds x 2 time steps x 3 softenings of a small cluster.
const std::string clusters =
    "simulation: nbody\nname: clusters\nseed: 5\nunits: nbody\n"
    "initial_conditions: {type: plummer, particles: 64, mass: 1, scale_radius: 0.589}\n"
    "integrator: {scheme: leapfrog, end_time: 0.25}\n"
    "output: {series: {interval: 0.0625}, snapshots: {interval: 0.125, potential: true}}\n"
    "sweep:\n  seeds: 2\n  parameters:\n    integrator.timestep: [0.0078125, 0.015625]\n"
    "    gravity.softening: [0.02, 0.05, 0.1]\n";

/// 2 seeds x 2 volatilities x 3 rates of a small book.
const std::string books =
    "simulation: option_pricing\nname: books\nseed: 42\nmonte_carlo: {paths: 2048}\n"
    "market:\n  rate: 0.03\n  underlyings:\n"
    "    INDEX: {spot: 100, dividend_yield: 0.01, model: gbm, volatility: 0.2}\n"
    "options:\n  - {id: call, product: european, type: call, strike: 100, maturity: 1, greeks: [delta, vega]}\n"
    "  - {id: down-out, product: barrier, type: call, strike: 100, barrier: 85, barrier_type: down_out, maturity: 1}\n"
    "scenarios: {spot: [0.9, 1.1], volatility: [0, 0.02]}\noutput: {save_values: 16, save_paths: 4}\n"
    "sweep:\n  seeds: 2\n  parameters:\n    market.underlyings.INDEX.volatility: [0.1, 0.2]\n"
    "    market.rate: [0.01, 0.03, 0.05]\n";

const std::string currencies =
    "simulation: option_pricing\nname: currencies\nseed: 42\nmonte_carlo: {paths: 1024}\n"
    "market:\n  rate: 0.03\n  underlyings:\n    EUR/USD: {spot: 1.1, model: gbm, volatility: 0.1}\n"
    "options:\n  - {id: call, product: european, type: call, strike: 1.1, maturity: 1}\n"
    "sweep:\n  parameters:\n    market.underlyings.EUR/USD.volatility: [0.1, 0.2]\n    market.rate: [0.01, 0.03]\n"
    "    options.0.type: [call, put]\n";

/// Two of the time steps and softenings.
const std::string pairs = "{integrator.timestep: [0.0078125, 0.015625], gravity.softening: [0.02, 0.1]}";

/// Runs a sweep twice, into the folders `unpacked` and `packed`, and checks both with a case of package_sweeps.py.
void check(const std::string& name, const std::string& config, const std::vector<std::string>& changes = {},
           int code = 0) {
  const TemporaryDirectory d;
  spill(d / "sweep.yaml", config);
  for (const bool packed : {false, true}) {
    std::vector<std::string> arguments{
        "run", d / "sweep.yaml", "-o", d / (packed ? "packed" : "unpacked"), "--device", "cpu", "--threads", "1", "-q"};
    for (const std::string& change : changes) arguments.insert(arguments.end(), {"--set", change});
    arguments.insert(arguments.end(), {"--set", std::string("sweep.packed=") + (packed ? "true" : "false")});
    const Outcome outcome = Child(d.path(), arguments, {}, ERGODE_PROGRAM).wait();
    INFO(outcome.error);
    REQUIRE(outcome.code == code);
  }
  test::check_with("package_sweeps.py", name, "'" + d.path().string() + "'");
}

}  // namespace

TEST_CASE("package: the dataset of an N-body sweep has the figures of each member at its parameters") {
  check("dataset", clusters);
}
TEST_CASE("package: the dataset of a sweep of options has the figures of each member at its parameters") {
  check("dataset", books);
}
TEST_CASE("package: packed members of an N-body sweep are those in directories, bit by bit") {
  check("clusters", clusters);
}
TEST_CASE("package: packed members of a sweep of options are those in directories, bit by bit") {
  check("books", books);
}
TEST_CASE("package: packed members know what keys into lists have set, and open by their path") {
  check("keys_into_lists", clusters,
        {"integrator.timestep=0.0078125",
         "sweep={seeds: 2, parameters: {initial_conditions.scale_radius: [0.5, 0.6], initial_conditions.0.mass: [1, "
         "2]}}"});
}
TEST_CASE("package: an axis whose key has a slash is one") {
  check("slashes", currencies);
}
TEST_CASE("package: reports on sweeps judge the members") {
  check("judged", clusters,
        {"sweep.parameters={integrator.timestep: [0.0078125, 0.03125], gravity.softening: [0.0001, 0.1]}"});
}
TEST_CASE("package: a mean over some of the seeds says so") {
  check("some_seeds", clusters, {"sweep.seeds=3", "diagnostics.max_relative_energy_error=1e-4"}, 10);
}
TEST_CASE("package: maps of a sweep are the means over its seeds") {
  check("maps", clusters);
}
TEST_CASE("package: reports on sweeps and on their members") {
  check("report", books);
}
TEST_CASE("package: failed members have no figures") {
  check("failed", clusters, {"sweep.seeds=1", "diagnostics.max_relative_energy_error=5e-5"}, 10);
}
TEST_CASE("package: zipped parameters beside seeds are one dimension") {
  check("zipped", clusters, {"sweep.mode=zipped", "sweep.parameters=" + pairs});
}
TEST_CASE("package: zipped parameters alone are coordinates of the members") {
  check("zipped_alone", clusters, {"sweep={mode: zipped, parameters: " + pairs + "}"});
}
