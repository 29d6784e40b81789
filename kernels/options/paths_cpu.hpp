#pragma once

#include <omp.h>

#include "kernels/options/path_loops.hpp"
#include "kernels/options/upper_bound.hpp"
#include "kernels/random/philox_lanes.hpp"

#ifndef ERGODE_ISA
#error "kernels/options/paths_cpu.hpp belongs in sources that are built for one instruction set"
#endif

namespace ergode::kernels::options::ERGODE_ISA {
namespace {

/// The normals of `lanes` samples from number `sample` on, of which the first is sample `index` of the group.
template <class Number>
ERGODE_SIMD void store_normals(const GroupView<Element<Number>>& g, std::uint64_t sample, std::int64_t index,
                               Element<Number>* normals) {
  constexpr int lanes = lanes_of<Number>;
  if (g.sobol.replications == 0) return store_philox_normals<Number>(g.grids[0], sample, normals, lanes);
  for (int lane = 0; lane < lanes; ++lane)
    store_sobol_normals(g.grids[0], g.sobol, sample + static_cast<std::uint64_t>(lane), index + lane, normals + lane,
                        lanes);
}

/// Number: a vector with a sample in each lane, or a scalar for one at a time. The sums are (estimator, moment, lane).
template <class Number, int model, int assets, bool tangents, int observers>
void run_chunk(const GroupView<Element<Number>>& g, std::int64_t chunk, double* out,
               const ThreadScratch<Element<Number>>& scratch) {
  constexpr int lanes = lanes_of<Number>;
  static_assert(chunk_lanes % lanes == 0);
  const ChunkRange range = chunk_range(chunk, g.samples, g.sobol.points, g.sobol.replications);
  if (!wanted(g, range.first)) return;
  const int row = g.estimators * moments;
  for (int i = 0; i < chunk_lanes * row; ++i) scratch.sums[i] = 0;
  double x[max_estimators * lanes], c[max_estimators * lanes];
  for (std::int64_t i = 0; i < range.count; i += lanes) {
    const std::int64_t sample = range.first + i;
    const std::uint64_t number = g.first_sample + static_cast<std::uint64_t>(sample);
    const int count = static_cast<int>(range.count - i < lanes ? range.count - i : lanes);
    store_normals<Number>(g, number, sample, scratch.normals);
    SampleSums<lanes> of_sample{x, c};
    run_sample<model, assets, tangents, observers>(
        g, sample, chunk, of_sample, [&](int grid, bool mirrored) ERGODE_INLINE_LAMBDA {
          return StoredDraws<Number>(g.grids[grid], number, grid, mirrored, scratch.normals, lanes);
        });
    keep_values<lanes>(g, sample, x, count);
    add_moments<lanes>(x, c, g.estimators, scratch.sums + i % chunk_lanes, chunk_lanes, count);
  }
  for (int i = 0; i < row; ++i) {
    double* sums = scratch.sums + i * chunk_lanes;
    for (int width = chunk_lanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) sums[l] += sums[width + l];
    out[i] = sums[0];
  }
}

/// One statistic has a loop of its own where it pays: its state then stays in registers.
template <class Number, int model, int assets, bool tangents>
void run_chunk(const GroupView<Element<Number>>& g, std::int64_t chunk, double* out,
               const ThreadScratch<Element<Number>>& scratch) {
  if constexpr (model != any_model) {
    if (g.grids[0].observers <= 1) return run_chunk<Number, model, assets, tangents, 1>(g, chunk, out, scratch);
  }
  run_chunk<Number, model, assets, tangents, max_observers>(g, chunk, out, scratch);
}

template <int model, int assets, class Real>
void run_model(const GroupView<Real>& g, std::int64_t first, std::int64_t count, double* sums,
               const ThreadScratch<Real>* scratch, int threads) {
  using Number = kernels::ERGODE_ISA::VectorOf<Real>;
  // A loop without derivatives of its own only where it pays.
  bool tangents = model == any_model;
  for (int v = 0; v < g.variation_count; ++v) tangents = tangents || g.variations[v].tangent != 0;
  const std::int64_t row = g.estimators * moments;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t k = 0; k < count; ++k) {
    const ThreadScratch<Real>& mine = scratch[omp_get_thread_num()];
    if (tangents)
      run_chunk<Number, model, assets, true>(g, first + k, sums + k * row, mine);
    else
      run_chunk<Number, model, assets, model == any_model>(g, first + k, sums + k * row, mine);
  }
}

template <class Real>
void run(const GroupView<Real>& g, PathKernel kernel, std::int64_t first, std::int64_t count, double* sums,
         const ThreadScratch<Real>* scratch, int threads) {
  switch (kernel) {
    case PathKernel::gbm:
      return run_model<static_cast<int>(ModelKind::gbm), 1>(g, first, count, sums, scratch, threads);
    case PathKernel::heston:
      return run_model<static_cast<int>(ModelKind::heston), 1>(g, first, count, sums, scratch, threads);
    case PathKernel::one_asset:
      return run_model<any_model, 1>(g, first, count, sums, scratch, threads);
    case PathKernel::few_assets:
    case PathKernel::many_assets:
      return run_model<any_model, max_assets>(g, first, count, sums, scratch, threads);
  }
}

template <int assets, class Real>
void bound_paths(const GroupView<Real>& g, const UpperBoundPlan& plan, double* largest, int threads) {
  const UpperBound<any_model, Real, assets, SerialLanes> bound{g, plan.observer, plan.inner, {}};
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t i = 0; i < plan.count; ++i) largest[i] = bound(plan.first + i, plan.outer, plan.first_sample);
}

template <class Real>
void upper_bound(const GroupView<Real>& g, PathKernel kernel, const UpperBoundPlan& plan, double* largest,
                 int threads) {
  if (kernel == PathKernel::few_assets || kernel == PathKernel::many_assets)
    return bound_paths<max_assets>(g, plan, largest, threads);
  bound_paths<1>(g, plan, largest, threads);
}

}  // namespace
}  // namespace ergode::kernels::options::ERGODE_ISA
