#include "sim/nbody/spheres.hpp"

#include <catch2/catch_test_macros.hpp>
#include <algorithm>
#include <cmath>

#include "sim/nbody/diagnostics.hpp"
#include "sim/nbody/integrators.hpp"
#include "tests/physics/engines.hpp"

using namespace ergode;
using namespace ergode::sim::nbody;
using kernels::Vec3;

namespace {

// All bounds of this file are 5 standard errors of the statistic (false alarm 6e-7 each) at a fixed seed.

std::vector<double> radii(const BodySet& b) {
  std::vector<double> r;
  for (const auto& x : b.position) r.push_back(std::sqrt(dot(x, x)));
  std::sort(r.begin(), r.end());
  return r;
}

// The largest distance of the sample's distribution from a cumulative one; 2.7 / sqrt(n) has a false-alarm rate of 1e-6.
template <class F>
double kolmogorov(std::vector<double> x, F cumulative) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double c = cumulative(x[i]);
    worst = std::fmax(worst, std::fmax(std::fabs(c - static_cast<double>(i) / n), std::fabs(c - static_cast<double>(i + 1) / n)));
  }
  return worst * std::sqrt(n);
}
constexpr double far = 2.7;

kernels::NbodyState as_state(const BodySet& b, double softening) {
  kernels::NbodyState s;
  s.position = b.position;
  s.velocity = b.velocity;
  s.mass = b.mass;
  s.sources = b.size();
  s.softening.assign(b.mass.size(), softening);
  s.id.resize(b.mass.size());
  return s;
}

double mean_v2(const BodySet& b) {
  double t = 0;
  for (const auto& v : b.velocity) t += dot(v, v);
  return t / static_cast<double>(b.size());
}

}  // namespace

TEST_CASE("a Plummer sample has the profile, the Lagrangian radii and the velocities of the model") {
  PlummerSettings p;
  p.particles = 40000;
  p.recentre = false;
  const BodySet b = plummer(p, {7, 0}, 1);
  const double a = p.scale_radius;
  const auto cumulative = [a](double r) { return std::pow(r * r / (r * r + a * a), 1.5); };
  CHECK(kolmogorov(radii(b), cumulative) < far);

  const auto r = radii(b);
  const std::pair<double, double> reference[] = {{0.01, 0.129959}, {0.1, 0.308678}, {0.25, 0.477806}, {0.5, 0.768571}, {0.75, 1.281104}, {0.9, 2.183670}};
  for (const auto& [fraction, radius] : reference) {
    INFO(fraction);
    CHECK(std::fabs(cumulative(radius) - fraction) < 1e-5);
    const double slope = (cumulative(radius * 1.0001) - cumulative(radius * 0.9999)) / (0.0002 * radius);
    const double sigma = std::sqrt(fraction * (1 - fraction) / 40000) / slope;
    CHECK(std::fabs(r[static_cast<std::size_t>(fraction * 40000)] - radius) < 5 * sigma);
  }
  // Henon units: T = 1/4, so <v^2> = 1/2; the spread of v^2 is below its mean times 1.2.
  CHECK(std::fabs(mean_v2(b) - 0.5) < 5 * 0.6 / 200);

  // In the middle sigma^2 = 1 / (6 a) a direction, falling as (1 + r^2/a^2)^(-1/2).
  double sum = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < b.position.size(); ++i) {
    const double x2 = dot(b.position[i], b.position[i]) / (a * a);
    if (x2 > 0.25) continue;
    sum += dot(b.velocity[i], b.velocity[i]) / 3 * std::sqrt(1 + x2);
    ++n;
  }
  const double expected = 1 / (6 * a);
  CHECK(n > 2000);
  CHECK(std::fabs(sum / static_cast<double>(n) - expected) < 5 * expected / std::sqrt(1.5 * static_cast<double>(n)));

  // Speeds over escape speed have the density q^2 (1 - q^2)^(7/2): mean square 1/4 (a beta distribution of q^2 with 3/2 and 9/2).
  double q2 = 0;
  for (std::size_t i = 0; i < b.position.size(); ++i)
    q2 += dot(b.velocity[i], b.velocity[i]) / 2 * std::sqrt(dot(b.position[i], b.position[i]) + a * a);
  CHECK(std::fabs(q2 / 40000 - 0.25) < 5 * std::sqrt(0.25 * 0.75 / 7 / 40000));
}

