#pragma once

#include "kernels/core/dual.hpp"
#include "kernels/core/simd.hpp"

// Vectors as the numbers of functors: what kernels/core/arithmetic.hpp and elementary.hpp have for scalars.

namespace ergode::kernels {

namespace ERGODE_ISA {

/// Constants that are the same for all lanes, read as vectors.
template <class T>
struct UniformArray {
  const typename NumberTraits<T>::Constant* data;

  ERGODE_HOST_DEVICE T operator[](int i) const { return broadcast_constant(data[i], static_cast<T*>(nullptr)); }
  ERGODE_HOST_DEVICE T operator*() const { return (*this)[0]; }
  ERGODE_HOST_DEVICE UniformArray operator+(int i) const { return {data + i}; }

 private:
  ERGODE_HOST_DEVICE static T broadcast_constant(Element<T> x, T*) { return T(x); }
  ERGODE_HOST_DEVICE static T broadcast_constant(Dual<Element<T>> x, T*) {
    return T(x.value, {x.tangents.along[0], x.tangents.along[1]});
  }
};

}  // namespace ERGODE_ISA

template <class L>
struct NumberTraits<ERGODE_ISA::Vector<L>> {
  using Element = typename ERGODE_ISA::VectorTraits<L>::Scalar;
  using Constant = Element;
  using Constants = ERGODE_ISA::UniformArray<ERGODE_ISA::Vector<L>>;
  using Bits = ERGODE_ISA::Vector<typename ERGODE_ISA::SameSize<sizeof(Element)>::BitsLanes>;
  static constexpr int lanes = ERGODE_ISA::VectorTraits<L>::count;
};
template <class L>
struct NumberTraits<Dual<ERGODE_ISA::Vector<L>>> {
  using Element = typename ERGODE_ISA::VectorTraits<L>::Scalar;
  using Constant = Dual<Element>;
  using Constants = ERGODE_ISA::UniformArray<Dual<ERGODE_ISA::Vector<L>>>;
  using Bits = typename NumberTraits<ERGODE_ISA::Vector<L>>::Bits;
  static constexpr int lanes = ERGODE_ISA::VectorTraits<L>::count;
};

namespace ERGODE_ISA {

template <class Element>
using VectorOf = Vector<typename SameSize<sizeof(Element)>::NumberLanes>;

ERGODE_SIMD Bits32V bits_of(FloatV x) {
  return (Bits32Lanes)x.lanes;
}
ERGODE_SIMD Bits64V bits_of(DoubleV x) {
  return (Bits64Lanes)x.lanes;
}
ERGODE_SIMD FloatV number_of_bits(Bits32V bits) {
  return (FloatLanes)bits.lanes;
}
ERGODE_SIMD DoubleV number_of_bits(Bits64V bits) {
  return (DoubleLanes)bits.lanes;
}

template <class L>
ERGODE_SIMD Vector<L> maximum(Vector<L> a, Vector<L> b) {
  return select(a > b, a, b);
}
template <class L>
ERGODE_SIMD Vector<L> minimum(Vector<L> a, Vector<L> b) {
  return select(a < b, a, b);
}
template <class L>
ERGODE_SIMD Vector<L> quotient(Vector<L> a, Vector<L> b) {
  return a / b;
}
template <class L>
ERGODE_SIMD Vector<L> exponential(Vector<L> x) {
  return formulas::exponential(x);
}
template <class L>
ERGODE_SIMD Vector<L> logarithm(Vector<L> x) {
  return formulas::logarithm(x);
}
template <class L>
ERGODE_SIMD Vector<L> logarithm_of_one_plus(Vector<L> x) {
  return formulas::logarithm_of_one_plus(x);
}
template <class L>
ERGODE_SIMD Vector<L> normal_cumulative(Vector<L> x) {
  return formulas::normal_cumulative(x);
}
/// A lane at a time.
template <class L>
ERGODE_SIMD Vector<L> power(Vector<L> x, Vector<L> y) {
  for (int i = 0; i < VectorTraits<L>::count; ++i) x.lanes[i] = kernels::power(x.lanes[i], y.lanes[i]);
  return x;
}

template <class L>
ERGODE_SIMD Vector<L> value_of(Vector<L> x) {
  return x;
}
template <class L>
ERGODE_SIMD Vector<L> tangent_along(int, Vector<L>) {
  return 0;
}
template <class T>
ERGODE_SIMD Element<T> plain_constant(UniformArray<T> constants, int i) {
  return kernels::value_of(constants.data[i]);
}

template <class T>
ERGODE_SIMD const typename NumberTraits<T>::Constant* plain_array(UniformArray<T> constants) {
  return constants.data;
}

template <class L>
ERGODE_SIMD typename VectorTraits<L>::Scalar lane_of(Vector<L> x, int lane) {
  return x.lanes[lane];
}
template <class L>
ERGODE_SIMD void set_lane(Vector<L>& x, int lane, typename VectorTraits<L>::Scalar value) {
  x.lanes[lane] = value;
}
template <class L>
ERGODE_SIMD void load(Vector<L>& x, const typename VectorTraits<L>::Scalar* at) {
  __builtin_memcpy(&x.lanes, at, sizeof x.lanes);
}
template <class L>
ERGODE_SIMD void store(typename VectorTraits<L>::Scalar* at, Vector<L> x) {
  __builtin_memcpy(at, &x.lanes, sizeof x.lanes);
}
template <class L>
ERGODE_SIMD void add_scaled(double* sum, double factor, Vector<L> x) {
  constexpr int lanes = VectorTraits<L>::count;
  typename VectorTraits<L>::Scalar each[lanes];
  store(each, x);
  for (int i = 0; i < lanes; ++i) sum[i] = multiply_add(factor, static_cast<double>(each[i]), sum[i]);
}
template <class T, class L>
ERGODE_SIMD T gather(UniformArray<T> array, Vector<L> index) {
  T x;
  for (int i = 0; i < VectorTraits<L>::count; ++i) set_lane(x, i, array.data[index.lanes[i]]);
  return x;
}

}  // namespace ERGODE_ISA
}  // namespace ergode::kernels
