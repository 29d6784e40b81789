#include <catch2/catch_test_macros.hpp>
#include <random>
#include <regex>

#include "io/checkpoint.hpp"
#include "io/diff.hpp"
#include "tests/gpu/device.hpp"
#include "tests/sim/program.hpp"

// The program on a GPU: what goes wrong there, and whatever interrupts a run. Each run is a process of its own.

using namespace ergode;
using namespace ergode::testing;
using ergode::kernels::test::usable_device;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// 64 steps of 700 bodies, a checkpoint every two.
struct Place : TemporaryDirectory {
  Place() {
    spill(*this / "cluster.yaml",
          "simulation: nbody\nname: cluster\nseed: 42\nunits: nbody\n"
          "initial_conditions:\n"
          "  - {type: plummer, particles: 700, mass: 1, scale_radius: 0.589, softening: 0.02}\n"
          "gravity: {precision: mixed}\n"
          "integrator: {scheme: leapfrog, timestep: 0.0078125, end_time: 0.5}\n"
          "output:\n  series: {interval: 0.125}\n  snapshots: {interval: 0.25}\n"
          "checkpoint: {every: 2 steps}\n");
  }
  Child start(const std::string& directory, const std::string& device, std::vector<std::string> more = {},
              const std::string& fault = "") const {
    std::vector<std::string> all{"run", *this / "cluster.yaml", "-o", *this / directory, "--device", device};
    all.insert(all.end(), more.begin(), more.end());
    return Child(
        path(), all,
        [fault] {
          ::unsetenv("ERGODE_KERNEL_FAULT");
          if (!fault.empty()) ::setenv("ERGODE_KERNEL_FAULT", fault.c_str(), 1);
        },
        ERGODE_PROGRAM);
  }
  Outcome run(const std::string& directory, const std::string& device, std::vector<std::string> more = {},
              const std::string& fault = "") const {
    return start(directory, device, std::move(more), fault).wait();
  }
  std::string summary(const std::string& directory) const { return slurp(*this / (directory + "/summary.json")); }
  bool equal(const std::string& a, const std::string& b) const {
    const auto differences = io::diff(*this / a, *this / b);
    for (const auto& difference : differences) UNSCOPED_INFO(difference.message);
    return differences.empty();
  }
};

}  // namespace

TEST_CASE("auto takes the GPU") {
  const auto device = usable_device();
  const Place p;
  const Outcome outcome = p.run("run", "auto");
  INFO(outcome.error);
  REQUIRE(outcome.code == 0);
  CHECK(has(outcome.out, device.uuid));
  CHECK(has(p.summary("run"), "\"backend\": \"cuda\""));
  CHECK(has(p.summary("run"), device.uuid));
}

TEST_CASE("a GPU index that there is not, and GPUs that are hidden, end with 5 and write nothing") {
  usable_device();
  const Place p;
  const Outcome beyond = p.run("run", "cuda:99");
  CHECK(beyond.code == 5);
  CHECK(has(beyond.error, "numbered from 0"));
  const Outcome hidden = Child(
                             p.path(), {"run", p / "cluster.yaml", "-o", p / "run", "--device", "cuda"},
                             [] { ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1); }, ERGODE_PROGRAM)
                             .wait();
  CHECK(hidden.code == 5);
  CHECK(has(hidden.error, "CUDA_VISIBLE_DEVICES is '-1'"));
  CHECK_FALSE(fs::exists(p / "run"));
}

TEST_CASE("device memory that is too small ends with 6, what is needed, what there is and what to change") {
  usable_device();
  const Place p;
  const Outcome outcome = p.run("run", "cuda", {}, "device_alloc:1");
  INFO(outcome.error);
  CHECK(outcome.code == 6);
  CHECK(outcome.signal == 0);
  for (const char* part : {"'arrays of the bodies'", "MiB asked", "MiB free of", "The run needs",
                           "partial accelerations", "fewer particles", "device: cpu"})
    CHECK(has(outcome.error, part));
  CHECK_FALSE(fs::exists(p / "run"));  // nothing was begun
}

