#include "kernels/gravity/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ergode::kernels {

namespace {

Box bounding_box(const std::vector<Vec3>& position) {
  if (position.empty()) return {};
  Box box{position[0], position[0]};
  for (const Vec3& p : position) {
    box.low = {std::fmin(box.low.x, p.x), std::fmin(box.low.y, p.y), std::fmin(box.low.z, p.z)};
    box.high = {std::fmax(box.high.x, p.x), std::fmax(box.high.y, p.y), std::fmax(box.high.z, p.z)};
  }
  return box;
}

/// The smallest power of two >= x > 0.
double power_of_two_above(double x) {
  int exponent;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent);
}

}  // namespace

std::vector<std::int64_t> tile_order(const std::vector<Vec3>& position, std::int64_t sources) {
  const Box box = bounding_box(position);
  std::vector<std::uint64_t> key(position.size());
  for (std::size_t i = 0; i < position.size(); ++i)
    key[i] = tile_key(position[i], box, static_cast<std::int64_t>(i) < sources);
  std::vector<std::int64_t> order(position.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const auto ka = key[static_cast<std::size_t>(a)], kb = key[static_cast<std::size_t>(b)];
    return ka != kb ? ka < kb : a < b;
  });
  return order;
}

double length_scale(const std::vector<Vec3>& position, const std::vector<double>& softening) {
  const Box box = bounding_box(position);
  const Vec3 side = box.high - box.low;
  double size = std::max({side.x, side.y, side.z});
  for (const double eps : softening) size = std::max(size, eps);
  return size > 0 && std::isfinite(size) ? power_of_two_above(size) : 1.0;
}

double mass_scale(const std::vector<double>& mass) {
  double largest = 0;
  for (const double m : mass) largest = std::max(largest, m);
  return largest > 0 && std::isfinite(largest) ? power_of_two_above(largest) : 1.0;
}

double pulling_mass(std::span<const double> mass) {
  double total = 0, largest = 0;
  for (const double m : mass) {
    total += m;
    largest = std::max(largest, m);
  }
  return total - largest;
}

double common_value(std::span<const double> values) {
  const bool common = !values.empty() && std::count(values.begin(), values.end(), values[0]) == std::ssize(values);
  return common ? values[0] : -1;
}

}  // namespace ergode::kernels
