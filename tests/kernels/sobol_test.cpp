#include "kernels/random/sobol.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "kernels/random/joe_kuo.hpp"

using namespace ergode::kernels;

namespace {

std::uint32_t gray(std::uint32_t i) {
  return i ^ i >> 1;
}

double unit(std::uint32_t word) {
  return (word + 0.5) * 0x1p-32;
}

/// A word of a sequence that has nothing to do with the scrambling's own hashes.
std::uint32_t random_word(std::uint64_t i, std::uint32_t purpose) {
  return philox4x32(philox_counter(i, 0, purpose), {20080101, 7})[0];
}

/// The chi-square variate of `counts` against equal shares, as a standard normal (Wilson & Hilferty 1931).
double chi_square_score(const std::vector<int>& counts) {
  double total = 0, sum = 0;
  for (const int c : counts) total += c;
  const double share = total / static_cast<double>(counts.size());
  for (const int c : counts) sum += (c - share) * (c - share) / share;
  const double freedom = static_cast<double>(counts.size()) - 1, v = 2 / (9 * freedom);
  return (std::cbrt(sum / freedom) - (1 - v)) / std::sqrt(v);
}

/// Beyond this a standard normal is found one time in 10^6 (two sides).
constexpr double rare = 4.892;

/// The mean over n scrambled points of a smooth product in `dimensions` dimensions whose integral is 1.
double smooth_mean(const std::vector<std::uint32_t>& directions, int dimensions, std::uint32_t n, PhiloxKey key,
                   std::uint32_t replication) {
  std::vector<std::uint32_t> seeds;
  for (int d = 0; d < dimensions; ++d) seeds.push_back(sobol_seed(key, replication, static_cast<std::uint32_t>(d)));
  double sum = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    double product = 1;
    for (int d = 0; d < dimensions; ++d) {
      const std::uint32_t word = sobol_word(&directions[static_cast<std::size_t>(d) * sobol_bits], i);
      product *=
          1 + (std::exp(unit(owen_scramble(word, seeds[static_cast<std::size_t>(d)]))) - std::expm1(1.0)) / (d + 1);
    }
    sum += product;
  }
  return sum / n;
}

}  // namespace

// Joe & Kuo's file new-joe-kuo-6.21201 begins: d s a m_i = 2 1 0 1; 3 2 1 1 3; 4 3 1 1 3 1; 5 3 2 1 1 1; 6 4 1 1 1 3 3;
// 7 4 4 1 3 5 13; 8 5 2 1 1 5 5 17. The points are scipy.stats.qmc's (scramble=False, bits=32), which come in Gray's
// order.
TEST_CASE("Sobol points are the known ones of the first dimensions") {
  const std::uint16_t file[] = {3, 1, 7, 1,  3, 11, 1, 3,  1,  13, 1, 1, 1, 19, 1,
                                1, 3, 3, 25, 1, 3,  5, 13, 37, 1,  1, 5, 5, 17};
  CHECK(std::equal(std::begin(file), std::end(file), joe_kuo_numbers));
  const std::uint32_t known[6][8] = {
      {0x0, 0x80000000, 0xc0000000, 0x40000000, 0x60000000, 0xe0000000, 0xa0000000, 0x20000000},
      {0x0, 0x80000000, 0x40000000, 0xc0000000, 0x60000000, 0xe0000000, 0x20000000, 0xa0000000},
      {0x0, 0x80000000, 0x40000000, 0xc0000000, 0xa0000000, 0x20000000, 0xe0000000, 0x60000000},
      {0x0, 0x80000000, 0x40000000, 0xc0000000, 0xe0000000, 0x60000000, 0xa0000000, 0x20000000},
      {0x0, 0x80000000, 0xc0000000, 0x40000000, 0x60000000, 0xe0000000, 0xa0000000, 0x20000000},
      {0x0, 0x80000000, 0xc0000000, 0x40000000, 0x20000000, 0xa0000000, 0xe0000000, 0x60000000},
  };
  const auto directions = sobol_directions(6);
  REQUIRE(directions.size() == 6 * sobol_bits);
  for (std::size_t d = 0; d < 6; ++d) {
    for (std::uint32_t i = 0; i < 8; ++i) CHECK(sobol_word(&directions[d * sobol_bits], gray(i)) == known[d][i]);
  }
}

