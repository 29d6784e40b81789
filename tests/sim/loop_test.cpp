#include "sim/runner/loop.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

// The loop under a clock that the tests turn: nothing here waits or is timed.

using namespace ergode;
using sim::LoopHooks;
using sim::LoopLimits;
using sim::LoopResult;
using sim::Stop;

namespace {

/// Everything that the loop sees of the world: work, observations and checkpoints take the seconds that are set.
struct World final : sim::Simulation {
  double clock = 0;
  double unit_seconds = 1;
  double observation_seconds = 0;
  double checkpoint_seconds = 0;
  std::int64_t total = 100;
  std::int64_t interval = 10;
  std::function<void(std::int64_t unit)> after_unit;  ///< jumps, signals
  int signal = 0;
  bool request = false;

  std::int64_t unit = 0;
  std::vector<std::int64_t> observed;
  std::vector<std::int64_t> checkpoints;
  std::vector<double> checkpoint_times;  ///< at which they were complete

  void initialise() override {}
  void restore(const io::State&) override {}
  io::State save() override { return {}; }
  sim::Progress progress() const override { return {unit, total, "step", ""}; }
  bool done() const override { return unit >= total; }
  std::int64_t next_observation() const override {
    return observed.empty() ? 0 : std::min(observed.back() + interval, total);
  }
  void observe() override {
    observed.push_back(unit);
    clock += observation_seconds;
  }
  void advance(std::int64_t units) override {
    for (std::int64_t i = 0; i < units; ++i) {
      ++unit;
      clock += unit_seconds;
      if (after_unit) after_unit(unit);
    }
  }
  void finish() override {}
  void suspend() override {}
  sim::Summary summary() const override { return {}; }

  LoopResult run(const LoopLimits& limits) {
    LoopHooks hooks;
    hooks.now = [this] { return clock; };
    hooks.stop_signal = [this] { return signal; };
    hooks.take_checkpoint_request = [this] { return std::exchange(request, false); };
    hooks.write_checkpoint = [this] {
      clock += checkpoint_seconds;
      checkpoints.push_back(unit);
      checkpoint_times.push_back(clock);
    };
    hooks.show = [](const sim::Progress&) {};
    return sim::run_loop(*this, limits, hooks);
  }
};

LoopLimits limits(double walltime, double every_seconds, std::int64_t every_steps = 0) {
  LoopLimits l;
  l.walltime = walltime;
  l.checkpoint_every.seconds = every_seconds;
  l.checkpoint_every.steps = every_steps;
  return l;
}

constexpr double no_limit = std::numeric_limits<double>::infinity();

std::vector<std::int64_t> multiples(std::int64_t of, std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = from; i <= to; i += of) all.push_back(i);
  return all;
}

}  // namespace

TEST_CASE("every observation is made once, whatever a unit costs") {
  for (const double seconds : {0.0, 1e-7, 1e-3, 0.2, 1.0, 50.0}) {
    INFO(seconds);
    World w;
    w.unit_seconds = seconds;
    CHECK(w.run(limits(no_limit, 0)).stop == Stop::done);
    CHECK(w.unit == 100);
    CHECK(w.observed == multiples(10, 0, 100));
    CHECK(w.checkpoints.empty());
  }
}

TEST_CASE("checkpoints by steps fall on those steps") {
  World w;
  w.unit_seconds = 1e-6;
  w.total = 1000;
  w.interval = 7;
  w.run(limits(no_limit, 0, 50));
  CHECK(w.checkpoints == multiples(50, 50, 950));
}

TEST_CASE("checkpoints by time are as far apart as asked, to a unit of work") {
  World w;
  w.checkpoint_seconds = 3;
  w.total = 1000;
  w.run(limits(no_limit, 60));
  REQUIRE(w.checkpoints.size() >= 14);
  double last = 0;
  for (const double complete : w.checkpoint_times) {
    const double apart = complete - w.checkpoint_seconds - last;  // from the end of one to the start of the next
    CHECK(apart >= 60);
    CHECK(apart <= 61);
    last = complete;
  }
}

