#include "sim/options/benchmark.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

using namespace ergode;
using sim::options::PathRate;

namespace {

struct Measured {
  std::vector<PathRate> rates;
  std::vector<std::string> left_out;
};

/// With one thread, so that the time does not depend on who else is there.
Measured measure(const sim::options::BenchmarkSize& size, const sim::Pace& pace) {
  Measured m;
  sim::options::measure_paths(
      kernels::cpu_device(kernels::best_isa()), 1, size, pace, [&](const PathRate& r) { m.rates.push_back(r); },
      [&](const std::string& what) { m.left_out.push_back(what); });
  return m;
}

const PathRate& named(const Measured& m, const std::string& name, std::int64_t options = 1) {
  for (const PathRate& r : m.rates)
    if (r.name == name && r.options == options) return r;
  FAIL("no row " + name);
  throw;
}

}  // namespace

TEST_CASE("the benchmark of option pricing measures each of its cases and counts paths times steps") {
  sim::options::BenchmarkSize size;
  size.paths = {1, 2048};
  size.batches = {1, 1000};
  size.batch_paths = 16;
  size.early_paths = 2000;
  const Measured m = measure(size, {0.001, 100});
  REQUIRE(m.rates.size() == 10);
  CHECK(m.left_out.empty());
  for (const PathRate& r : m.rates) {
    INFO(r.name);
    CHECK(r.timing.samples >= 3);
    CHECK(r.timing.fastest > 0);
    CHECK(r.timing.fastest <= r.timing.median);
    CHECK(r.timing.median <= r.timing.slowest);
    CHECK(r.need.slots > r.path_steps);
    if (r.name == "batch" || r.name == "early_exercise") continue;
    CHECK(r.options == 1);
    CHECK(r.paths % 1024 == 0);  // whole chunks, no mirrored paths
    CHECK(r.path_steps == static_cast<double>(r.paths * r.steps));
  }
  for (const std::string name : {"european", "european_greeks"}) CHECK(named(m, name).steps == 1);
  for (const std::string name : {"asian", "asian_controlled", "heston", "asian_paths"})
    CHECK(named(m, name).steps == 252);
  CHECK(m.rates[6].paths == 1024);
  CHECK(m.rates[7].paths == 2048);
  CHECK(named(m, "batch").groups == 1);
  CHECK(named(m, "batch", 1000).paths == 16 * named(m, "batch", 1000).groups);
  CHECK(named(m, "batch", 1000).one_by_one > 0);
  CHECK(named(m, "early_exercise").path_steps == 4000.0 * 50);  // to train and to price
  // A step of gbm takes 22.25 slots by the count of its instructions, and one of Heston's model more.
  CHECK(named(m, "asian").need.slots == 22.25 * named(m, "asian").path_steps);
  CHECK(named(m, "heston").need.slots > 2 * 22.25 * named(m, "heston").path_steps);
}

TEST_CASE("a benchmark leaves out what would take longer than it may, and says so") {
  sim::options::BenchmarkSize size;
  size.paths = {1, 1'000'000'000'000};
  size.batches = {1, 1'000'000'000'000};
  size.batch_paths = 16;
  size.early_paths = 1'000'000'000'000;
  const Measured m = measure(size, {0.001, 10});
  REQUIRE(m.left_out.size() == 3);
  CHECK(m.left_out[0].starts_with("put with early exercise"));
  CHECK(m.left_out[1].starts_with("Asian, 1000000000000 paths"));
  CHECK(m.left_out[2].starts_with("batch of 1000000000000 options"));
  CHECK(m.rates.size() == 7);
}

TEST_CASE("the first size of a kind is left out too where it would take longer than it may") {
  sim::options::BenchmarkSize size;
  size.batches = {1'000'000'000'000};
  size.batch_paths = 16;
  size.early_paths = 1'000'000'000;  // as path steps of the Asian it would take less than the limit
  const Measured m = measure(size, {0.001, 1000});
  REQUIRE(m.left_out.size() == 2);
  CHECK(m.left_out[0].starts_with("put with early exercise, 1000000000 paths"));
  CHECK(m.left_out[1].starts_with("batch of 1000000000000 options"));
  CHECK(m.rates.size() == 5);
}
