#pragma once

// Vectors of one instruction set, for the sources that are built once for each (ERGODE_ISA names the build). Everything
// stands in a namespace of that name and is forced inline: no symbol leaves the object file.

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

typedef float FloatLanes __attribute__((vector_size(4 * float_lanes)));
typedef double DoubleLanes __attribute__((vector_size(8 * double_lanes)));
typedef int IntLanes __attribute__((vector_size(4 * float_lanes)));

/// A vector register. A struct, because functors find the functions below by argument-dependent look-up, which bare
/// vector types do not have.
template <class LanesType>
struct Vector {
  LanesType lanes;
};
using FloatV = Vector<FloatLanes>;
using DoubleV = Vector<DoubleLanes>;

template <class V>
struct Lanes;
template <>
struct Lanes<FloatV> {
  using Scalar = float;
  static constexpr int count = float_lanes;
};
template <>
struct Lanes<DoubleV> {
  using Scalar = double;
  static constexpr int count = double_lanes;
};

template <class L>
ERGODE_SIMD Vector<L> operator+(Vector<L> a, Vector<L> b) {
  return {a.lanes + b.lanes};
}
template <class L>
ERGODE_SIMD Vector<L> operator-(Vector<L> a, Vector<L> b) {
  return {a.lanes - b.lanes};
}
template <class L>
ERGODE_SIMD Vector<L> operator*(Vector<L> a, Vector<L> b) {
  return {a.lanes * b.lanes};
}

ERGODE_SIMD void fill(FloatV& v, float x) {
  v.lanes = x - FloatLanes{};
}
ERGODE_SIMD void fill(DoubleV& v, double x) {
  v.lanes = x - DoubleLanes{};
}
template <class V, class Scalar>
ERGODE_SIMD V broadcast(Scalar x) {
  V v;
  fill(v, x);
  return v;
}

#if defined(ERGODE_ISA_avx512)

ERGODE_SIMD FloatV fused_multiply_add(FloatV a, FloatV b, FloatV c) {
  return {(FloatLanes)_mm512_fmadd_ps((__m512)a.lanes, (__m512)b.lanes, (__m512)c.lanes)};
}
ERGODE_SIMD DoubleV fused_multiply_add(DoubleV a, DoubleV b, DoubleV c) {
  return {(DoubleLanes)_mm512_fmadd_pd((__m512d)a.lanes, (__m512d)b.lanes, (__m512d)c.lanes)};
}
ERGODE_SIMD FloatV maximum(FloatV a, FloatV b) {
  return {(FloatLanes)_mm512_max_ps((__m512)a.lanes, (__m512)b.lanes)};
}
ERGODE_SIMD DoubleV maximum(DoubleV a, DoubleV b) {
  return {(DoubleLanes)_mm512_max_pd((__m512d)a.lanes, (__m512d)b.lanes)};
}
ERGODE_SIMD DoubleV square_root(DoubleV a) {
  return {(DoubleLanes)_mm512_sqrt_pd((__m512d)a.lanes)};
}

/// 1 / sqrt(x) to about an ulp. The processor's own estimates may differ between makers and a 512-bit square root and
/// division are slow, so: an estimate from the exponent bits (3.4 % off), a fourth-order step, a Newton step.
ERGODE_SIMD FloatV inverse_square_root(FloatV x) {
  FloatV y = {(FloatLanes)(0x5f3759df - ((IntLanes)x.lanes >> 1))};
  const FloatV minus_x = {-x.lanes};
  const FloatV one = broadcast<FloatV>(1.0f), half = broadcast<FloatV>(0.5f);
  FloatV r = fused_multiply_add(minus_x * y, y, one);
  const FloatV p =
      fused_multiply_add(r, fused_multiply_add(r, broadcast<FloatV>(0.3125f), broadcast<FloatV>(0.375f)), half);
  y = fused_multiply_add(y * r, p, y);
  r = fused_multiply_add(minus_x * y, y, one);
  return fused_multiply_add(y * half, r, y);
}

#elif defined(ERGODE_ISA_avx2)

ERGODE_SIMD FloatV fused_multiply_add(FloatV a, FloatV b, FloatV c) {
  return {(FloatLanes)_mm256_fmadd_ps((__m256)a.lanes, (__m256)b.lanes, (__m256)c.lanes)};
}
ERGODE_SIMD DoubleV fused_multiply_add(DoubleV a, DoubleV b, DoubleV c) {
  return {(DoubleLanes)_mm256_fmadd_pd((__m256d)a.lanes, (__m256d)b.lanes, (__m256d)c.lanes)};
}
ERGODE_SIMD FloatV maximum(FloatV a, FloatV b) {
  return {(FloatLanes)_mm256_max_ps((__m256)a.lanes, (__m256)b.lanes)};
}
ERGODE_SIMD DoubleV maximum(DoubleV a, DoubleV b) {
  return {(DoubleLanes)_mm256_max_pd((__m256d)a.lanes, (__m256d)b.lanes)};
}
ERGODE_SIMD DoubleV square_root(DoubleV a) {
  return {(DoubleLanes)_mm256_sqrt_pd((__m256d)a.lanes)};
}
ERGODE_SIMD FloatV inverse_square_root(FloatV x) {
  return {1.0f / (FloatLanes)_mm256_sqrt_ps((__m256)x.lanes)};
}

#else

/// Without a fused multiply-add in the instruction set it is a product and a sum.
ERGODE_SIMD FloatV fused_multiply_add(FloatV a, FloatV b, FloatV c) {
  return a * b + c;
}
ERGODE_SIMD DoubleV fused_multiply_add(DoubleV a, DoubleV b, DoubleV c) {
  return a * b + c;
}
ERGODE_SIMD FloatV maximum(FloatV a, FloatV b) {
  return {(FloatLanes)_mm_max_ps((__m128)a.lanes, (__m128)b.lanes)};
}
ERGODE_SIMD DoubleV maximum(DoubleV a, DoubleV b) {
  return {(DoubleLanes)_mm_max_pd((__m128d)a.lanes, (__m128d)b.lanes)};
}
ERGODE_SIMD DoubleV square_root(DoubleV a) {
  return {(DoubleLanes)_mm_sqrt_pd((__m128d)a.lanes)};
}
ERGODE_SIMD FloatV inverse_square_root(FloatV x) {
  return {1.0f / (FloatLanes)_mm_sqrt_ps((__m128)x.lanes)};
}

#endif

ERGODE_SIMD DoubleV inverse_square_root(DoubleV x) {
  return {1.0 / square_root(x).lanes};
}
ERGODE_SIMD DoubleV where_positive(DoubleV x, DoubleV y) {
  return {x.lanes > DoubleLanes{} ? y.lanes : DoubleLanes{}};
}

}  // namespace ergode::kernels::ERGODE_ISA
