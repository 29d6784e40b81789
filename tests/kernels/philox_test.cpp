#include "kernels/random/philox.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace ergode::kernels;

// Known answers of Random123 1.14 (kat_vectors, philox4x32 with 10 rounds).
TEST_CASE("Philox gives Random123's known answers") {
  struct Known {
    Words4 counter;
    PhiloxKey key;
    Words4 words;
  };
  const Known known[] = {
      {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
      {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
       {0xffffffff, 0xffffffff},
       {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
      {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
       {0xa4093822, 0x299f31d0},
       {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
  };
  for (const auto& k : known) {
    const Words4 words = philox4x32(k.counter, k.key);
    for (int i = 0; i < 4; ++i) CHECK(words[i] == k.words[i]);
  }
}

TEST_CASE("A Philox counter holds all 64 bits of the index, the step and the purpose") {
  const Words4 c = philox_counter(0x0123456789abcdefull, 5, 6);
  CHECK(c[0] == 0x89abcdef);
  CHECK(c[1] == 0x01234567);
  CHECK(c[2] == 5);
  CHECK(c[3] == 6);
}

TEST_CASE("A Philox uniform is an odd multiple of 2^-53 and meets neither 0 nor 1") {
  CHECK(philox_uniform(0, 0) == 0x1p-53);
  CHECK(philox_uniform(0, 0xfff) == 0x1p-53);  // the last 12 bits are left out
  CHECK(philox_uniform(0, 0x1000) == 0x3p-53);
  CHECK(philox_uniform(0x80000000u, 0) == 0.5 + 0x1p-53);
  CHECK(philox_uniform(~0u, ~0u) == 1 - 0x1p-53);
}
