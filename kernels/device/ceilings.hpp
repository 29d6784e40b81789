#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "kernels/device/device.hpp"

// What a device can do at most: loops that do nothing else, for a benchmark to time.

namespace ergode::kernels {

enum class Ceiling {
  fma_float,   ///< fused multiply-adds in float, counted as two operations each
  fma_double,  ///< the same in double
  rsqrt,       ///< the special function unit, by reciprocal square roots in float; CUDA only
  copy,        ///< bytes read and written by copies of one large array to another
};

inline constexpr Ceiling all_ceilings[] = {Ceiling::fma_float, Ceiling::fma_double, Ceiling::rsqrt, Ceiling::copy};

/// As results name it.
std::string_view name(Ceiling ceiling);
/// What `CeilingProbe::work` counts.
std::string_view unit(Ceiling ceiling);

/// A pass does `work` operations (bytes, of `copy`) and returns when they are done.
struct CeilingProbe {
  Ceiling ceiling;
  double work = 0;
  std::function<void()> pass;
};

/// The probes of a device, in the order of Ceiling. Each holds what memory it needs: the copy two arrays of
/// `copy_bytes`, or less where that is not free. `threads` is for the CPU, whose instruction set is the device's.
std::vector<CeilingProbe> ceiling_probes(const Device& device, int threads, std::int64_t copy_bytes);
std::vector<CeilingProbe> cuda_ceiling_probes(const Device& device, std::int64_t copy_bytes);

/// The loops of one instruction set: `rounds` rounds of fused multiply-adds on each of `threads` threads; returns how
/// many multiply-adds that was. `sink` gets what was computed.
struct CeilingLoops {
  double (*fma_float)(std::int64_t rounds, int threads, double* sink);
  double (*fma_double)(std::int64_t rounds, int threads, double* sink);
};
namespace baseline {
extern const CeilingLoops ceiling_loops;
}
namespace avx2 {
extern const CeilingLoops ceiling_loops;
}
namespace avx512 {
extern const CeilingLoops ceiling_loops;
}

}  // namespace ergode::kernels
