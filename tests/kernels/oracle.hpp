#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/gravity/engine.hpp"

// The truth that engines are held to: brute force in long double, in canonical order, written apart from the engines'
// functors.

namespace ergode::kernels::test {

inline std::vector<std::int64_t> all_bodies(const NbodyState& s) {
  std::vector<std::int64_t> index(s.position.size());
  std::iota(index.begin(), index.end(), std::int64_t{0});
  return index;
}

/// `count` bodies spread evenly over the canonical order.
inline std::vector<std::int64_t> sample(const NbodyState& s, std::int64_t count) {
  std::vector<std::int64_t> index;
  for (std::int64_t k = 0; k < count; ++k) index.push_back(k * s.size() / count);
  return index;
}

struct Oracle {
  std::vector<Vec3> acceleration;
  std::vector<double> potential;
};

/// Plummer-softened sums over the sources for the bodies `targets`; a pair uses the larger softening; a body does not
/// act on itself, and neither do two unsoftened bodies in one place.
inline Oracle brute_force(const NbodyState& s, double g, const std::vector<std::int64_t>& targets) {
  Oracle o;
  for (const std::int64_t target : targets) {
    const auto i = static_cast<std::size_t>(target);
    long double ax = 0, ay = 0, az = 0, potential = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(s.sources); ++j) {
      if (i == j) continue;
      const long double dx = static_cast<long double>(s.position[j].x) - s.position[i].x;
      const long double dy = static_cast<long double>(s.position[j].y) - s.position[i].y;
      const long double dz = static_cast<long double>(s.position[j].z) - s.position[i].z;
      const long double eps = std::max(s.softening[i], s.softening[j]);
      const long double r2 = dx * dx + dy * dy + dz * dz + eps * eps;
      if (r2 == 0) continue;
      const long double r = std::sqrt(r2), f = s.mass[j] / (r2 * r);
      ax += f * dx;
      ay += f * dy;
      az += f * dz;
      potential -= s.mass[j] / r;
    }
    o.acceleration.push_back({static_cast<double>(g * ax), static_cast<double>(g * ay), static_cast<double>(g * az)});
    o.potential.push_back(static_cast<double>(g * potential));
  }
  return o;
}

/// E2 = sqrt(sum |a - reference|^2 / sum |reference|^2); NaN when anything is.
inline double force_error(const std::vector<Vec3>& a, const std::vector<Vec3>& reference) {
  long double difference = 0, whole = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const Vec3 d = a[i] - reference[i];
    difference += static_cast<long double>(dot(d, d));
    whole += static_cast<long double>(dot(reference[i], reference[i]));
  }
  return whole > 0 ? static_cast<double>(std::sqrt(difference / whole)) : static_cast<double>(std::sqrt(difference));
}

}  // namespace ergode::kernels::test
