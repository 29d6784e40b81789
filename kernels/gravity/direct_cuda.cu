#include "kernels/device/cuda_check.cuh"
#include "kernels/gravity/direct_cuda.cuh"
#include "kernels/gravity/plummer.hpp"

namespace ergode::kernels::cuda {

namespace {

/// Sources in shared memory at a time: a few partial sums' worth, so that barriers are rare.
constexpr int shared_sources = 2 * static_cast<int>(partial_length);

template <class Real>
struct alignas(4 * sizeof(Real)) Source {
  Real x, y, z, mass;
};

__device__ double fold_min(double a, double b) {
  return b < a ? b : a;
}
__device__ double fold_max(double a, double b) {
  return b > a ? b : a;
}

/// Block (tile, chunk): the pull of one chunk of the sources on one tile of targets, from `first_tile` on, `per_thread`
/// targets a thread.
template <class Real, bool uniform, int per_thread>
__global__ void __launch_bounds__(target_tile / per_thread)
    forces_kernel(Tiles<Real> tiles, std::int64_t bodies, std::int64_t sources, std::int64_t partials_per_chunk,
                  std::int64_t first_tile, const std::int64_t* only_if) {
  if (only_if != nullptr && *only_if == 0) return;
  constexpr int threads = static_cast<int>(target_tile) / per_thread;
  __shared__ Source<Real> source[shared_sources];
  __shared__ Real source_eps2[uniform ? 1 : shared_sources];

  const int t = static_cast<int>(threadIdx.x);
  // In double the differences are taken of the coordinates themselves: about a centre they could only lose bits.
  const std::int64_t tile = first_tile + blockIdx.x;
  const Vec3 centre = sizeof(Real) == sizeof(double) ? Vec3{} : tiles.centre[tile];
  Real x[per_thread], y[per_thread], z[per_thread], eps2[per_thread];
  double total_x[per_thread], total_y[per_thread], total_z[per_thread];
#pragma unroll
  for (int p = 0; p < per_thread; ++p) {
    const std::int64_t k = tile * target_tile + p * threads + t;
    const std::int64_t body = k < bodies ? k : bodies - 1;
    x[p] = static_cast<Real>(tiles.x[body] - centre.x);
    y[p] = static_cast<Real>(tiles.y[body] - centre.y);
    z[p] = static_cast<Real>(tiles.z[body] - centre.z);
    eps2[p] = tiles.softening_squared[body];
    total_x[p] = total_y[p] = total_z[p] = 0;
  }

  const std::int64_t begin = blockIdx.y * partials_per_chunk * partial_length;
  const std::int64_t end =
      begin + partials_per_chunk * partial_length < sources ? begin + partials_per_chunk * partial_length : sources;
  const PlummerForce add_force{};
  for (std::int64_t first = begin; first < end; first += shared_sources) {
    __syncthreads();
#pragma unroll
    for (int s = t; s < shared_sources; s += threads) {
      const std::int64_t j = first + s;
      const bool there = j < end;  // what lies past the end has no mass and stands at the centre
      source[s] = {there ? static_cast<Real>(tiles.x[j] - centre.x) : Real(0),
                   there ? static_cast<Real>(tiles.y[j] - centre.y) : Real(0),
                   there ? static_cast<Real>(tiles.z[j] - centre.z) : Real(0), there ? tiles.mass[j] : Real(0)};
      if (!uniform) source_eps2[s] = there ? tiles.softening_squared[j] : softening_floor<Real>();
    }
    __syncthreads();
    for (int part = 0; part < shared_sources && first + part < end; part += static_cast<int>(partial_length)) {
      Real ax[per_thread], ay[per_thread], az[per_thread];
#pragma unroll
      for (int p = 0; p < per_thread; ++p) ax[p] = ay[p] = az[p] = 0;
#pragma unroll 16
      for (int s = part; s < part + static_cast<int>(partial_length); ++s) {
        const Source<Real> from = source[s];
#pragma unroll
        for (int p = 0; p < per_thread; ++p) {
          const Real pair_eps2 = uniform ? eps2[p] : maximum(source_eps2[uniform ? 0 : s], eps2[p]);
          add_force(from.x - x[p], from.y - y[p], from.z - z[p], from.mass, pair_eps2, ax[p], ay[p], az[p]);
        }
      }
#pragma unroll
      for (int p = 0; p < per_thread; ++p) {
        total_x[p] += static_cast<double>(ax[p]);
        total_y[p] += static_cast<double>(ay[p]);
        total_z[p] += static_cast<double>(az[p]);
      }
    }
  }
#pragma unroll
  for (int p = 0; p < per_thread; ++p) {
    const std::int64_t k = tile * target_tile + p * threads + t;
    if (k < bodies) tiles.partial[blockIdx.y * bodies + k] = {total_x[p], total_y[p], total_z[p]};
  }
}

constexpr int potential_block = 128;

__global__ void __launch_bounds__(potential_block)
    potentials_kernel(Bodies bodies, double g, Range targets, double* potential) {
  static_assert(potential_block == partial_length);
  __shared__ Vec3 position[potential_block];
  __shared__ double mass[potential_block], softening[potential_block];
  const std::int64_t i = targets.first + static_cast<std::int64_t>(blockIdx.x) * potential_block + threadIdx.x;
  const std::int64_t body = i < targets.last ? i : targets.last - 1;
  const Vec3 at = bodies.position[body];
  const double eps = bodies.softening[body];
  const PlummerPotential pair_potential{};
  double total = 0;
  for (std::int64_t first = 0; first < bodies.sources; first += potential_block) {
    const std::int64_t j = first + threadIdx.x;
    __syncthreads();
    if (j < bodies.sources) {
      position[threadIdx.x] = bodies.position[j];
      mass[threadIdx.x] = bodies.mass[j];
      softening[threadIdx.x] = bodies.softening[j];
    }
    __syncthreads();
    const int count =
        static_cast<int>(bodies.sources - first < potential_block ? bodies.sources - first : potential_block);
    double sum = 0;
    for (int s = 0; s < count; ++s) {
      const Vec3 d = position[s] - at;
      const double pair_eps = maximum(softening[s], eps);
      const double term = pair_potential(d.x, d.y, d.z, mass[s], pair_eps * pair_eps);
      sum += first + s == i ? 0.0 : term;
    }
    total += sum;
  }
  if (i < targets.last) potential[i] = -g * total;
}

constexpr int reference_block = 256;

/// One block a target; a thread's sources lie reference_block apart, and the threads' sums are folded in a fixed tree.
__global__ void __launch_bounds__(reference_block)
    reference_kernel(Bodies bodies, double g, const std::int64_t* targets, Vec3* acceleration) {
  __shared__ Vec3 sums[reference_block];
  const std::int64_t i = targets[blockIdx.x];
  const Vec3 at = bodies.position[i];
  const double eps_i = bodies.softening[i];
  const PlummerForce add_force{};
  Vec3 sum{};
  for (std::int64_t j = threadIdx.x; j < bodies.sources; j += reference_block) {
    const Vec3 d = bodies.position[j] - at;
    const double eps = maximum(bodies.softening[j], eps_i);
    if (j == i || (eps == 0 && d.x == 0 && d.y == 0 && d.z == 0)) continue;
    add_force(d.x, d.y, d.z, bodies.mass[j], eps * eps, sum.x, sum.y, sum.z);
  }
  sums[threadIdx.x] = sum;
  for (unsigned half = reference_block / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) acceleration[blockIdx.x] = g * sums[0];
}

constexpr int box_block = 1024;

/// One block: a minimum does not depend on order, and this runs once in many steps.
__global__ void __launch_bounds__(box_block) bounding_box_kernel(const Vec3* position, std::int64_t bodies, Box* box) {
  __shared__ double low[3][box_block], high[3][box_block];
  const int t = static_cast<int>(threadIdx.x);
  const Vec3 start = position[0];
  Vec3 a = start, b = start;
  for (std::int64_t i = t; i < bodies; i += box_block) {
    const Vec3 p = position[i];
    a = {fold_min(a.x, p.x), fold_min(a.y, p.y), fold_min(a.z, p.z)};
    b = {fold_max(b.x, p.x), fold_max(b.y, p.y), fold_max(b.z, p.z)};
  }
  low[0][t] = a.x;
  low[1][t] = a.y;
  low[2][t] = a.z;
  high[0][t] = b.x;
  high[1][t] = b.y;
  high[2][t] = b.z;
  for (int half = box_block / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half)
      for (int c = 0; c < 3; ++c) {
        low[c][t] = fold_min(low[c][t], low[c][t + half]);
        high[c][t] = fold_max(high[c][t], high[c][t + half]);
      }
  }
  if (t == 0) *box = {{low[0][0], low[1][0], low[2][0]}, {high[0][0], high[1][0], high[2][0]}};
}

__global__ void tile_keys_kernel(Bodies bodies, const Box* box, std::uint64_t* key, std::int64_t* index) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= bodies.bodies) return;
  key[i] = tile_key(bodies.position[i], *box, i < bodies.sources);
  index[i] = i;
}

