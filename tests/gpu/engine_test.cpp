#include <catch2/catch_test_macros.hpp>
#include <map>

#include "kernels/error.hpp"
#include "tests/gpu/device.hpp"
#include "tests/kernels/engine_checks.hpp"

// The CUDA engine, on the first usable device. Without one these cases skip and say why.

using namespace ergode::kernels;
using namespace ergode::kernels::test;

namespace {

MakeEngine on(const Device& device, int block_size = 0) {
  return [=](GravityOptions o) {
    o.block_size = block_size;
    return make_gravity_engine(device, 1, o);
  };
}

/// E2 of a sample of bodies against the double sums of the engine itself, which the case above holds to brute force.
double sampled_error(const Device& device, const NbodyState& s, Precision precision, std::int64_t targets) {
  auto engine = on(device)(options(precision));
  engine->upload(s);
  NbodyState out;
  engine->download(out);
  const auto index = sample(s, targets);
  return force_error(pick(out.acceleration, index), engine->reference_accelerations(index));
}

}  // namespace

TEST_CASE("CUDA accelerations agree with brute force about tile sizes, for test particles and every softening") {
  check_sizes_and_softenings(on(usable_device()));
}

TEST_CASE("CUDA force errors are within the stated bounds, centred, far from the origin and in SI units") {
  // The bounds are stated for 262,144 bodies; tiles of fewer are wider (by N^-1/3), and here that still holds them.
  check_force_error(on(usable_device()), 65536, 512);
}

TEST_CASE("CUDA forces on 262,144 bodies are within the stated bounds") {
  const Device device = usable_device();
  for (const auto& [softening, bound] : std::map<double, double>{{0.01, 2e-7}, {0.001, 1e-6}}) {
    CAPTURE(softening);
    NbodyState s = plummer(262144, softening);
    CHECK(sampled_error(device, s, Precision::mixed, 2000) <= bound);
    CHECK(sampled_error(device, s, Precision::float64, 2000) <= 1e-13);
    move(s, {589.0, -589.0, 589.0});
    CHECK(sampled_error(device, s, Precision::mixed, 2000) <= 2 * bound);
  }
}

TEST_CASE("CUDA forces obey Newton's third law and turn with the axes") {
  check_symmetries(on(usable_device()));
}

TEST_CASE("CUDA bodies in one place do not act on each other", "[small]") {
  check_coincident(on(usable_device()));
}

TEST_CASE("CUDA potentials and reference accelerations agree with brute force", "[small]") {
  check_potentials_and_reference(on(usable_device()));
}

TEST_CASE("CUDA steps may be divided over calls, engines and launch shapes without changing a bit") {
  const Device device = usable_device();
  check_division_of_steps(on(device), on(device, 64));
}

/// From one ordering of tiles to the next steps are recorded and launched together, where a call has that many.
TEST_CASE("CUDA steps have the same bits recorded and one by one, and name the same body that is not finite") {
  const Device device = usable_device();
  for (const std::int64_t bodies : {3, 1000, 9000, 13000})
    for (const Precision precision : {Precision::mixed, Precision::float64})
      for (const StepPlan& plan : {leapfrog(), yoshida4()}) {
        CAPTURE(bodies, precision == Precision::mixed, plan.drift.size());
        const NbodyState s = cube(bodies, bodies, 0.05);
        NbodyState together, apart;
        auto engine = on(device)(options(precision));
        engine->upload(s);
        for (const std::int64_t first : {5, 60}) REQUIRE(engine->integrate(plan, 1e-3, first, 55).step == -1);
        engine->download(together);
        engine->upload(s);
        for (std::int64_t step = 5; step < 115; ++step) REQUIRE(engine->integrate(plan, 1e-3, step, 1).step == -1);
        engine->download(apart);
        CHECK(same_bits(together, apart));

        NbodyState runs_away = s;
        // Beyond the numbers that a float, or a double, has after some thirty steps, or seventeen.
        runs_away.velocity[2] = {0, precision == Precision::mixed ? 1e37 : 1e307, 0};
        engine->upload(runs_away);
        const BadBody bad = engine->integrate(plan, 1.0, 3, 70);
        engine->upload(runs_away);
        BadBody one;
        for (std::int64_t step = 3; one.step == -1; ++step) one = engine->integrate(plan, 1.0, step, 1);
        CHECK(bad.step > 16);
        CHECK(bad.step == one.step);
        CHECK(bad.index == one.index);
      }
}

