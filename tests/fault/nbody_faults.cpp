#include <catch2/catch_test_macros.hpp>

#include "tests/sim/program.hpp"

// What goes wrong in an N-body run, through the program: the exit code, and what the message names.

using namespace ergode;
using namespace ergode::testing;

namespace {

const std::string header = "id,mass,x,y,z,vx,vy,vz\n";
const std::string pair = header + "1,1,0,0,0,0,0,0\n2,1,1,0,0,0,1,0\n";

/// Runs bodies.csv with steps of 1/64 to 0.5 and `changes` of the config; no file when `bodies` is empty.
Outcome run(const TemporaryDirectory& d, const std::string& bodies, const std::vector<std::string>& changes = {},
            const std::function<void()>& setup = {}) {
  spill(d / "run.yaml",
        "simulation: nbody\nname: b\nseed: 1\ninitial_conditions: {file: bodies.csv}\n"
        "integrator: {scheme: leapfrog, timestep: 0.015625, end_time: 0.5}\ncheckpoint: {every: 3 steps}\n");
  if (!bodies.empty()) spill(d / "bodies.csv", bodies);
  std::vector<std::string> arguments{"run", d / "run.yaml", "-o", d / "run", "--device", "cpu", "-q"};
  for (const std::string& change : changes) arguments.insert(arguments.end(), {"--set", change});
  return Child(d.path(), std::move(arguments), setup, ERGODE_PROGRAM).wait();
}

void check_refused(const std::string& bodies, int code, const std::vector<std::string>& says) {
  const TemporaryDirectory d;
  const Outcome outcome = run(d, bodies);
  INFO(outcome.error);
  CHECK(outcome.code == code);
  for (const std::string& text : says) CHECK(outcome.error.find(text) != std::string::npos);
}

}  // namespace

TEST_CASE("a bad file of bodies is refused with its row") {
  const std::string first = header + "1,1,0,0,0,0,0,0\n";
  check_refused("", 4, {"bodies.csv"});
  check_refused(first + "2,1,1,0,0,0\n", 4, {"bodies.csv", "line 3", "6 columns"});
  check_refused(first + "2,1,1,0,0,0,0,0,9\n", 4, {"bodies.csv", "line 3", "9 columns"});
  check_refused("id,mass,x,y,z,vx,vy,vz,extra\n1,1,0,0,0,0,0,0,5\n", 4, {"bodies.csv", "line 1", "extra"});
  check_refused(first + "1,1,1,0,0,0,0,0\n", 4, {"bodies.csv", "line 3", "id 1", "line 2"});
  check_refused(first + "2,1,nan,0,0,0,0,0\n", 4, {"bodies.csv", "line 3", "not finite"});
}

TEST_CASE("coincident bodies without softening are refused by their ids; one body and massless ones run") {
  check_refused(header + "4,1,0,0,0,0,0,0\n9,1,0,0,0,0,0,0\n", 3, {"4 and 9", "softening"});
  const TemporaryDirectory named;
  spill(named / "run.yaml",
        "simulation: nbody\ninitial_conditions:\n  bodies:\n    - {name: Sun, mass: 1, position: [0, 0, 0]}\n"
        "    - {mass: 1, position: [1, 0, 0]}\n    - {name: probe, mass: 0, position: [0, 0, 0]}\n"
        "integrator: {timestep: 0.1, end_time: 1}\n");
  const Outcome refused =
      Child(named.path(), {"run", named / "run.yaml", "-o", named / "run"}, {}, ERGODE_PROGRAM).wait();
  INFO(refused.error);
  CHECK(refused.code == 3);
  CHECK(refused.error.find("ids 1 (Sun) and 3 (probe) are both at") != std::string::npos);
  const TemporaryDirectory one, massless;
  CHECK(run(one, header + "1,1,0,0,0,1,0,0\n").code == 0);
  CHECK(run(massless, header + "1,0,0,0,0,1,0,0\n2,0,1,0,0,0,0,0\n").code == 0);
}

TEST_CASE("an energy error beyond its bound is warned of and ends the run") {
  const TemporaryDirectory d;
  const Outcome outcome =
      run(d, pair, {"integrator.timestep=0.5", "integrator.end_time=10", "diagnostics.max_relative_energy_error=1e-3"});
  INFO(outcome.error);
  CHECK(outcome.code == 8);
  const auto warning = outcome.error.find("warning: "), error = outcome.error.find("error: ");
  CHECK(warning != std::string::npos);
  CHECK(error != std::string::npos);
  CHECK(outcome.error.find("max_relative_energy_error") != std::string::npos);
  CHECK(warning < error);
}

