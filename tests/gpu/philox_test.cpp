#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "tests/gpu/device.hpp"
#include "tests/gpu/philox_device.hpp"

using namespace ergode::kernels;
using namespace ergode::kernels::test;

TEST_CASE("Philox words and uniforms have the same bits on the device and the host", "[small]") {
  usable_device();
  std::vector<Words4> counters{
      {{0, 0, 0, 0}}, {{~0u, ~0u, ~0u, ~0u}}, {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}};
  for (std::uint64_t i = 0; i < 5000; ++i)
    counters.push_back(philox_counter(i * 0x9E3779B97F4A7C15u, static_cast<std::uint32_t>(i % 7), 3));
  for (const PhiloxKey key : {PhiloxKey{0, 0}, PhiloxKey{~0u, ~0u}, PhiloxKey{42, 1}}) {
    const auto draws = draw_on_device(counters, key);
    REQUIRE(draws.size() == counters.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < counters.size(); ++i) {
      const Words4 words = philox4x32(counters[i], key);
      wrong += std::memcmp(&words, &draws[i].words, sizeof words) != 0;
      wrong += philox_uniform(words[0], words[1]) != draws[i].first;
      wrong += philox_uniform(words[2], words[3]) != draws[i].second;
    }
    CHECK(wrong == 0);
  }
}
