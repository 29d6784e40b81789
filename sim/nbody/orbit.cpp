#include "sim/nbody/orbit.hpp"

#include <cmath>

namespace ergode::sim::nbody {
namespace {

constexpr long double pi = 3.14159265358979323846264338327950288L;

// Sine and cosine of degrees, exact at multiples of 90, so that an inclination of 180 has no stray z component.
struct Direction {
  long double sine, cosine;
};
Direction of_degrees(long double angle) {
  const long double turns = std::fmod(angle, 360.0L);
  const long double quarter = turns / 90.0L;
  if (quarter == std::floor(quarter)) {
    const int q = (static_cast<int>(quarter) % 4 + 4) % 4;
    constexpr long double sines[] = {0, 1, 0, -1};
    return {sines[q], sines[(q + 1) % 4]};
  }
  const long double x = turns * (pi / 180.0L);
  return {std::sin(x), std::cos(x)};
}

long double eccentric_anomaly(long double m, long double e) {
  m = std::remainder(m, 2 * pi);
  long double x = e < 0.8L ? m : std::copysign(pi, m);
  for (int i = 0; i < 100; ++i) {
    const long double step = (x - e * std::sin(x) - m) / (1 - e * std::cos(x));
    x -= step;
    if (std::fabs(step) <= 1e-18L * (1 + std::fabs(x))) break;
  }
  return x;
}

long double hyperbolic_anomaly(long double m, long double e) {
  // From a bound above: Newton's iteration then comes down without a leap, also near a parabola.
  long double x = std::copysign(std::asinh((std::fabs(m) + std::cbrt(6 * std::fabs(m))) / e), m);
  for (int i = 0; i < 100; ++i) {
    const long double step = (e * std::sinh(x) - x - m) / (e * std::cosh(x) - 1);
    x -= step;
    if (std::fabs(step) <= 1e-18L * (1 + std::fabs(x))) break;
  }
  return x;
}

}  // namespace

long double true_anomaly(long double m, long double e) {
  if (e < 1) {
    const long double x = eccentric_anomaly(m, e);
    return 2 * std::atan2(std::sqrt(1 + e) * std::sin(x / 2), std::sqrt(1 - e) * std::cos(x / 2));
  }
  const long double x = hyperbolic_anomaly(m, e);
  return 2 * std::atan2(std::sqrt(e + 1) * std::sinh(x / 2), std::sqrt(e - 1) * std::cosh(x / 2));
}

RelativeState state_from_elements(const OrbitalElements& el, double mu) {
  const long double e = el.eccentricity;
  const long double p = el.semi_major_axis * (1 - e * e);  // positive for both kinds of orbit
  Direction f = of_degrees(el.anomaly);
  if (el.mean && el.anomaly != 0) {
    const long double nu = true_anomaly(el.anomaly * (pi / 180.0L), e);
    f = {std::sin(nu), std::cos(nu)};
  }
  const long double r = p / (1 + e * f.cosine), v = std::sqrt(mu / p);
  const long double x = r * f.cosine, y = r * f.sine, vx = -v * f.sine, vy = v * (e + f.cosine);

  const Direction node = of_degrees(el.longitude_of_ascending_node), peri = of_degrees(el.argument_of_periapsis),
                  inc = of_degrees(el.inclination);
  const long double ax = node.cosine * peri.cosine - node.sine * peri.sine * inc.cosine;
  const long double ay = node.sine * peri.cosine + node.cosine * peri.sine * inc.cosine;
  const long double az = peri.sine * inc.sine;
  const long double bx = -node.cosine * peri.sine - node.sine * peri.cosine * inc.cosine;
  const long double by = -node.sine * peri.sine + node.cosine * peri.cosine * inc.cosine;
  const long double bz = peri.cosine * inc.sine;
  const auto rotate = [&](long double u, long double w) {
    return kernels::Vec3{static_cast<double>(u * ax + w * bx), static_cast<double>(u * ay + w * by),
                         static_cast<double>(u * az + w * bz)};
  };
  return {rotate(x, y), rotate(vx, vy)};
}

}  // namespace ergode::sim::nbody
