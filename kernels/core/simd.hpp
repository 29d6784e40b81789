#pragma once

// Vectors of one instruction set, for the sources that are built once for each (ERGODE_ISA names the build). Everything
// stands in a namespace of that name and is forced inline: no symbol leaves the object file.

#include <immintrin.h>

#include <cstdint>

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
typedef std::uint32_t Bits32Lanes __attribute__((vector_size(4 * float_lanes)));
typedef std::uint64_t Bits64Lanes __attribute__((vector_size(8 * double_lanes)));

#define ERGODE_SIMD_FRIEND friend __attribute__((always_inline)) inline

/// Which lanes a comparison holds for.
template <class MaskLanes>
struct Mask {
  MaskLanes lanes;

  ERGODE_SIMD_FRIEND Mask operator&&(Mask a, Mask b) { return {static_cast<MaskLanes>(a.lanes & b.lanes)}; }
  ERGODE_SIMD_FRIEND Mask operator||(Mask a, Mask b) { return {static_cast<MaskLanes>(a.lanes | b.lanes)}; }
  ERGODE_SIMD_FRIEND Mask operator!(Mask a) { return {static_cast<MaskLanes>(~a.lanes)}; }
};
#if defined(ERGODE_ISA_avx512)
using Mask32 = Mask<__mmask16>;
using Mask64 = Mask<__mmask8>;
#else
typedef std::int64_t Int64Lanes __attribute__((vector_size(8 * double_lanes)));
using Mask32 = Mask<IntLanes>;
using Mask64 = Mask<Int64Lanes>;
#endif

/// What there is to know of a vector of lanes.
template <class LanesType>
struct VectorTraits;
template <>
struct VectorTraits<FloatLanes> {
  using Scalar = float;
  using Mask = Mask32;
  static constexpr int count = float_lanes;
};
template <>
struct VectorTraits<DoubleLanes> {
  using Scalar = double;
  using Mask = Mask64;
  static constexpr int count = double_lanes;
};
template <>
struct VectorTraits<Bits32Lanes> {
  using Scalar = std::uint32_t;
  using Mask = Mask32;
  static constexpr int count = float_lanes;
};
template <>
struct VectorTraits<Bits64Lanes> {
  using Scalar = std::uint64_t;
  using Mask = Mask64;
  static constexpr int count = double_lanes;
};

/// Of a size in bytes: numbers and unsigned integers.
template <int size>
struct SameSize;
template <>
struct SameSize<4> {
  using NumberLanes = FloatLanes;
  using BitsLanes = Bits32Lanes;
};
template <>
struct SameSize<8> {
  using NumberLanes = DoubleLanes;
  using BitsLanes = Bits64Lanes;
};

enum class Comparison { less, less_or_equal, equal };
template <Comparison comparison, class V>
ERGODE_SIMD auto compare(V a, V b);

/// A vector register. A struct, because functors find the functions below by argument-dependent look-up, which bare
/// vector types do not have. A scalar converts to a vector of it in all lanes.
template <class LanesType>
struct Vector {
  using Scalar = typename VectorTraits<LanesType>::Scalar;
  using Mask = typename VectorTraits<LanesType>::Mask;
  LanesType lanes;

  Vector() = default;
  __attribute__((always_inline)) inline Vector(LanesType l) : lanes(l) {}
  __attribute__((always_inline)) inline Vector(Scalar x) : lanes(x - LanesType{}) {}

