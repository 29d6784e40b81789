#include "sim/nbody/integrators.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "sim/nbody/diagnostics.hpp"
#include "sim/nbody/orbit.hpp"
#include "sim/nbody/units.hpp"
#include "tests/physics/engines.hpp"

using namespace ergode;
using namespace ergode::sim::nbody;
using kernels::Vec3;
using test::distance;

namespace {

std::vector<test::Body> outer_solar_system() {
  return {{1.00000597682,
           {-4.06428567034226e-3, -6.08813756435987e-3, -1.66162304225834e-6},
           {6.69048890636161e-6, -6.33922479583593e-6, -3.13202145590767e-9}},
          {1 / 1047.355,
           {3.40546614227466, 3.62978190075864, 3.42386261766577e-2},
           {-5.59797969310664e-3, 5.51815399480116e-3, -2.66711392865591e-6}},
          {1 / 3501.6,
           {6.60801554403466, 6.38084674585064, -1.36145963724542e-1},
           {-4.17354020307064e-3, 3.99723751748116e-3, 1.67206320571441e-5}},
          {1 / 22869.,
           {11.1636331405597, 16.0373479057256, 3.61783279369958e-1},
           {-3.25884806151064e-3, 2.06438412905916e-3, -2.17699042180559e-5}},
          {1 / 19314.,
           {-30.1777243405203, 1.91155314998064, -1.53887595621042e-1},
           {-2.17471785045538e-4, -3.11361111025884e-3, 3.58344705491441e-5}},
          {0,
           {-21.3858977531573, 32.0719104739886, 2.49245689556096},
           {-1.76936577252484e-3, -2.06720938381724e-3, 6.58091931493844e-4}}};
}

std::vector<test::Body> figure_eight() {
  const Vec3 r{0.97000435669734, -0.24308753153583, 0},
      v{-0.93240737144103427248826698, -0.86473146092102373368205643, 0};
  return {{1, r, -0.5 * v}, {1, -1.0 * r, -0.5 * v}, {1, {}, v}};
}

// A relative orbit of two bodies of total mass 1 and semi-major axis 1, from periapsis.
kernels::NbodyState kepler(double e) {
  OrbitalElements el;
  el.eccentricity = e;
  const auto s = state_from_elements(el, 1);
  return test::make_state(
      {{0.75, -0.25 * s.position, -0.25 * s.velocity}, {0.25, 0.75 * s.position, 0.75 * s.velocity}});
}

constexpr double period = 6.283185307179586;

double closure(const Integrator& i, double e, std::int64_t steps) {
  auto engine = test::double_engine();
  const auto start = kepler(e);
  auto end = start;
  engine->upload(start);
  engine->integrate(step_plan(i), period / static_cast<double>(steps), 0, steps);
  engine->download(end);
  return distance(end.position[0], start.position[0]) + distance(end.position[1], start.position[1]);
}

double energy_error(const std::string& scheme, double dt, std::int64_t steps) {
  const double g = unit_system(Units::solar).gravitational_constant;
  auto engine = test::double_engine(g);
  auto s = test::make_state(outer_solar_system());
  engine->upload(s);
  const auto start = energies(s, engine->potentials());
  double worst = 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    engine->integrate(step_plan(integrator(scheme)), dt, i, 1);
    engine->download(s);
    worst = std::fmax(worst, std::fabs(relative_energy_error(energies(s, engine->potentials()), start)));
  }
  return worst;
}

}  // namespace

TEST_CASE("integrator weights satisfy the order conditions of symmetric compositions to rounding") {
  // Hairer, Lubich & Wanner (2006), V.3.2: sums over all stages, the primed partial sums counting half of the last
  // term.
  for (const auto& i : integrators()) {
    INFO(i.name);
    const auto plan = step_plan(i);
    const int s = i.stages();
    REQUIRE(plan.drift.size() == static_cast<std::size_t>(s));
    REQUIRE(plan.kick.size() == static_cast<std::size_t>(s) + 1);
    long double sum1 = 0, sum3 = 0, kicks = 0;
    long double c[9] = {};
    for (const double w : plan.drift) {
      const long double g = w, c1 = sum1 + g / 2, c3 = sum3 + g * g * g / 2;
      const long double g3 = g * g * g, g5 = g3 * g * g;
      c[0] += g;
      c[1] += g3;
      c[2] += g5;
      c[3] += g3 * c1 * c1;
      c[4] += g5 * g * g;
      c[5] += g5 * c1 * c1;
      c[6] += g3 * c1 * c3;
      c[7] += g3 * c1 * c1 * c1 * c1;
      sum1 += g;
      sum3 += g3;
    }
    for (const double k : plan.kick) kicks += k;
    CHECK(std::fabs(c[0] - 1) < 1e-15L);
    CHECK(std::fabs(kicks - 1) < 1e-15L);
    const int conditions = i.order == 2 ? 1 : i.order == 4 ? 2 : i.order == 6 ? 4 : 8;
    for (int k = 1; k < conditions; ++k) CHECK(std::fabs(c[k]) < 3e-15L);
    if (conditions < 8) CHECK(std::fabs(c[conditions]) > 1e-3L);  // and no order more
  }
}

