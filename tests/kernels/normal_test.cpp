#include "kernels/random/normal.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

using namespace ergode::kernels;

namespace {

constexpr std::uint32_t edge_words[] = {0u,          1u,          2u,          0xffffu,     0x10000u,
                                        0x7ffffffeu, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xffff0000u,
                                        0xfffffe00u, 0xfffffffeu, 0xffffffffu};

Words4 random_words(std::uint64_t i) {
  return philox4x32(philox_counter(i, 1, 2), {11, 12});
}

long double unit(std::uint32_t w) {
  return (static_cast<long double>(w) + 0.5L) * 0x1p-32L;
}

/// The quantile of p <= 1/2 by Newton's method on the complementary error function, in long double.
long double quantile_lower(long double p) {
  const long double root_half = std::sqrt(0.5L), root_two_pi = std::sqrt(8 * std::atan(1.0L));
  long double x = p < 0.1L ? -std::sqrt(-2 * std::log(p)) : 0;
  for (int i = 0; i < 60; ++i) {
    const long double f = 0.5L * std::erfc(-x * root_half) - p;
    const long double slope = std::exp(-0.5L * x * x) / root_two_pi;
    x -= f / slope;
  }
  return x;
}
long double quantile(std::uint32_t w) {
  return w < 0x80000000u ? quantile_lower(unit(w)) : -quantile_lower(unit(~w));
}

/// Beyond this a standard normal is found one time in 10^6 (two sides).
constexpr double rare = 4.892;

template <class Real>
void check_moments() {
  constexpr int blocks = 1 << 18;
  constexpr double n = 4.0 * blocks;
  double sum[5] = {}, cross = 0, square_cross = 0, beyond_3 = 0, beyond_4 = 0;
  for (int i = 0; i < blocks; ++i) {
    Real z[4];
    normals4(random_words(static_cast<std::uint64_t>(i)), z);
    for (int k = 0; k < 4; ++k) {
      const double x = static_cast<double>(z[k]);
      for (int power = 1; power <= 4; ++power) sum[power] += std::pow(x, power);
      beyond_3 += std::abs(x) > 3;
      beyond_4 += std::abs(x) > 4;
    }
    for (int k = 0; k < 4; k += 2) {
      const double a = static_cast<double>(z[k]), b = static_cast<double>(z[k + 1]);
      cross += a * b;
      square_cross += (a * a - 1) * (b * b - 1);
    }
  }
  // The moments' own variances are 1, 2, 15 and 96.
  CHECK(std::abs(sum[1] / n) < rare * std::sqrt(1 / n));
  CHECK(std::abs(sum[2] / n - 1) < rare * std::sqrt(2 / n));
  CHECK(std::abs(sum[3] / n) < rare * std::sqrt(15 / n));
  CHECK(std::abs(sum[4] / n - 3) < rare * std::sqrt(96 / n));
  CHECK(std::abs(cross / (n / 2)) < rare * std::sqrt(2 / n));
  CHECK(std::abs(square_cross / (n / 2)) < rare * std::sqrt(4 * 2 / n));
  const double p3 = std::erfc(3 / std::sqrt(2.0)), p4 = std::erfc(4 / std::sqrt(2.0));
  CHECK(std::abs(beyond_3 - n * p3) < rare * std::sqrt(n * p3));
  CHECK(std::abs(beyond_4 - n * p4) < rare * std::sqrt(n * p4));
}

}  // namespace

// False alarms: 16 in 10^6 in all.
TEST_CASE("Normals have the moments, tails and independence of a normal distribution") {
  check_moments<float>();
  check_moments<double>();
}

TEST_CASE("Normals are Box and Muller's of the words' uniforms") {
  const long double pi = 4 * std::atan(1.0L);
  double worst = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const Words4 w = random_words(i);
    double z[4];
    normals4(w, z);
    for (int k = 0; k < 4; k += 2) {
      const long double radius = std::sqrt(-2 * std::log(unit(w[k]))), angle = (2 * unit(w[k + 1]) - 1) * pi;
      worst = std::max(worst, std::abs(static_cast<double>(z[k] - radius * std::cos(angle))));
      worst = std::max(worst, std::abs(static_cast<double>(z[k + 1] - radius * std::sin(angle))));
    }
  }
  CHECK(worst < 1e-14);
}

