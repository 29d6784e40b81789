#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device/ceilings.hpp"
#include "sim/benchmark/timing.hpp"

namespace ergode::sim {

/// What a pass of some work needs of the device at the least, by a count of its instructions. A slot is one
/// instruction on one number: a fused multiply-add, an addition, a reciprocal square root, each fill one.
struct Need {
  double slots = 0;
  double functions = 0;  ///< of these on the special function unit, where there is one
  bool in_double = false;
};

struct MeasuredCeiling {
  kernels::Ceiling which;
  double work = 0;  ///< of one pass
  Timing timing;
  double rate() const { return work / timing.median; }  ///< a second
};

/// Ceilings of one device at one number of threads.
struct Ceilings {
  int threads = 0;  ///< of a CPU
  std::vector<MeasuredCeiling> measured;

  /// A second; 0 where it was not measured.
  double rate(kernels::Ceiling which) const;
  /// The share of the ceiling that is nearest, of work that needs `need` and took `seconds`.
  double fraction(const Need& need, double seconds) const;
};

/// Measures those of `which`. The copy is of `copy_bytes`, or less where that is not free.
Ceilings measure_ceilings(const kernels::Device& device, int threads, const Pace& pace,
                          std::span<const kernels::Ceiling> which, std::int64_t copy_bytes = 0);

}  // namespace ergode::sim
