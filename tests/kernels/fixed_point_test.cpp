#include "kernels/gravity/fixed_point.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "kernels/gravity/tiles.hpp"

using namespace ergode::kernels;

namespace {

struct Sum {
  FixedPointScale scale;
  std::int64_t fine = 0, coarse = 0;
  bool too_large = false;
  void add(float value) {
    std::int64_t quanta = 0;
    switch (to_fixed_point(value, scale, quanta)) {
      case FixedPoint::fine:
        fine += quanta;
        break;
      case FixedPoint::coarse:
        coarse += quanta;
        break;
      case FixedPoint::neither:
        too_large = true;
    }
  }
  double value() const { return from_fixed_point(fine, coarse, scale); }
};

}  // namespace

TEST_CASE("Each pair of tiles has one number, and each tile with itself") {
  for (std::int64_t tiles = 1; tiles <= 41; ++tiles) {
    CAPTURE(tiles);
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    for (std::int64_t number = 0; number < pair_count(tiles); ++number) {
      const TilePair pair = tile_pair(number, tiles);
      REQUIRE((pair.a >= 0 && pair.a < tiles && pair.b >= 0 && pair.b < tiles));
      REQUIRE(seen.insert(std::minmax(pair.a, pair.b)).second);
    }
  }
}

TEST_CASE("Fixed-point sums have the same bits in any order, and are right to half a quantum a term") {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> terms;
  for (int i = 0; i < 5000; ++i)
    terms.push_back(normal(random) * std::ldexp(1.0f, static_cast<int>(random() % 60) - 30));
  const FixedPointScale scale = fixed_point_scale(4096, std::ssize(terms));
  CHECK(scale.fine == 0x1p28f);
  long double truth = 0;
  for (const float t : terms) truth += static_cast<long double>(t);
  Sum first{scale};
  for (const float t : terms) first.add(t);
  REQUIRE_FALSE(first.too_large);
  REQUIRE(first.coarse != 0);
  CHECK(std::abs(static_cast<double>(static_cast<long double>(first.value()) - truth)) <= 5000 * 0.5 / scale.fine);
  for (int turn = 0; turn < 3; ++turn) {
    std::shuffle(terms.begin(), terms.end(), random);
    Sum other{scale};
    for (const float t : terms) other.add(t);
    CHECK(other.fine == first.fine);
    CHECK(other.coarse == first.coarse);
  }
}

TEST_CASE("The largest terms that are let in do not overflow, larger ones and what is no number are told") {
  for (const double pull : {1e-5, 1.0, 3e7})
    for (const std::int64_t terms : {1, 2, 3, 1000, 1 << 20}) {
      const FixedPointScale scale = fixed_point_scale(pull, terms);
      const float below = std::nextafter(scale.limit, 0.0f), coarse = scale.fine / coarseness;
      CAPTURE(pull, terms, scale.limit);
      // terms * below <= 2^63 - 1, without overflow on the way
      CHECK(static_cast<long double>(below) * static_cast<long double>(terms) < 0x1p63L);
      for (const float quanta : {scale.fine, coarse}) {
        Sum sum{scale};
        for (const float sign : {1.0f, -1.0f}) sum.add(sign * (below / quanta));
        CHECK_FALSE(sum.too_large);
        CHECK(sum.value() == 0);
      }
      std::int64_t quanta = 0;
      CHECK(to_fixed_point(below / scale.fine, scale, quanta) == FixedPoint::fine);
      CHECK(to_fixed_point(scale.limit / scale.fine, scale, quanta) == FixedPoint::coarse);
      // A float that is too large for the fine accumulator is a multiple of the coarse quantum, or nearly.
      CHECK(std::abs(static_cast<double>(quanta) / coarse - static_cast<double>(scale.limit / scale.fine)) <=
            0.5 / coarse);
      const float infinite = std::numeric_limits<float>::infinity();
      for (const float bad : {scale.limit / coarse, -scale.limit / coarse, infinite, -infinite,
                              std::numeric_limits<float>::max(), std::nanf("")})
        CHECK(to_fixed_point(bad, scale, quanta) == FixedPoint::neither);
    }
}

TEST_CASE("The pull of all other bodies from across the system is many quanta, whatever their masses") {
  for (const double pull : {1e-5, 0.7, 1.0, 1e3, 3e7})
    for (const std::int64_t terms : {48, 40000}) {
      CAPTURE(pull, terms);
      const double rounding = 0.5 * static_cast<double>(terms) / fixed_point_scale(pull, terms).fine;
      CHECK(rounding <= pull * 0x1p-18);                                                // at worst
      CHECK(rounding / std::sqrt(3.0 * static_cast<double>(terms)) <= pull * 0x1p-32);  // at random
    }
}

TEST_CASE("Fixed-point sums serve masses of which none is lost, and a mass that pulls") {
  CHECK(fixed_point_serves(1, 1e6, 1));
  CHECK(fixed_point_serves(1, 1e-3, 1e-9));
  CHECK_FALSE(fixed_point_serves(1, 0x1p-11, 1e-9));
  CHECK_FALSE(fixed_point_serves(1, 1, 0x1p-39));  // beside two heavy bodies the light ones would vanish
  CHECK_FALSE(fixed_point_serves(1, 0, 1));
  CHECK_FALSE(fixed_point_serves(0, 0, 0));
}
