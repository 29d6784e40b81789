#pragma once

#include <cstdint>

#include "kernels/core/host_device.hpp"
#include "kernels/random/philox.hpp"

namespace ergode::kernels {

/// Coordinate `index` of one dimension of Sobol's sequence, times 2^32. In plain binary order (not Gray's), a pure
/// function of the index: any 2^m indices that share their other bits are a net.
/// @param direction the dimension's 32 numbers, see sobol_directions
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) std::uint32_t sobol_word(const std::uint32_t* direction,
                                                                                  std::uint32_t index) {
  std::uint32_t word = 0;
  for (int bit = 0; index != 0; ++bit, index >>= 1) word ^= direction[bit] & (0u - (index & 1u));
  return word;
}

/// A bijection that mixes all 32 bits: two multiplications and three shifts (constants of Wellons' "lowbias32").
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) std::uint32_t mix_word(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

/// The flips of `count` levels of a scrambling's tree, from `level` down, as the low bits of the result.
template <int count>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) std::uint32_t owen_flips(std::uint32_t word,
                                                                                  std::uint32_t seed, int level) {
  // A one before the prefix, and before the block that follows it, tells paths of different lengths apart.
  const std::uint32_t prefix = level == 0 ? 1u : (word >> (32 - level)) | 1u << level;
  const std::uint32_t block = ((word >> (32 - level - count)) & ((1u << count) - 1u)) | 1u << count;
  const std::uint32_t choices = mix_word(prefix * 0x9e3779b9u ^ seed);
  std::uint32_t flips = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t node = block >> (count - i);  // 1; 2, 3; 4 to 7; ...
    flips = flips << 1 | (choices >> node & 1u);
  }
  return flips;
}

/// Nested uniform scrambling (Owen 1995): every bit is flipped or not by a random choice that belongs to the bits
/// before it, so a (t, m, s)-net stays one, each point alone is uniform, and errors of independent seeds are
/// independent with mean 0.
///
/// The choices are hashed. They form a binary tree; five levels of it, 31 choices below one prefix, are the bits of one
/// hash of the prefix, and as the prefixes are of the input, the seven hashes do not wait for each other.
///
/// Cheaper permutations of the reversed word in the manner of Laine & Karras (2011), as Burley (2020) uses them, keep
/// nets too, but of the 2^15 joint choices of a tree's first four levels 32,752 never occur, and over the seeds the
/// variance of a smooth integrand's mean (64 points, four dimensions) came out a quarter below that of free choices,
/// which an error bar from replications would inherit. Better constants mend that variance, not the missing choices.
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) std::uint32_t owen_scramble(std::uint32_t word,
                                                                                     std::uint32_t seed) {
  std::uint32_t flips = owen_flips<5>(word, seed, 0);
  flips = flips << 5 | owen_flips<5>(word, seed, 5);
  flips = flips << 5 | owen_flips<5>(word, seed, 10);
  flips = flips << 5 | owen_flips<5>(word, seed, 15);
  flips = flips << 5 | owen_flips<5>(word, seed, 20);
  flips = flips << 5 | owen_flips<5>(word, seed, 25);
  flips = flips << 2 | owen_flips<2>(word, seed, 30);
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
