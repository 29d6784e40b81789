#include "sim/nbody/benchmark.hpp"

#include <sys/stat.h>

#include <array>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <filesystem>
#include <map>

#include "sim/benchmark/ceilings.hpp"
#include "tests/sim/program.hpp"

using namespace ergode;
using Catch::Approx;
using kernels::Ceiling;
using kernels::Precision;

TEST_CASE("samples of a benchmark are told by median, extremes and standard deviation") {
  const sim::Timing t = sim::statistics({3, 1, 2, 10, 4}, 8);
  CHECK(t.passes == 8);
  CHECK(t.samples == 5);
  CHECK(t.median == 3);
  CHECK(t.fastest == 1);
  CHECK(t.slowest == 10);
  CHECK(t.deviation == Approx(std::sqrt((1 + 9 + 4 + 36 + 0) / 4.0)));
  const sim::Timing sample = t.by_sample();
  CHECK(sample.passes == 1);
  CHECK(sample.median == 24);
  CHECK(sample.slowest == 80);
}

TEST_CASE("a timed piece of work warms up first, and no sample has more passes than are allowed") {
  std::vector<std::int64_t> counts;
  const sim::Timing t = sim::time_passes([&](std::int64_t n) { counts.push_back(n); }, {1000, 1000}, 16);
  CHECK(counts.front() == 1);
  CHECK(t.passes == 16);
  CHECK(t.samples == 7);
  CHECK(counts.size() == 1 + 3 + 6);  // warm-up; 1, 4 and 16 passes to find the number; samples, 16 being the first
  for (std::size_t i = 4; i < counts.size(); ++i) CHECK(counts[i] == 16);
}

TEST_CASE("a pass that takes longer than it should is timed once after its warm-up") {
  int runs = 0;
  const sim::Timing t = sim::time_passes([&](std::int64_t) { ++runs; }, {0, 0}, 16);
  CHECK(t.samples == 1);
  CHECK(t.passes == 1);
  CHECK(t.fastest == t.slowest);
  CHECK(runs == 2);
}

TEST_CASE("the fraction of a ceiling is that of the nearest one") {
  sim::Ceilings c;
  const auto add = [&](Ceiling which, double rate) {
    sim::Timing t;
    t.median = 0.5;
    c.measured.push_back({which, 0.5 * rate, t});
  };
  add(Ceiling::fma_float, 200);  // floating-point operations: 100 slots
  add(Ceiling::fma_double, 100);
  CHECK(c.rate(Ceiling::fma_float) == 200);
  CHECK(c.rate(Ceiling::rsqrt) == 0);
  CHECK(c.fraction({50, 25, false}, 1) == 0.5);  // no special function unit there
  CHECK(c.fraction({50, 25, false}, 2) == 0.25);
  CHECK(c.fraction({25, 0, true}, 1) == 0.5);
  add(Ceiling::rsqrt, 30);
  CHECK(c.fraction({30, 27, false}, 1) == 0.9);
  CHECK(c.fraction({60, 3, false}, 1) == 0.6);
}

TEST_CASE("the ceilings of a CPU are measured, all or those asked for, and a size is too long by its square") {
  const kernels::Device cpu = kernels::cpu_device(kernels::best_isa());
  const sim::Pace pace{0.02, 10};
  const sim::Ceilings c = sim::measure_ceilings(cpu, 1, pace, kernels::all_ceilings, 1 << 22);
  REQUIRE(c.measured.size() == 3);
  for (const Ceiling which : {Ceiling::fma_float, Ceiling::fma_double, Ceiling::copy}) CHECK(c.rate(which) > 0);
  CHECK(sim::measure_ceilings(cpu, 1, pace, std::array{Ceiling::fma_double}).measured.size() == 1);

  const sim::nbody::GravityRate r = sim::nbody::measure_gravity(cpu, 1, 512, Precision::mixed, pace);
  CHECK(r.interactions() == 512.0 * 512);
  CHECK(r.need().slots == 13 * 512.0 * 512);
  CHECK(r.timing.median > 0);
  CHECK_FALSE(sim::nbody::too_long(1024, r, {1, 4.01 * r.timing.median}));
  CHECK(sim::nbody::too_long(1024, r, {1, 3.99 * r.timing.median}));
}