  ERGODE_SIMD_FRIEND Vector operator+(Vector a, Vector b) { return a.lanes + b.lanes; }
  ERGODE_SIMD_FRIEND Vector operator-(Vector a, Vector b) { return a.lanes - b.lanes; }
  ERGODE_SIMD_FRIEND Vector operator*(Vector a, Vector b) { return a.lanes * b.lanes; }
  ERGODE_SIMD_FRIEND Vector operator/(Vector a, Vector b) { return a.lanes / b.lanes; }
  ERGODE_SIMD_FRIEND Vector operator-(Vector a) { return -a.lanes; }
  ERGODE_SIMD_FRIEND Vector operator&(Vector a, Vector b) { return a.lanes & b.lanes; }
  ERGODE_SIMD_FRIEND Vector operator|(Vector a, Vector b) { return a.lanes | b.lanes; }
  ERGODE_SIMD_FRIEND Vector operator^(Vector a, Vector b) { return a.lanes ^ b.lanes; }
  ERGODE_SIMD_FRIEND Vector operator<<(Vector a, int n) { return a.lanes << n; }
  ERGODE_SIMD_FRIEND Vector operator>>(Vector a, int n) { return a.lanes >> n; }
  ERGODE_SIMD_FRIEND Mask operator<(Vector a, Vector b) { return compare<Comparison::less>(a, b); }
  ERGODE_SIMD_FRIEND Mask operator>(Vector a, Vector b) { return compare<Comparison::less>(b, a); }
  ERGODE_SIMD_FRIEND Mask operator<=(Vector a, Vector b) { return compare<Comparison::less_or_equal>(a, b); }
  ERGODE_SIMD_FRIEND Mask operator>=(Vector a, Vector b) { return compare<Comparison::less_or_equal>(b, a); }
  ERGODE_SIMD_FRIEND Mask operator==(Vector a, Vector b) { return compare<Comparison::equal>(a, b); }
};
using FloatV = Vector<FloatLanes>;
using DoubleV = Vector<DoubleLanes>;
using Bits32V = Vector<Bits32Lanes>;
using Bits64V = Vector<Bits64Lanes>;

template <class V>
struct Lanes;
template <class LanesType>
struct Lanes<Vector<LanesType>> : VectorTraits<LanesType> {};

