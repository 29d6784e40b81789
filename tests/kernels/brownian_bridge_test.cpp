#include "kernels/random/brownian_bridge.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace ergode::kernels;

namespace {

using Times = std::vector<double>;

Times even(int n) {
  Times t;
  for (int i = 1; i <= n; ++i) t.push_back(2.0 * i / n);
  return t;
}
Times uneven(int n) {
  Times t;
  for (int i = 1; i <= n; ++i) t.push_back(0.01 * i * i + 0.3 * std::sin(i) * 0.01);
  return t;
}

/// Column k: the increments that the normal of the k-th dimension alone gives.
std::vector<std::vector<double>> columns(const Times& times) {
  const auto steps = brownian_bridge<double>(times);
  std::vector<std::vector<double>> result;
  for (const auto& step : steps) {
    std::vector<double> z(times.size(), 0);
    z[static_cast<std::size_t>(step.point)] = 1;
    brownian_increments(view(steps), z.data());
    result.push_back(z);
  }
  return result;
}

/// W at all times of standardised increments.
std::vector<double> path(const Times& times, const std::vector<double>& increments) {
  std::vector<double> w;
  double sum = 0, before = 0;
  for (std::size_t i = 0; i < times.size(); before = times[i++])
    w.push_back(sum += increments[i] * std::sqrt(times[i] - before));
  return w;
}

}  // namespace

TEST_CASE("A Brownian bridge is an orthogonal map whose first normal alone fixes the last value") {
  for (const Times& times :
       {Times{0.7}, Times{0.1, 3}, even(2), even(3), even(64), even(252), uneven(5), uneven(100)}) {
    const auto q = columns(times);
    REQUIRE(q.size() == times.size());
    double worst = 0;
    for (std::size_t a = 0; a < q.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        double dot = 0;
        for (std::size_t i = 0; i < times.size(); ++i) dot += q[a][i] * q[b][i];
        worst = std::max(worst, std::abs(dot - (a == b)));
      }
      const double last = path(times, q[a]).back();
      CHECK(std::abs(last - (a == 0 ? std::sqrt(times.back()) : 0)) < 1e-14);
    }
    CHECK(worst < 1e-14);
  }
}

// The textbook's bridge: at the split W = the interpolation of both ends + sqrt((m - l)(r - m) / (r - l)) z.
TEST_CASE("A Brownian bridge fills in the values that the conditional distribution has") {
  const Times times = uneven(37);
  const auto steps = brownian_bridge<double>(times);
  std::vector<double> normals, z(times.size()), w(times.size());
  std::vector<bool> known(times.size(), false);
  for (std::size_t k = 0; k < times.size(); ++k) {
    normals.push_back(std::cos(1.0 + 3.0 * static_cast<double>(k * k)));
    z[static_cast<std::size_t>(steps[k].point)] = normals[k];
  }
  brownian_increments(view(steps), z.data());

  w.back() = std::sqrt(times.back()) * normals[0];
  known.back() = true;
  for (std::size_t k = 1; k < times.size(); ++k) {
    const auto m = static_cast<std::size_t>(steps[k].point);
    REQUIRE(!known[m]);
    std::size_t r = m, l = m;
    while (!known[r]) ++r;
    while (l > 0 && !known[l - 1]) --l;
    REQUIRE(r == static_cast<std::size_t>(steps[k].right));
    const double tl = l > 0 ? times[l - 1] : 0, wl = l > 0 ? w[l - 1] : 0, tm = times[m], tr = times[r];
    w[m] = wl + (w[r] - wl) * (tm - tl) / (tr - tl) + std::sqrt((tm - tl) * (tr - tm) / (tr - tl)) * normals[k];
    known[m] = true;
  }
  const auto built = path(times, z);
  for (std::size_t i = 0; i < times.size(); ++i) CHECK(std::abs(built[i] - w[i]) < 1e-13);
}

TEST_CASE("A Brownian bridge splits the longest interval first, nearest to its middle") {
  std::vector<int> order;
  for (const auto& step : brownian_bridge<double>(even(8))) order.push_back(step.point);
  CHECK(order == std::vector<int>{7, 3, 1, 5, 0, 2, 4, 6});
  order.clear();
  // The gap from 0.3 to 1 cannot be split; the middle 0.5 of all is nearer to 0.3 than to 1.
  for (const auto& step : brownian_bridge<double>({0.1, 0.2, 0.3, 1})) order.push_back(step.point);
  CHECK(order == std::vector<int>{3, 2, 0, 1});
}

TEST_CASE("A Brownian bridge in float and with a stride is that in double") {
  const Times times = uneven(50);
  const auto steps = brownian_bridge<double>(times);
  const auto float_steps = brownian_bridge<float>(times);
  std::vector<double> z(50);
  std::vector<float> f(150, -7.0f);
  for (std::size_t i = 0; i < 50; ++i) {
    z[i] = std::sin(static_cast<double>(i * i));
    f[3 * i] = static_cast<float>(z[i]);
  }
  brownian_increments(view(steps), z.data());
  brownian_increments(view(float_steps), f.data(), 3);
  for (std::size_t i = 0; i < 150; ++i) {
    if (i % 3 == 0)
      CHECK(std::abs(static_cast<double>(f[i]) - z[i / 3]) < 2e-6);
    else
      CHECK(f[i] == -7.0f);
  }
}

TEST_CASE("A Brownian bridge refuses times that do not ascend from 0") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const Times& times :
       {Times{}, Times{0}, Times{-1, 1}, Times{1, 1}, Times{2, 1}, Times{1, nan}, Times{1, infinity}})
    CHECK_THROWS_AS(brownian_bridge<double>(times), std::invalid_argument);
}
