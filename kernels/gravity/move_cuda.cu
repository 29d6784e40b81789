#include "kernels/device/cuda_check.cuh"
#include "kernels/gravity/direct_cuda.cuh"
#include "kernels/integrate/advance.hpp"

namespace ergode::kernels::cuda {

namespace {

/// What the last force pass found for the body at place `k` of `bodies` in tile order, in the scaled units.
__device__ Vec3 pull_on(const Pulls& pulls, std::int64_t k, std::int64_t bodies) {
  if (k < pulls.paired) {
    const PairSums& sums = pulls.sums;
    const bool coarse = sums.status->coarse_terms != 0;
    double value[3];
    for (int c = 0; c < 3; ++c) {
      const std::int64_t at = c * sums.stride + k;
      value[c] = from_fixed_point(sums.fine[at], coarse ? sums.coarse[at] : 0, sums.scale);
      sums.fine[at] = 0;  // for the next pass
      if (coarse) sums.coarse[at] = 0;
    }
    if (sums.status->too_large == 0) return {value[0], value[1], value[2]};
    if (k == 0) ++*pulls.done_twice;
  }
  Vec3 sum{};
#pragma unroll 8
  for (std::int64_t c = 0; c < pulls.chunks; ++c) sum = sum + pulls.partial[c * bodies + k];
  return sum;
}

/// Advances the three values of a body. One that is no longer finite lowers `*first_bad` to `number`.
__device__ void advance(Vec3& value, const Vec3& rate, double step, unsigned long long number,
                        unsigned long long* first_bad) {
  value = {Advance{}(value.x, rate.x, step), Advance{}(value.y, rate.y, step), Advance{}(value.z, rate.z, step)};
  if (!isfinite(value.x) || !isfinite(value.y) || !isfinite(value.z)) atomicMin(first_bad, number);
}

/// One block of target_tile threads a tile.
template <class Real>
__global__ void __launch_bounds__(target_tile) move_kernel(Bodies bodies, Tiles<Real> tiles, Scales scales, Pulls pulls,
                                                           Move move, unsigned long long* first_bad) {
  __shared__ double sum[3][target_tile];
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t k = blockIdx.x * target_tile + t;
  const bool there = k < bodies.bodies;
  const std::int64_t i = tiles.order[there ? k : bodies.bodies - 1];
  Vec3 position = bodies.position[i];
  if (there) {
    Vec3 acceleration = bodies.acceleration[i];
    if (move.take_pulls) {
      acceleration = scales.force * pull_on(pulls, k, bodies.bodies);
      bodies.acceleration[i] = acceleration;
    }
    auto number = static_cast<unsigned long long>(move.first_number + i);
    if (move.number_base != nullptr) number += static_cast<unsigned long long>(*move.number_base);
    Vec3 velocity = bodies.velocity[i];
    for (int kick = 0; kick < move.kicks; ++kick, number += bodies.bodies)
      advance(velocity, acceleration, move.kick[kick], number, first_bad);
    if (move.kicks > 0) bodies.velocity[i] = velocity;
    if (move.drifts) {
      advance(position, velocity, move.drift, number, first_bad);
      bodies.position[i] = position;
    }
  }
  if (!move.gathers) return;

  if (blockIdx.x == 0 && t == 0 && pulls.paired > 0) *pulls.next_status = {};
  const double q[3] = {position.x * scales.per_length, position.y * scales.per_length, position.z * scales.per_length};
  if (there) {
    tiles.x[k] = q[0];
    tiles.y[k] = q[1];
    tiles.z[k] = q[2];
    tiles.mass[k] = static_cast<Real>(bodies.mass[i] * scales.per_mass);
    const double eps = bodies.softening[i] * scales.per_length;
    const double eps2 = eps * eps;
    tiles.softening_squared[k] = eps2 > softening_floor<Real>() ? static_cast<Real>(eps2) : softening_floor<Real>();
  }
  for (int c = 0; c < 3; ++c) sum[c][t] = there ? q[c] : 0;
  for (int half = target_tile / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half)
      for (int c = 0; c < 3; ++c) sum[c][t] += sum[c][t + half];
  }
  if (t == 0) {
    const std::int64_t left = bodies.bodies - blockIdx.x * target_tile;
    const double weight = 1 / static_cast<double>(left < target_tile ? left : target_tile);
    tiles.centre[blockIdx.x] = {weight * sum[0][0], weight * sum[1][0], weight * sum[2][0]};
  }
}

__global__ void set_number_kernel(std::int64_t* value, std::int64_t number) {
  *value = number;
}

/// The chunks' sums, in their order, into the first chunk; the others are then zero.
__global__ void fold_chunks_kernel(Vec3* partial, std::int64_t chunks, std::int64_t bodies, Range all, Range mine) {
  const std::int64_t k = all.first + static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= all.last) return;
  Vec3 sum{};
  for (std::int64_t c = 0; c < chunks; ++c) {
    if (mine.first <= k && k < mine.last) sum = sum + partial[c * bodies + k];
    partial[c * bodies + k] = {};
  }
  partial[k] = sum;
}

}  // namespace

template <class Real>
void move(const Bodies& bodies, const Tiles<Real>& tiles, const Scales& scales, const Pulls& pulls, const Move& move,
          unsigned long long* first_bad, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceiling_divide(bodies.bodies, target_tile));
  move_kernel<<<blocks, target_tile, 0, stream>>>(bodies, tiles, scales, pulls, move, first_bad);
  cuda_check_launch("move_kernel");
}

template void move<float>(const Bodies&, const Tiles<float>&, const Scales&, const Pulls&, const Move&,
                          unsigned long long*, cudaStream_t);
template void move<double>(const Bodies&, const Tiles<double>&, const Scales&, const Pulls&, const Move&,
                           unsigned long long*, cudaStream_t);

void set_number(std::int64_t* value, std::int64_t number, cudaStream_t stream) {
  set_number_kernel<<<1, 1, 0, stream>>>(value, number);
  cuda_check_launch("set_number_kernel");
}

void fold_chunks(Vec3* partial, std::int64_t chunks, std::int64_t bodies, Range all, Range mine, cudaStream_t stream) {
  fold_chunks_kernel<<<static_cast<unsigned>(ceiling_divide(all.count(), 256)), 256, 0, stream>>>(partial, chunks,
                                                                                                  bodies, all, mine);
  cuda_check_launch("fold_chunks_kernel");
}

}  // namespace ergode::kernels::cuda
