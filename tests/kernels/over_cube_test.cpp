#include "tests/kernels/over_cube.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "kernels/device/device.hpp"
#include "kernels/gravity/tiles.hpp"

using namespace ergode::kernels;
using namespace ergode::kernels::test;

namespace {

struct Build {
  Isa isa;
  OverCube loops;
};

std::vector<Build> builds() {
  std::vector<Build> all;
  for (const Build& b : {Build{Isa::baseline, baseline::over_cube_loops}, Build{Isa::avx2, avx2::over_cube_loops},
                         Build{Isa::avx512, avx512::over_cube_loops}})
    if (isa_supported(b.isa)) all.push_back(b);
  return all;
}

struct Errors {
  double largest = 0, mean = 0;
};

/// Against long double, for squares from the floor to 2^20 and masses to 1.
template <class Real, class Loop>
Errors errors(Loop loop, double factor) {
  constexpr int count = 1 << 18;
  std::vector<Real> mass(count), square(count), result(count);
  const double low = std::log2(softening_floor<Real>()), high = 20;
  for (int i = 0; i < count; ++i) {
    square[i] = static_cast<Real>(std::exp2(low + (high - low) * i / count));
    mass[i] = static_cast<Real>(1.0 / (1 + i % 17));
  }
  loop(mass.data(), square.data(), result.data(), count);
  Errors e;
  for (int i = 0; i < count; ++i) {
    const long double s = square[i], truth = mass[i] / (s * std::sqrt(s));
    const auto error = static_cast<double>(result[i] / static_cast<long double>(factor) / truth - 1);
    e.largest = std::max(e.largest, std::abs(error));
    e.mean += error / count;
  }
  return e;
}

}  // namespace

// What all forces would be off by is the mean error: the estimate's correction falls short by 3e-9.
TEST_CASE("mass over distance cubed is right to a few units in the last place, on average to far less") {
  for (const Build& b : builds()) {
    const Errors single = errors<float>(b.loops.of_floats, b.loops.factor_float);
    CAPTURE(name(b.isa), single.largest, single.mean);
    CHECK(single.largest <= 2.1e-7);
    CHECK(std::abs(single.mean) <= 6e-9);
    const Errors real = errors<double>(b.loops.of_doubles, b.loops.factor_double);
    CAPTURE(real.largest, real.mean);
    CHECK(real.largest <= 5e-16);
    CHECK(std::abs(real.mean) <= 1e-17);
  }
}

// Results of AVX-512 have the same bits on all machines only while this holds.
TEST_CASE("VRSQRT14PS is the same table on every processor") {
  if (!isa_supported(Isa::avx512)) SKIP("this processor has no AVX-512");
  CHECK(avx512::over_cube_loops.checksum_of_estimates() == 0x5e3417644c6a1e25);
}