TEST_CASE("the wall-time limit is kept with the last checkpoint, and most of the time is used") {
  struct Case {
    double walltime, unit, checkpoint, observation;
  };
  for (const Case c : {Case{100, 0.001, 0, 0}, Case{100, 1, 5, 0}, Case{3600, 0.03, 60, 20}, Case{3600, 100, 30, 0},
                       Case{86400, 5, 600, 100}, Case{5, 0.01, 0.5, 0.1}}) {
    INFO("limit " << c.walltime << ", unit " << c.unit << ", checkpoint " << c.checkpoint);
    World w;
    w.unit_seconds = c.unit, w.checkpoint_seconds = c.checkpoint, w.observation_seconds = c.observation;
    w.total = 100000000;
    w.interval = 1000000;
    const LoopResult result = w.run(limits(c.walltime, 0));
    CHECK(result.stop == Stop::walltime);
    REQUIRE(!w.checkpoints.empty());            // the first, made early, is what tells the cost
    const double end = w.clock + c.checkpoint;  // the runner seals one more
    CHECK(end <= c.walltime);
    CHECK(end >= c.walltime - 2 * c.checkpoint - 2 * c.observation - 4 * c.unit - 0.5 - 0.02 * c.walltime);
  }
}

TEST_CASE("a limit that has passed already stops before any work") {
  World w;
  w.clock = 50;
  CHECK(w.run(limits(10, 0)).stop == Stop::walltime);
  CHECK(w.unit == 0);
}

TEST_CASE("a checkpoint that grew dearer is kept in hand at its worst") {
  World w;
  w.total = 1000000;
  w.interval = 1000000;
  w.after_unit = [&](std::int64_t unit) { w.checkpoint_seconds = unit < 200 ? 1 : 40; };
  CHECK(w.run(limits(1000, 100)).stop == Stop::walltime);
  CHECK(w.clock + 40 <= 1000);
}

TEST_CASE("a clock that leaps forward, as over a suspension, changes when checkpoints fall and nothing else") {
  World calm, leapt;
  leapt.after_unit = [&](std::int64_t unit) {
    if (unit == 33) leapt.clock += 1e6;
  };
  CHECK(calm.run(limits(no_limit, 900)).stop == Stop::done);
  CHECK(leapt.run(limits(no_limit, 900)).stop == Stop::done);
  CHECK(leapt.unit == calm.unit);
  CHECK(leapt.observed == calm.observed);
  CHECK(calm.checkpoints.empty());
  CHECK(leapt.checkpoints.size() == 1);
  CHECK(leapt.checkpoints.front() >= 33);

  // Under a limit the time is up, and the run stops where it can be resumed.
  World limited;
  limited.after_unit = [&](std::int64_t unit) {
    if (unit == 33) limited.clock += 1e6;
  };
  CHECK(limited.run(limits(3600, 0)).stop == Stop::walltime);
  CHECK(limited.unit >= 33);
  CHECK(limited.unit < 100);
}

TEST_CASE("a signal stops between batches, a request makes one checkpoint") {
  World w;
  w.after_unit = [&](std::int64_t unit) {
    if (unit == 20) w.request = true;
    if (unit == 40) w.signal = 15;
  };
  const LoopResult result = w.run(limits(no_limit, 0));
  CHECK(result.stop == Stop::signal);
  CHECK(result.signal == 15);
  CHECK(w.unit == 40);
  CHECK(w.checkpoints == std::vector<std::int64_t>{20});
  CHECK(result.checkpointed_unit == 20);
}

TEST_CASE("a resumed run neither observes nor seals its first unit again") {
  World w;
  w.unit = 30;
  w.observed = {30};
  LoopLimits l = limits(no_limit, 0, 10);
  l.resumed = true;
  CHECK(w.run(l).stop == Stop::done);
  CHECK(w.observed == multiples(10, 30, 100));
  CHECK(w.checkpoints == multiples(10, 40, 90));
}

TEST_CASE("the loop adds up what its time was spent on") {
  World w;
  w.observation_seconds = 2, w.checkpoint_seconds = 3;
  const LoopResult result = w.run(limits(no_limit, 0, 25));
  CHECK(result.advance_seconds == 100);
  CHECK(result.observe_seconds == 2 * 11);
  CHECK(result.checkpoint_seconds == 3 * 3);
}

TEST_CASE("a batch grows eightfold at most, and one slow batch does not hold it small for ever") {
  sim::BatchSizer sizer(0.25);
  CHECK(sizer.units() == 1);
  std::int64_t before = sizer.units();
  for (int i = 0; i < 12; ++i) {
    sizer.measured(sizer.units(), 1e-6 * static_cast<double>(sizer.units()));
    CHECK(sizer.units() <= 8 * before);
    before = sizer.units();
  }
  CHECK(sizer.units() >= 240000);
  CHECK(sizer.units() <= 260000);
  sizer.measured(sizer.units(), 1e6);
  CHECK(sizer.units() == 1);
  for (int i = 0; i < 60; ++i) sizer.measured(sizer.units(), 1e-6 * static_cast<double>(sizer.units()));
  CHECK(sizer.units() >= 240000);
}
