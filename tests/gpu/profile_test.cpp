#include "tests/tools/profile.hpp"

#include <catch2/catch_test_macros.hpp>

#include "tests/gpu/device.hpp"
#include "tests/sim/long_runs.hpp"

// What a run on a GPU says of its time and memory, and that long ones keep the memory that they have.

using namespace ergode;
using namespace ergode::testing;
using ergode::kernels::test::usable_device;

namespace {

double free_bytes(int index) {
  return static_cast<double>(kernels::cuda_inventory().devices.at(static_cast<std::size_t>(index)).memory_free);
}

void check_profiled(const std::string& config) {
  const auto device = usable_device();
  const TemporaryDirectory d;
  spill(d / "run.yaml", config);
  const auto run = [&](const std::string& directory, const std::vector<std::string>& more) {
    std::vector<std::string> all{"run",         d / "run.yaml", "-o",
                                 d / directory, "--device",     "cuda:" + std::to_string(device.index),
                                 "--progress",  "none"};
    all.insert(all.end(), more.begin(), more.end());
    return Child(d.path(), all, {}, ERGODE_PROGRAM).wait();
  };
  const Outcome plain = run("plain", {}), profiled = run("profiled", {"--profile"});
  INFO(plain.error << profiled.error << profiled.out);
  REQUIRE(plain.code == 0);
  REQUIRE(profiled.code == 0);
  CHECK(profiled.out.find("on the device, meanwhile") != std::string::npos);
  CHECK(slurp(d / "profiled/summary.json").find("\"device_peak_bytes\": ") != std::string::npos);
  CHECK(profiled.out.find(", of the GPU's ") != std::string::npos);
  const Outcome diff = Child(d.path(), {"diff", d / "plain", d / "profiled"}, {}, ERGODE_PROGRAM).wait();
  INFO(diff.out << diff.error);
  CHECK(diff.code == 0);
  check_profile(d, "cuda", profiled, "profiled");
}

void check_flat(const std::string& config, const std::vector<std::string>& more = {}, int code = 0) {
  const auto device = usable_device();
  INFO(config);
  const TemporaryDirectory d;
  spill(d / "run.yaml", config);
  std::vector<double> host, taken;
  const double before = free_bytes(device.index);
  std::vector<std::string> all{"run", d / "run.yaml", "-o", d / "run", "--device"};
  all.push_back("cuda:" + std::to_string(device.index));
  all.insert(all.end(), more.begin(), more.end());
  const Child child(d.path(), all, {}, ERGODE_PROGRAM);
  while (child.running()) {
    const double resident = resident_bytes(child.pid()), of_device = before - free_bytes(device.index);
    if (!child.running()) break;
    host.push_back(resident);
    taken.push_back(of_device);
  }
  const Outcome outcome = child.wait();
  INFO(outcome.error);
  REQUIRE(outcome.code == code);
  CHECK(growth(host) <= flat_bytes);
  CHECK(growth(taken) <= flat_bytes);
}

}  // namespace

TEST_CASE("the profile of an N-body run on a GPU has its kernels, adds up, and leaves its bits alone") {
  for (const char* particles : {"300", "5000"})
    check_profiled(
        "simulation: nbody\nname: cluster\nseed: 5\nunits: nbody\n"
        "initial_conditions: {type: plummer, mass: 1, scale_radius: 0.589, particles: " +
        std::string(particles) +
        "}\n"
        "integrator: {scheme: yoshida4, timestep: 0.0078125, end_time: 0.5}\n"
        "output: {series: {interval: 0.0625}, snapshots: {interval: 0.125, potential: true}}\n"
        "checkpoint: {every: 8 steps}\n");
}
TEST_CASE("the profile of options on a GPU has its kernels, adds up, and leaves its bits alone") {
  check_profiled(
      "simulation: option_pricing\nname: book\nseed: 42\nmonte_carlo: {paths: 9999, steps_per_year: 12}\n"
      "market:\n  rate: 0.03\n  underlyings:\n    A: {spot: 100, model: gbm, volatility: 0.2}\n"
      "options:\n  - {id: mean, product: asian, type: call, strike: 100, fixings: 12, maturity: 1}\n"
      "  - {id: call, product: european, type: call, strike: 100, greeks: [delta], maturity: 1}\n"
      "  - {id: early, product: bermudan, type: put, strike: 100, maturity: 1, exercise_dates: 4, "
      "lsm: {training_paths: 2000, upper_bound: true, outer_paths: 140, inner_paths: 8}}\n");
}

TEST_CASE("device and host memory are flat over 1,000,000 steps of 3 bodies on a GPU", "[slow]") {
  check_flat(long_run_of(3, 1'000'000));
}
TEST_CASE("device and host memory are flat over 1,000,000 steps of 256 bodies on a GPU", "[slow]") {
  check_flat(long_run_of(256, 1'000'000));
}
TEST_CASE("device and host memory are flat over many rounds of options on a GPU", "[slow]") {
  check_flat(many_rounds(), {"--max-walltime", "20"}, 75);
}
