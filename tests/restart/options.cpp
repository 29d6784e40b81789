#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <random>

#include "tests/sim/program.hpp"

// The program itself, killed and resumed: a book of options ends with the bits of one that nothing disturbed.

using namespace ergode;
using namespace ergode::testing;

namespace {

/// A European, a stop by tolerance, a barrier, a Heston Asian, an American, a Bermudan with its upper bound, two
/// underlyings, scenarios and everything that can be saved: each phase of a run, some 100 chunks.
const std::string book =
    "simulation: option_pricing\n"
    "name: cut\n"
    "seed: 11\n"
    "device: cpu\n"
    "monte_carlo: {paths: 6000, steps_per_year: 12}\n"
    "market:\n"
    "  rate: 0.03\n"
    "  underlyings:\n"
    "    A: {spot: 100, dividend_yield: 0.01, model: gbm, volatility: 0.2}\n"
    "    H: {spot: 100, model: heston, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.3, rho: -0.6}\n"
    "  correlation: 0.3\n"
    "options:\n"
    "  - {id: call, product: european, underlying: A, strike: 100, maturity: 1, greeks: [delta, gamma, vega, theta, "
    "rho]}\n"
    "  - {id: close, product: european, underlying: H, strike: 110, maturity: 1, tolerance: {absolute: 0.1, max_paths: "
    "60000}}\n"
    "  - {id: out, product: barrier, type: put, underlying: A, strike: 100, barrier: 85, barrier_type: down_out, "
    "maturity: 1, greeks: [delta]}\n"
    "  - {id: average, product: asian, underlying: H, strike: 100, fixings: 12, maturity: 1, greeks: [vega]}\n"
    "  - {id: early, product: american, type: put, underlying: A, strike: 105, maturity: 0.5, paths: 2000, "
    "lsm: {order: 2, training_paths: 1024}}\n"
    "  - {id: dates, product: bermudan, type: put, underlying: H, strike: 105, maturity: 1, exercise_dates: 6, "
    "lsm: {order: 3, training_paths: 2048, upper_bound: true, outer_paths: 32, inner_paths: 32}}\n"
    "  - {id: best, product: rainbow, underlyings: [A, H], strike: 105, maturity: 1, greeks: [delta]}\n"
    "scenarios: {spot: [0.9, 1], volatility: [0, 0.02]}\n"
    "output: {save_paths: 8, save_values: 100}\n"
    "checkpoint: {every: 3 steps}\n";

struct Place : TemporaryDirectory {
  Place() { spill(*this / "run.yaml", book); }
  Child start(const std::string& directory, const std::vector<std::string>& more = {},
              const std::function<void()>& setup = {}) const {
    std::vector<std::string> arguments{"run", *this / "run.yaml", "-o", *this / directory, "--progress", "none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Child(path(), arguments, setup, ERGODE_PROGRAM);
  }
  Outcome run(const std::string& directory, const std::vector<std::string>& more = {}) const {
    return start(directory, more).wait();
  }
  void finish(const std::string& directory, const std::vector<std::string>& more = {}) const {
    const Outcome outcome = run(directory, more);
    INFO(outcome.error);
    REQUIRE(outcome.code == 0);
  }
  /// Kills a run at its fourth checkpoint: each but the first has a link, which it begins with.
  void stop_half_way(const std::string& directory, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--set", "checkpoint.every=1 steps", "--threads", "1"});
    const Outcome outcome = start(directory, more, [] { ::setenv("ERGODE_FAULT", "link:3:kill", 1); }).wait();
    INFO(outcome.error);
    REQUIRE(outcome.signal == SIGKILL);
    REQUIRE(fs::exists(*this / directory / "checkpoint.h5"));
    REQUIRE(fs::exists(*this / directory / "checkpoint.prev.h5"));
    REQUIRE_FALSE(fs::exists(*this / directory / "results.h5"));
  }
  void check_equal(const std::string& a, const std::string& b) const {
    const Outcome outcome = Child(path(), {"diff", *this / a, *this / b}, {}, ERGODE_PROGRAM).wait();
    INFO(outcome.out << outcome.error);
    CHECK(outcome.code == 0);
    const std::string table = slurp(*this / a / "results.csv");
    CHECK(table.size() > 1000);
    CHECK(table == slurp(*this / b / "results.csv"));
  }
};

void flip_bit(const fs::path& path) {
  std::string bytes = slurp(path);
  REQUIRE(bytes.size() > 1000);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 16);
  spill(path, bytes);
}
void truncate(const fs::path& path) {
  fs::resize_file(path, fs::file_size(path) * 2 / 3);
}

}  // namespace

