#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "sim/options/simulation.hpp"
#include "tests/gpu/device.hpp"
#include "tests/options/read_settings.hpp"
#include "tests/sim/program.hpp"

// What `validate` predicts of device memory, against what a run of the program takes, its context included.

using namespace ergode;
using namespace ergode::testing;

namespace {

std::int64_t free_bytes(int index) {
  return kernels::cuda_inventory().devices.at(static_cast<std::size_t>(index)).memory_free;
}

/// The least free memory while the child runs, less what there was.
std::int64_t most_taken(int index, const std::function<Outcome()>& run) {
  const std::int64_t before = free_bytes(index);
  std::int64_t least = before;
  std::atomic<bool> over = false;
  std::thread watcher([&] {
    while (!over) least = std::min(least, free_bytes(index));
  });
  const Outcome outcome = run();
  over = true;
  watcher.join();
  INFO(outcome.error);
  REQUIRE(outcome.code == 0);
  return before - least;
}

}  // namespace

TEST_CASE("a book of options takes no more device memory than was predicted") {
  const auto device = kernels::test::usable_device();
  std::string many = "options: [{id: a, product: basket, underlyings: [A";
  std::string markets = "market:\n  rate: 0.02\n  underlyings:\n    A: {spot: 100, model: gbm, volatility: 0.2}\n";
  for (int i = 0; i < 9; ++i) {
    markets += "    D" + std::to_string(i) + ": {spot: 100, model: gbm, volatility: 0.3}\n";
    many += ", D" + std::to_string(i);
  }
  const auto money = [](const std::string& sets) { return "monte_carlo: {steps_per_year: 252, " + sets + "}\n"; };
  std::string calls = "options:\n";  // more than a compact group holds
  for (int i = 0; i < 6; ++i)
    calls += "  - {id: a" + std::to_string(i) +
             ", product: european, underlying: A, strike: " + std::to_string(90 + i) +
             ", maturity: 1, greeks: [delta]}\n";
  const std::vector<std::string> books{
      money("paths: 1e10") + markets + calls,
      money("paths: 1e7, rng: sobol") + markets +
          "options: [{id: a, product: asian, underlying: A, strike: 100, fixings: 252, maturity: 1}]\n",
      money("paths: 1e7, precision: double") + markets + many + "], strike: 100, maturity: 1, greeks: [delta]}]\n",
      money("paths: 1e6, precision: double") + markets +
          "options: [{id: a, product: bermudan, type: put, exercise_dates: 50, underlying: A, strike: 100, maturity: "
          "1, "
          "lsm: {training_paths: 1e6, upper_bound: true}}]\n"};
  for (const std::string& book : books) {
    INFO(book);
    const TemporaryDirectory place;
    spill(place / "book.yaml", "simulation: option_pricing\nname: memory\n" + book);
    const std::int64_t predicted = sim::options::estimate(read_settings(book).settings, device).device_bytes;
    const std::int64_t taken = most_taken(device.index, [&] {
      return Child(
                 place.path(),
                 {"run", place / "book.yaml", "-o", place / "run", "--device", "cuda:" + std::to_string(device.index)},
                 {}, ERGODE_PROGRAM)
          .wait();
    });
    INFO("taken " << taken / 1048576 << " MiB, predicted " << predicted / 1048576 << " MiB");
    CHECK(taken > std::int64_t{100} << 20);
    CHECK(taken <= predicted);
    CHECK(predicted <= 4 * taken);
  }
}
