#include "kernels/random/joe_kuo.hpp"

#include <bit>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace ergode::kernels {

namespace {

/// One dimension from its polynomial and m_1 to m_s: m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ ... ^ 2^s m_(k-s) ^ m_(k-s),
/// here for v_k = m_k 2^(32-k), where the powers of two fall away.
void fill_directions(std::uint32_t polynomial, const std::uint16_t* m, std::uint32_t* v) {
  const int degree = std::bit_width(polynomial) - 1;
  for (int k = 0; k < degree; ++k) v[k] = std::uint32_t{m[k]} << (sobol_bits - 1 - k);
  for (int k = degree; k < sobol_bits; ++k) {
    v[k] = v[k - degree] ^ (v[k - degree] >> degree);
    for (int i = 1; i < degree; ++i) {
      if (polynomial >> (degree - i) & 1) v[k] ^= v[k - i];
    }
  }
}

}  // namespace

std::vector<std::uint32_t> sobol_directions(int dimensions) {
  if (dimensions < 1 || dimensions > sobol_dimensions)
    throw std::out_of_range("a Sobol sequence of " + std::to_string(dimensions) + " dimensions: the table has 1 to " +
                            std::to_string(sobol_dimensions));
  std::vector<std::uint32_t> directions(static_cast<std::size_t>(dimensions) * sobol_bits);
  std::uint32_t* v = directions.data();
  for (int k = 0; k < sobol_bits; ++k) v[k] = 1u << (sobol_bits - 1 - k);  // the first: van der Corput's sequence
  const std::uint16_t* numbers = joe_kuo_numbers;
  for (int d = 1; d < dimensions; ++d) {
    v += sobol_bits;
    const std::uint32_t polynomial = *numbers++;
    fill_directions(polynomial, numbers, v);
    numbers += std::bit_width(polynomial) - 1;
  }
  return directions;
}

}  // namespace ergode::kernels
