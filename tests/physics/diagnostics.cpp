#include "sim/nbody/diagnostics.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

using namespace ergode;
using namespace ergode::sim::nbody;
using kernels::NbodyState;
using kernels::Vec3;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

/// Two bodies at distance 1 with the speeds +v and -v.
NbodyState pair_of(double mass, double v) {
  NbodyState s;
  s.position = {{0, 0, 0}, {1, 0, 0}};
  s.velocity = {{0, v, 0}, {0, -v, 0}};
  s.mass = {mass, mass};
  s.sources = 2;
  return s;
}

Energies energies_of(const NbodyState& s) {
  return energies(s, std::array{-s.mass[0], -s.mass[0]});
}

}  // namespace

TEST_CASE("of errors over time the largest is kept, and one that is no number is larger than all") {
  CHECK(larger(1, 2) == 2);
  CHECK(larger(2, 1) == 2);
  CHECK(larger(1, inf) == inf);
  CHECK(std::isnan(larger(1, not_a_number)));
  CHECK(std::isnan(larger(not_a_number, 1)));
  CHECK(std::isnan(larger(not_a_number, inf)));
}

TEST_CASE("the energy error of what no number can hold is none, not 0") {
  const auto error = [](const NbodyState& now, const NbodyState& start) {
    return relative_energy_error(energies_of(now), energies_of(start));
  };
  for (const double mass : {1e160, 1e-170, 1e-300}) {
    INFO(mass);
    CHECK(std::isnan(error(pair_of(mass, 0), pair_of(mass, 0))));
  }
  CHECK(std::isnan(error(pair_of(1e-170, 1e-80), pair_of(1e-170, 1e-80))));
  CHECK(std::isnan(error(pair_of(1, 1e170), pair_of(1, 1))));
  CHECK(error(pair_of(1, 1), pair_of(1, 1)) == 0);
  CHECK(error(pair_of(1, 2), pair_of(1, 0.5)) == 3.75 / 0.75);  // E0 = 1/4 - 1
  CHECK(error(pair_of(1e-150, 0), pair_of(1e-150, 0)) == 0);
  CHECK(std::fabs(error(pair_of(1e150, 2e75), pair_of(1e150, 0.5e75)) - 5) < 1e-14);

  // What is truly nothing keeps its energy: one body at rest, and bodies without mass.
  NbodyState one = pair_of(1, 0), massless = pair_of(0, 5);
  one.sources = 1;
  massless.sources = 0;
  const double none[] = {0, 0};
  CHECK(relative_energy_error(energies(one, none), energies(one, none)) == 0);
  CHECK(relative_energy_error(energies(massless, none), energies(massless, none)) == 0);
}

TEST_CASE("the drift of momentum is that of the real sizes, or none") {
  const auto drift = [](const NbodyState& now, const NbodyState& start) {
    return momentum_drift(motion(now), motion(start).momentum);
  };
  for (const double v : {1.0, 1e140, 1e-140}) {
    INFO(v);
    NbodyState later = pair_of(1, v);
    later.velocity[0].y *= 1.5;
    CHECK(std::fabs(drift(later, pair_of(1, v)) - 0.2) < 1e-15);
    later.mass = {1e-100, 1e-100};
    CHECK(std::fabs(drift(later, pair_of(1e-100, v)) - 0.2) < 1e-15);
    later.mass = {1e100, 1e100};
    CHECK(std::fabs(drift(later, pair_of(1e100, v)) - 0.2) < 1e-15);
  }
  CHECK(std::isnan(drift(pair_of(1e170, 1e150), pair_of(1e170, 1e150))));
  CHECK(std::isnan(drift(pair_of(1e-170, 1e-150), pair_of(1e-170, 1e-150))));
  CHECK(drift(pair_of(1, 0), pair_of(1, 0)) == 0);
}

TEST_CASE("force errors are the same for forces of any size") {
  const std::array<Vec3, 3> reference{{{3, 4, 0}, {0, 0, 1}, {1, 2, 2}}};
  std::array<Vec3, 3> measured = reference;
  measured[0].x += 0.5;   // a tenth of |a|
  measured[1].z += 0.25;  // a quarter
  const double e2 = std::sqrt((0.25 + 0.0625) / (25 + 1 + 9));
  for (const double size : {1.0, 1e-200, 1e200, 1e-290, 1e300}) {
    INFO(size);
    auto a = measured, b = reference;
    for (std::size_t i = 0; i < 3; ++i) a[i] = size * a[i], b[i] = size * b[i];
    const ForceError f = force_error(a, b);
    CHECK(std::fabs(f.e2 - e2) < 1e-15);
    CHECK(std::fabs(f.median - 0.1) < 1e-15);
    CHECK(std::fabs(f.largest - 0.25) < 1e-15);
  }
  // Also where they are of very unlike sizes.
  auto a = measured, b = reference;
  a[0] = 1e-250 * a[0], b[0] = 1e-250 * b[0];
  CHECK(std::fabs(force_error(a, b).median - 0.1) < 1e-15);
}

TEST_CASE("a force that is no number is the largest of the errors, wherever it is among them") {
  for (std::size_t bad = 0; bad < 40; ++bad) {
    std::vector<Vec3> a(40, {1, 0, 0}), b(40, {1, 0, 0});
    for (std::size_t i = 0; i < a.size(); ++i) a[i].x += 1e-3 * static_cast<double>(i);
    a[bad].y = not_a_number;
    const ForceError f = force_error(a, b);
    INFO(bad);
    CHECK(std::isnan(f.e2));
    CHECK(std::isnan(f.largest));
    CHECK(f.median == (bad <= 19 ? a[20].x - 1 : a[19].x - 1));
  }
  const std::array<Vec3, 2> endless{{{inf, 0, 0}, {1, 0, 0}}};
  CHECK(std::isnan(force_error(endless, endless).e2));
  CHECK(std::isnan(force_error(endless, endless).largest));
  CHECK(force_error(endless, std::array<Vec3, 2>{{{1, 0, 0}, {1, 0, 0}}}).largest == inf);
}
