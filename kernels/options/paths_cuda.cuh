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
/// shared memory, then within the warp. `out` is the first thread's to write. Without control variates their moments
/// are 0; where `kept` is 2 the sums of x and of x x are all there is.
template <int kept>
__device__ void add_lanes(double (&shared)[kept][chunk_lanes], bool controlled, double* out) {
  const int lane = static_cast<int>(threadIdx.x);
  // Where a moment stands, and its number.
  const auto each_moment = [&](const auto& visit) {
    visit(0, 0);
    if constexpr (kept == 2) return visit(1, 2);
    visit(2, 2);
    if (controlled) visit(1, 1), visit(3, 3), visit(4, 4);
  };
  for (int width = chunk_lanes / 2; width >= 32; width /= 2) {
    __syncthreads();
    if (lane < width) each_moment([&](int at, int) { shared[at][lane] += shared[at][lane + width]; });
  }
  if (lane >= 32) return;
  __syncwarp();
  if (!controlled && lane == 0) out[1] = out[3] = out[4] = 0;
  each_moment([&](int at, int m) {
    double sum = shared[at][lane];
    for (int width = 16; width > 0; width /= 2) sum += __shfl_down_sync(0xffffffffu, sum, width);
    if (lane == 0) out[m] = sum;
  });
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
    for (int e = 0; e < g.estimators; ++e) {
      __syncthreads();
      for (int m = 0; m < moments; ++m) shared[m][threadIdx.x] = sums[e * moments + m];
      add_lanes(shared, true, launch.sums + k * row + e * moments);
    }
  });
}

/// visit(e) of each estimator; at most `most`, which the compiler tells apart.
template <int most, class Visit>
__device__ void each_estimator(int estimators, const Visit& visit) {
  ERGODE_UNROLL
  for (int e = 0; e < most; ++e)
    if (e < estimators) visit(e);
}

/// SampleSums of one thread and at most `most` estimators, in the block's shared memory: which estimator a term adds to
/// is known when it runs.
template <int most>
struct SharedSampleSums {
  double (&sums)[most][2][chunk_lanes];  ///< x and c
  bool controlled;

  __device__ void clear(int) {
    for (int e = 0; e < most; ++e) sums[e][0][threadIdx.x] = 0;
    if (!controlled) return;
    for (int e = 0; e < most; ++e) sums[e][1][threadIdx.x] = 0;
  }
  template <class Number>
  __device__ void add(const TermTarget& target, double factor, const Number& amount) {
    add_scaled(&sums[target.estimator][target.control][threadIdx.x], factor, amount);
  }
  __device__ double value(int e) const { return sums[e][0][threadIdx.x]; }
  __device__ double control(int e) const { return sums[e][1][threadIdx.x]; }
};
/// Of one estimator: in registers.
template <>
struct SharedSampleSums<1> {
  double x, c;

  __device__ SharedSampleSums(double (&)[1][2][chunk_lanes], bool) : x(0), c(0) {}
  __device__ void clear(int) { x = c = 0; }
  template <class Number>
  __device__ void add(const TermTarget& target, double factor, const Number& amount) {
    add_scaled(target.control != 0 ? &c : &x, factor, amount);
  }
  __device__ double value(int) const { return x; }
  __device__ double control(int) const { return c; }
};

/// Where samples are single paths with one term an estimator: what a term adds is a sample's x, and goes to the moments
/// at once.
template <int most>
struct DirectSums {
  double (&sums)[most][2][chunk_lanes];  ///< of x and of x x

  __device__ void clear(int) {}
  template <class Number>
  __device__ void add(const TermTarget& target, double factor, const Number& amount) {
    const double x = factor * static_cast<double>(amount);
    auto& of_estimator = sums[target.estimator];
    of_estimator[0][threadIdx.x] += x;
    of_estimator[1][threadIdx.x] = multiply_add(x, x, of_estimator[1][threadIdx.x]);
  }
};

/// Blocks a multiprocessor of compact_paths_kernel, by measurement on an H200: as many as shared memory and registers
/// allow.
template <class Real>
constexpr int compact_blocks(int most, bool direct) {
  if (sizeof(Real) == 8) return 1;
  return most == 1 || direct ? 8 : 7;
}

/// The same for a CompactGroup: what there is to know of the group comes from constant memory, and the sums of at most
/// `most` estimators stand in shared memory. `direct`: they are DirectSums.
template <int model, class Real, bool tangents, int most, bool direct>
__global__ void __launch_bounds__(chunk_lanes, compact_blocks<Real>(most, direct))
    compact_paths_kernel(const __grid_constant__ GroupView<Real> group, const __grid_constant__ CompactGroup compact,
                         LaunchArguments<Real> launch) {
  __shared__ double sums[most][direct ? 2 : moments][chunk_lanes];
  GroupView<Real> g = group;
  g.grids = &compact.grid;
  g.variations = compact.variations;
  g.terms = compact.terms;
  g.targets = compact.targets;
  g.offsets = compact.offsets;
  const bool one_block = compact.grid.steps * compact.grid.normals < 4, controlled = compact.controlled != 0;
  each_chunk(g, launch, [&](std::int64_t chunk, std::int64_t k, const ChunkRange& range) {
    __syncthreads();
    for (auto& of_estimator : sums)
      for (auto& of_moment : of_estimator) of_moment[threadIdx.x] = 0;
    for (std::int64_t i = threadIdx.x; i < range.count; i += chunk_lanes) {
      const std::int64_t sample = range.first + i;
      const std::uint64_t number = g.first_sample + static_cast<std::uint64_t>(sample);
      Real first[4];
      if (one_block) PhiloxDraws<Real, 1>(compact.grid, group.rounds, number, 0, false).four(0, first);
      const auto run = [&](auto& of_sample) {
        run_sample<model, 1, tangents, only_averages>(g, sample, chunk, of_sample, [&](int, bool mirrored) {
          return PhiloxDraws<Real, 1>(compact.grid, group.rounds, number, 0, mirrored, first);
        });
      };
      if constexpr (direct) {
        DirectSums<most> of_samples{sums};
        run(of_samples);
      } else {
        __shared__ double sample_sums[most][2][chunk_lanes];
        SharedSampleSums<most> of_sample{sample_sums, controlled};
        run(of_sample);
        each_estimator<most>(g.estimators, [&](int e) {
          double* const s = &sums[e][0][threadIdx.x];
          const double value = of_sample.value(e);
          if (!controlled) return add_moments(&value, nullptr, 1, s, chunk_lanes);
          const double control = of_sample.control(e);
          add_moments(&value, &control, 1, s, chunk_lanes);
        });
      }
    }
    each_estimator<most>(
        g.estimators, [&](int e) { add_lanes(sums[e], controlled, launch.sums + (k * g.estimators + e) * moments); });
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
      if (tangents && launch.compact->direct != 0)
        go(compact_paths_kernel<model, Real, true, most, true>, *launch.compact);
      else if (tangents)
        go(compact_paths_kernel<model, Real, true, most, false>, *launch.compact);
      else if (g.estimators > 1)
        go(compact_paths_kernel<model, Real, false, most, false>, *launch.compact);
      else
        go(compact_paths_kernel<model, Real, false, 1, false>, *launch.compact);
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
