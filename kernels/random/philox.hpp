#pragma once

#include <cstdint>

#include "kernels/core/host_device.hpp"

namespace ergode::kernels {

/// Four 32-bit words: a Philox counter, or a block of random bits.
struct Words4 {
  std::uint32_t word[4];
  ERGODE_HOST_DEVICE constexpr std::uint32_t operator[](int i) const { return word[i]; }
};

/// Seed and stream.
struct PhiloxKey {
  std::uint32_t seed = 0;
  std::uint32_t stream = 0;
};

/// One block of Philox4x32-10 (Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"): a
/// bijection of the counter chosen by the key. Bit for bit the sequence of Random123 and cuRAND. There is no state: a
/// draw is named by key = (seed, stream) and counter = (index low, index high, step, purpose).
ERGODE_HOST_DEVICE constexpr Words4 philox4x32(Words4 counter, PhiloxKey key) {
  std::uint32_t c0 = counter.word[0], c1 = counter.word[1], c2 = counter.word[2], c3 = counter.word[3];
  std::uint32_t k0 = key.seed, k1 = key.stream;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9u;  // the golden ratio and sqrt(3) - 1, as Weyl increments
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

/// The counter of `index` (path or particle), `step` and `purpose`.
ERGODE_HOST_DEVICE constexpr Words4 philox_counter(std::uint64_t index, std::uint32_t step, std::uint32_t purpose) {
  return {{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), step, purpose}};
}

/// Two words as a number in (0, 1): an odd multiple of 2^-53. The 52 leading bits, so that adding a half is exact and
/// neither end is met.
ERGODE_HOST_DEVICE constexpr double philox_uniform(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = std::uint64_t{high} << 20 | low >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

}  // namespace ergode::kernels
