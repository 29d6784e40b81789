#pragma once

// Vectors of one instruction set, for the sources that are built once for each (ERGODE_ISA names the build). Everything stands
// in a namespace of that name and is forced inline: no symbol leaves the object file.

#include <immintrin.h>

#ifndef ERGODE_ISA
#error "kernels/core/simd.hpp belongs in sources that are built for one instruction set"
#endif

#define ERGODE_SIMD static inline __attribute__((always_inline))

namespace ergode::kernels::ERGODE_ISA {

#if defined(ERGODE_ISA_avx512)
inline constexpr int float_lanes = 16, double_lanes = 8;
#elif defined(ERGODE_ISA_avx2)
inline constexpr int float_lanes = 8, double_lanes = 4;
#else
inline constexpr int float_lanes = 4, double_lanes = 2;
#endif

typedef float FloatV __attribute__((vector_size(4 * float_lanes)));
typedef double DoubleV __attribute__((vector_size(8 * double_lanes)));
typedef int IntV __attribute__((vector_size(4 * float_lanes)));

template <class V> struct Lanes;
template <> struct Lanes<FloatV> { using Scalar = float; static constexpr int count = float_lanes; };
template <> struct Lanes<DoubleV> { using Scalar = double; static constexpr int count = double_lanes; };

ERGODE_SIMD FloatV broadcast(float x, FloatV) { return x - FloatV{}; }
ERGODE_SIMD DoubleV broadcast(double x, DoubleV) { return x - DoubleV{}; }

#if defined(ERGODE_ISA_avx512)

ERGODE_SIMD FloatV fused_multiply_add(FloatV a, FloatV b, FloatV c) { return (FloatV)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
ERGODE_SIMD DoubleV fused_multiply_add(DoubleV a, DoubleV b, DoubleV c) { return (DoubleV)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); }
ERGODE_SIMD FloatV maximum(FloatV a, FloatV b) { return (FloatV)_mm512_max_ps((__m512)a, (__m512)b); }
ERGODE_SIMD DoubleV maximum(DoubleV a, DoubleV b) { return (DoubleV)_mm512_max_pd((__m512d)a, (__m512d)b); }
ERGODE_SIMD DoubleV square_root(DoubleV a) { return (DoubleV)_mm512_sqrt_pd((__m512d)a); }

/// 1 / sqrt(x) to about an ulp. The processor's own estimates may differ between makers and a 512-bit square root and division
/// are slow, so: an estimate from the exponent bits (3.4 % off), a fourth-order step, a Newton step.
ERGODE_SIMD FloatV inverse_square_root(FloatV x) {
  FloatV y = (FloatV)(0x5f3759df - ((IntV)x >> 1));
  const FloatV one = broadcast(1.0f, FloatV{});
  FloatV r = fused_multiply_add(-(x * y), y, one);
  const FloatV p = fused_multiply_add(r, fused_multiply_add(r, broadcast(0.3125f, FloatV{}), broadcast(0.375f, FloatV{})), broadcast(0.5f, FloatV{}));
  y = fused_multiply_add(y * r, p, y);
  r = fused_multiply_add(-(x * y), y, one);
  return fused_multiply_add(y * broadcast(0.5f, FloatV{}), r, y);
}

#elif defined(ERGODE_ISA_avx2)

ERGODE_SIMD FloatV fused_multiply_add(FloatV a, FloatV b, FloatV c) { return (FloatV)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
ERGODE_SIMD DoubleV fused_multiply_add(DoubleV a, DoubleV b, DoubleV c) { return (DoubleV)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
ERGODE_SIMD FloatV maximum(FloatV a, FloatV b) { return (FloatV)_mm256_max_ps((__m256)a, (__m256)b); }
ERGODE_SIMD DoubleV maximum(DoubleV a, DoubleV b) { return (DoubleV)_mm256_max_pd((__m256d)a, (__m256d)b); }
ERGODE_SIMD DoubleV square_root(DoubleV a) { return (DoubleV)_mm256_sqrt_pd((__m256d)a); }
ERGODE_SIMD FloatV inverse_square_root(FloatV x) { return 1.0f / (FloatV)_mm256_sqrt_ps((__m256)x); }

#else

/// Without a fused multiply-add in the instruction set it is a product and a sum.
ERGODE_SIMD FloatV fused_multiply_add(FloatV a, FloatV b, FloatV c) { return a * b + c; }
ERGODE_SIMD DoubleV fused_multiply_add(DoubleV a, DoubleV b, DoubleV c) { return a * b + c; }
ERGODE_SIMD FloatV maximum(FloatV a, FloatV b) { return (FloatV)_mm_max_ps((__m128)a, (__m128)b); }
ERGODE_SIMD DoubleV maximum(DoubleV a, DoubleV b) { return (DoubleV)_mm_max_pd((__m128d)a, (__m128d)b); }
ERGODE_SIMD DoubleV square_root(DoubleV a) { return (DoubleV)_mm_sqrt_pd((__m128d)a); }
ERGODE_SIMD FloatV inverse_square_root(FloatV x) { return 1.0f / (FloatV)_mm_sqrt_ps((__m128)x); }

#endif

ERGODE_SIMD DoubleV inverse_square_root(DoubleV x) { return 1.0 / square_root(x); }
ERGODE_SIMD DoubleV where_positive(DoubleV x, DoubleV y) { return x > DoubleV{} ? y : DoubleV{}; }

}  // namespace ergode::kernels::ERGODE_ISA
