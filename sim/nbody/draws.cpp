#include "sim/nbody/draws.hpp"

#include <cmath>

#include "kernels/random/philox.hpp"

namespace ergode::sim::nbody {

Draws::Pair Draws::uniform(std::int64_t particle, std::uint32_t attempt, Purpose purpose) const {
  const auto words = kernels::philox4x32(
      kernels::philox_counter(static_cast<std::uint64_t>(particle), attempt, static_cast<std::uint32_t>(purpose)),
      {seed, stream});
  return {kernels::philox_uniform(words[0], words[1]), kernels::philox_uniform(words[2], words[3])};
}

kernels::Vec3 Draws::direction(std::int64_t particle, Purpose purpose) const {
  for (std::uint32_t attempt = 0;; ++attempt) {
    const auto [u, v] = uniform(particle, attempt, purpose);
    const double a = 2 * u - 1, b = 2 * v - 1;
    const double s = a * a + b * b;
    if (s >= 1) continue;
    const double f = 2 * std::sqrt(1 - s);
    return {a * f, b * f, 1 - 2 * s};
  }
}

}  // namespace ergode::sim::nbody