TEST_CASE("a book of options has the same bits on 1, 2 and 5 threads, and others with another seed") {
  const Place p;
  p.finish("one", {"--threads", "1", "--set", "checkpoint.every=1 h"});
  for (const std::string threads : {"2", "5"}) {
    INFO(threads);
    p.finish("more" + threads, {"--threads", threads, "--set", "checkpoint.every=1 h"});
    p.check_equal("one", "more" + threads);
  }
  p.finish("other", {"--set", "seed=12", "--set", "checkpoint.every=1 h"});
  CHECK(Child(p.path(), {"diff", p / "one", p / "other"}, {}, ERGODE_PROGRAM).wait().code == 1);
}

TEST_CASE("a book of options killed at random moments ends with the bits of one left alone", "[slow]") {
  std::mt19937 random(20310504);
  const Place p;
  p.finish("whole", {"--threads", "1"});
  for (const bool gently : {false, true}) {
    INFO((gently ? "SIGTERM" : "SIGKILL"));
    const std::string directory = gently ? "stopped" : "killed";
    int stops = 0, attempts = 0;
    for (;; ++attempts) {
      REQUIRE(attempts < 200);
      // The first gets its signal before it begins, or dies at a file function: neither can come too late.
      const bool first = attempts == 0;
      const Child child = p.start(directory, {"--resume", "--threads", std::to_string(1 + attempts % 3)}, [&] {
        if (!first) return;
        if (!gently) {
          ::setenv("ERGODE_FAULT", "any:40:kill", 1);
          return;
        }
        sigset_t waiting;
        sigemptyset(&waiting);
        sigaddset(&waiting, SIGTERM);
        ::sigprocmask(SIG_BLOCK, &waiting, nullptr);
        ::kill(::getpid(), SIGTERM);
      });
      // Later and later, so that a busy machine gets past the start at last.
      if (!first) {
        sleep_ms(static_cast<int>(10 + random() % static_cast<unsigned>(200 + 100 * attempts)));
        child.kill(gently ? SIGTERM : SIGKILL);
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
    CHECK(stops >= 1);
    p.check_equal("whole", directory);
    CHECK(Child(p.path(), {"verify", p / directory}, {}, ERGODE_PROGRAM).wait().code == 0);
  }
}

TEST_CASE("a book of options stopped by its wall-time limit again and again ends with the bits of one left alone") {
  const Place p;
  p.finish("whole", {"--threads", "2"});
  int stops = 0;
  for (int attempts = 0;; ++attempts) {
    REQUIRE(attempts < 100);
    // The first is too short for anybody: 0.25 s are kept in hand. Longer and longer, for a busy machine.
    const Outcome outcome = p.run("cut", {"--resume", "--threads", std::to_string(1 + attempts % 2), "--max-walltime",
                                          std::to_string(0.4 + 0.3 * attempts)});
    INFO(outcome.error);
    if (outcome.code == 75) {
      ++stops;
      continue;
    }
    REQUIRE(outcome.code == 0);
    break;
  }
  CHECK(stops >= 1);
  p.check_equal("whole", "cut");
}

TEST_CASE("a damaged checkpoint of options is refused and the one before it gives the same bits; two end the run") {
  const Place p;
  p.finish("whole");
  for (const auto& damage : {flip_bit, truncate}) {
    fs::remove_all(p / "cut");
    p.stop_half_way("cut");
    fs::copy(p / "cut", p / "both");
    damage(p / "cut/checkpoint.h5");
    const Outcome resumed = p.run("cut", {"--resume"});
    INFO(resumed.error);
    REQUIRE(resumed.code == 0);
    CHECK(resumed.error.find("checkpoint.h5") != std::string::npos);
    p.check_equal("whole", "cut");

    damage(p / "both/checkpoint.h5");
    damage(p / "both/checkpoint.prev.h5");
    const Outcome refused = p.run("both", {"--resume"});
    INFO(refused.error);
    CHECK(refused.code == 4);
    CHECK(refused.error.find("checkpoint.prev.h5") != std::string::npos);
    fs::remove_all(p / "both");
  }
}

TEST_CASE("quasi-random and double-precision books resume to the same bits, over what a killed end left behind") {
  const Place p;
  for (const std::vector<std::string>& sets :
       {std::vector<std::string>{"--set", "monte_carlo.rng=sobol", "--set", "monte_carlo.replications=4"},
        {"--set", "monte_carlo.precision=double", "--set", "monte_carlo.antithetic=false"}}) {
    INFO(sets[1]);
    const auto with = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.end(), sets.begin(), sets.end());
      return arguments;
    };
    fs::remove_all(p / "whole");
    fs::remove_all(p / "cut");
    p.finish("whole", with({"--threads", "1"}));
    p.stop_half_way("cut", sets);
    // As if killed between the two files of results, and while one was written.
    fs::copy(p / "whole/results.h5", p / "cut/results.h5");
    spill(p / "cut/results.csv", "id,product\n");
    p.finish("cut", with({"--resume", "--threads", "3"}));
    p.check_equal("whole", "cut");
  }
}

