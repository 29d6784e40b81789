#include "kernels/device/cuda_check.cuh"
#include "kernels/gravity/direct_cuda.cuh"
#include "kernels/gravity/plummer.hpp"

// Direct summation over pairs, each looked at once (Newton's third law). A warp has one tile of bodies in its registers
// and goes over another: each lane holds eight bodies of the first and, in turn, each body of the second, whose sums
// travel from lane to lane. All sums are at most one tile long in float and then added as integers, so that neither the
// order of the tiles nor the number of GPUs they are spread over can change a bit.

namespace ergode::kernels::cuda {

namespace {

constexpr unsigned lanes = 32;
constexpr int held = static_cast<int>(target_tile) / static_cast<int>(lanes);  ///< bodies a lane
/// How many bodies of the other tile a lane has at a time, so that their sums do not wait for each other, and blocks a
/// multiprocessor: as many as were fastest on an H200.
constexpr int rows_at_a_time(bool equal_masses) {
  return equal_masses ? 4 : 2;
}
constexpr int blocks_at_a_time(bool uniform_softening, bool equal_masses) {
  return uniform_softening || equal_masses ? 4 : 3;
}
/// Pairs of tiles in one launch: a grid has less than 2^31 blocks.
constexpr std::int64_t most_at_once = std::int64_t{1} << 32;
constexpr unsigned block_size = 128, block_warps = block_size / lanes;

/// Where bodies that fill up a tile stand: so far that 1 / r^3 is zero in float.
constexpr float nowhere = 0x1p60f;

struct alignas(16) Place {
  float x, y, z, mass;
};

template <bool uniform_softening>
struct Shelf {
  Place place[target_tile];
  float softening_squared[uniform_softening ? 1 : target_tile];
};

__device__ Place place_of(const Tiles<float>& tiles, Vec3 centre, std::int64_t body, std::int64_t sources) {
  if (body >= sources) return {nowhere, nowhere, nowhere, 0};
  return {static_cast<float>(tiles.x[body] - centre.x), static_cast<float>(tiles.y[body] - centre.y),
          static_cast<float>(tiles.z[body] - centre.z), tiles.mass[body]};
}

/// What an addition has met.
struct Met {
  bool coarse = false, too_large = false;
};

__device__ void add(const PairSums& sums, std::int64_t body, const float (&value)[3], Met& met) {
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    std::int64_t quanta;
    const FixedPoint where = to_fixed_point(value[c], sums.scale, quanta);
    met.coarse |= where == FixedPoint::coarse;
    met.too_large |= where == FixedPoint::neither;
    if (where == FixedPoint::neither) continue;
    std::int64_t* const sum = (where == FixedPoint::fine ? sums.fine : sums.coarse) + c * sums.stride + body;
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(quanta));
  }
}

template <bool uniform_softening, bool equal_masses>
__global__ void __launch_bounds__(block_size, blocks_at_a_time(uniform_softening, equal_masses))
    pairs_kernel(Tiles<float> tiles, std::int64_t sources, std::int64_t tile_count, PairSums sums, Range work) {
  constexpr int rows = rows_at_a_time(equal_masses);
  __shared__ Shelf<uniform_softening> shelves[block_warps];
  const unsigned lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
  Shelf<uniform_softening>& shelf = shelves[warp];

  const std::int64_t number = work.first + static_cast<std::int64_t>(blockIdx.x) * block_warps + warp;
  if (number >= work.last) return;
  const TilePair pair = tile_pair(number, tile_count);
  const Vec3 centre = tiles.centre[pair.a];
  const std::int64_t first_a = pair.a * target_tile + lane, first_b = pair.b * target_tile + lane;

  Place a[held];
  float eps2[held], force_a[held][3];
#pragma unroll
  for (int h = 0; h < held; ++h) {
    const std::int64_t body = first_a + h * static_cast<int>(lanes), other = first_b + h * static_cast<int>(lanes);
    a[h] = place_of(tiles, centre, body, sources);
    shelf.place[h * lanes + lane] = place_of(tiles, centre, other, sources);
    eps2[h] = tiles.softening_squared[uniform_softening || body >= sources ? 0 : body];
    if (!uniform_softening)
      shelf.softening_squared[h * lanes + lane] = tiles.softening_squared[other < sources ? other : 0];
    force_a[h][0] = force_a[h][1] = force_a[h][2] = 0;
  }
  __syncwarp();

  const float mass = equal_masses ? tiles.mass[0] : 1;
  const PlummerPairForce<equal_masses> add_forces{};
  Met met;
  for (int row = 0; row < held; row += rows) {
    float force_b[rows][3] = {};
    // In each turn a lane meets the body of the lane whose number differs in the bits of `turn`, and then hands its
    // sums to the lane that meets the body next; after the last turn each is with its own.
#pragma unroll 2
    for (unsigned turn = 0; turn < lanes; ++turn) {
      const unsigned at = row * lanes + (lane ^ turn);
#pragma unroll
      for (int h = 0; h < held; ++h)
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          const Place b = shelf.place[at + r * lanes];
          const float pair_eps2 =
              uniform_softening ? eps2[0] : maximum(shelf.softening_squared[at + r * lanes], eps2[h]);
          add_forces(b.x - a[h].x, b.y - a[h].y, b.z - a[h].z, a[h].mass, b.mass, pair_eps2, force_a[h], force_b[r]);
        }
#pragma unroll
      for (auto& force : force_b)
#pragma unroll
        for (float& f : force) f = __shfl_xor_sync(0xffffffffu, f, (turn ^ (turn + 1)) % lanes);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const std::int64_t body = first_b + (row + r) * static_cast<int>(lanes);
      if (equal_masses)
        for (float& f : force_b[r]) f *= mass;
      if (pair.b != pair.a && body < sources) add(sums, body, force_b[r], met);
    }
  }
#pragma unroll
  for (int h = 0; h < held; ++h) {
    const std::int64_t body = first_a + h * static_cast<int>(lanes);
    if (equal_masses)
      for (float& f : force_a[h]) f *= mass;
    if (body < sources) add(sums, body, force_a[h], met);
  }
  // Whoever comes writes the same.
  if (__any_sync(0xffffffffu, met.coarse) && lane == 0) sums.status->coarse_terms = 1;
  if (__any_sync(0xffffffffu, met.too_large) && lane == 0) sums.status->too_large = 1;
}

template <bool uniform_softening, bool equal_masses>
void launch(const Tiles<float>& tiles, std::int64_t sources, const PairSums& sums, Range work, cudaStream_t stream) {
  const std::int64_t tile_count = ceiling_divide(sources, target_tile);
  for (Range part = work; part.first < work.last; part.first = part.last) {
    part.last = part.first + most_at_once < work.last ? part.first + most_at_once : work.last;
    pairs_kernel<uniform_softening, equal_masses>
        <<<static_cast<unsigned>(ceiling_divide(part.count(), block_warps)), block_size, 0, stream>>>(
            tiles, sources, tile_count, sums, part);
    cuda_check_launch("pairs_kernel");
  }
}

}  // namespace

void pairs(const Tiles<float>& tiles, std::int64_t sources, const Scales& scales, const PairSums& sums, Range work,
           cudaStream_t stream) {
  if (work.count() == 0) return;
  if (scales.uniform_softening)
    scales.equal_masses ? launch<true, true>(tiles, sources, sums, work, stream)
                        : launch<true, false>(tiles, sources, sums, work, stream);
  else
    scales.equal_masses ? launch<false, true>(tiles, sources, sums, work, stream)
                        : launch<false, false>(tiles, sources, sums, work, stream);
}

}  // namespace ergode::kernels::cuda
