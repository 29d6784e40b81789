#pragma once

#include <omp.h>

#include "kernels/options/path_loops.hpp"
#include "kernels/options/upper_bound.hpp"

#ifndef ERGODE_ISA
#error "kernels/options/paths_cpu.hpp belongs in sources that are built for one instruction set"
#endif

namespace ergode::kernels::options::ERGODE_ISA {
namespace {

template <int model, int assets, bool tangents, class Real>
void run_chunk(const GroupView<Real>& g, std::int64_t chunk, double* out, const ThreadScratch<Real>& scratch) {
  const ChunkRange range = chunk_range(chunk, g.samples, g.sobol.points, g.sobol.replications);
  if (!wanted(g, range.first)) return;
  const int row = g.estimators * moments;
  for (int i = 0; i < chunk_lanes * row; ++i) scratch.sums[i] = 0;
  double x[max_estimators], c[max_estimators];
  for (int lane = 0; lane < chunk_lanes; ++lane)
    for (std::int64_t i = lane; i < range.count; i += chunk_lanes) {
      const std::int64_t sample = range.first + i;
      const std::uint64_t number = g.first_sample + static_cast<std::uint64_t>(sample);
      if (g.sobol.replications > 0)
        store_sobol_normals(g.grids[0], g.sobol, number, sample, scratch.normals, 1);
      else
        store_philox_normals(g.grids[0], number, scratch.normals, 1);
      run_sample<model, assets, tangents>(g, sample, chunk, x, c, [&](int grid, bool mirrored) {
        return StoredDraws<Real>(g.grids[grid], number, grid, mirrored, scratch.normals, 1);
      });
      add_moments(x, c, g.estimators, scratch.sums + lane * row);
    }
  for (int width = chunk_lanes / 2; width > 0; width /= 2)
    for (int i = 0; i < width * row; ++i) scratch.sums[i] += scratch.sums[width * row + i];
  for (int i = 0; i < row; ++i) out[i] = scratch.sums[i];
}

template <int model, int assets, class Real>
void run_model(const GroupView<Real>& g, std::int64_t first, std::int64_t count, double* sums,
               const ThreadScratch<Real>* scratch, int threads) {
  // A loop without derivatives of its own only where it pays.
  bool tangents = model == any_model;
  for (int v = 0; v < g.variation_count; ++v) tangents = tangents || g.variations[v].tangent != 0;
  const std::int64_t row = g.estimators * moments;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t k = 0; k < count; ++k) {
    const ThreadScratch<Real>& mine = scratch[omp_get_thread_num()];
    if (tangents)
      run_chunk<model, assets, true>(g, first + k, sums + k * row, mine);
    else
      run_chunk<model, assets, model == any_model>(g, first + k, sums + k * row, mine);
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