TEST_CASE("CUDA compositions converge at their order on an eccentric orbit") {
  check_order(on(usable_device()));
}

TEST_CASE("CUDA integration names the first body and step with a non-finite value") {
  check_not_finite(on(usable_device()));
}

TEST_CASE("CUDA engines accept no bodies at all", "[small]") {
  check_nothing(on(usable_device()));
}

TEST_CASE("CUDA bodies without sources move in straight lines") {
  check_free_motion(on(usable_device()));
}

TEST_CASE("CUDA engines hold the memory that was predicted") {
  const Device device = usable_device();
  check_memory(on(device), device);
}

TEST_CASE("CUDA results are bitwise the same for 64, 128 and 256 threads a block, and from run to run") {
  const Device device = usable_device();
  for (const bool mixed_softening : {false, true})
    for (const Precision precision : {Precision::mixed, Precision::float64}) {
      NbodyState s = cube(20000, 15000, 0.02);
      if (mixed_softening) mix_softening(s);
      std::vector<NbodyState> end;
      for (const int block_size : {0, 64, 128, 256, 0}) {
        auto engine = on(device, block_size)(options(precision));
        engine->upload(s);
        engine->integrate(yoshida4(), 1e-3, 14, 4);
        end.emplace_back();
        engine->download(end.back());
      }
      CAPTURE(mixed_softening, precision == Precision::mixed);
      for (std::size_t k = 1; k < end.size(); ++k) CHECK(same_bits(end[k], end[0]));
    }
}

/// Kicks and drifts round alike and both backends order tiles by one function; forces differ by rounding.
TEST_CASE("CUDA and CPU agree on tile order and scale, and on forces within the stated bounds") {
  const Device device = usable_device();
  const NbodyState s = plummer(10000, 0.01);
  for (const Precision precision : {Precision::mixed, Precision::float64}) {
    const NbodyState gpu = with_forces(on(device), s, options(precision));
    auto cpu_engine = make_gravity_engine(cpu_device(best_isa()), 2, options(precision));
    NbodyState cpu;
    cpu_engine->upload(s);
    cpu_engine->download(cpu);
    CHECK(gpu.tile_order == cpu.tile_order);
    CHECK(gpu.length_scale == cpu.length_scale);
    CHECK(force_error(gpu.acceleration, cpu.acceleration) <= (precision == Precision::mixed ? 4e-7 : 1e-13));
  }
}

/// For the memory and race checkers: with the other cases of this tag every kernel in each of its forms, about a
/// re-ordering of tiles, with an incomplete last tile of sources and of test particles.
TEST_CASE("CUDA kernels in every form, at sizes that the checkers can afford", "[small]") {
  const Device device = usable_device();
  for (const bool mixed_softening : {false, true})
    for (const Precision precision : {Precision::mixed, Precision::float64}) {
      CAPTURE(mixed_softening, precision == Precision::mixed);
      NbodyState s = cube(700, 450, 0.02);
      if (mixed_softening) mix_softening(s);
      std::vector<NbodyState> end;
      for (const int block_size : {64, 128, 256}) {
        auto engine = on(device, block_size)(options(precision));
        engine->upload(s);
        REQUIRE(engine->integrate(leapfrog(), 1e-3, 15, 3).step == -1);
        end.emplace_back();
        engine->download(end.back());
      }
      CHECK(same_bits(end[1], end[0]));
      CHECK(same_bits(end[2], end[0]));
      const double bound = precision == Precision::float64 ? 1e-13 : mixed_softening ? 5e-6 : 1e-6;
      CHECK(force_error(end[0].acceleration, brute_force(end[0], 1, all_bodies(end[0])).acceleration) <= bound);
    }
}
