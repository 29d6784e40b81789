#pragma once

#include <algorithm>

#include "kernels/device/cuda_check.cuh"
#include "kernels/options/group_data.hpp"
#include "kernels/options/path_loops.hpp"
#include "kernels/options/upper_bound.hpp"

// The CUDA loops. A block is a chunk's lanes; it takes chunks in turn, so the grid's size is free. Each kernel of the
// list of PathKernel has its own source, which names its launchers.

namespace ergode::kernels::options {

/// Where a launch puts its sums, and the memory for stored normals: (normal, thread of the grid).
template <class Real>
struct LaunchArguments {
  std::int64_t first = 0, count = 0;
  double* sums = nullptr;
  Real* normals = nullptr;
  std::int64_t blocks = 0;                ///< at most
  int observers = 0;                      ///< of the group
  const CompactGroup* compact = nullptr;  ///< of the group, where it is one
  cudaStream_t stream = nullptr;
};

/// Adds the lanes' sums of one estimator, each as a binary tree in the order of the CPU: halves down to a warp through
/// shared memory, then within the warp. `out` is the first thread's to write.
__device__ inline void add_lanes(const double* sums, double (&shared)[moments][chunk_lanes], double* out) {
  const int lane = static_cast<int>(threadIdx.x);
  __syncthreads();
  for (int m = 0; m < moments; ++m) shared[m][lane] = sums[m];
  for (int width = chunk_lanes / 2; width >= 32; width /= 2) {
    __syncthreads();
    if (lane < width)
      for (int m = 0; m < moments; ++m) shared[m][lane] += shared[m][lane + width];
  }
  if (lane >= 32) return;
  __syncwarp();
  for (int m = 0; m < moments; ++m) {
    double sum = shared[m][lane];
    for (int width = 16; width > 0; width /= 2) sum += __shfl_down_sync(0xffffffffu, sum, width);
    if (lane == 0) out[m] = sum;
  }
}

/// visit(chunk, number of the chunk in the launch, its samples) of each chunk of this block that is wanted.
template <class Real, class Visit>
__device__ void each_chunk(const GroupView<Real>& g, const LaunchArguments<Real>& launch, const Visit& visit) {
  for (std::int64_t k = blockIdx.x; k < launch.count; k += gridDim.x) {
    const std::int64_t chunk = launch.first + k;
    const ChunkRange range = chunk_range(chunk, g.samples, g.sobol.points, g.sobol.replications);
    if (wanted(g, range.first)) visit(chunk, k, range);
  }
}

template <int model, class Real, int assets, bool stored, bool tangents, int observers>
__global__ void __launch_bounds__(chunk_lanes, observers == 1 && sizeof(Real) == 4 ? (tangents ? 4 : 6) : 1)
    paths_kernel(const __grid_constant__ GroupView<Real> g, LaunchArguments<Real> launch) {
  __shared__ double shared[moments][chunk_lanes];
  double x[max_estimators], c[max_estimators], sums[max_estimators * moments];
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * chunk_lanes + threadIdx.x;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * chunk_lanes;
  const int row = g.estimators * moments;
  each_chunk(g, launch, [&](std::int64_t chunk, std::int64_t k, const ChunkRange& range) {
    for (int i = 0; i < row; ++i) sums[i] = 0;
    for (std::int64_t i = threadIdx.x; i < range.count; i += chunk_lanes) {
      const std::int64_t sample = range.first + i;
      const std::uint64_t number = g.first_sample + static_cast<std::uint64_t>(sample);
      SampleSums<1> of_sample{x, c};
      if constexpr (stored) {
        store_sobol_normals(g.grids[0], g.sobol, number, sample, launch.normals + thread, stride);
        run_sample<model, assets, tangents, observers>(g, sample, chunk, of_sample, [&](int grid, bool mirrored) {
          return StoredDraws<Real>(g.grids[grid], number, grid, mirrored, launch.normals + thread, stride);
        });
      } else {
        run_sample<model, assets, tangents, observers>(g, sample, chunk, of_sample, [&](int grid, bool mirrored) {
          return PhiloxDraws<Real, assets>(g.grids[grid], g.rounds, number, grid, mirrored);
        });
      }
      keep_values<1>(g, sample, x);
      add_moments(x, c, g.estimators, sums);
    }
    for (int e = 0; e < g.estimators; ++e) add_lanes(sums + e * moments, shared, launch.sums + k * row + e * moments);
  });
}

/// Blocks a multiprocessor of compact_paths_kernel: a European's best on an H200, else what loops need not spill for.
template <class Real>
constexpr int compact_blocks(bool tangents, int estimators) {
  if (sizeof(Real) == 8) return 1;
  return tangents ? 5 : estimators == 1 ? 8 : 6;
}

/// The same for a CompactGroup: what there is to know of the group comes from constant memory, and what is added up, of
/// at most `most` estimators, stays in registers.
template <int model, class Real, bool tangents, int most>
__global__ void __launch_bounds__(chunk_lanes, compact_blocks<Real>(tangents, most))
    compact_paths_kernel(const __grid_constant__ GroupView<Real> group, const __grid_constant__ CompactGroup compact,
                         LaunchArguments<Real> launch) {
  __shared__ double shared[moments][chunk_lanes];
  double sums[most * moments];
  GroupView<Real> g = group;
  g.grids = &compact.grid;
  g.variations = compact.variations;
  g.terms = compact.terms;
  g.targets = compact.targets;
  g.offsets = compact.offsets;
  const bool one_block = compact.grid.steps * compact.grid.normals < 4;
  each_chunk(g, launch, [&](std::int64_t chunk, std::int64_t k, const ChunkRange& range) {
    for (double& sum : sums) sum = 0;
    for (std::int64_t i = threadIdx.x; i < range.count; i += chunk_lanes) {
      const std::int64_t sample = range.first + i;
      const std::uint64_t number = g.first_sample + static_cast<std::uint64_t>(sample);
      FewSampleSums<most> of_sample;
      Real first[4];
      if (one_block) PhiloxDraws<Real, 1>(compact.grid, group.rounds, number, 0, false).four(0, first);
      run_sample<model, 1, tangents, only_averages>(g, sample, chunk, of_sample, [&](int, bool mirrored) {
        return PhiloxDraws<Real, 1>(compact.grid, group.rounds, number, 0, mirrored, first);
      });
      add_moments<1, most>(of_sample.x, of_sample.c, g.estimators, sums);
    }
    each_estimator<most>(g.estimators, [&](int e) {
      add_lanes(sums + e * moments, shared, launch.sums + (k * g.estimators + e) * moments);
    });
  });
}

/// The lanes of SerialLanes as the threads of a warp.
struct WarpLanes {
  template <class LaneSum>
  __device__ double sum(const LaneSum& lane_sum) const {
    double s = lane_sum(static_cast<int>(threadIdx.x));
    for (int width = SerialLanes::lanes / 2; width > 0; width /= 2) s += __shfl_down_sync(0xffffffffu, s, width);
    return __shfl_sync(0xffffffffu, s, 0);
  }
};

/// A warp an outer path: each thread walks along it, and the inner paths are shared out.
template <int model, class Real, int assets>
__global__ void __launch_bounds__(SerialLanes::lanes)
    upper_bound_kernel(GroupView<Real> g, UpperBoundPlan plan, double* largest) {
  const UpperBound<model, Real, assets, WarpLanes> bound{g, plan.observer, plan.inner, {}};
  for (std::int64_t i = blockIdx.x; i < plan.count; i += gridDim.x) {
    const double found = bound(plan.first + i, plan.outer, plan.first_sample);
    if (threadIdx.x == 0) largest[i] = found;
  }
}

template <class Real>
void launch_upper_bound_of(const GroupView<Real>& g, const UpperBoundPlan& plan, double* largest, int assets) {
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(plan.count, 65535));
  if (assets == 1)
    upper_bound_kernel<any_model, Real, 1><<<blocks, SerialLanes::lanes>>>(g, plan, largest);
  else if (assets <= few_assets)
    upper_bound_kernel<any_model, Real, few_assets><<<blocks, SerialLanes::lanes>>>(g, plan, largest);
  else
    upper_bound_kernel<any_model, Real, max_assets><<<blocks, SerialLanes::lanes>>>(g, plan, largest);
  cuda_check_launch("upper_bound_kernel");
}

