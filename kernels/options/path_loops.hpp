#pragma once

#include "kernels/options/chunk.hpp"
#include "kernels/options/upper_bound_plan.hpp"

// The CPU loops. paths_float_cpu.cpp and paths_double_cpu.cpp are built for each instruction set; each build offers
// these tables. No template or inline function of the standard library may be instantiated in those sources.

namespace ergode::kernels::options {

/// Which instance of the loop serves a group.
enum class PathKernel : std::int32_t { gbm, heston, one_asset, few_assets, many_assets };
inline constexpr int few_assets = 8;

PathKernel path_kernel(const PathSpec& spec);

/// Memory of one thread: `normals` of a path, and (lane, estimator, moment) sums.
template <class Real>
struct ThreadScratch {
  Real* normals;
  double* sums;
};

template <class Real>
struct PathLoops {
  /// sums (chunk, estimator, moment) of chunks [first, first + count). One scratch a thread.
  void (*run)(const GroupView<Real>&, PathKernel, std::int64_t first, std::int64_t count, double* sums,
              const ThreadScratch<Real>*, int threads);
  void (*upper_bound)(const GroupView<Real>&, PathKernel, const UpperBoundPlan&, double* largest, int threads);
};

#define ERGODE_PATH_LOOPS(isa)                      \
  namespace isa {                                   \
  extern const PathLoops<float> path_loops_float;   \
  extern const PathLoops<double> path_loops_double; \
  }
ERGODE_PATH_LOOPS(baseline)
ERGODE_PATH_LOOPS(avx2)
ERGODE_PATH_LOOPS(avx512)
#undef ERGODE_PATH_LOOPS

}  // namespace ergode::kernels::options
