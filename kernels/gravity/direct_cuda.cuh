#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/core/vec3.hpp"
#include "kernels/gravity/fixed_point.hpp"
#include "kernels/gravity/share.hpp"
#include "kernels/gravity/tiles.hpp"

// Launchers of the gravity kernels; kernels/gravity/cuda_engine.cu owns the memory. All work in
// `stream` and throw Error(gpu).

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
  double length;  ///< this and the mass are powers of two
  double per_length, per_mass;
  double force;  ///< G mass / length^2
  bool uniform_softening;
  bool equal_masses;  ///< of all sources
};

/// Sums of accelerations over pairs, (3, stride) in tile order, in the scaled units.
struct PairSums {
  struct Status {
    std::int64_t coarse_terms;  ///< not 0: there are terms in `coarse`
    std::int64_t too_large;     ///< not 0: there are terms in neither, and the sums are worthless
  };
  std::int64_t* fine;
  std::int64_t* coarse;
  Status* status;
  std::int64_t stride;
  FixedPointScale scale;
};

/// What a force pass leaves, in tile order and in the scaled units.
struct Pulls {
  const Vec3* partial;  ///< (chunks, bodies), to be added in their order
  std::int64_t chunks;
  std::int64_t paired;  ///< of the first bodies the sums are in `sums` instead, unless those are too large
  PairSums sums;
  PairSums::Status* next_status;  ///< of the next pass
  std::int64_t* done_twice;       ///< counts passes whose sums were too large
};

/// What happens to bodies from one force pass to the next, in this order. Each kick and drift has a number for every
/// body, `first_number` + its canonical index and then `bodies` more each: with numbers that grow from one operation to
/// the next, the first body that is not finite stays named, whatever the forces then make of the others.
struct Move {
  bool take_pulls = false;  ///< accelerations are those of the last pass
  int kicks = 0;
  double kick[2] = {0, 0};  ///< of velocities by accelerations, for so long
  bool drifts = false;
  double drift = 0;      ///< of positions by velocities
  bool gathers = false;  ///< positions into tile order, and the tiles' centres: a force pass comes
  std::int64_t first_number = 0;
  const std::int64_t* number_base = nullptr;  ///< where not null, added to it: of a move that is recorded once
};

/// *value = number.
void set_number(std::int64_t* value, std::int64_t number, cudaStream_t stream);

template <class Real>
void move(const Bodies& bodies, const Tiles<Real>& tiles, const Scales& scales, const Pulls& pulls, const Move& move,
          unsigned long long* first_bad, cudaStream_t stream);

/// The pulls of all sources on the bodies at `targets` in tile order (whole tiles), into tiles.partial; where `only_if`
/// is not null, only if that is not 0. `block_size` 64, 128 or 256 cannot change a bit.
template <class Real>
void forces(const Bodies& bodies, const Tiles<Real>& tiles, const Scales& scales, int block_size, Range targets,
            const std::int64_t* only_if, cudaStream_t stream);
/// Of the bodies at `all` in tile order, the chunks of those at `mine` are added up into the first one; all else is 0.
void fold_chunks(Vec3* partial, std::int64_t chunks, std::int64_t bodies, Range all, Range mine, cudaStream_t stream);
/// Adds the pairs of sources of some pairs of tiles, `work` of the pair_count() that there are, to `sums`.
void pairs(const Tiles<float>& tiles, std::int64_t sources, const Scales& scales, const PairSums& sums, Range work,
           cudaStream_t stream);

/// Of the bodies `targets`, the first of which is a multiple of target_tile.
void potentials(const Bodies& bodies, double g, Range targets, double* potential, cudaStream_t stream);
void reference(const Bodies& bodies, double g, const std::int64_t* targets, std::int64_t count, Vec3* acceleration,
               cudaStream_t stream);

/// The box of all positions, into `*box`.
void bounding_box(const Vec3* position, std::int64_t bodies, Box* box, cudaStream_t stream);
/// Tile keys and the identity permutation, to be sorted.
void tile_keys(const Bodies& bodies, const Box* box, std::uint64_t* key, std::int64_t* index, cudaStream_t stream);
/// The stable sort of few keys, by counting the smaller ones of each: one launch, where a radix sort has many.
void order_by_rank(const std::uint64_t* key, std::int64_t count, std::int64_t* order, cudaStream_t stream);

}  // namespace ergode::kernels::cuda
