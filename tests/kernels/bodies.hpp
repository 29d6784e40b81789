#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "kernels/gravity/engine.hpp"
#include "kernels/random/philox.hpp"

// Bodies for the engine tests: fixed seeds, no state, the same on every machine.

namespace ergode::kernels::test {

/// A number in (0, 1): an odd multiple of 2^-53.
inline double uniform(std::int64_t index, std::uint32_t purpose, std::uint32_t seed = 20) {
  const auto w = philox4x32(philox_counter(static_cast<std::uint64_t>(index), 0, purpose), {seed, 7});
  return philox_uniform(w[0], w[1]);
}

inline Vec3 direction(std::int64_t index, std::uint32_t purpose) {
  const double z = 2 * uniform(index, purpose) - 1, phi = 2 * std::numbers::pi * uniform(index, purpose + 1);
  const double s = std::sqrt(1 - z * z);
  return {s * std::cos(phi), s * std::sin(phi), z};
}

/// `bodies` empty rows with ids; masses 1 / sources for the sources, softening everywhere the same.
inline NbodyState rows(std::int64_t bodies, std::int64_t sources, double softening) {
  NbodyState s;
  const auto n = static_cast<std::size_t>(bodies);
  s.sources = sources;
  s.position.resize(n);
  s.velocity.resize(n);
  s.mass.assign(n, 0.0);
  s.softening.assign(n, softening);
  s.id.resize(n);
  for (std::size_t i = 0; i < n; ++i) s.id[i] = i;
  for (std::int64_t i = 0; i < sources; ++i) s.mass[static_cast<std::size_t>(i)] = 1.0 / static_cast<double>(sources);
  return s;
}

/// A unit cube with unequal masses and small random velocities.
inline NbodyState cube(std::int64_t bodies, std::int64_t sources, double softening) {
  NbodyState s = rows(bodies, sources, softening);
  for (std::int64_t i = 0; i < bodies; ++i) {
    const auto k = static_cast<std::size_t>(i);
    s.position[k] = {uniform(i, 1), uniform(i, 2), uniform(i, 3)};
    s.velocity[k] = {0.2 * uniform(i, 4) - 0.1, 0.2 * uniform(i, 5) - 0.1, 0.2 * uniform(i, 6) - 0.1};
    s.mass[k] *= 0.1 + uniform(i, 7);
  }
  return s;
}

/// A Plummer sphere in Henon units (scale radius 3 pi / 16), its outermost thousandth left out.
inline NbodyState plummer(std::int64_t bodies, double softening) {
  NbodyState s = rows(bodies, bodies, softening);
  for (std::int64_t i = 0; i < bodies; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double radius = 3 * std::numbers::pi / 16 / std::sqrt(std::pow(0.999 * uniform(i, 11), -2.0 / 3.0) - 1);
    s.position[k] = radius * direction(i, 12);
    s.velocity[k] = 0.4 * uniform(i, 14) * direction(i, 15);
  }
  return s;
}

/// Every third body soft, every third unsoftened, the rest in between.
inline void mix_softening(NbodyState& s) {
  const double values[] = {0.05, 0.0, 0.01};
  for (std::size_t i = 0; i < s.softening.size(); ++i) s.softening[i] = values[i % 3];
}

inline void move(NbodyState& s, Vec3 by) {
  for (Vec3& p : s.position) p = p + by;
}

}  // namespace ergode::kernels::test
