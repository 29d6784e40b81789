#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/vec3.hpp"

// How direct summation divides its work. All of these are constants of the algorithm: they fix which numbers are added
// to which, in which order, and so every bit of the result. Launch shapes and threads are not among them.

namespace ergode::kernels {

/// Consecutive bodies in tile order that share a centre, their mean position: the middle of their box is up to three
/// times worse, for the order's jumps and single far bodies pull it away; the tile's middle body is twice worse. Pair
/// arithmetic in float is done relative to it.
inline constexpr std::int64_t target_tile = 256;
/// Sources whose pulls are added up in float before the sum goes to double.
inline constexpr std::int64_t partial_length = 128;

/// From so many sources on a GPU may look at each pair of them once: see sums_over_pairs().
inline constexpr std::int64_t paired_from = 12288;

/// Floors of eps^2, in units of length_scale^2: far below what the number type resolves at any distance that matters,
/// and large enough that m / eps^3 stays finite for masses of order one.
template <class Real>
ERGODE_HOST_DEVICE constexpr Real softening_floor();
template <>
ERGODE_HOST_DEVICE constexpr float softening_floor<float>() {
  return 0x1p-84f;
}
template <>
ERGODE_HOST_DEVICE constexpr double softening_floor<double>() {
  return 0x1p-400;
}

ERGODE_HOST_DEVICE constexpr std::int64_t ceiling_divide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Sources are split over this many blocks of a GPU, whose sums are added in order: a function of the numbers of bodies
/// alone, so that few bodies fill the device too and many do not cost memory.
constexpr std::int64_t source_chunks(std::int64_t bodies, std::int64_t sources) {
  const std::int64_t tiles = ceiling_divide(bodies, target_tile), partials = ceiling_divide(sources, partial_length);
  if (tiles == 0 || partials == 0) return 1;
  const std::int64_t wanted = ceiling_divide(tiles < 128 ? 2112 : 8448, tiles);
  const std::int64_t chunks = wanted < partials ? wanted : partials;
  return ceiling_divide(partials, ceiling_divide(partials, chunks));  // as many as have work
}

/// Two tiles, or one and itself.
struct TilePair {
  std::int64_t a, b;
};
/// Of `tiles` tiles, each pair once and each tile with itself.
ERGODE_HOST_DEVICE constexpr std::int64_t pair_count(std::int64_t tiles) {
  return tiles * (tiles + 1) / 2;
}
/// Each tile in turn with itself, then with the next one around a circle, then with the one after that: `number` in
/// [0, pair_count(tiles)). With an even number of tiles the last round, of opposite ones, is half as long.
ERGODE_HOST_DEVICE constexpr TilePair tile_pair(std::int64_t number, std::int64_t tiles) {
  const std::int64_t distance = number / tiles, a = number % tiles, b = a + distance;
  return {a, b < tiles ? b : b - tiles};
}

/// The box that all bodies lie in.
struct Box {
  Vec3 low, high;
};

/// Bits of `x` moved three apart (21 bits of 63).
ERGODE_HOST_DEVICE constexpr std::uint64_t spread_bits(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffull;
  x = (x | x << 16) & 0x1f0000ff0000ffull;
  x = (x | x << 8) & 0x100f00f00f00f00full;
  x = (x | x << 4) & 0x10c30c30c30c30c3ull;
  x = (x | x << 2) & 0x1249249249249249ull;
  return x;
}

/// One coordinate's cell among 2^21 across the box. Anything that is not inside (a NaN too) goes to cell 0.
ERGODE_HOST_DEVICE inline std::uint64_t morton_cell(double x, double low, double high) {
  const double extent = high - low;
  if (!(extent > 0)) return 0;
  const double cell = (x - low) / extent * 0x1p21;
  if (!(cell >= 0)) return 0;
  return cell < 0x1p21 ? static_cast<std::uint64_t>(cell) : 0x1fffff;
}

/// Morton key of a position; the top bit keeps test particles behind the sources.
ERGODE_HOST_DEVICE inline std::uint64_t tile_key(Vec3 p, const Box& box, bool is_source) {
  const std::uint64_t key = spread_bits(morton_cell(p.x, box.low.x, box.high.x)) |
                            spread_bits(morton_cell(p.y, box.low.y, box.high.y)) << 1 |
                            spread_bits(morton_cell(p.z, box.low.z, box.high.z)) << 2;
  return is_source ? key : key | std::uint64_t{1} << 63;
}

/// The permutation that GravityEngine describes: by key, ties by canonical index.
std::vector<std::int64_t> tile_order(const std::vector<Vec3>& position, std::int64_t sources);

/// Power of two of the order of the system's size: the larger of its box's longest side and the largest softening.
double length_scale(const std::vector<Vec3>& position, const std::vector<double>& softening);
/// Power of two not less than the largest mass; 1 when there is none.
double mass_scale(const std::vector<double>& mass);

/// Of all bodies but the heaviest.
double pulling_mass(std::span<const double> mass);

/// The value that all share; -1 where they do not, and where there is none.
double common_value(std::span<const double> values);

}  // namespace ergode::kernels
