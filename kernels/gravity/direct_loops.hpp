#pragma once

#include <cstdint>

#include "kernels/core/vec3.hpp"

// The CPU loops. One source, direct_cpu.cpp, is built for each instruction set; each build offers this table of
// functions. Plain pointers: no template or inline function of the standard library may be instantiated in those
// sources.

namespace ergode::kernels {

/// Bodies in tile order, lengths in units of length_scale and masses in units of mass_scale.
struct TileView {
  const double* x;
  const double* y;
  const double* z;
  const double* mass;
  const double* softening_squared;  ///< floored, see softening_floor()
  const Vec3* centre;               ///< of each target tile
  const std::int64_t* order;        ///< canonical index of each body
  std::int64_t bodies;
  std::int64_t sources;  ///< the first of `bodies`
  bool uniform_softening;
  bool equal_masses;                       ///< of the sources
  std::int64_t first_target, last_target;  ///< what is computed; the first is a multiple of target_tile
};

/// Bodies in canonical order, in the run's units.
struct BodyView {
  const Vec3* position;
  const double* mass;
  const double* softening;
  std::int64_t bodies;
  std::int64_t sources;
  std::int64_t first_target, last_target;  ///< of potentials()
};

struct DirectLoops {
  /// acceleration[order[k]] = scale * (sum over sources) for every target. Float pair arithmetic.
  void (*forces_mixed)(const TileView&, double scale, Vec3* acceleration, int threads);
  void (*forces_double)(const TileView&, double scale, Vec3* acceleration, int threads);
  /// potential[i] = -g * sum of m / sqrt(r^2 + eps^2) over the other bodies, for every target.
  void (*potentials)(const BodyView&, double g, double* potential, int threads);
  /// acceleration[k] of body targets[k]; in double, plainly, body after body.
  void (*reference)(const BodyView&, double g, const std::int64_t* targets, std::int64_t count, Vec3* acceleration,
                    int threads);
  /// values[i] = fma(rate[i], step, values[i]).
  void (*advance)(double* values, const double* rate, double step, std::int64_t count, int threads);
  /// Index of the first body whose position or velocity is not finite, or -1.
  std::int64_t (*first_not_finite)(const Vec3* position, const Vec3* velocity, std::int64_t bodies, int threads);
};

namespace baseline {
extern const DirectLoops direct_loops;
}
namespace avx2 {
extern const DirectLoops direct_loops;
}
namespace avx512 {
extern const DirectLoops direct_loops;
}

}  // namespace ergode::kernels
