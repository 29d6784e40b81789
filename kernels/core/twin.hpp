#pragma once

#include "kernels/core/simd.hpp"

// Two vectors as one number. What a functor does it does to both, one after the other: two chains of dependent
// instructions side by side. A loop over two vectors would put the chains behind each other, further apart than a
// processor's scheduler reaches.

namespace ergode::kernels::ERGODE_ISA {

template <class V>
struct Twin;

template <class V>
struct Lanes<Twin<V>> {
  using Scalar = typename Lanes<V>::Scalar;
  static constexpr int count = 2 * Lanes<V>::count;
};

template <class V>
struct Twin {
  using Scalar = typename Lanes<V>::Scalar;
  V a, b;

  Twin() = default;
  __attribute__((always_inline)) inline Twin(V first, V second) : a(first), b(second) {}
  __attribute__((always_inline)) inline Twin(Scalar x) : a(x), b(a) {}

  ERGODE_SIMD_FRIEND Twin operator-(Twin x, Twin y) { return {x.a - y.a, x.b - y.b}; }
  ERGODE_SIMD_FRIEND Twin operator*(Twin x, Twin y) { return {x.a * y.a, x.b * y.b}; }
  ERGODE_SIMD_FRIEND Twin operator/(Twin x, Twin y) { return {x.a / y.a, x.b / y.b}; }
  ERGODE_SIMD_FRIEND Twin fused_multiply_add(Twin x, Twin y, Twin z) {
    return {fused_multiply_add(x.a, y.a, z.a), fused_multiply_add(x.b, y.b, z.b)};
  }
  ERGODE_SIMD_FRIEND Twin maximum(Twin x, Twin y) { return {maximum(x.a, y.a), maximum(x.b, y.b)}; }
  ERGODE_SIMD_FRIEND Twin square_root(Twin x) { return {square_root(x.a), square_root(x.b)}; }
};

}  // namespace ergode::kernels::ERGODE_ISA