TEST_CASE("a resume of options with another strike, seed or model is refused by name; a finished run says so") {
  const Place p;
  p.stop_half_way("run");
  const std::string used = slurp(p / "run/config.used.yaml");
  const auto refused = [&](const std::vector<std::string>& sets, const std::vector<std::string>& says) {
    std::vector<std::string> arguments{"--resume"};
    for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
    const Outcome outcome = p.run("run", arguments);
    INFO(outcome.error);
    CHECK(outcome.code == 3);
    for (const std::string& text : says) CHECK(outcome.error.find(text) != std::string::npos);
    CHECK(slurp(p / "run/config.used.yaml") == used);
  };
  refused({"options.0.strike=101", "seed=12"}, {"options.0.strike: stored 100, now 101", "seed: stored 11, now 12"});
  refused({"market.underlyings.A={spot: 100, dividend_yield: 0.01, model: cev, cev_sigma: 0.2, cev_beta: 1}"},
          {"market.underlyings.A.model: stored \"gbm\", now \"cev\""});
  refused({"monte_carlo.precision=double"}, {"monte_carlo.precision"});
  refused({"options.4.lsm.order=3"}, {"options.4.lsm.order: stored 2, now 3"});
  p.finish("run", {"--resume", "--threads", "2"});
  const std::string before = slurp(p / "run/summary.json"), log = slurp(p / "run/run.log");
  const Outcome again = p.run("run", {"--resume", "--threads", "3"});
  CHECK(again.code == 0);
  CHECK(again.out.find("finished") != std::string::npos);
  CHECK(slurp(p / "run/summary.json") == before);
  CHECK(slurp(p / "run/run.log") == log);
}

