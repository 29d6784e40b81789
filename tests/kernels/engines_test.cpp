#include <catch2/catch_test_macros.hpp>
#include <stdexcept>

#include "kernels/error.hpp"
#include "tests/kernels/engine_checks.hpp"

// The CPU engine, on each instruction set that this machine has.

using namespace ergode::kernels;
using namespace ergode::kernels::test;

namespace {

std::vector<Isa> instruction_sets() {
  std::vector<Isa> sets;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    if (isa_supported(isa)) sets.push_back(isa);
  return sets;
}

MakeEngine on(Isa isa, int threads = 2) {
  return [=](const GravityOptions& o) { return make_gravity_engine(cpu_device(isa), threads, o); };
}

template <class Check>
void on_each(Check check) {
  for (const Isa isa : instruction_sets()) {
    CAPTURE(name(isa));
    check(on(isa));
  }
}

}  // namespace

TEST_CASE("CPU accelerations agree with brute force about tile sizes, for test particles and every softening") {
  on_each(check_sizes_and_softenings);
}

TEST_CASE("CPU force errors are within the stated bounds, centred, far from the origin and in SI units") {
  on_each([](const MakeEngine& make) { check_force_error(make, 8192, 512); });
}

TEST_CASE("CPU forces obey Newton's third law and turn with the axes") {
  on_each(check_symmetries);
}

TEST_CASE("CPU bodies in one place do not act on each other") {
  on_each(check_coincident);
}

TEST_CASE("CPU potentials and reference accelerations agree with brute force") {
  on_each(check_potentials_and_reference);
}

TEST_CASE("CPU steps may be divided over calls, engines and threads without changing a bit") {
  for (const Isa isa : instruction_sets()) {
    CAPTURE(name(isa));
    check_division_of_steps(on(isa, 2), on(isa, 3));
  }
}

TEST_CASE("CPU compositions converge at their order on an eccentric orbit") {
  on_each(check_order);
}

TEST_CASE("CPU integration stops after the step with a non-finite value and names the first body") {
  on_each(check_not_finite);
}

TEST_CASE("CPU engines accept no bodies at all") {
  on_each(check_nothing);
}

TEST_CASE("CPU bodies without sources move in straight lines") {
  on_each(check_free_motion);
}

TEST_CASE("CPU engines hold the memory that was predicted") {
  for (const Isa isa : instruction_sets()) check_memory(on(isa), cpu_device(isa));
}

TEST_CASE("CPU results are bitwise the same for 1, 2, 3 and 7 threads") {
  for (const Isa isa : instruction_sets())
    for (const Precision precision : {Precision::mixed, Precision::float64}) {
      NbodyState s = cube(2000, 1500, 0.02);
      mix_softening(s);
      std::vector<NbodyState> end;
      std::vector<std::vector<double>> potential;
      for (const int threads : {1, 2, 3, 7}) {
        auto engine = on(isa, threads)(options(precision));
        engine->upload(s);
        engine->integrate(yoshida4(), 0.01, 14, 4);
        end.emplace_back();
        engine->download(end.back());
        potential.push_back(engine->potentials());
      }
      CAPTURE(name(isa), precision == Precision::mixed);
      for (std::size_t k = 1; k < end.size(); ++k) {
        CHECK(same_bits(end[k], end[0]));
        CHECK(potential[k] == potential[0]);
      }
    }
}

TEST_CASE("An instruction set that the processor lacks is refused") {
  if (best_isa() == Isa::avx512) SKIP("this processor has every instruction set");
  try {
    make_gravity_engine(cpu_device(Isa::avx512), 1, {});
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.failure() == Failure::no_device);
  }
}

TEST_CASE("a block size that there is not is refused on every backend") {
  for (const Backend backend : {Backend::cpu, Backend::cuda})
    for (const int size : {-64, 1, 32, 96, 192, 512, 1024}) {
      Device device = cpu_device(Isa::baseline);
      device.backend = backend;
      GravityOptions o = options(Precision::mixed);
      o.block_size = size;
      CHECK_THROWS_AS(make_gravity_engine(device, 1, o), std::invalid_argument);
    }
  for (const int size : {0, 64, 128, 256}) {
    GravityOptions o = options(Precision::mixed);
    o.block_size = size;
    CHECK(make_gravity_engine(cpu_device(Isa::baseline), 1, o) != nullptr);
  }
}
