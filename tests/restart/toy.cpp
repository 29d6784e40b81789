#include <catch2/catch_test_macros.hpp>
#include <random>

#include "io/diff.hpp"
#include "io/fs/fault.hpp"
#include "tests/sim/program.hpp"

// What every simulation gets from the runner: whatever interrupts it, the results are those of a run left alone.

using namespace ergode;
using namespace ergode::testing;

namespace {

const std::string config =
    "simulation: toy\nname: chain\nseed: 7\nunits: 4000\ninterval: 7\nmicroseconds: 100\npadding: 20000\n"
    "checkpoint: {every: 50 steps}\n";

/// A run that nothing disturbs, to compare with.
void run_undisturbed(const TemporaryDirectory& d) {
  spill(d / "toy.yaml", config);
  const Outcome whole = run_toy(d.path(), {"run", d / "toy.yaml", "-o", d / "whole", "--set", "microseconds=0"});
  INFO(whole.error);
  REQUIRE(whole.code == 0);
}

bool equal_results(const TemporaryDirectory& d) {
  const auto differences = io::diff(d / "whole", d / "cut");
  for (const auto& difference : differences) UNSCOPED_INFO(difference.message);
  return differences.empty();
}

}  // namespace

TEST_CASE("a run killed at random moments and resumed each time ends with the same bits") {
  const TemporaryDirectory d;
  run_undisturbed(d);
  std::mt19937 random(20310504);
  int kills = 0;
  for (;;) {
    REQUIRE(kills < 200);
    // The first three die at a call of a file function, which cannot come too late; the others at times that are later
    // and later, so that a busy machine gets past the start at last.
    const bool by_call = kills < 3;
    const auto call = static_cast<std::int64_t>(10 + random() % 60);
    const Child child = start_toy(d.path(), {"run", d / "toy.yaml", "-o", d / "cut", "--resume"}, [&] {
      if (by_call) io::fs::arm({io::fs::Call::any, call, 0, false});
    });
    if (!by_call) {
      sleep_ms(static_cast<int>(20 + random() % static_cast<unsigned>(90 + 20 * kills)));
      child.kill(SIGKILL);
    }
    const Outcome outcome = child.wait();
    if (outcome.signal == SIGKILL) {
      ++kills;
      continue;
    }
    INFO(outcome.error);
    REQUIRE(outcome.code == 0);
    break;
  }
  INFO(kills << " kills");
  CHECK(kills >= 3);
  CHECK(equal_results(d));
}

TEST_CASE("a run stopped by each signal leaves with 75 and resumes to the same bits") {
  const TemporaryDirectory d;
  run_undisturbed(d);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    const Child child = start_toy(d.path(), {"run", d / "toy.yaml", "-o", d / "cut", "--resume", "--set",
                                             "microseconds=20000", "--set", "checkpoint.every=1 h"});
    REQUIRE(eventually([&] {
      return fs::exists(d / "cut/lock.json") && slurp(d / "cut/summary.json").find("running") != std::string::npos;
    }));
    sleep_ms(30);
    child.kill(signal);
    const Outcome outcome = child.wait();
    INFO(outcome.error);
    CHECK(outcome.code == 75);
    CHECK(outcome.out.find("--resume") != std::string::npos);
    CHECK_FALSE(fs::exists(d / "cut/lock.json"));
  }
  CHECK(run_toy(d.path(), {"run", d / "toy.yaml", "-o", d / "cut", "--resume", "--set", "microseconds=0"}).code == 0);
  CHECK(slurp(d / "cut/summary.json").find("\"resumes\": 3") != std::string::npos);
  CHECK(equal_results(d));
}

TEST_CASE("a finished run given a later end goes on to the same bits") {
  const TemporaryDirectory d;
  run_undisturbed(d);
  const std::vector<std::string> run{"run", d / "toy.yaml", "-o", d / "cut", "--resume", "--set", "microseconds=0"};
  auto shorter = run;
  shorter.insert(shorter.end(), {"--set", "units=2100"});
  REQUIRE(run_toy(d.path(), shorter).code == 0);
  REQUIRE(run_toy(d.path(), run).code == 0);
  CHECK(equal_results(d));
}

TEST_CASE("SIGUSR2 makes a checkpoint and the run goes on") {
  const TemporaryDirectory d;
  spill(d / "toy.yaml", config);
  const Child child = start_toy(d.path(), {"run", d / "toy.yaml", "-o", d / "cut", "--set", "microseconds=20000",
                                           "--set", "checkpoint.every=1 h"});
  REQUIRE(eventually([&] { return slurp(d / "cut/summary.json").find("running") != std::string::npos; }));
  CHECK_FALSE(fs::exists(d / "cut/checkpoint.h5"));
  sleep_ms(20);
  child.kill(SIGUSR2);
  CHECK(eventually([&] { return fs::exists(d / "cut/checkpoint.h5"); }));
  child.kill(SIGTERM);
  CHECK(child.wait().code == 75);
}

TEST_CASE("the second signal ends a run at once") {
  const TemporaryDirectory d;
  spill(d / "toy.yaml", config);
  const Child child =
      start_toy(d.path(), {"run", d / "toy.yaml", "-o", d / "cut", "--set", "failure=hang", "--set", "failure_at=50"});
  // What follows this checkpoint has no end, so the first signal alone stops nothing.
  REQUIRE(eventually([&] { return fs::exists(d / "cut/checkpoint.h5"); }));
  child.kill(SIGTERM);
  child.kill(SIGINT);  // another one, as two of a kind that are pending are one
  const int code = child.wait().code;
  CHECK((code == 128 + SIGTERM || code == 128 + SIGINT));
  CHECK_FALSE(fs::exists(d / "cut/lock.json"));
}