namespace {

/// Without early exercise, whose cost does not depend on the paths: a fixed number of paths (with a control variate,
/// tangents, differences and half of the chunks for the bias), three stops by tolerance (in the first rounds, beyond
/// the first budget, never), and scenarios.
const std::string growing =
    "simulation: option_pricing\n"
    "name: growing\n"
    "seed: 5\n"
    "device: cpu\n"
    "monte_carlo: {paths: 1000, steps_per_year: 4}\n"
    "market:\n"
    "  rate: 0.03\n"
    "  underlyings:\n"
    "    A: {spot: 100, model: gbm, volatility: 0.2}\n"
    "    H: {spot: 100, model: heston, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.3, rho: -0.6}\n"
    "options:\n"
    "  - {id: call, product: european, underlying: A, strike: 100, maturity: 1, greeks: [delta, gamma, vega]}\n"
    "  - {id: average, product: asian, underlying: H, strike: 100, fixings: 4, maturity: 1, greeks: [vega]}\n"
    "  - {id: soon, product: european, underlying: H, strike: 90, maturity: 1, tolerance: {absolute: 0.5, max_paths: "
    "MOST}}\n"
    "  - {id: later, product: european, underlying: H, strike: 110, maturity: 1, tolerance: {absolute: 0.16, "
    "max_paths: MOST}}\n"
    "  - {id: never, product: european, underlying: H, strike: 100, maturity: 1, tolerance: {absolute: 1e-9, "
    "max_paths: MOST}}\n"
    "scenarios: {spot: [0.9, 1]}\n"
    "checkpoint: {every: 1 h}\n";

void write_growing(const Place& p, int paths, const std::string& monte_carlo = "") {
  std::string text = growing;
  for (std::size_t at; (at = text.find("MOST")) != std::string::npos;) text.replace(at, 4, std::to_string(paths));
  text.replace(text.find("1000,"), 5, std::to_string(paths) + "," + monte_carlo);
  spill(p / "run.yaml", text);
}

}  // namespace

TEST_CASE("more paths on a resume give the bits that they would have given from the start") {
  const Place p;
  // A chunk is 2,048 paths; rounds under a tolerance end after 4, 5, 6, 7, 8, 10, 12, 15 chunks. So: from and to the
  // middle of a chunk, a regular end of a round, a full chunk that is none; and by way of an odd number.
  const std::vector<std::vector<int>> ways{
      {3000, 24577}, {8192, 30720}, {9001, 10240, 18432}, {22528, 30001}, {1, 50000}};
  for (const auto& way : ways) {
    INFO(way.front() << " to " << way.back());
    for (const std::string more : {"", " antithetic: false,"}) {
      INFO(more);
      fs::remove_all(p / "grown");
      fs::remove_all(p / "whole");
      for (const int paths : way) {
        write_growing(p, paths, more);
        p.finish("grown", {"--resume", "--threads", "2"});
      }
      p.finish("whole", {"--threads", "2"});
      p.check_equal("whole", "grown");
    }
  }
}

TEST_CASE("more paths on a resume of a run whose blocks were folded") {
  const Place p;
  const auto write = [&](int paths) {
    spill(p / "run.yaml",
          "simulation: option_pricing\nname: long\ndevice: cpu\nmonte_carlo: {antithetic: false, paths: " +
              std::to_string(paths) +
              "}\nmarket: {underlyings: {A: {spot: 100, model: gbm, volatility: 0.2}}}\n"
              "options:\n"
              "  - {id: call, product: european, strike: 100, maturity: 1, greeks: [delta, gamma]}\n"
              "  - {id: put, product: european, type: put, strike: 90, maturity: 0.5}\n");
  };
  for (const int paths : {3'000'000, 3'100'000}) {
    write(paths);
    p.finish("grown", {"--resume"});
  }
  p.finish("whole", {"--threads", "1", "--set", "checkpoint.every=70 steps"});
  p.check_equal("whole", "grown");
}

