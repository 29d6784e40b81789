#pragma once

#include <cstdint>

#include "kernels/core/vec3.hpp"
#include "kernels/gravity/share.hpp"
#include "kernels/gravity/tiles.hpp"

// Launchers of the gravity kernels; kernels/gravity/cuda_engine.cu owns the memory. All throw Error(gpu).

namespace ergode::kernels::cuda {

/// Bodies in canonical order, in the run's units.
struct Bodies {
  Vec3* position;
  Vec3* velocity;
  Vec3* acceleration;
  const double* mass;
  const double* softening;
  std::int64_t bodies;
  std::int64_t sources;
};

/// The same bodies in tile order, lengths in units of length_scale, masses of mass_scale. `mass` and
/// `softening_squared` (floored) are in the number type of the pair arithmetic.
template <class Real>
struct Tiles {
  double* x;
  double* y;
  double* z;
  Real* mass;
  Real* softening_squared;
  Vec3* centre;   ///< of each target tile
  Vec3* partial;  ///< (chunks, bodies)
  const std::int64_t* order;
};

struct Scales {
  double length;
  double mass;
  double force;  ///< G mass / length^2
  bool uniform_softening;
};

/// Bodies into tile order, and the tiles' centres.
template <class Real>
void gather(const Bodies& bodies, const Tiles<Real>& tiles, const Scales& scales);

/// Accelerations of the bodies at `targets` in tile order (whole tiles), from gathered tiles: in canonical order, or
/// where `in_tile_order` is not null there, in tile order. `block_size` 64, 128 or 256 cannot change a bit.
template <class Real>
void forces(const Bodies& bodies, const Tiles<Real>& tiles, const Scales& scales, int block_size, Range targets,
            Vec3* in_tile_order);
/// acceleration[order[k]] = in_tile_order[k] of all bodies.
void scatter(const Bodies& bodies, const std::int64_t* order, const Vec3* in_tile_order);

/// Of the bodies `targets`, the first of which is a multiple of target_tile.
void potentials(const Bodies& bodies, double g, Range targets, double* potential);
void reference(const Bodies& bodies, double g, const std::int64_t* targets, std::int64_t count, Vec3* acceleration);

/// values[i] = fma(rate[i], step, values[i]) for 3 values a body. A body with one that is not finite lowers
/// `*first_bad` to first_number + its index: with numbers that grow from one operation to the next, the first body met
/// stays named, whatever the forces then make of the others.
void advance(double* values, const double* rate, double step, std::int64_t count, std::int64_t first_number,
             unsigned long long* first_bad);

/// The box of all positions, into `*box`.
void bounding_box(const Vec3* position, std::int64_t bodies, Box* box);
/// Tile keys and the identity permutation, to be sorted.
void tile_keys(const Bodies& bodies, const Box* box, std::uint64_t* key, std::int64_t* index);

}  // namespace ergode::kernels::cuda
