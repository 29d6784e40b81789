#pragma once

#include <cstdint>

// kernels/gravity/over_cube.hpp in each instruction set: over_cube_cpu.cpp is built for each.

namespace ergode::kernels::test {

struct OverCube {
  double factor_float, factor_double;
  /// Counts are multiples of the lanes.
  void (*of_floats)(const float* mass, const float* square, float* result, int count);
  void (*of_doubles)(const double* mass, const double* square, double* result, int count);
  /// FNV-1a of the estimates of 1 / sqrt(x) for each x in [1, 4) with 15 bits behind the point; 0 where none is used.
  std::uint64_t (*checksum_of_estimates)();
};

namespace baseline {
extern const OverCube over_cube_loops;
}
namespace avx2 {
extern const OverCube over_cube_loops;
}
namespace avx512 {
extern const OverCube over_cube_loops;
}

}  // namespace ergode::kernels::test