/// A warp a key.
__global__ void order_by_rank_kernel(const std::uint64_t* key, std::int64_t count, std::int64_t* order) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (i >= count) return;
  const std::uint64_t own = key[i];
  int before = 0;
#pragma unroll 4
  for (std::int64_t j = lane; j < count; j += 32) before += key[j] < own || (key[j] == own && j < i) ? 1 : 0;
  before = __reduce_add_sync(0xffffffffu, before);
  if (lane == 0) order[before] = i;
}

unsigned blocks_for(std::int64_t count, int block) {
  return static_cast<unsigned>(ceiling_divide(count, block));
}

template <class Real, bool uniform>
void launch_forces(const Bodies& bodies, const Tiles<Real>& tiles, int block_size, std::int64_t chunks,
                   std::int64_t partials_per_chunk, Range targets, const std::int64_t* only_if, cudaStream_t stream) {
  const dim3 grid(blocks_for(targets.count(), target_tile), static_cast<unsigned>(chunks));
  const std::int64_t first_tile = targets.first / target_tile;
  switch (block_size) {
    case 64:
      forces_kernel<Real, uniform, 4>
          <<<grid, 64, 0, stream>>>(tiles, bodies.bodies, bodies.sources, partials_per_chunk, first_tile, only_if);
      break;
    case 256:
      forces_kernel<Real, uniform, 1>
          <<<grid, 256, 0, stream>>>(tiles, bodies.bodies, bodies.sources, partials_per_chunk, first_tile, only_if);
      break;
    default:
      forces_kernel<Real, uniform, 2>
          <<<grid, 128, 0, stream>>>(tiles, bodies.bodies, bodies.sources, partials_per_chunk, first_tile, only_if);
      break;
  }
  cuda_check_launch("forces_kernel");
}

}  // namespace

