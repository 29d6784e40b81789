#include "sim/nbody/spheres.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "sim/nbody/diagnostics.hpp"
#include "tests/physics/engines.hpp"

using namespace ergode;
using namespace ergode::sim::nbody;
using kernels::Vec3;

namespace {

// Seeds are fixed: a case passes always or never. The bounds are what another seed, or another way of drawing, would
// meet. Means and radii may be 5 standard errors of independent draws from the model's value: where the statistic is
// normal another seed fails one check in 2e6. Means have their standard error from the sample itself; far tails (the
// outermost shells, few bodies) make that somewhat more likely. Distributions are compared by Kolmogorov's statistic,
// with 1e-6.

std::vector<double> radii(const BodySet& b) {
  std::vector<double> r;
  for (const auto& x : b.position) r.push_back(std::sqrt(dot(x, x)));
  std::sort(r.begin(), r.end());
  return r;
}

// The largest distance of the sample's distribution from a cumulative one; 2.7 / sqrt(n) has a false-alarm rate of
// 1e-6.
template <class F>
double kolmogorov(std::vector<double> x, F cumulative) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double c = cumulative(x[i]);
    worst = std::fmax(
        worst, std::fmax(std::fabs(c - static_cast<double>(i) / n), std::fabs(c - static_cast<double>(i + 1) / n)));
  }
  return worst * std::sqrt(n);
}
constexpr double far = 2.7;

// A mean and its standard error.
struct Mean {
  double sum = 0, squares = 0, n = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++n;
  }
  double value() const { return sum / n; }
  double error() const { return std::sqrt((squares / n - value() * value()) / n); }
  bool is(double expected) const { return std::fabs(value() - expected) < 5 * error() && error() < 0.1 * expected; }
};

Mean mean_v2(const BodySet& b) {
  Mean m;
  for (const auto& v : b.velocity) m.add(dot(v, v));
  return m;
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
  const std::pair<double, double> reference[] = {{0.01, 0.129959}, {0.1, 0.308678},  {0.25, 0.477806},
                                                 {0.5, 0.768571},  {0.75, 1.281104}, {0.9, 2.183670}};
  for (const auto& [fraction, radius] : reference) {
    INFO(fraction);
    CHECK(std::fabs(cumulative(radius) - fraction) < 1e-5);
    const double slope = (cumulative(radius * 1.0001) - cumulative(radius * 0.9999)) / (0.0002 * radius);
    const double sigma = std::sqrt(fraction * (1 - fraction) / 40000) / slope;
    CHECK(std::fabs(r[static_cast<std::size_t>(fraction * 40000)] - radius) < 5 * sigma);
  }
  CHECK(mean_v2(b).is(0.5));  // Henon units: T = 1/4

  // In the middle sigma^2 = 1 / (6 a) a direction, falling as (1 + r^2/a^2)^(-1/2).
  Mean sigma2;
  for (std::size_t i = 0; i < b.position.size(); ++i) {
    const double x2 = dot(b.position[i], b.position[i]) / (a * a);
    if (x2 <= 0.25) sigma2.add(dot(b.velocity[i], b.velocity[i]) / 3 * std::sqrt(1 + x2));
  }
  CHECK(sigma2.n > 2000);
  CHECK(sigma2.is(1 / (6 * a)));

  // Speeds over escape speed have the density q^2 (1 - q^2)^(7/2): mean square 1/4 (a beta distribution of q^2 with 3/2
  // and 9/2).
  Mean q2;
  for (std::size_t i = 0; i < b.position.size(); ++i)
    q2.add(dot(b.velocity[i], b.velocity[i]) / 2 * std::sqrt(dot(b.position[i], b.position[i]) + a * a));
  CHECK(q2.is(0.25));
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

  CHECK(mean_v2(b).is(1. / 6));  // T = G M^2 / (12 a)

  // The radial dispersion, Hernquist (1990) eq. 10, in shells.
  const auto sigma2 = [](double r) {
    return r * std::pow(1 + r, 3) * std::log((1 + r) / r) -
           r / (1 + r) / 12 * (25 + 52 * r + 42 * r * r + 12 * r * r * r);
  };
  for (const auto& [low, high] :
       {std::pair{0.0, 0.1}, std::pair{0.1, 0.5}, std::pair{0.5, 1.5}, std::pair{1.5, 5.0}, std::pair{5.0, 30.0}}) {
    Mean ratio;
    for (std::size_t i = 0; i < b.position.size(); ++i) {
      const double r = std::sqrt(dot(b.position[i], b.position[i]));
      if (r >= low && r < high) ratio.add(dot(b.velocity[i], b.velocity[i]) / 3 / sigma2(r));
    }
    INFO("shell " << low << " to " << high << " of " << ratio.n);
    REQUIRE(ratio.n > 200);
    CHECK(ratio.is(1));
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
  CHECK(mean_v2(b).is(0.6));  // T = <v^2> / 2 = 0.5 * 3/5
  u.virial_ratio = 0;
  CHECK(mean_v2(uniform_sphere(u, {3, 1}, 1)).value() == 0);
}

TEST_CASE(
    "the same seed gives the same bodies, another seed or component others, and recentring is exact to rounding") {
  PlummerSettings p;
  p.particles = 500;
  const auto a = plummer(p, {1, 0}, 1), same = plummer(p, {1, 0}, 1), seed = plummer(p, {2, 0}, 1),
             component = plummer(p, {1, 1}, 1);
  for (std::size_t i = 0; i < 500; ++i) {
    REQUIRE(a.position[i].x == same.position[i].x);
    REQUIRE(a.velocity[i].z == same.velocity[i].z);
    REQUIRE(a.position[i].x != seed.position[i].x);
    REQUIRE(a.position[i].x != component.position[i].x);
  }
  const auto m = motion(test::as_state(a, 0));
  CHECK(std::sqrt(dot(m.centre_of_mass, m.centre_of_mass)) < 1e-15);
  CHECK(std::sqrt(dot(m.momentum, m.momentum)) < 1e-15);
}