TEST_CASE("more paths on a resume of Sobol points, and of a book that was killed") {
  const Place p;
  write_growing(p, 5000, " rng: sobol, replications: 4,");
  p.finish("grown", {"--threads", "1"});
  write_growing(p, 40000, " rng: sobol, replications: 4,");
  p.finish("grown", {"--resume"});
  p.finish("whole");
  p.check_equal("whole", "grown");
  // Killed on the way to more, and then given more again.
  fs::remove_all(p / "grown");
  fs::remove_all(p / "whole");
  write_growing(p, 200000, " rng: sobol, replications: 4,");
  p.finish("grown");
  write_growing(p, 400000, " rng: sobol, replications: 4,");
  for (const char* file : {"results.h5", "checkpoint.prev.h5"}) fs::remove(p / "grown" / file);
  p.stop_half_way("grown", {"--resume"});
  write_growing(p, 800000, " rng: sobol, replications: 4,");
  p.finish("grown", {"--resume"});
  p.finish("whole");
  p.check_equal("whole", "grown");

  write_growing(p, 400000);
  p.stop_half_way("cut");
  write_growing(p, 450001);
  p.finish("cut", {"--resume"});
  p.finish("whole of more");
  p.check_equal("whole of more", "cut");
  CHECK(p.run("cut", {"--resume"}).out.find("finished") != std::string::npos);
}

TEST_CASE("fewer paths on a resume, or a budget that parts what shares its draws, are refused and lose nothing") {
  const Place p;
  write_growing(p, 5000);
  p.finish("run");
  const std::string before = slurp(p / "run/results.csv");
  const auto refused = [&](const std::string& set, const std::vector<std::string>& says) {
    const Outcome outcome = p.run("run", {"--resume", "--set", set});
    INFO(set << ": " << outcome.error);
    CHECK(outcome.code == 3);
    for (const std::string& text : says) CHECK(outcome.error.find(text) != std::string::npos);
    CHECK(slurp(p / "run/results.csv") == before);
  };
  for (const char* fewer : {"4000", "4900"})
    refused("monte_carlo.paths=" + std::string(fewer), {"option call: on a resume its paths may only be raised",
                                                        std::string(fewer) + " now and 5000 in the checkpoint"});
  // One of three that shared their draws is parted from the others.
  const std::string rule = "equal ones stay equal and different ones different";
  refused(
      "options.4.tolerance.max_paths=6000",
      {"option soon (5000 paths) shared its draws with later (5000 paths), never (6000 paths) in the checkpoint, and "
       "shares them with later (5000 paths) now",
       rule});
  CHECK(p.run("run", {"--resume"}).code == 0);
}

TEST_CASE("options that share their draws only after a resume are refused by their names, not by the run's length") {
  const Place p;
  const std::string head =
      "simulation: option_pricing\nname: joined\ndevice: cpu\n"
      "market: {underlyings: {A: {spot: 100, model: gbm, volatility: 0.2}}}\noptions:\n";
  spill(p / "run.yaml", head +
                            "  - {id: a, product: european, strike: 100, maturity: 1, paths: 3000}\n"
                            "  - {id: b, product: european, strike: 90, maturity: 1, paths: 9000}\n");
  p.finish("run");
  // Together they have fewer chunks than the checkpoint has done.
  const Outcome outcome = p.run("run", {"--resume", "--set", "options.0.paths=9000"});
  INFO(outcome.error);
  CHECK(outcome.code == 3);
  CHECK(outcome.error.find("option a (9000 paths) shared its draws with no other in the checkpoint, and shares them "
                           "with b (9000 paths) now") != std::string::npos);
  CHECK(outcome.error.find("equal ones stay equal and different ones different") != std::string::npos);
  CHECK(outcome.error.find("later end") == std::string::npos);
  CHECK(p.run("run", {"--resume", "--set", "options.0.paths=9001"}).code == 0);
  CHECK(p.run("run", {"--resume", "--set", "options.0.paths=9001"}).out.find("finished") != std::string::npos);
}

TEST_CASE("a book that ran out of its time goes on when it is given more") {
  const Place p;
  write_growing(p, 50'000'000, " time_limit: 0.01 s,");
  p.finish("run");
  const auto paths = [&] {
    const std::string text = slurp(p / "run/summary.json");
    return std::stoll(text.substr(text.find("\"value\"", text.find("\"paths\"")) + 8).substr(1));
  };
  const auto first = paths();
  CHECK(first >= 8192);
  CHECK(first < 1'000'000);
  write_growing(p, 50'000'000, " time_limit: 1 s,");
  p.finish("run", {"--resume"});
  CHECK(paths() > first);
}

