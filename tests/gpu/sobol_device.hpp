#pragma once

#include <cstdint>
#include <vector>

#include "kernels/random/philox.hpp"

namespace ergode::kernels::test {

/// A coordinate of a Sobol point as a thread of the device computes it: the sequence's word, the seed of its
/// scrambling, and the scrambled word.
struct DeviceSobol {
  std::uint32_t word, seed, scrambled;
};

/// Points 0, stride, 2 stride, ... of each dimension, (dimension, point).
/// @param directions (dimension, 32)
/// Throws kernels::Error.
std::vector<DeviceSobol> sobol_on_device(const std::vector<std::uint32_t>& directions, std::uint32_t points,
                                         std::uint32_t stride, PhiloxKey key, std::uint32_t replication);

}  // namespace ergode::kernels::test
