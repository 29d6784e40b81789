#include "kernels/random/sobol.hpp"

#include <catch2/catch_test_macros.hpp>

#include "kernels/random/joe_kuo.hpp"
#include "tests/gpu/device.hpp"
#include "tests/gpu/sobol_device.hpp"

using namespace ergode::kernels;
using namespace ergode::kernels::test;

TEST_CASE("Sobol words, scrambling seeds and scrambled words are the same on the device and the host", "[small]") {
  usable_device();
  const auto directions = sobol_directions(sobol_dimensions);
  constexpr std::uint32_t points = 64;
  // The first points, and some over all 32 bits.
  for (const std::uint32_t stride : {1u, 0x9E3779B9u})
    for (const PhiloxKey key : {PhiloxKey{0, 0}, PhiloxKey{42, 0xdeadbeef}})
      for (const std::uint32_t replication : {0u, 15u}) {
        const auto found = sobol_on_device(directions, points, stride, key, replication);
        REQUIRE(found.size() == std::size_t{sobol_dimensions} * points);
        std::size_t wrong = 0;
        for (std::uint32_t d = 0; d < sobol_dimensions; ++d)
          for (std::uint32_t i = 0; i < points; ++i) {
            const DeviceSobol& one = found[d * points + i];
            const std::uint32_t word = sobol_word(directions.data() + d * 32, i * stride);
            const std::uint32_t seed = sobol_seed(key, replication, d);
            wrong += one.word != word || one.seed != seed || one.scrambled != owen_scramble(word, seed);
          }
        CHECK(wrong == 0);
      }
}