template <class V, class Scalar>
ERGODE_SIMD V broadcast(Scalar x) {
  return V(x);
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
ERGODE_SIMD FloatV square_root(FloatV a) {
  return {(FloatLanes)_mm512_sqrt_ps((__m512)a.lanes)};
}
ERGODE_SIMD DoubleV square_root(DoubleV a) {
  return {(DoubleLanes)_mm512_sqrt_pd((__m512d)a.lanes)};
}

template <Comparison comparison, class V>
ERGODE_SIMD auto compare(V a, V b) {
  constexpr int predicate = comparison == Comparison::less            ? _CMP_LT_OQ
                            : comparison == Comparison::less_or_equal ? _CMP_LE_OQ
                                                                      : _CMP_EQ_OQ;
  constexpr auto integer = comparison == Comparison::less            ? _MM_CMPINT_LT
                           : comparison == Comparison::less_or_equal ? _MM_CMPINT_LE
                                                                     : _MM_CMPINT_EQ;
  if constexpr (sizeof(V{}.lanes[0]) == 4 && typename V::Scalar(0.5f) != 0)
    return Mask32{_mm512_cmp_ps_mask((__m512)a.lanes, (__m512)b.lanes, predicate)};
  else if constexpr (typename V::Scalar(0.5f) != 0)
    return Mask64{_mm512_cmp_pd_mask((__m512d)a.lanes, (__m512d)b.lanes, predicate)};
  else if constexpr (sizeof(V{}.lanes[0]) == 4)
    return Mask32{_mm512_cmp_epu32_mask((__m512i)a.lanes, (__m512i)b.lanes, integer)};
  else
    return Mask64{_mm512_cmp_epu64_mask((__m512i)a.lanes, (__m512i)b.lanes, integer)};
}
ERGODE_SIMD FloatV select(Mask32 m, FloatV a, FloatV b) {
  return {(FloatLanes)_mm512_mask_blend_ps(m.lanes, (__m512)b.lanes, (__m512)a.lanes)};
}
ERGODE_SIMD DoubleV select(Mask64 m, DoubleV a, DoubleV b) {
  return {(DoubleLanes)_mm512_mask_blend_pd(m.lanes, (__m512d)b.lanes, (__m512d)a.lanes)};
}
ERGODE_SIMD Bits32V select(Mask32 m, Bits32V a, Bits32V b) {
  return {(Bits32Lanes)_mm512_mask_blend_epi32(m.lanes, (__m512i)b.lanes, (__m512i)a.lanes)};
}
ERGODE_SIMD Bits64V select(Mask64 m, Bits64V a, Bits64V b) {
  return {(Bits64Lanes)_mm512_mask_blend_epi64(m.lanes, (__m512i)b.lanes, (__m512i)a.lanes)};
}
ERGODE_SIMD bool any(Mask32 m) {
  return m.lanes != 0;
}
ERGODE_SIMD bool any(Mask64 m) {
  return m.lanes != 0;
}

/// The product of the lower halves of 64-bit lanes.
ERGODE_SIMD Bits64V product_of_low_halves(Bits64V a, Bits64V b) {
  return {(Bits64Lanes)_mm512_mul_epu32((__m512i)a.lanes, (__m512i)b.lanes)};
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
ERGODE_SIMD FloatV square_root(FloatV a) {
  return {(FloatLanes)_mm256_sqrt_ps((__m256)a.lanes)};
}
ERGODE_SIMD DoubleV square_root(DoubleV a) {
  return {(DoubleLanes)_mm256_sqrt_pd((__m256d)a.lanes)};
}
ERGODE_SIMD bool any(Mask32 m) {
  return _mm256_movemask_ps((__m256)m.lanes) != 0;
}
ERGODE_SIMD bool any(Mask64 m) {
  return _mm256_movemask_pd((__m256d)m.lanes) != 0;
}
ERGODE_SIMD Bits64V product_of_low_halves(Bits64V a, Bits64V b) {
  return {(Bits64Lanes)_mm256_mul_epu32((__m256i)a.lanes, (__m256i)b.lanes)};
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
ERGODE_SIMD FloatV square_root(FloatV a) {
  return {(FloatLanes)_mm_sqrt_ps((__m128)a.lanes)};
}
ERGODE_SIMD DoubleV square_root(DoubleV a) {
  return {(DoubleLanes)_mm_sqrt_pd((__m128d)a.lanes)};
}
ERGODE_SIMD bool any(Mask32 m) {
  return _mm_movemask_ps((__m128)m.lanes) != 0;
}
ERGODE_SIMD bool any(Mask64 m) {
  return _mm_movemask_pd((__m128d)m.lanes) != 0;
}
ERGODE_SIMD Bits64V product_of_low_halves(Bits64V a, Bits64V b) {
  return {(Bits64Lanes)_mm_mul_epu32((__m128i)a.lanes, (__m128i)b.lanes)};
}

#endif

#if !defined(ERGODE_ISA_avx512)
template <Comparison comparison, class V>
ERGODE_SIMD auto compare(V a, V b) {
  if constexpr (comparison == Comparison::less)
    return typename V::Mask{a.lanes < b.lanes};
  else if constexpr (comparison == Comparison::less_or_equal)
    return typename V::Mask{a.lanes <= b.lanes};
  else
    return typename V::Mask{a.lanes == b.lanes};
}
template <class L>
ERGODE_SIMD Vector<L> select(typename VectorTraits<L>::Mask m, Vector<L> a, Vector<L> b) {
  return {m.lanes ? a.lanes : b.lanes};
}
#endif

ERGODE_SIMD DoubleV inverse_square_root(DoubleV x) {
  return {1.0 / square_root(x).lanes};
}
ERGODE_SIMD DoubleV where_positive(DoubleV x, DoubleV y) {
  return select(x > DoubleV(0), y, DoubleV(0));
}

}  // namespace ergode::kernels::ERGODE_ISA