TEST_CASE("a force error beyond its bound ends the run") {
  const TemporaryDirectory d;
  std::string bodies = header;
  for (int i = 1; i <= 400; ++i)  // fewer are summed in double, whose error may be none at all
    bodies += std::to_string(i) + ",1," + std::to_string(i % 7) + "." + std::to_string(i) + "," +
              std::to_string(i % 11) + ".3,0.1,0,0,0\n";
  const Outcome outcome =
      run(d, bodies,
          {"gravity.softening=0.1", "diagnostics.force_check={sample: 50}", "diagnostics.max_force_error=1e-14"});
  INFO(outcome.error);
  CHECK(outcome.code == 8);
  CHECK(outcome.error.find("max_force_error") != std::string::npos);
}

namespace {

/// Two bodies at rest at distance 1, for two steps of `timestep`.
std::vector<std::string> two_steps(const std::string& timestep) {
  return {"integrator.timestep=" + timestep, "integrator.end_time=2" + timestep.substr(1)};
}
std::string pair_of(const std::string& mass) {
  return header + "1," + mass + ",0,0,0,0,0,0\n2," + mass + ",1,0,0,0,0,0\n";
}

}  // namespace

TEST_CASE("energies beyond the range of numbers are warned of, and their error is no number") {
  for (const auto& [mass, timestep] : {std::pair("1e160", "1e-85"), {"1e-170", "1e-3"}, {"1e-300", "1e-3"}}) {
    INFO(mass);
    const TemporaryDirectory d;
    const Outcome outcome = run(d, pair_of(mass), two_steps(timestep));
    INFO(outcome.error);
    CHECK(outcome.code == 0);
    CHECK(outcome.error.find("warning: the relative energy error is nan at step 0") != std::string::npos);
    CHECK(outcome.error.find("choose units in which") != std::string::npos);
    const std::string summary = slurp(d / "run/summary.json"), log = slurp(d / "run/run.log");
    CHECK(summary.find("\"largest_relative_energy_error\": {\n      \"value\": null") != std::string::npos);
    CHECK(log.find("the relative energy error is nan at step 0") != std::string::npos);
    CHECK(log.find("-nan") == std::string::npos);

    const TemporaryDirectory bound;
    auto changes = two_steps(timestep);
    changes.emplace_back("diagnostics.max_relative_energy_error=0.1");
    const Outcome ended = run(bound, pair_of(mass), changes);
    INFO(ended.error);
    CHECK(ended.code == 8);
    CHECK(ended.error.find("the relative energy error is nan at step 0") != std::string::npos);
    CHECK(ended.error.find("choose units in which") != std::string::npos);
    CHECK(ended.error.find("smaller timestep") == std::string::npos);
  }
}

TEST_CASE("an energy that was no number once stays so to the end of the run, also over a resume") {
  const TemporaryDirectory d;
  // The second body falls through the first: the potential energy is beyond the range of numbers while it is near.
  spill(d / "bodies.csv", header + "1,1e204,0,0,0,0,0,0\n2,1e104,1,0,0,0,0,0\n");
  spill(d / "run.yaml",
        "simulation: nbody\ninitial_conditions: {file: bodies.csv}\ngravity: {softening: 0.2}\n"
        "integrator: {timestep: 1e-104, end_time: 2e-103}\n");
  const auto figure = [&](const std::string& end, const std::string& name) {
    const Outcome outcome = Child(d.path(),
                                  {"run", d / "run.yaml", "-o", d / "run", "--device", "cpu", "--resume", "--set",
                                   "integrator.end_time=" + end},
                                  {}, ERGODE_PROGRAM)
                                .wait();
    INFO(outcome.error);
    CHECK(outcome.code == 0);
    const std::string summary = slurp(d / "run/summary.json"), before = "\"" + name + "\": {\n      \"value\": ";
    REQUIRE(summary.find(before) != std::string::npos);
    return summary.substr(summary.find(before) + before.size(), 4);
  };
  CHECK(figure("2e-103", "largest_relative_energy_error") != "null");
  for (const char* end : {"2.2e-102", "2.3e-102"}) {
    INFO(end);
    CHECK(figure(end, "relative_energy_error") != "null");
    CHECK(figure(end, "largest_relative_energy_error") == "null");
  }
}