TEST_CASE("loops that measure ceilings count every multiply-add of every thread") {
  double sink = 0;
  const std::map<kernels::Isa, std::pair<const kernels::CeilingLoops*, double>> lanes{
      {kernels::Isa::baseline, {&kernels::baseline::ceiling_loops, 4}},
      {kernels::Isa::avx2, {&kernels::avx2::ceiling_loops, 8}},
      {kernels::Isa::avx512, {&kernels::avx512::ceiling_loops, 16}}};
  for (const auto& [isa, of] : lanes) {
    if (!kernels::isa_supported(isa)) continue;
    // 12 chains, and after one round the sum over them of 0.999 c + 0.001 in each lane of each thread.
    CHECK(of.first->fma_float(1, 3, &sink) == 12 * of.second * 3);
    CHECK(sink == Approx(3 * of.second * (0.999 * 66 + 0.012)).epsilon(1e-5));
    CHECK(of.first->fma_double(2, 2, &sink) == 2 * 12 * of.second / 2 * 2);
    CHECK(sink == Approx(2 * of.second / 2 * (0.999 * (0.999 * 66 + 0.012) + 0.012)).epsilon(1e-12));
  }
}

TEST_CASE("force errors of the benchmark are those of the precision, wherever the sphere is") {
  const auto errors = sim::nbody::measure_force_errors(kernels::cpu_device(kernels::best_isa()), 1, 1000);
  REQUIRE(errors.size() == 8);  // two softenings, in place and moved, in two precisions
  int moved = 0;
  for (const auto& e : errors) {
    CAPTURE(e.softening, e.offset);
    CHECK(e.sample == 1000);
    CHECK(e.error.median <= e.error.percentile_99);
    CHECK(e.error.percentile_99 <= e.error.largest);
    moved += e.offset > 0 ? 1 : 0;
    if (e.precision == Precision::mixed) {
      CHECK(e.error.e2 < 1e-5);
      CHECK(e.error.e2 > 1e-9);  // there is an error, and it is seen
    } else {
      CHECK(e.error.e2 < 1e-13);
    }
  }
  CHECK(moved == 4);
}

TEST_CASE("a benchmark's file may be behind a link, and is no pipe") {
  const testing::TemporaryDirectory d;
  const auto bench = [&](const std::string& file) {
    return testing::Child(d.path(), {"bench", "nbody", "--quick", "--bodies", "8", "--device", "cpu", "--json", file},
                          {}, ERGODE_PROGRAM)
        .wait();
  };
  testing::spill(d / "data.json", "old");
  std::filesystem::create_symlink("data.json", d / "link.json");
  CHECK(bench(d / "link.json").code == 0);
  CHECK(std::filesystem::is_symlink(d / "link.json"));
  CHECK(testing::slurp(d / "data.json").find("\"finished\": true") != std::string::npos);
  REQUIRE(::mkfifo(std::string(d / "pipe").c_str(), 0600) == 0);
  const testing::Outcome pipe = bench(d / "pipe");
  CHECK(pipe.code == 7);
  CHECK(pipe.error.find("no regular file") != std::string::npos);
  CHECK(std::filesystem::is_fifo(d / "pipe"));
}

TEST_CASE("sizes of a benchmark that is not asked for are refused, not left unread") {
  const testing::TemporaryDirectory d;
  const auto refused = [&](const std::string& what, const std::string& flag, const std::string& of) {
    const auto outcome = testing::run_toy(d.path(), {"bench", what, flag, "8", "--quick", "--device", "cpu"});
    INFO(flag << ": " << outcome.error);
    CHECK(outcome.code == 2);
    CHECK(outcome.error.find(flag + " is for the benchmark `" + of + "`") != std::string::npos);
    CHECK(outcome.out.empty());
  };
  refused("nbody", "--paths", "options");
  refused("nbody", "--batch", "options");
  refused("options", "--bodies", "nbody");
}
