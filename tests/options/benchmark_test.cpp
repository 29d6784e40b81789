#include "sim/options/benchmark.hpp"

#include <catch2/catch_test_macros.hpp>
#include <map>

using namespace ergode;
using sim::options::PathRate;

TEST_CASE("the benchmark of option pricing measures each of its cases and counts paths times steps") {
  sim::options::BenchmarkSize size;
  size.seconds = 0.001;
  size.batch_paths = 16;
  size.early_paths = 2000;
  std::map<std::string, PathRate> rates;
  sim::options::measure_paths(kernels::cpu_device(kernels::best_isa()), 2, size,
                              [&](const PathRate& r) { rates[r.name] = r; });
  REQUIRE(rates.size() == 7);
  for (const auto& [name, r] : rates) {
    INFO(name);
    CHECK(r.samples >= 3);
    CHECK(r.fastest > 0);
    CHECK(r.fastest <= r.seconds);
    CHECK(r.seconds <= r.slowest);
    if (name == "batch" || name == "early_exercise") continue;
    CHECK(r.options == 1);
    CHECK(r.paths % 1024 == 0);  // whole chunks, no mirrored paths
    CHECK(r.path_steps == static_cast<double>(r.paths * r.steps));
  }
  for (const std::string name : {"european", "european_greeks"}) CHECK(rates.at(name).steps == 1);
  for (const std::string name : {"asian", "asian_controlled", "heston"}) CHECK(rates.at(name).steps == 252);
  CHECK(rates.at("batch").options == 1000);
  CHECK(rates.at("batch").paths == 16 * rates.at("batch").groups);
  CHECK(rates.at("early_exercise").path_steps == 4000.0 * 50);  // to train and to price
}