TEST_CASE("a truncated sphere ends where it was told to and carries the mass within") {
  PlummerSettings p;
  p.particles = 5000;
  p.truncation_radius = 2;
  p.recentre = false;
  const BodySet b = plummer(p, {7, 0}, 1);
  const double a = p.scale_radius;
  CHECK(radii(b).back() <= 2);
  CHECK(radii(b).back() > 1.9);
  CHECK(std::fabs(b.mass[0] * 5000 - std::pow(4 / (4 + a * a), 1.5)) < 1e-12);
}

TEST_CASE("a Hernquist sample has the profile and the velocity distribution of the model") {
  HernquistSettings h;
  h.particles = 40000;
  h.recentre = false;
  const BodySet b = hernquist(h, {11, 3}, 1);
  CHECK(kolmogorov(radii(b), [](double r) { return r * r / ((1 + r) * (1 + r)); }) < far);
  const double half = radii(b)[20000];
  CHECK(std::fabs(half - (1 + std::sqrt(2.))) < 5 * 0.5 / 200 / 0.0711);  // dM/dr = 2 r / (1 + r)^3 there

  // T = G M^2 / (12 a), so <v^2> = 1/6.
  CHECK(std::fabs(mean_v2(b) - 1. / 6) < 5 * 0.2 / 200);

  // The radial dispersion, Hernquist (1990) eq. 10, in shells.
  const auto sigma2 = [](double r) {
    return r * std::pow(1 + r, 3) * std::log((1 + r) / r) - r / (1 + r) / 12 * (25 + 52 * r + 42 * r * r + 12 * r * r * r);
  };
  for (const auto& [low, high] : {std::pair{0.0, 0.1}, std::pair{0.1, 0.5}, std::pair{0.5, 1.5}, std::pair{1.5, 5.0}, std::pair{5.0, 30.0}}) {
    double sum = 0;
    std::size_t n = 0;
    for (std::size_t i = 0; i < b.position.size(); ++i) {
      const double r = std::sqrt(dot(b.position[i], b.position[i]));
      if (r < low || r >= high) continue;
      sum += dot(b.velocity[i], b.velocity[i]) / 3 / sigma2(r);
      ++n;
    }
    INFO("shell " << low << " to " << high << " of " << n);
    REQUIRE(n > 200);
    CHECK(std::fabs(sum / static_cast<double>(n) - 1) < 5 * 1.0 / std::sqrt(1.5 * static_cast<double>(n)));
  }
  for (std::size_t i = 0; i < b.position.size(); ++i)  // nobody escapes
    REQUIRE(dot(b.velocity[i], b.velocity[i]) / 2 < 1 / (1 + std::sqrt(dot(b.position[i], b.position[i]))));
}

TEST_CASE("a uniform sphere is uniform and as warm as it was told to be") {
  UniformSphereSettings u;
  u.particles = 20000;
  u.recentre = false;
  u.virial_ratio = 0.5;
  const BodySet b = uniform_sphere(u, {3, 1}, 1);
  CHECK(kolmogorov(radii(b), [](double r) { return std::fmin(1.0, r * r * r); }) < far);
  // T = <v^2> / 2 = 0.5 * 3/5; v^2 of a filled ball spreads by sqrt(12/175) vmax^2 = 0.26.
  CHECK(std::fabs(mean_v2(b) / 2 - 0.3) < 5 * 0.5 * 0.262 / std::sqrt(20000.));
  u.virial_ratio = 0;
  CHECK(mean_v2(uniform_sphere(u, {3, 1}, 1)) == 0);
}