TEST_CASE("Sobol points are the known ones of all 1,111 dimensions") {
  const auto directions = sobol_directions(sobol_dimensions);
  const auto digest = [&](std::uint32_t i) {
    std::uint64_t hash = 0;
    for (std::size_t d = 0; d < std::size_t{sobol_dimensions}; ++d)
      hash = hash * 31 + sobol_word(&directions[d * sobol_bits], gray(i));
    return hash;
  };
  // scipy.stats.qmc again: the words of one point, as the digits of a number to base 31 modulo 2^64.
  CHECK(digest(1000) == 0x1b91a0be5a400000ull);
  CHECK(digest((1u << 26) + 12345) == 0x673d1c5952e2ece0ull);
}

TEST_CASE("Every dimension of the Sobol table puts one of 2^m points in each interval of 2^-m") {
  const auto directions = sobol_directions(sobol_dimensions);
  // The generator matrices are unit upper triangular, which says it for all m at once.
  int wrong = 0;
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const std::uint32_t last = 0x80000000u >> k % sobol_bits;
    wrong += (directions[k] & (last | (last - 1))) != last;
  }
  CHECK(wrong == 0);
}

TEST_CASE("The Sobol table refuses dimensions that it does not have") {
  CHECK_THROWS_AS(sobol_directions(0), std::out_of_range);
  CHECK_THROWS_AS(sobol_directions(sobol_dimensions + 1), std::out_of_range);
  CHECK(sobol_directions(1).size() == sobol_bits);
}

TEST_CASE("Scrambled Sobol points in two dimensions have one point in every elementary interval") {
  const auto directions = sobol_directions(2);
  for (std::uint32_t replication = 0; replication < 8; ++replication) {
    const std::uint32_t seeds[2] = {sobol_seed({1, 2}, replication, 0), sobol_seed({1, 2}, replication, 1)};
    for (int m = 0; m <= 12; ++m) {
      const std::uint32_t n = 1u << m;
      for (const std::uint32_t first : {0u, 5 * n}) {
        for (int a = 0; a <= m; ++a) {
          std::vector<int> points(n, 0);
          for (std::uint32_t i = first; i < first + n; ++i) {
            const std::uint64_t x = owen_scramble(sobol_word(&directions[0], i), seeds[0]);
            const std::uint64_t y = owen_scramble(sobol_word(&directions[sobol_bits], i), seeds[1]);
            ++points[(x >> (32 - a)) << (m - a) | y >> (32 - (m - a))];
          }
          if (std::any_of(points.begin(), points.end(), [](int c) { return c != 1; }))
            FAIL("m = " << m << ", a = " << a);
        }
      }
    }
  }
}

TEST_CASE("Scrambling keeps the length of the common prefix of every two words") {
  for (std::uint32_t i = 0; i < 200'000; ++i) {
    const std::uint32_t word = random_word(i, 1), seed = random_word(i / 64, 2);
    const int common = static_cast<int>(i % 32);
    const std::uint32_t other = word ^ 0x80000000u >> common ^ (random_word(i, 3) & (0x7fffffffu >> common));
    const std::uint32_t difference = owen_scramble(word, seed) ^ owen_scramble(other, seed);
    if (difference >> (31 - common) != 1) FAIL("word " << word << ", bit " << common << ", seed " << seed);
  }
}

// False alarms: 3 in 10^6 in all.
TEST_CASE("A scrambled word is uniform over the seeds") {
  for (const std::uint32_t word : {0u, 0xffffffffu, 0x31415926u}) {
    std::vector<int> high(1024, 0), low(1024, 0);
    for (std::uint32_t r = 0; r < 200'000; ++r) {
      const std::uint32_t scrambled = owen_scramble(word, sobol_seed({3, 4}, r, 5));
      ++high[scrambled >> 22];
      ++low[scrambled & 1023];
    }
    CHECK(chi_square_score(high) < rare);  // one side: 5 in 10^7
    CHECK(chi_square_score(low) < rare);
  }
}

