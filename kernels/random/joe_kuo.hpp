#pragma once

#include <cstdint>
#include <vector>

namespace ergode::kernels {

/// Dimensions of the Sobol sequence that the table reaches: the first, and one for each primitive polynomial modulo 2
/// of degree 1 to 13.
inline constexpr int sobol_dimensions = 1111;

/// Bits of a point's coordinate, and so direction numbers of a dimension.
inline constexpr int sobol_bits = 32;

inline constexpr int joe_kuo_count = 14333;
/// Of each dimension from the second on: its polynomial (x^s + ... + 1 as the bits of an integer), then m_1 to m_s.
extern const std::uint16_t joe_kuo_numbers[joe_kuo_count];

/// The direction numbers of Sobol's sequence with the initial numbers of Joe & Kuo (2008), "Constructing Sobol
/// sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30, 2635.
/// @param dimensions 1 to sobol_dimensions; else std::out_of_range, for a caller has to pad
/// @return (dimensions, sobol_bits), row-major; number k of a dimension has its bits from the most significant down, so
///         that a coordinate is a word times 2^-32
std::vector<std::uint32_t> sobol_directions(int dimensions);

}  // namespace ergode::kernels