TEST_CASE("Normals in float and in double are the same draws") {
  double worst = 0;
  for (std::uint64_t i = 0; i < 500'000; ++i) {
    float a[4];
    double b[4];
    Words4 w = random_words(i);
    // A radius word at the upper end means a radius near 0, whose square alone is accurate: it is met below.
    for (int k = 0; k < 4; k += 2) {
      if (w[k] > 0xfffc0000u) w.word[k] = 0xfffc0000u;
    }
    normals4(w, a);
    normals4(w, b);
    for (int k = 0; k < 4; ++k) worst = std::max(worst, std::abs(static_cast<double>(a[k]) - b[k]));
  }
  INFO("largest difference " << worst);
  CHECK(worst < 1e-5);

  double worst_square = 0;
  for (std::uint32_t i = 0; i < 0x40000u; i += 7) {
    float a[4];
    double b[4];
    const Words4 w = {{~i, i << 14, ~i, i}};
    normals4(w, a);
    normals4(w, b);
    const double square =
        static_cast<double>(a[0]) * static_cast<double>(a[0]) + static_cast<double>(a[1]) * static_cast<double>(a[1]);
    worst_square = std::max(worst_square, std::abs(square - (b[0] * b[0] + b[1] * b[1])));
  }
  INFO("largest difference of the squared radius " << worst_square);
  CHECK(worst_square < 1.5e-7);
}

TEST_CASE("Normals of all edge words are finite") {
  for (const std::uint32_t a : edge_words) {
    for (const std::uint32_t b : edge_words) {
      float f[4];
      double d[4];
      normals4({{a, b, b, a}}, f);
      normals4({{a, b, b, a}}, d);
      for (int k = 0; k < 4; ++k) {
        CHECK(std::isfinite(f[k]));
        CHECK(std::isfinite(d[k]));
        CHECK(std::abs(static_cast<double>(f[k]) - d[k]) < 3e-4);
      }
    }
  }
  double largest[4];
  normals4({{0, 0x80000000u, 0, 0xc0000000u}}, largest);
  CHECK(std::abs(largest[0] - std::sqrt(66 * std::log(2.0))) < 1e-14);
  CHECK(std::abs(largest[3] - std::sqrt(66 * std::log(2.0))) < 1e-14);
}

TEST_CASE("The normal quantile of a word is the inverse of the error function's") {
  std::vector<std::uint32_t> words(std::begin(edge_words), std::end(edge_words));
  for (std::uint32_t shift = 0; shift < 32; ++shift) words.push_back(0xffffffffu >> shift);
  // Both sides of the changes of formula at |q| = 0.425.
  for (const double u : {0.075, 0.925}) {
    const auto middle = static_cast<std::uint32_t>(u * 0x1p32);
    for (std::uint32_t w = middle - 3; w != middle + 4; ++w) words.push_back(w);
  }
  for (std::uint64_t i = 0; i < 3000; ++i) words.push_back(random_words(i)[0]);
  double worst_double = 0, worst_float = 0;
  for (const std::uint32_t w : words) {
    const auto exact = static_cast<double>(quantile(w));
    worst_double = std::max(worst_double, std::abs(normal_from_word<double>(w) / exact - 1));
    worst_float = std::max(worst_float, std::abs(static_cast<double>(normal_from_word<float>(w)) / exact - 1));
  }
  INFO("relative errors " << worst_double << " and " << worst_float);
  CHECK(worst_double < 1e-15);
  CHECK(worst_float < 5e-7);
}

TEST_CASE("The normal quantile of words is odd about the middle and never falls") {
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::uint32_t w = random_words(i)[1];
    if (normal_from_word<double>(w) != -normal_from_word<double>(~w)) FAIL("word " << w);
    if (normal_from_word<float>(w) != -normal_from_word<float>(~w)) FAIL("word " << w);
  }
  for (std::uint32_t w = 0; w < 0xffff0000u; w += 0xffffu) {
    if (!(normal_from_word<double>(w) < normal_from_word<double>(w + 0xffffu))) FAIL("word " << w);
  }
}

TEST_CASE("Uniforms of words lie inside (0, 1) in both precisions") {
  for (const std::uint32_t w : edge_words) {
    const float f = uniform_from_word<float>(w);
    const double d = uniform_from_word<double>(w);
    CHECK((f > 0 && f < 1));
    CHECK(d == static_cast<double>(unit(w)));
    CHECK(std::abs(static_cast<double>(f) - d) < 0x1p-23);
  }
  CHECK(uniform_from_word<float>(0) == 0x1p-24f);
  CHECK(uniform_from_word<float>(0xffffffffu) == 1 - 0x1p-24f);
}

TEST_CASE("The normal distribution function is that of the error function") {
  CHECK(normal_cdf(0.0) == 0.5);
  CHECK(normal_cdf(0.0f) == 0.5f);
  for (int i = -80; i <= 80; ++i) {
    const double x = i / 8.0;
    const auto exact = static_cast<double>(0.5L * std::erfc(-static_cast<long double>(x) * std::sqrt(0.5L)));
    CHECK(std::abs(normal_cdf(x) / exact - 1) < 1e-14 * (1 + x * x));
    CHECK(std::abs(static_cast<double>(normal_cdf(static_cast<float>(x))) / exact - 1) < 4e-7 * (1 + x * x));
  }
}
