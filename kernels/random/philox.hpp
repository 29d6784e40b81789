#pragma once

#include <cstdint>

#include "kernels/core/host_device.hpp"

namespace ergode::kernels {

/// Four 32-bit words: a Philox counter, or a block of random bits. Word: std::uint32_t, or a vector of words.
template <class Word>
struct WordBlock {
  Word word[4];
  ERGODE_HOST_DEVICE constexpr Word operator[](int i) const { return word[i]; }
};
using Words4 = WordBlock<std::uint32_t>;

/// Seed and stream.
struct PhiloxKey {
  std::uint32_t seed = 0;
  std::uint32_t stream = 0;
};

ERGODE_HOST_DEVICE constexpr std::uint64_t wide_product(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{a} * b;
}
ERGODE_HOST_DEVICE constexpr std::uint32_t high_word(std::uint64_t product) {
  return static_cast<std::uint32_t>(product >> 32);
}
ERGODE_HOST_DEVICE constexpr std::uint32_t low_word(std::uint64_t product) {
  return static_cast<std::uint32_t>(product);
}

/// What each round mixes in: the key and Weyl increments, the golden ratio and sqrt(3) - 1.
struct PhiloxRounds {
  std::uint32_t seed[10], stream[10];
};
ERGODE_HOST_DEVICE constexpr PhiloxRounds rounds_of(PhiloxKey key) {
  PhiloxRounds rounds{};
  ERGODE_UNROLL
  for (std::uint32_t r = 0; r < 10; ++r) {
    rounds.seed[r] = key.seed + r * 0x9E3779B9u;
    rounds.stream[r] = key.stream + r * 0xBB67AE85u;
  }
  return rounds;
}

/// One block of Philox4x32-10 (Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"): a
/// bijection of the counter chosen by the key. Bit for bit the sequence of Random123 and cuRAND. There is no state: a
/// draw is named by key = (seed, stream) and counter = (index low, index high, step, purpose).
template <class Word>
ERGODE_HOST_DEVICE constexpr WordBlock<Word> philox_rounds(WordBlock<Word> counter, const PhiloxRounds& rounds) {
  Word c0 = counter.word[0], c1 = counter.word[1], c2 = counter.word[2], c3 = counter.word[3];
  ERGODE_UNROLL
  for (int round = 0; round < 10; ++round) {
    const auto p0 = wide_product(c0, 0xD2511F53u);
    const auto p1 = wide_product(c2, 0xCD9E8D57u);
    c0 = high_word(p1) ^ c1 ^ rounds.seed[round];
    c1 = low_word(p1);
    c2 = high_word(p0) ^ c3 ^ rounds.stream[round];
    c3 = low_word(p0);
  }
  return {{c0, c1, c2, c3}};
}
template <class Word>
ERGODE_HOST_DEVICE constexpr WordBlock<Word> philox4x32(WordBlock<Word> counter, PhiloxKey key) {
  return philox_rounds(counter, rounds_of(key));
}

/// The counter of `index` (path or particle), `step` and `purpose`.
ERGODE_HOST_DEVICE constexpr Words4 philox_counter(std::uint64_t index, std::uint32_t step, std::uint32_t purpose) {
  return {{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), step, purpose}};
}

/// The block of words of `index` for numbers of type Real. A vector's lanes are consecutive indices from `index` on
/// (kernels/random/philox_lanes.hpp); Word is then a vector too.
template <class Real>
struct PhiloxWords {
  using Word = std::uint32_t;
  ERGODE_HOST_DEVICE static constexpr Words4 draw(std::uint64_t index, std::uint32_t step, Word purpose,
                                                  PhiloxKey key) {
    return philox4x32(philox_counter(index, step, purpose), key);
  }
};

/// Two words as a number in (0, 1): an odd multiple of 2^-53. The 52 leading bits, so that adding a half is exact and
/// neither end is met.
ERGODE_HOST_DEVICE constexpr double philox_uniform(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = std::uint64_t{high} << 20 | low >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

}  // namespace ergode::kernels
