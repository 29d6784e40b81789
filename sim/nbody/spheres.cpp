#include "sim/nbody/spheres.hpp"

#include <cmath>

#include "sim/nbody/sum.hpp"

namespace ergode::sim::nbody {
namespace {

using Real = long double;

BodySet equal_masses(std::int64_t count, double total) {
  BodySet b;
  b.position.resize(static_cast<std::size_t>(count));
  b.velocity.resize(static_cast<std::size_t>(count));
  b.mass.assign(static_cast<std::size_t>(count), total / static_cast<double>(count));
  return b;
}

// Speed over escape speed with density q^2 (1 - q^2)^(7/2) (Aarseth, Henon & Wielen 1974, eq. A5); its maximum is below 0.1.
double plummer_speed(const Draws& draws, std::int64_t i) {
  for (std::uint32_t attempt = 0;; ++attempt) {
    const auto [q, y] = draws.uniform(i, attempt, Purpose::speed);
    const double t = 1 - q * q;
    if (0.1 * y < q * q * t * t * t * std::sqrt(t)) return q;
  }
}

// The bracket of Hernquist (1990), eq. 17: f(q) ~ B(q) (1 - q^2)^(-5/2), q^2 = -a E / (G M). It rises with q.
Real hernquist_bracket(Real q) {
  if (q < 1e-3L) return 25.6L * q * q * q * q * q;  // the leading term, where the closed form cancels
  const Real q2 = q * q;
  return 3 * std::asin(q) + q * std::sqrt(1 - q2) * (1 - 2 * q2) * (8 * q2 * q2 - 8 * q2 - 3);
}

// Speed in units of sqrt(2 G M / a) at a radius with delta = r / (r + a). With w the square of that speed, 1 - q^2 = delta + w,
// and the density is v^2 B(q) / (delta + w)^(5/2). Without B it can be drawn directly, its integral being
// (w / (delta + w))^(3/2); B, largest at rest, is left to rejection.
Real hernquist_speed(const Draws& draws, std::int64_t i, Real delta) {
  const Real most = hernquist_bracket(std::sqrt(1 - delta));
  for (std::uint32_t attempt = 0;; ++attempt) {
    const auto [u, y] = draws.uniform(i, attempt, Purpose::speed);
    const Real root = std::cbrt(static_cast<Real>(u));
    const Real s2 = root * root * (1 - delta);
    const Real w = delta * s2 / (1 - s2);
    const Real q2 = 1 - delta - w;
    if (q2 > 0 && y * most < hernquist_bracket(std::sqrt(q2))) return std::sqrt(w);
  }
}

}  // namespace

BodySet plummer(const PlummerSettings& s, const Draws& draws, double g) {
  const Real a = s.scale_radius;
  Real within = 1;
  if (s.truncation_radius) {
    const Real x = *s.truncation_radius / a, y = x * x / (1 + x * x);
    within = y * std::sqrt(y);
  }
  BodySet b = equal_masses(s.particles, static_cast<double>(s.mass * within));
  const Real escape = std::sqrt(2 * static_cast<Real>(g) * s.mass / a);
  for (std::int64_t i = 0; i < s.particles; ++i) {
    const Real root = std::cbrt(within * draws.uniform(i, 0, Purpose::radius).first);
    const Real x2 = root * root / (1 - root * root);  // (r / a)^2
    const auto k = static_cast<std::size_t>(i);
    b.position[k] = static_cast<double>(a * std::sqrt(x2)) * draws.direction(i, Purpose::direction);
    const Real v = plummer_speed(draws, i) * escape / std::sqrt(std::sqrt(1 + x2));
    b.velocity[k] = static_cast<double>(v) * draws.direction(i, Purpose::velocity_direction);
  }
  if (s.recentre) recentre(b);
  return b;
}

BodySet hernquist(const HernquistSettings& s, const Draws& draws, double g) {
  const Real a = s.scale_radius;
  Real within = 1;
  if (s.truncation_radius) {
    const Real x = *s.truncation_radius / (*s.truncation_radius + a);
    within = x * x;
  }
  BodySet b = equal_masses(s.particles, static_cast<double>(s.mass * within));
  const Real unit = std::sqrt(2 * static_cast<Real>(g) * s.mass / a);
  for (std::int64_t i = 0; i < s.particles; ++i) {
    const Real delta = std::sqrt(within * draws.uniform(i, 0, Purpose::radius).first);  // r / (r + a)
    const auto k = static_cast<std::size_t>(i);
    b.position[k] = static_cast<double>(a * delta / (1 - delta)) * draws.direction(i, Purpose::direction);
    const Real v = unit * hernquist_speed(draws, i, delta);
    b.velocity[k] = static_cast<double>(v) * draws.direction(i, Purpose::velocity_direction);
  }
  if (s.recentre) recentre(b);
  return b;
}

BodySet uniform_sphere(const UniformSphereSettings& s, const Draws& draws, double g) {
  BodySet b = equal_masses(s.particles, s.mass);
  // Velocities fill a ball of radius v: T = (3/10) M v^2 = virial_ratio * (3/5) G M^2 / R.
  const double v = std::sqrt(2 * s.virial_ratio * g * s.mass / s.radius);
  for (std::int64_t i = 0; i < s.particles; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Real x = std::cbrt(static_cast<Real>(draws.uniform(i, 0, Purpose::radius).first));
    b.position[k] = static_cast<double>(s.radius * x) * draws.direction(i, Purpose::direction);
    if (v == 0) continue;
    const Real y = std::cbrt(static_cast<Real>(draws.uniform(i, 0, Purpose::speed).first));
    b.velocity[k] = static_cast<double>(v * y) * draws.direction(i, Purpose::velocity_direction);
  }
  if (s.recentre) recentre(b);
  return b;
}

void recentre(BodySet& b) {
  Sum mass;
  VectorSum position, velocity;
  for (std::size_t i = 0; i < b.mass.size(); ++i) {
    mass.add(b.mass[i]);
    position.add(b.mass[i] * b.position[i]);
    velocity.add(b.mass[i] * b.velocity[i]);
  }
  if (mass.value() == 0) return;
  const kernels::Vec3 x = (1 / mass.value()) * position.value(), v = (1 / mass.value()) * velocity.value();
  for (std::size_t i = 0; i < b.mass.size(); ++i) {
    b.position[i] = b.position[i] - x;
    b.velocity[i] = b.velocity[i] - v;
  }
}

}  // namespace ergode::sim::nbody