TEST_CASE("every integrator closes a Kepler orbit at its order, to eccentricity 0.9") {
  for (const auto& i : integrators())
    for (const double e : {0.0, 0.5, 0.9}) {
      INFO(i.name << " e = " << e);
      // Steps for which the error is well above rounding and well below one; measured slopes there are within 10 % of
      // the order.
      const double per_orbit = i.order == 2 ? 4000 : i.order == 4 ? 400 : i.order == 6 ? 120 : 45;
      const double crowding = e == 0.9 ? (i.order == 2 ? 12 : i.order == 4 ? 8 : 6) : e == 0.5 ? 2 : 1;
      const auto n = static_cast<std::int64_t>(per_orbit * crowding);
      const double coarse = closure(i, e, n), fine = closure(i, e, 3 * n / 2);
      INFO("errors " << coarse << " and " << fine);
      const double slope = std::log(coarse / fine) / std::log(1.5);
      CHECK(slope > i.order - 0.5);
      CHECK(slope < i.order + 0.8);
      CHECK(coarse < 0.1);
      CHECK(fine > 1e-13);  // else rounding is measured
    }
}

TEST_CASE("every integrator runs back to where it came from") {
  for (const auto& i : integrators()) {
    INFO(i.name);
    auto engine = test::double_engine();
    const auto start = kepler(0.5);
    auto s = start;
    engine->upload(start);
    engine->integrate(step_plan(i), 0.01, 0, 500);
    engine->download(s);
    CHECK(distance(s.position[1], start.position[1]) > 0.1);
    for (auto& v : s.velocity) v = -1.0 * v;
    engine->upload(s);
    engine->integrate(step_plan(i), 0.01, 500, 500);
    engine->download(s);
    CHECK(distance(s.position[1], start.position[1]) < 1e-11);
    CHECK(distance(s.velocity[1], -1.0 * start.velocity[1]) < 1e-11);
  }
}

TEST_CASE("the figure-eight returns after its period with yoshida8 at 500 steps") {
  constexpr double figure_period = 6.325913982926228551035922;
  const auto start = test::make_state(figure_eight());
  auto s = start;
  auto engine = test::double_engine();
  engine->upload(start);
  const auto before = energies(start, engine->potentials());
  CHECK(std::fabs(before.total() + 1.28714199563185541620) < 1e-14);
  engine->integrate(step_plan(integrator("yoshida8")), figure_period / 500, 0, 500);
  engine->download(s);
  double closure2 = 0;
  for (std::size_t i = 0; i < 3; ++i) closure2 += std::pow(distance(s.position[i], start.position[i]), 2);
  CHECK(std::sqrt(closure2) < 1e-10);
  const auto m = motion(s);
  CHECK(std::sqrt(dot(m.angular_momentum, m.angular_momentum)) < 1e-13);
  CHECK(std::sqrt(dot(m.momentum, m.momentum)) < 1e-13);
}

TEST_CASE("the outer Solar System arrives where quadruple precision says after 1e5 days") {
  auto engine = test::double_engine(unit_system(Units::solar).gravitational_constant);
  auto s = test::make_state(outer_solar_system());
  REQUIRE(s.sources == 5);
  engine->upload(s);
  const auto before = energies(s, engine->potentials());
  CHECK(std::fabs(before.total() + 3.217748285546e-8) < 1e-19);
  engine->integrate(step_plan(integrator("yoshida8")), 20, 0, 5000);
  engine->download(s);
  CHECK(distance(s.position[1], {1.097265350971219, 4.954669867688762, 0.027962735163469}) < 1e-8);
  CHECK(distance(s.position[4], {17.564163606936220, 24.086337343292553, -0.208553278267200}) < 1e-8);
}

TEST_CASE("energy errors of the outer Solar System stay within what other codes ask of themselves") {
  // The demand can be read as 1e3 days or as 1e3 steps of 1 yr / 2 pi = 58.13 days: it is met in both.
  constexpr double dt = 365.25 / period;
  for (const std::int64_t steps : {std::int64_t{17}, std::int64_t{1000}}) {
    INFO(steps << " steps");
    CHECK(energy_error("leapfrog", dt, steps) < 1e-3);
    CHECK(energy_error("yoshida4", dt, steps) < 3e-6);
    CHECK(energy_error("yoshida6", dt, steps) < 1e-9);
    CHECK(energy_error("yoshida8", dt, steps) < 1e-9);
    CHECK(energy_error("leapfrog", dt, steps) > 1e-5);  // something is measured
  }
}

TEST_CASE("an integrator's description names the set of weights, its source and its stages") {
  CHECK(integrator("leapfrog").description() == "leapfrog (Verlet 1967, 1 stage)");
  CHECK(integrator("yoshida4").description() == "yoshida4 (Suzuki 1990, 5 stages)");
  CHECK(integrator("yoshida6").description() == "yoshida6 (Kahan & Li 1997, 9 stages)");
  CHECK(integrator("yoshida8").description() == "yoshida8 (Kahan & Li 1997, 17 stages)");
}