TEST_CASE("what a finished book has lost of its results is written again from its checkpoint") {
  const Place p;
  write_growing(p, 3000);
  p.finish("whole");
  fs::copy(p / "whole", p / "run");
  fs::remove(p / "run/results.csv");
  flip_bit(p / "run/results.h5");
  const Outcome outcome = p.run("run", {"--resume"});
  INFO(outcome.error);
  CHECK(outcome.code == 0);
  CHECK(outcome.error.find("missing or damaged, written again from the checkpoint: results.h5, results.csv") !=
        std::string::npos);
  p.check_equal("whole", "run");
}

TEST_CASE("a finished book without its checkpoint does not pretend to have done more") {
  const Place p;
  write_growing(p, 3000);
  p.finish("run");
  for (const char* file : {"checkpoint.h5", "checkpoint.prev.h5"}) fs::remove(p / "run" / file);
  CHECK(p.run("run", {"--resume"}).code == 0);
  const Outcome outcome = p.run("run", {"--resume", "--set", "monte_carlo.paths=5000"});
  INFO(outcome.error);
  CHECK(outcome.code == 3);
  CHECK(outcome.error.find("it cannot go on to what the config now asks for") != std::string::npos);
}

TEST_CASE("a book that ran out of its time goes on without a limit to the bits of one that had none") {
  const Place p;
  write_growing(p, 60000, " time_limit: 0.0001 s,");
  p.finish("run");
  CHECK(slurp(p / "run/results.csv").find("stopped by the time limit") != std::string::npos);
  write_growing(p, 60000);
  p.finish("run", {"--resume"});
  p.finish("whole");
  // With a limit there are rounds, without one none: the bits of all numbers are equal, not where they were noted.
  CHECK(slurp(p / "run/results.csv") == slurp(p / "whole/results.csv"));
}

TEST_CASE("a resume with another surface in the file of local volatilities is refused by its name") {
  const TemporaryDirectory d;
  const std::string surface = ",80,120\n0.5,0.2,0.25\n1,0.2,0.25\n";
  spill(d / "surface.csv", surface);
  spill(d / "run.yaml",
        "simulation: option_pricing\nname: surface\ndevice: cpu\nmonte_carlo: {paths: 2000, steps_per_year: 12}\n"
        "market: {rate: 0, underlyings: {A: {spot: 100, model: local_volatility, file: surface.csv}}}\n"
        "options: [{id: call, product: european, type: call, strike: 100, maturity: 1}]\n");
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run", d / "run.yaml", "-o", d / "run", "--progress", "none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Child(d.path(), arguments, {}, ERGODE_PROGRAM).wait();
  };
  REQUIRE(run({}).code == 0);
  spill(d / "surface.csv", ",80,120\n0.5,0.2,0.35\n1,0.2,0.35\n");
  const Outcome outcome = run({"--resume", "--set", "monte_carlo.paths=4000"});
  INFO(outcome.error);
  CHECK(outcome.code == 3);
  CHECK(outcome.error.find("surface.csv: its SHA-256 was") != std::string::npos);
  spill(d / "surface.csv", surface);
  CHECK(run({"--resume", "--set", "monte_carlo.paths=4000"}).code == 0);
}

TEST_CASE("a run says how many units it did a second, in all and while advancing") {
  const Place p;
  p.finish("run", {"--set", "monte_carlo.paths=2000"});
  const std::string summary = slurp(p / "run/summary.json");
  const auto field = [&](const char* name) {
    const auto at = summary.find(std::string("\"") + name + "\": ");
    REQUIRE(at != std::string::npos);
    return std::stod(summary.substr(at + std::string(name).size() + 4));
  };
  CHECK(field("units_per_second") * field("wall_seconds") == Catch::Approx(field("unit")));
  CHECK(field("units_per_second_advancing") * field("advance") == Catch::Approx(field("unit")));
  CHECK(slurp(p / "run/run.log").find("chunks/s in all, ") != std::string::npos);
}
