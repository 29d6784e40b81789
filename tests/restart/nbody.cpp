#include <catch2/catch_test_macros.hpp>
#include <random>

#include "tests/sim/program.hpp"

// The program itself, killed and resumed: an N-body run ends with the bits of one that nothing disturbed.

using namespace ergode;
using namespace ergode::testing;

namespace {

constexpr int steps = 60;

Child start(const TemporaryDirectory& d, std::vector<std::string> arguments, const std::function<void()>& setup = {}) {
  return Child(d.path(), std::move(arguments), setup, ERGODE_PROGRAM);
}
Outcome run(const TemporaryDirectory& d, std::vector<std::string> arguments) {
  return start(d, std::move(arguments)).wait();
}

struct Case {
  std::string scheme;
  std::string precision;
};

/// 300 bodies, 1/64 a step, a row of the series every second step, a snapshot every fifth.
void write_config(const TemporaryDirectory& d, const Case& c) {
  spill(d / "run.yaml",
        "simulation: nbody\nname: cut\nseed: 11\ndevice: cpu\nunits: nbody\n"
        "initial_conditions:\n"
        "  - {type: plummer, particles: 300, softening: 0.05}\n"
        "gravity: {precision: " +
            c.precision +
            "}\n"
            "integrator: {scheme: " +
            c.scheme + ", timestep: 0.015625, end_time: " + std::to_string(steps / 64.0) +
            "}\n"
            "output: {series: {interval: 0.03125}, snapshots: {interval: 0.078125, potential: true}}\n"
            "checkpoint: {every: 3 steps}\n"
            "diagnostics: {lagrangian_radii: [0.1, 0.5], force_check: {sample: 16}}\n");
}

std::vector<std::string> command(const TemporaryDirectory& d, const std::string& directory,
                                 const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"run", d / "run.yaml", "-o", d / directory, "--progress", "none"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void finish(const TemporaryDirectory& d, const std::string& directory, const std::vector<std::string>& more = {}) {
  const Outcome outcome = run(d, command(d, directory, more));
  INFO(outcome.error);
  REQUIRE(outcome.code == 0);
}

void check_equal(const TemporaryDirectory& d, const std::string& a, const std::string& b) {
  const Outcome outcome = run(d, {"diff", d / a, d / b});
  INFO(outcome.out << outcome.error);
  CHECK(outcome.code == 0);
}

/// Stops `directory` with a checkpoint at half the way, where checkpoint.h5 and checkpoint.prev.h5 both exist.
void stop_half_way(const TemporaryDirectory& d, const std::string& directory) {
  finish(d, directory, {"--set", "integrator.end_time=" + std::to_string(steps / 128.0)});
  REQUIRE(fs::exists(d / directory / "checkpoint.h5"));
  REQUIRE(fs::exists(d / directory / "checkpoint.prev.h5"));
}

void flip_bit(const fs::path& path) {
  std::string bytes = slurp(path);
  REQUIRE(bytes.size() > 1000);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 16);
  spill(path, bytes);
}
void truncate(const fs::path& path) {
  fs::resize_file(path, fs::file_size(path) * 2 / 3);
}

const std::vector<Case> cases{
    {"leapfrog", "mixed"}, {"yoshida4", "double"}, {"yoshida6", "mixed"}, {"yoshida8", "double"}};

}  // namespace

TEST_CASE("an N-body run killed at random moments ends with the bits of one left alone", "[slow]") {
  std::mt19937 random(20310504);
  for (const Case& c : cases) {
    INFO(c.scheme << ", " << c.precision);
    const TemporaryDirectory d;
    write_config(d, c);
    finish(d, "whole", {"--threads", "1"});
    int stops = 0, attempts = 0;
    for (;; ++attempts) {
      REQUIRE(attempts < 200);
      // The first two die at a call of a file function, which cannot come too late; the others at times that are later
      // and later, so that a busy machine gets past the start at last.
      const bool by_call = attempts < 2;
      const std::string fault = "any:" + std::to_string(10 + random() % 40) + ":kill";
      const Child child = start(d, command(d, "cut", {"--resume", "--threads", std::to_string(1 + attempts % 3)}), [&] {
        if (by_call) ::setenv("ERGODE_FAULT", fault.c_str(), 1);
      });
      if (!by_call) {
        sleep_ms(static_cast<int>(10 + random() % static_cast<unsigned>(60 + 20 * attempts)));
        child.kill(random() % 5 == 0 ? SIGTERM : SIGKILL);
      }
      const Outcome outcome = child.wait();
      if (outcome.signal == SIGKILL || outcome.signal == SIGTERM || outcome.code == 75) {
        ++stops;
        continue;
      }
      INFO(outcome.error);
      REQUIRE(outcome.code == 0);
      break;
    }
    CHECK(stops >= 2);
    check_equal(d, "whole", "cut");
    CHECK(run(d, {"verify", d / "cut"}).code == 0);
  }
}

