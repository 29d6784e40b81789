#include <catch2/catch_test_macros.hpp>
#include <numeric>

#include "io/checkpoint.hpp"
#include "io/hdf5/sealed_file.hpp"
#include "tests/sim/program.hpp"

// Checkpoints that are whole, by their seals, and do not hold what the program wrote: made by another program, say.

using namespace ergode;
using namespace ergode::testing;

namespace {

const std::string bodies =
    "simulation: nbody\ndevice: cpu\ninitial_conditions:\n  - {type: plummer, particles: 20}\n"
    "  - {bodies: [{position: [3, 0, 0]}]}\ngravity: {softening: 0.1}\n"
    "integrator: {timestep: 0.015625, end_time: 0.125}\n";

/// With a policy, an upper bound, two options that share their draws, and Sobol points as `rng` says.
std::string book(const std::string& rng) {
  return "simulation: option_pricing\ndevice: cpu\nmonte_carlo: {paths: 5000, rng: " + rng +
         ", replications: 4}\n"
         "market: {rate: 0.03, underlyings: {A: {spot: 100, model: gbm, volatility: 0.2}}}\n"
         "options:\n"
         "  - {id: a, product: european, strike: 100, maturity: 1, greeks: [delta]}\n"
         "  - {id: b, product: european, strike: 110, maturity: 1}\n"
         "  - {id: early, product: bermudan, type: put, strike: 105, maturity: 1, exercise_dates: 3,\n"
         "     lsm: {order: 2, training_paths: 1024, upper_bound: true, outer_paths: 32, inner_paths: 32}}\n"
         "scenarios: {spot: [0.9, 1.1]}\n";
}

/// A run, and what a resume that goes on beyond its end says to a changed state.
struct Run : TemporaryDirectory {
  Run(const std::string& config, std::string later) : longer(std::move(later)) {
    spill(*this / "run.yaml", config);
    const Outcome outcome = start({});
    INFO(outcome.error);
    REQUIRE(outcome.code == 0);
    whole = io::read_checkpoint_file(*this / "run/checkpoint.h5");
    REQUIRE(whole.state.arrays.size() >= 7);
  }
  Outcome start(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"run", *this / "run.yaml", "-o", *this / "run", "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Child(path(), arguments, {}, ERGODE_PROGRAM).wait();
  }
  Outcome resume(const io::State& state) const {
    io::Checkpoint changed = whole;
    changed.state = state;
    io::write_checkpoint(*this / "run", changed, 1);
    return start({"--resume", "--set", longer});
  }
  void check_refused(const io::State& state, const std::vector<std::string>& says) const {
    const Outcome outcome = resume(state);
    INFO(outcome.error);
    CHECK(outcome.code == 4);
    CHECK(outcome.error.find((*this / "run/checkpoint.h5").string()) != std::string::npos);
    CHECK(outcome.error.find("`--resume` continues from there") == std::string::npos);
    for (const std::string& text : says) CHECK(outcome.error.find(text) != std::string::npos);
  }
  /// Each array shorter and longer by one number, of another type, and missing; each attribute missing and a text.
  /// Of all whose names have `part`.
  void check_all(const std::string& part = "") const {
    for (const auto& [name, array] : whole.state.arrays) {
      if (name.find(part) == std::string::npos) continue;
      INFO(name);
      const std::size_t one = array.count() > 0 ? array.bytes.size() / static_cast<std::size_t>(array.count()) : 8;
      for (const std::int64_t change : {-1, 1}) {
        if (array.count() + change < 0) continue;
        INFO(array.count() << " numbers " << change);
        io::State state = whole.state;
        io::Array& changed = state.arrays[name];
        changed.shape = {array.count() + change};
        changed.bytes.resize(static_cast<std::size_t>(changed.count()) * one);
        std::vector<std::string> says{"'/state/" + name + "'", std::to_string(changed.count()), "expected "};
        if (name.find("instruments") != std::string::npos) says = {"_instruments'"};
        check_refused(state, says);
      }
      io::State other = whole.state, none = whole.state;
      other.arrays[name] = io::Array::from(std::vector<std::int8_t>(static_cast<std::size_t>(array.count()), 1));
      check_refused(other, {"'/state/" + name + "' holds int8, expected "});
      none.arrays.erase(name);
      check_refused(none, {"'/state/" + name + "' is missing"});
    }
    for (const auto& [name, value] : whole.state.attributes) {
      if (name.find(part) == std::string::npos) continue;
      INFO(name);
      io::State none = whole.state, text = whole.state;
      none.attributes.erase(name);
      check_refused(none, {"'" + name + "' of '/state' is missing"});
      text.attributes[name] = std::string("7");
      check_refused(text, {"'" + name + "' of '/state'"});
    }
    const Outcome outcome = resume(whole.state);
    INFO(outcome.error);
    CHECK(outcome.code == 0);
  }

  std::string longer;
  io::Checkpoint whole;
};

}  // namespace

TEST_CASE("an N-body checkpoint whose arrays are not those of the program is refused with file, data set and lengths") {
  const Run run(bodies, "integrator.end_time=0.25");
  run.check_all();
  io::State state = run.whole.state;
  state.attributes["sources"] = std::int64_t{22};
  run.check_refused(state, {"'sources' of '/state' is 22, expected 0 to 21"});
  state = run.whole.state;
  std::vector<std::int64_t> order(21);
  std::iota(order.begin(), order.end(), 0);
  order[3] = 21;
  state.arrays["tile_order"] = io::Array::from(order);
  run.check_refused(state, {"'/state/tile_order'", "21", "expected 0 to 20"});
}

TEST_CASE(
    "a checkpoint of options whose arrays are not those of the program is refused with file, data set and lengths") {
  for (const char* rng : {"philox", "sobol"}) {
    INFO(rng);
    const Run run(book(rng), "monte_carlo.paths=9000");
    run.check_all(rng == std::string("philox") ? "" : "sums");
    io::State state = run.whole.state;
    for (const char* name : {"phase", "task"})
      for (const std::int64_t wrong : {-1, 100}) {
        state = run.whole.state;
        state.attributes[name] = wrong;
        run.check_refused(state, {std::string("'") + name + "' of '/state' is " + std::to_string(wrong)});
      }
    state = run.whole.state;
    std::vector<double> position(4, 1e18);
    state.arrays["task_0_position"] = io::Array::from(position);
    run.check_refused(state, {"'/state/task_0_position'", "1e+18"});
  }
}

TEST_CASE("a checkpoint whose lists of input files do not fit each other is refused") {
  const TemporaryDirectory d;
  io::Checkpoint checkpoint;
  checkpoint.inputs = {{"a.csv", "1"}, {"b.csv", "2"}};
  io::write_checkpoint(d.path(), checkpoint, 1);
  const auto path = d.path() / "checkpoint.h5";
  io::FileContent content = io::read_file(path);
  content.strings.at("/inputs/sha256").pop_back();
  io::write_sealed(path, content);
  try {
    io::read_checkpoint_file(path);
    FAIL("it was read");
  } catch (const io::Error& e) {
    const std::string what = e.what();
    INFO(what);
    CHECK(e.code() == io::ExitCode::input_file);
    CHECK(what.find(path.string()) != std::string::npos);
    CHECK(what.find("'/inputs/sha256' has 1 texts, expected 2") != std::string::npos);
  }
  content.strings.at("/inputs/sha256").emplace_back("2");
  content.strings.at("/config") = {"a", "b"};
  io::write_sealed(path, content);
  CHECK_THROWS_AS(io::read_checkpoint_file(path), io::Error);
}
