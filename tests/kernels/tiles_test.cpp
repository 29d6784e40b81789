#include "kernels/gravity/tiles.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "tests/kernels/bodies.hpp"

using namespace ergode::kernels;
using namespace ergode::kernels::test;

TEST_CASE("Spread bits lie three apart") {
  for (int bit = 0; bit < 21; ++bit) CHECK(spread_bits(std::uint64_t{1} << bit) == std::uint64_t{1} << (3 * bit));
  CHECK(spread_bits(0x1fffff) == 0x1249249249249249ull);
}

TEST_CASE("Morton cells cover the box from 0 to 2^21 - 1, and what is not inside goes to an end") {
  CHECK(morton_cell(-1, -1, 3) == 0);
  CHECK(morton_cell(1, -1, 3) == 0x100000);
  CHECK(morton_cell(3, -1, 3) == 0x1fffff);
  CHECK(morton_cell(-2, -1, 3) == 0);
  CHECK(morton_cell(5, 5, 5) == 0);
  CHECK(morton_cell(std::numeric_limits<double>::quiet_NaN(), 0, 1) == 0);
  CHECK(morton_cell(std::numeric_limits<double>::infinity(), 0, 1) == 0x1fffff);
}

TEST_CASE("The tile order keeps sources before test particles, octants together and ties by index") {
  NbodyState s = rows(6, 4, 0);
  s.position = {{1, 1, 1}, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 1, 1}, {0, 1, 0}};
  CHECK(tile_order(s.position, s.sources) == std::vector<std::int64_t>{1, 3, 2, 0, 5, 4});
  CHECK(tile_order({}, 0).empty());
}

TEST_CASE("Scales are powers of two that bound the system") {
  CHECK(length_scale({{0, 0, 0}, {3, 0, 0}}, {0, 0}) == 4);
  CHECK(length_scale({{0, 0, 0}, {4, 0, 0}}, {0, 0}) == 4);
  CHECK(length_scale({{7, 7, 7}}, {0.3}) == 0.5);
  CHECK(length_scale({{7, 7, 7}}, {0}) == 1);
  CHECK(length_scale({}, {}) == 1);
  CHECK(mass_scale({0, 5, 2}) == 8);
  CHECK(mass_scale({0, 0}) == 1);
  const std::vector<double> same{0.1, 0.1}, different{0.1, 0.2};
  CHECK(common_value(same) == 0.1);
  CHECK(common_value(different) == -1);
  CHECK(common_value({}) == -1);
}

TEST_CASE("Source chunks never exceed the partial sums and are at least one") {
  for (const std::int64_t n : {0, 1, 128, 129, 1000, 100000, 10000000})
    for (const std::int64_t sources : {n, n / 2, std::int64_t{0}}) {
      CAPTURE(n, sources);
      CHECK(source_chunks(n, sources) >= 1);
      CHECK(source_chunks(n, sources) <= std::max<std::int64_t>(1, ceiling_divide(sources, partial_length)));
    }
}
