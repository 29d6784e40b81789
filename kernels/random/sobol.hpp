#pragma once

#include <cstdint>

#include "kernels/core/host_device.hpp"
#include "kernels/random/philox.hpp"

namespace ergode::kernels {

/// Coordinate `index` of one dimension of Sobol's sequence, times 2^32. In plain binary order (not Gray's), a pure
/// function of the index: any 2^m indices that share their other bits are a net.
/// @param direction the dimension's 32 numbers, see sobol_directions
ERGODE_HOST_DEVICE inline std::uint32_t sobol_word(const std::uint32_t* direction, std::uint32_t index) {
  std::uint32_t word = 0;
  for (int bit = 0; index != 0; ++bit, index >>= 1) word ^= direction[bit] & (0u - (index & 1u));
  return word;
}

/// A bijection that mixes all 32 bits: two multiplications and three shifts (constants of Wellons' "lowbias32").
ERGODE_HOST_DEVICE inline std::uint32_t mix_word(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

/// Nested uniform scrambling (Owen 1995): every bit is flipped or not by a random choice that belongs to the bits
/// before it, so a (t, m, s)-net stays one, each point alone is uniform, and errors of independent seeds are
/// independent with mean 0.
///
/// The choices are hashed. They form a binary tree; five levels of it, 31 choices below one prefix, are the bits of one
/// hash of the prefix, and as the prefixes are of the input, the seven hashes do not wait for each other.
ERGODE_HOST_DEVICE inline std::uint32_t owen_scramble(std::uint32_t word, std::uint32_t seed) {
  std::uint32_t flips = 0;
  for (int level = 0; level < 32; level += 5) {
    // A one before the prefix tells prefixes of different lengths apart.
    const std::uint32_t prefix = level == 0 ? 1u : (word >> (32 - level)) | 1u << level;
    const std::uint32_t choices = mix_word(mix_word(prefix ^ seed) + seed);
    for (int i = 0; i < 5 && level + i < 32; ++i) {
      const int bit = 31 - level - i;
      const std::uint32_t node = 1u << i | (((word >> bit) >> 1) & ((1u << i) - 1u));  // 1; 2, 3; 4 to 7; ...
      flips |= (choices >> node & 1u) << bit;
    }
  }
  return word ^ flips;
}

/// What a counter of Philox is used for when it seeds a scrambling.
inline constexpr std::uint32_t sobol_purpose = 0x536f626cu;

/// The seed of a dimension's scrambling in one replication.
ERGODE_HOST_DEVICE constexpr std::uint32_t sobol_seed(PhiloxKey key, std::uint32_t replication,
                                                      std::uint32_t dimension) {
  return philox4x32(philox_counter(replication, dimension, sobol_purpose), key)[0];
}

}  // namespace ergode::kernels