TEST_CASE("forces that are no numbers are warned of, and are beyond any bound") {
  const std::string close = header + "1,1e308,0,0,0,0,0,0\n2,1e308,0.1,0,0,0,0,0\n";
  const TemporaryDirectory d, bound;
  const Outcome outcome = run(d, close, {"diagnostics.energy=false"});
  INFO(outcome.error);
  CHECK(outcome.code == 8);  // in the first step
  CHECK(outcome.error.find("warning: the force error E2 is nan at step 0") != std::string::npos);
  CHECK(outcome.error.find("choose units in which") != std::string::npos);
  const Outcome ended =
      run(bound, close,
          {"diagnostics.energy=false", "diagnostics.force_check={sample: 2}", "diagnostics.max_force_error=0.5"});
  INFO(ended.error);
  CHECK(ended.code == 8);
  CHECK(ended.error.find("error: the force error E2 is nan at step 0") != std::string::npos);
}

TEST_CASE("a force error is answered with double precision where that is not in use already") {
  // Three hundred sources in opposite pairs, whose pull on bodies in the middle is rounding alone.
  std::string bodies = header;
  for (int i = 0; i < 150; ++i)
    for (const int side : {1, -1})
      bodies += std::to_string(2 * i + (side + 3) / 2) + ",1," + std::to_string(side * (1 + i % 7)) + ".1," +
                std::to_string(side * (1 + i % 11)) + ".3," + std::to_string(side * (1 + i % 13)) + ".7,0,0,0\n";
  for (int i = 301; i <= 6300; ++i) bodies += std::to_string(i) + ",0,0,0,0,0,0,0\n";
  for (const std::string precision : {"mixed", "double"}) {
    INFO(precision);
    const TemporaryDirectory d;
    const Outcome outcome = run(d, bodies,
                                {"gravity.precision=" + precision, "integrator.timestep=1e-6",
                                 "integrator.end_time=1e-6", "diagnostics={energy: false, force_check: {sample: 1}}"});
    INFO(outcome.error);
    CHECK(outcome.code == 0);
    CHECK(outcome.error.find("warning: the force error E2 is ") != std::string::npos);
    CHECK((outcome.error.find("use gravity.precision: double") != std::string::npos) == (precision == "mixed"));
  }
}

TEST_CASE("a position that is not finite any more ends the run with body and step, and its last checkpoint stays") {
  const TemporaryDirectory d;
  // 4e307 a step: beyond the range of numbers in the fifth, after the checkpoint at the third.
  const Outcome outcome = run(d, header + "7,1,0,0,0,1e140,0,0\n",
                              {"integrator.timestep=4e167", "integrator.end_time=1.6e169", "diagnostics.energy=false"});
  INFO(outcome.error);
  CHECK(outcome.code == 8);
  CHECK(outcome.error.find("step 5") != std::string::npos);
  CHECK(outcome.error.find("id 7") != std::string::npos);
  CHECK(outcome.error.find("checkpoint.h5 (unit 3)") != std::string::npos);
  CHECK(std::filesystem::exists(d / "run" / "checkpoint.h5"));
}

TEST_CASE("host memory that is refused ends the run with 6") {
  const TemporaryDirectory d;
  const Outcome outcome = run(d, pair, {}, [] { ::setenv("ERGODE_KERNEL_FAULT", "host_alloc:1", 1); });
  INFO(outcome.error);
  CHECK(outcome.signal == 0);
  CHECK(outcome.code == 6);
  CHECK(outcome.error.find("memory") != std::string::npos);
}

TEST_CASE("more bodies than 32 bits count are sized, not allocated") {
  const TemporaryDirectory d;
  spill(d / "run.yaml",
        "simulation: nbody\nname: b\nseed: 1\n"
        "initial_conditions: [{type: plummer, particles: 1e12, softening: 0.01}]\n"
        "integrator: {scheme: leapfrog, timestep: 0.015625, end_time: 0.5}\n");
  const Outcome outcome = Child(d.path(), {"validate", d / "run.yaml", "--device", "cpu"}, {}, ERGODE_PROGRAM).wait();
  INFO(outcome.out << outcome.error);
  CHECK(outcome.code == 6);
  CHECK(outcome.out.find("does not fit") != std::string::npos);
}