// Owen's scrambling chooses freely at each node of the tree. The joint distribution of all choices of four levels,
// 2^15, at the top and below some prefixes, which finds cheaper hashes out. False alarms: 2 in 10^6 in all.
TEST_CASE("The choices of a scrambling are independent of each other") {
  for (const int depth : {0, 3, 8, 17}) {
    std::vector<int> outcomes(1 << 15, 0);
    const std::uint32_t prefix = depth == 0 ? 0u : 0x9e3779b9u & ~(0xffffffffu >> depth);
    for (std::uint32_t r = 0; r < 1u << 20; ++r) {
      const std::uint32_t seed = sobol_seed({5, 6}, r, 0);
      std::uint32_t outcome = 0;
      for (std::uint32_t leaf = 0; leaf < 8; ++leaf) {
        const std::uint32_t word = prefix | leaf << (29 - depth);
        const std::uint32_t flips = (owen_scramble(word, seed) ^ word) << depth;
        if (leaf == 0) outcome |= flips >> 31;
        if (leaf % 4 == 0) outcome |= (flips >> 30 & 1) << (1 + leaf / 4);
        if (leaf % 2 == 0) outcome |= (flips >> 29 & 1) << (3 + leaf / 2);
        outcome |= (flips >> 28 & 1) << (7 + leaf);
      }
      ++outcomes[outcome];
    }
    INFO("below a prefix of " << depth << " bits");
    CHECK(chi_square_score(outcomes) < rare);
  }
}

// Under Owen's scrambling the variance falls as n^-3 (log n)^(d-1) for smooth functions (Owen 1997).
TEST_CASE("The error of scrambled Sobol points falls at least as n^-1.2 for a smooth function in eight dimensions") {
  const auto directions = sobol_directions(8);
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  int points = 0;
  for (int m = 8; m <= 15; ++m, ++points) {
    double squares = 0;
    for (std::uint32_t r = 0; r < 16; ++r) {
      const double error = smooth_mean(directions, 8, 1u << m, {8, static_cast<std::uint32_t>(m)}, r) - 1;
      squares += error * error / 16;
    }
    const double x = m * std::log(2.0), y = 0.5 * std::log(squares);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double slope = (points * sxy - sx * sy) / (points * sxx - sx * sx);
  INFO("slope " << slope);
  CHECK(slope <= -1.2);
  CHECK(slope >= -2.5);
}

// False alarms: 4 in 10^6 in all (correlations, mean and coverage, each as a normal).
TEST_CASE("Errors of independent scramblings have mean 0, no correlation, and an honest error bar") {
  const auto directions = sobol_directions(4);
  constexpr int sets = 500, replications = 16, all = sets * replications;
  std::vector<double> errors;
  for (std::uint32_t r = 0; r < std::uint32_t{all}; ++r)
    errors.push_back(smooth_mean(directions, 4, 64, {9, 10}, r) - 1);
  double mean = 0, squares = 0;
  for (const double e : errors) mean += e / all;
  for (const double e : errors) squares += (e - mean) * (e - mean) / all;
  CHECK(std::abs(mean) < rare * std::sqrt(squares / all));
  for (const std::size_t lag : {std::size_t{1}, std::size_t{replications}}) {
    double sum = 0;
    for (std::size_t i = lag; i < errors.size(); ++i) sum += (errors[i] - mean) * (errors[i - lag] - mean);
    CHECK(std::abs(sum / squares) < rare * std::sqrt(double{all}));
  }
  // The interval of each set of 16 by Student's quantile for 15 degrees of freedom and 95 %.
  int held = 0;
  for (int s = 0; s < sets; ++s) {
    double m = 0, v = 0;
    for (int r = 0; r < replications; ++r) m += errors[static_cast<std::size_t>(s * replications + r)] / replications;
    for (int r = 0; r < replications; ++r) {
      const double e = errors[static_cast<std::size_t>(s * replications + r)] - m;
      v += e * e / (replications - 1);
    }
    held += std::abs(m) <= 2.131449546 * std::sqrt(v / replications);
  }
  INFO(held << " of " << sets << " intervals hold");
  CHECK(std::abs(held - 0.95 * sets) < rare * std::sqrt(0.95 * 0.05 * sets));
}

TEST_CASE("Seeds of scramblings differ between replications, dimensions and keys") {
  std::vector<std::uint32_t> seeds;
  for (std::uint32_t r = 0; r < 16; ++r) {
    for (std::uint32_t d = 0; d < 64; ++d) {
      for (const PhiloxKey key : {PhiloxKey{1, 1}, PhiloxKey{1, 2}, PhiloxKey{2, 1}})
        seeds.push_back(sobol_seed(key, r, d));
    }
  }
  std::sort(seeds.begin(), seeds.end());
  const auto equal = seeds.end() - std::unique(seeds.begin(), seeds.end());
  CHECK(equal <= 1);  // 3,072 of 2^32: 0.001 pairs are expected, and two or more 6 times in 10^7
}