TEST_CASE("a run that was killed between its last checkpoint and its report has its report after a resume") {
  const TemporaryDirectory d;
  write_config(d, cases[0]);
  finish(d, "whole", {"--threads", "1"});
  for (const bool running : {false, true}) {
    fs::remove_all(d / "cut");
    fs::copy(d / "whole", d / "cut", fs::copy_options::recursive);
    std::string summary = slurp(d / "cut/summary.json");
    fs::remove(d / "cut/summary.json");
    if (running) {
      summary.replace(summary.find("\"finished\""), 10, "\"running\"");
      spill(d / "cut/summary.json", summary);
    }
    const Outcome outcome = run(d, command(d, "cut", {"--resume"}));
    INFO(outcome.error);
    REQUIRE(outcome.code == 0);
    CHECK(outcome.error.find("written again from the checkpoint: summary.json") != std::string::npos);
    CHECK(slurp(d / "cut/summary.json").find("\"finished\"") != std::string::npos);
    check_equal(d, "whole", "cut");
    CHECK(run(d, {"verify", d / "cut"}).code == 0);
    CHECK(run(d, command(d, "cut", {"--resume"})).out.find("nothing to do") != std::string::npos);
  }
}

TEST_CASE("every integrator in either precision resumes to the same bits, with other numbers of threads") {
  for (const std::string scheme : {"leapfrog", "yoshida4", "yoshida6", "yoshida8"})
    for (const std::string precision : {"mixed", "double"}) {
      INFO(scheme << ", " << precision);
      const TemporaryDirectory d;
      write_config(d, {scheme, precision});
      finish(d, "whole", {"--threads", "1"});
      stop_half_way(d, "cut");  // and so a later end is the end that stood there from the start
      finish(d, "cut", {"--resume", "--threads", "3"});
      check_equal(d, "whole", "cut");
    }
}

TEST_CASE("the comparison of runs sees another seed") {
  const TemporaryDirectory d;
  write_config(d, cases.front());
  finish(d, "a");
  finish(d, "b", {"--set", "seed=12"});
  CHECK(run(d, {"diff", d / "a", d / "b"}).code == 1);
}

TEST_CASE("a damaged checkpoint is refused and the one before it gives the same bits; two damaged ones end the run") {
  const TemporaryDirectory d;
  write_config(d, {"leapfrog", "mixed"});
  finish(d, "whole");
  for (const auto& damage : {flip_bit, truncate}) {
    fs::remove_all(d / "cut");
    stop_half_way(d, "cut");
    damage(d / "cut/checkpoint.h5");
    const Outcome resumed = run(d, command(d, "cut", {"--resume"}));
    INFO(resumed.error);
    REQUIRE(resumed.code == 0);
    CHECK(resumed.error.find("checkpoint.h5") != std::string::npos);
    check_equal(d, "whole", "cut");

    fs::remove_all(d / "cut");
    stop_half_way(d, "cut");
    damage(d / "cut/checkpoint.h5");
    damage(d / "cut/checkpoint.prev.h5");
    const Outcome refused = run(d, command(d, "cut", {"--resume"}));
    INFO(refused.error);
    CHECK(refused.code == 4);
    CHECK(refused.error.find("checkpoint.prev.h5") != std::string::npos);
  }
}

TEST_CASE("a finished run that has lost its series or a snapshot says so, and is not called whole") {
  for (const char* lost : {"series.h5", "snapshots/snapshot_0003.hdf5"}) {
    const TemporaryDirectory d;
    write_config(d, {"leapfrog", "mixed"});
    finish(d, "run");
    CHECK(run(d, command(d, "run", {"--resume"})).out.find("nothing to do") != std::string::npos);
    fs::remove(d / "run" / lost);
    const Outcome verified = run(d, {"verify", d / "run"});
    CHECK(verified.code == 4);
    CHECK(verified.error.find(std::string(lost) + ": missing") != std::string::npos);
    const Outcome resumed = run(d, command(d, "run", {"--resume"}));
    INFO(resumed.error);
    CHECK(resumed.code == 7);
    CHECK(resumed.error.find(std::string("missing or damaged: ") + lost) != std::string::npos);
  }
}

TEST_CASE("a run goes on from its checkpoint whatever has become of the file of its first bodies") {
  const TemporaryDirectory d;
  const std::string bodies = "id,mass,x,y,z,vx,vy,vz\n1,1,-0.5,0,0,0,-0.7,0\n2,1,0.5,0,0,0,0.7,0\n";
  spill(d / "bodies.csv", bodies);
  spill(d / "run.yaml",
        "simulation: nbody\nunits: nbody\ninitial_conditions: {file: bodies.csv}\ndevice: cpu\n"
        "integrator: {scheme: leapfrog, timestep: 0.015625, end_time: 1}\n");
  finish(d, "whole");
  finish(d, "run", {"--set", "integrator.end_time=0.5"});
  spill(d / "bodies.csv", bodies + "3,1,9,9,9,0,0,0\n");
  finish(d, "run", {"--resume"});
  check_equal(d, "whole", "run");
}