TEST_CASE("a kernel that fails ends a run with 9, its name and step, and the run resumes to the same bits") {
  usable_device();
  const Place p;
  REQUIRE(p.run("whole", "cuda").code == 0);

  SECTION("before the first step") {
    const Outcome outcome = p.run("cut", "cuda", {}, "kernel:5");
    INFO(outcome.error);
    CHECK(outcome.code == 9);
    CHECK(outcome.signal == 0);
    CHECK(std::regex_search(outcome.error, std::regex("[a-z]+_kernel: .*before a step")));
    CHECK(has(outcome.error, "0 of 64 steps were done"));
    CHECK_FALSE(fs::exists(p / "cut"));  // nothing was begun
  }
  SECTION("in a step") {
    const Outcome outcome = p.run("cut", "cuda", {}, "kernel:40");
    INFO(outcome.error);
    CHECK(outcome.code == 9);
    CHECK(outcome.signal == 0);
    std::smatch found;
    REQUIRE(std::regex_search(outcome.error, found, std::regex("[a-z]+_kernel: .*, in step ([0-9]+)")));
    const long step = std::stol(found[1]);
    const auto kept = io::read_checkpoint(p / "cut", [](const std::string&) { FAIL_CHECK("damaged"); });
    REQUIRE(kept);
    CHECK(kept->unit > 0);
    CHECK(kept->unit <= step);
    CHECK(step < kept->unit + 2);  // checkpoints are two steps apart
    CHECK(has(outcome.error, "last good checkpoint"));
    CHECK(has(outcome.error, "unit " + std::to_string(kept->unit)));
    CHECK(has(p.summary("cut"), "\"state\": \"failed\""));
  }
  CHECK_FALSE(fs::exists(p / "cut/lock.json"));
  const Outcome resumed = p.run("cut", "cuda", {"--resume"});
  INFO(resumed.error);
  REQUIRE(resumed.code == 0);
  CHECK(p.equal("whole", "cut"));
}

TEST_CASE("a CUDA run killed at random moments and resumed each time ends with the same bits") {
  usable_device();
  const Place p;
  const std::vector<std::string> longer{"--set", "integrator.end_time=128",
                                        "--set", "output.series.interval=1",
                                        "--set", "output.snapshots.interval=64",
                                        "--set", "checkpoint.every=200 steps",
                                        "--set", "diagnostics.max_relative_energy_error=1"};
  const Outcome whole = p.run("whole", "cuda", longer);
  INFO(whole.error);
  REQUIRE(whole.code == 0);
  std::vector<std::string> resume = longer;
  resume.emplace_back("--resume");
  std::mt19937 random(20310504);
  int kills = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    // A new file each time: another inode, or at least another time.
    const auto stamp = [&] {
      std::error_code none;
      return fs::last_write_time(p / "cut/checkpoint.h5", none);
    };
    const auto before = stamp();
    const Child child = p.start("cut", "cuda", resume);
    REQUIRE(eventually([&] { return stamp() != before || !child.running(); }, 60));
    sleep_ms(static_cast<int>(random() % 20));
    child.kill(SIGKILL);
    const Outcome outcome = child.wait();
    if (outcome.signal != SIGKILL) {
      INFO(outcome.error);
      REQUIRE(outcome.code == 0);
      break;
    }
    ++kills;
  }
  CHECK(kills >= 2);
  REQUIRE(p.run("cut", "cuda", resume).code == 0);
  CHECK(p.equal("whole", "cut"));
}

TEST_CASE("a checkpoint of one backend is resumed on the other, which says that the bits differ from there") {
  usable_device();
  const Place p;
  for (const auto& [first, second] : {std::pair{"cuda", "cpu"}, std::pair{"cpu", "cuda"}}) {
    INFO(first << " to " << second);
    const std::string directory = std::string(first) + "-" + second;
    REQUIRE(p.run(directory, first, {"--set", "integrator.end_time=0.25"}).code == 0);
    const Outcome outcome = p.run(directory, second, {"--resume"});
    INFO(outcome.error);
    CHECK(outcome.code == 0);
    const std::string all = outcome.out + outcome.error;
    CHECK(has(all, std::string("computed on ") + first));
    CHECK(has(all, "bits differ"));
    CHECK(has(p.summary(directory), std::string("\"backend\": \"") + second));
  }
}

TEST_CASE("CPU and CUDA runs start from the same bits") {
  usable_device();
  const Place p;
  REQUIRE(p.run("gpu", "cuda", {"--set", "output.snapshots.potential=false"}).code == 0);
  REQUIRE(p.run("cpu", "cpu", {"--set", "output.snapshots.potential=false"}).code == 0);
  CHECK(p.equal("gpu/snapshots/snapshot_0000.hdf5", "cpu/snapshots/snapshot_0000.hdf5"));
  // Shown to be able to differ: forces round differently on the two.
  CHECK_FALSE(io::diff(p / "gpu/snapshots/snapshot_0002.hdf5", p / "cpu/snapshots/snapshot_0002.hdf5").empty());
}
