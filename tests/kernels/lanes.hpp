#pragma once

#include <cstdint>

#include "kernels/options/path_loops.hpp"

// What tests of vectors need of each instruction set: the same computation in the lanes of vectors and one number at a
// time. lanes_cpu.cpp and scalar_paths_cpu.cpp are built for each.

namespace ergode::kernels::test {

enum class Function {
  exponential,
  logarithm,
  logarithm_of_one_plus,
  logarithm_beyond_first,
  normal_cumulative,
  square_root
};

/// Sizes are multiples of the lanes.
template <class Real>
struct LaneFunctions {
  int lanes;
  void (*apply)(Function, bool in_lanes, const Real* x, Real* y, int count);
  void (*cosine_sine)(bool in_lanes, const std::uint32_t* words, Real* cosines, Real* sines, int count);
  /// (normal, sample): four of each sample from `first` on.
  void (*normals)(bool in_lanes, std::uint64_t first, PhiloxKey key, Real* z, int count);
  /// Bit by bit a < b, a > b, a <= b, a >= b, a == b; !(a < b), a < b || b < a, a <= b && b <= a; then whether any lane
  /// of the vector has a < b.
  void (*compare)(bool in_lanes, const Real* a, const Real* b, std::uint32_t* bits, int count);
  /// The greater, the less and the positive one of two, by maximum, minimum and select.
  void (*choose)(bool in_lanes, const Real* a, const Real* b, Real* maximum, Real* minimum, Real* positive, int count);
};

/// Sums of one chunk, (estimator, moment), a sample at a time.
template <class Real>
using ScalarChunk = void (*)(const options::GroupView<Real>&, std::int64_t chunk, double* sums,
                             const options::ThreadScratch<Real>&);

#define ERGODE_LANE_FUNCTIONS(isa)                     \
  namespace isa {                                      \
  extern const LaneFunctions<float> functions_float;   \
  extern const LaneFunctions<double> functions_double; \
  extern const ScalarChunk<float> chunk_float;         \
  extern const ScalarChunk<double> chunk_double;       \
  }
ERGODE_LANE_FUNCTIONS(baseline)
ERGODE_LANE_FUNCTIONS(avx2)
ERGODE_LANE_FUNCTIONS(avx512)
#undef ERGODE_LANE_FUNCTIONS

}  // namespace ergode::kernels::test
