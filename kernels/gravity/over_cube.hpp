#pragma once

#include "kernels/core/twin.hpp"

// mass / square^(3/2) for the vectors of one instruction set, in place of the plain one in kernels/gravity/plummer.hpp.

namespace ergode::kernels::ERGODE_ISA {

template <class T>
concept VectorNumber = requires {
  typename Lanes<T>::Scalar;
};

#if defined(ERGODE_ISA_avx512)

/// 1 / sqrt(x) to 2^-14. Unlike RSQRTPS, the estimate of older instruction sets, which each maker does in its own way,
/// this is a table that Intel documents and AMD's processors reproduce: a test holds every machine to it.
ERGODE_SIMD FloatV estimated_inverse_square_root(FloatV x) {
  return {(FloatLanes)_mm512_rsqrt14_ps((__m512)x.lanes)};
}
ERGODE_SIMD Twin<FloatV> estimated_inverse_square_root(Twin<FloatV> x) {
  return {estimated_inverse_square_root(x.a), estimated_inverse_square_root(x.b)};
}
template <class Scalar>
inline constexpr bool has_estimate = sizeof(Scalar) == sizeof(float);

#else

template <class Scalar>
inline constexpr bool has_estimate = false;

#endif

inline constexpr float five_thirds = 5.0f / 3;
/// What over_cube() gives is this times mass / square^(3/2): a factor that costs nothing at the end of a sum. With
/// five_thirds as rounded, or all forces would be off by 6e-8.
template <class Scalar>
inline constexpr double over_cube_factor = has_estimate<Scalar> ? 1.0 - five_thirds : 1.0;

/// `square` is at least softening_floor(), whose power of 3/2 is still a normal number.
template <VectorNumber T>
ERGODE_SIMD T over_cube(T mass, T square) {
  if constexpr (has_estimate<typename Lanes<T>::Scalar>) {
    // With y about 1 / sqrt(square) and h = 1 - square y^2: square^(-3/2) = y^3 (1 - h)^(-3/2). The first order,
    // y^3 (1 + 3/2 h) = -3/2 y^3 (square y^2 - 5/3), falls short by 15/8 h^2 < 3e-8.
    const T y = estimated_inverse_square_root(square);
    const T y2 = y * y;
    return (mass * y) * y2 * fused_multiply_add(square, y2, T(-five_thirds));
  } else {
    return mass / (square * square_root(square));
  }
}

}  // namespace ergode::kernels::ERGODE_ISA
