#include <catch2/catch_test_macros.hpp>

#include "tests/sim/long_runs.hpp"

// Long runs keep the memory that they have when they are well under way.

using namespace ergode;
using namespace ergode::testing;

namespace {

void check_flat(const std::string& config, const std::vector<std::string>& more = {}, int code = 0) {
  INFO(config);
  const TemporaryDirectory d;
  spill(d / "run.yaml", config);
  std::vector<std::string> all{"run", d / "run.yaml", "-o", d / "run", "--device", "cpu", "--threads", "2", "-q"};
  all.insert(all.end(), more.begin(), more.end());
  const Child child(
      d.path(), all, [] { ::setenv("OMP_WAIT_POLICY", "passive", 1); }, ERGODE_PROGRAM);
  const auto samples = watch(child, [&] { return resident_bytes(child.pid()); });
  const Outcome outcome = child.wait();
  INFO(outcome.error);
  REQUIRE(outcome.code == code);
  CHECK(growth(samples) <= flat_bytes);
}

}  // namespace

TEST_CASE("the watch sees a leak", "[slow]") {
  std::vector<double> samples;
  for (int i = 0; i < 100; ++i) samples.push_back(3e7 + 1e5 * i);
  CHECK(growth(samples) > flat_bytes);
}

TEST_CASE("host memory is flat over 100,000 steps of 3 bodies", "[slow]") {
  check_flat(long_run_of(3, 100'000));
}
TEST_CASE("host memory is flat over 100,000 steps of 256 bodies", "[slow]") {
  check_flat(long_run_of(256, 100'000));
}
TEST_CASE("host memory is flat over many rounds of options", "[slow]") {
  check_flat(many_rounds(), {"--max-walltime", "20"}, 75);
}