/// Launches run(): sums of chunks [first, first + count). `stored`: Sobol points.
template <int model, class Real, int assets>
void launch_paths(const GroupView<Real>& g, const LaunchArguments<Real>& launch, bool stored, bool tangents) {
  const auto blocks = static_cast<unsigned>(std::min(launch.count, launch.blocks));
  const auto go = [&](auto kernel, const auto&... compact) {
    kernel<<<blocks, chunk_lanes, 0, launch.stream>>>(g, compact..., launch);
  };
  if constexpr (model != any_model) {
    if (launch.compact != nullptr) {
      constexpr int most = CompactGroup::most_estimators;
      if (tangents)
        go(compact_paths_kernel<model, Real, true, most>, *launch.compact);
      else if (g.estimators > 1)
        go(compact_paths_kernel<model, Real, false, most>, *launch.compact);
      else
        go(compact_paths_kernel<model, Real, false, 1>, *launch.compact);
      return cuda_check_launch("compact_paths_kernel");
    }
  }
  // Loops without derivatives, and for at most one statistic, whose state then stays in registers, only where they pay.
  constexpr bool known = model != any_model;
  constexpr int one = known ? 1 : max_observers;
  const bool few = launch.observers <= one;
  if (stored)
    go(paths_kernel<model, Real, assets, true, true, max_observers>);
  else if (tangents || !known)
    few ? go(paths_kernel<model, Real, assets, false, true, one>)
        : go(paths_kernel<model, Real, assets, false, true, max_observers>);
  else
    few ? go(paths_kernel<model, Real, assets, false, !known, one>)
        : go(paths_kernel<model, Real, assets, false, !known, max_observers>);
  cuda_check_launch("paths_kernel");
}

#define ERGODE_PATH_LAUNCHERS(Real)                                                                          \
  void launch_gbm(const GroupView<Real>&, const LaunchArguments<Real>&, bool stored, bool tangents);         \
  void launch_heston(const GroupView<Real>&, const LaunchArguments<Real>&, bool stored, bool tangents);      \
  void launch_one_asset(const GroupView<Real>&, const LaunchArguments<Real>&, bool stored, bool tangents);   \
  void launch_few_assets(const GroupView<Real>&, const LaunchArguments<Real>&, bool stored, bool tangents);  \
  void launch_many_assets(const GroupView<Real>&, const LaunchArguments<Real>&, bool stored, bool tangents); \
  void launch_upper_bound(const GroupView<Real>&, const UpperBoundPlan&, double* largest, int assets);
ERGODE_PATH_LAUNCHERS(float)
ERGODE_PATH_LAUNCHERS(double)
#undef ERGODE_PATH_LAUNCHERS

}  // namespace ergode::kernels::options