template <class Real>
void forces(const Bodies& bodies, const Tiles<Real>& tiles, const Scales& scales, int block_size, Range targets,
            const std::int64_t* only_if, cudaStream_t stream) {
  const std::int64_t chunks = source_chunks(bodies.bodies, bodies.sources);
  const std::int64_t partials_per_chunk = ceiling_divide(ceiling_divide(bodies.sources, partial_length), chunks);
  if (scales.uniform_softening)
    launch_forces<Real, true>(bodies, tiles, block_size, chunks, partials_per_chunk, targets, only_if, stream);
  else
    launch_forces<Real, false>(bodies, tiles, block_size, chunks, partials_per_chunk, targets, only_if, stream);
}

template void forces<float>(const Bodies&, const Tiles<float>&, const Scales&, int, Range, const std::int64_t*,
                            cudaStream_t);
template void forces<double>(const Bodies&, const Tiles<double>&, const Scales&, int, Range, const std::int64_t*,
                             cudaStream_t);

void potentials(const Bodies& bodies, double g, Range targets, double* potential, cudaStream_t stream) {
  potentials_kernel<<<blocks_for(targets.count(), potential_block), potential_block, 0, stream>>>(bodies, g, targets,
                                                                                                  potential);
  cuda_check_launch("potentials_kernel");
}

void reference(const Bodies& bodies, double g, const std::int64_t* targets, std::int64_t count, Vec3* acceleration,
               cudaStream_t stream) {
  if (count == 0) return;
  reference_kernel<<<static_cast<unsigned>(count), reference_block, 0, stream>>>(bodies, g, targets, acceleration);
  cuda_check_launch("reference_kernel");
}

void bounding_box(const Vec3* position, std::int64_t bodies, Box* box, cudaStream_t stream) {
  bounding_box_kernel<<<1, box_block, 0, stream>>>(position, bodies, box);
  cuda_check_launch("bounding_box_kernel");
}

void tile_keys(const Bodies& bodies, const Box* box, std::uint64_t* key, std::int64_t* index, cudaStream_t stream) {
  tile_keys_kernel<<<blocks_for(bodies.bodies, 256), 256, 0, stream>>>(bodies, box, key, index);
  cuda_check_launch("tile_keys_kernel");
}

void order_by_rank(const std::uint64_t* key, std::int64_t count, std::int64_t* order, cudaStream_t stream) {
  order_by_rank_kernel<<<blocks_for(32 * count, 256), 256, 0, stream>>>(key, count, order);
  cuda_check_launch("order_by_rank_kernel");
}

}  // namespace ergode::kernels::cuda