TEST_CASE("the same seed gives the same bodies, another seed or component others, and recentring is exact to rounding") {
  PlummerSettings p;
  p.particles = 500;
  const auto a = plummer(p, {1, 0}, 1), same = plummer(p, {1, 0}, 1), seed = plummer(p, {2, 0}, 1), component = plummer(p, {1, 1}, 1);
  for (std::size_t i = 0; i < 500; ++i) {
    REQUIRE(a.position[i].x == same.position[i].x);
    REQUIRE(a.velocity[i].z == same.velocity[i].z);
    REQUIRE(a.position[i].x != seed.position[i].x);
    REQUIRE(a.position[i].x != component.position[i].x);
  }
  const auto m = motion(as_state(a, 0));
  CHECK(std::sqrt(dot(m.centre_of_mass, m.centre_of_mass)) < 1e-15);
  CHECK(std::sqrt(dot(m.momentum, m.momentum)) < 1e-15);
}

TEST_CASE("a Plummer sphere holds its radii, energy, momentum and angular momentum") {
  PlummerSettings p;
  p.particles = 512;
  auto s = as_state(plummer(p, {5, 0}, 1), 0.05);
  auto engine = test::double_engine();
  engine->upload(s);
  const auto before = energies(s, engine->potentials());
  const auto start = motion(s);
  const std::vector<double> fractions{0.25, 0.5, 0.75};
  const auto first = lagrangian_radii(s, centre(s), fractions);
  CHECK(std::fabs(before.virial_ratio() - 0.5) < 5 * 0.5 * 1.2 / std::sqrt(512.));
  engine->integrate(step_plan(integrator("leapfrog")), 1. / 64, 0, 64 * 6);  // two crossing times
  engine->download(s);
  const auto last = lagrangian_radii(s, centre(s), fractions);
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    INFO(fractions[i]);
    CHECK(std::fabs(last[i] / first[i] - 1) < 0.25);  // five times the noise of 512 bodies
  }
  CHECK(std::fabs(relative_energy_error(energies(s, engine->potentials()), before)) < 1e-3);
  const auto end = motion(s);
  CHECK(test::distance(end.momentum, start.momentum) < 1e-13);
  CHECK(test::distance(end.angular_momentum, start.angular_momentum) < 1e-12);
}

TEST_CASE("a cold sphere has energy -3/5 and collapses in the free-fall time") {
  UniformSphereSettings u;
  u.particles = 600;
  auto s = as_state(uniform_sphere(u, {9, 0}, 1), 0.05);
  auto engine = test::double_engine();
  engine->upload(s);
  const auto before = energies(s, engine->potentials());
  CHECK(before.kinetic == 0);
  CHECK(std::fabs(before.total() + 0.6) < 5 * 0.6 * 0.45 / std::sqrt(600.) + 0.01);  // sampling, and the softening's share
  constexpr double free_fall = 1.1107207345395915, dt = 1. / 512;
  const auto steps = static_cast<std::int64_t>(1.5 / dt);
  double least = 1e9, when = 0;
  for (std::int64_t i = 0; i < steps; i += 4) {
    engine->integrate(step_plan(integrator("leapfrog")), dt, i, 4);
    engine->download(s);
    const double half = lagrangian_radii(s, motion(s).centre_of_mass, std::vector<double>{0.5})[0];
    if (half < least) {
      least = half;
      when = static_cast<double>(i + 4) * dt;
    }
  }
  CHECK(std::fabs(when / free_fall - 1) < 0.1);  // noise of the sample delays and blurs the bounce
  CHECK(least < 0.4);
  CHECK(std::fabs(relative_energy_error(energies(s, engine->potentials()), before)) < 1e-2);
}
