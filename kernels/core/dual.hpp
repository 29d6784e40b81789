#pragma once

#include "kernels/core/elementary.hpp"

namespace ergode::kernels {

/// A number and its derivative in one direction (forward-mode differentiation; Giles & Glasserman 2006, "Smoking
/// adjoints"). A path computed in duals carries the derivative of its payoff with respect to the parameter that seeds
/// the tangents of its constants. Comparisons look at the value alone, so a derivative does not see jumps.
template <class Real>
struct Dual {
  Real value = 0, tangent = 0;

  Dual() = default;
  ERGODE_HOST_DEVICE constexpr Dual(Real v) : value(v) {}
  ERGODE_HOST_DEVICE constexpr Dual(Real v, Real t) : value(v), tangent(t) {}
};

template <class Real>
struct ScalarOf<Dual<Real>> {
  using type = Real;
};

/// Of scalars; a dual of vectors reads its constants otherwise (kernels/core/simd.hpp).
template <class Real>
struct NumberTraits<Dual<Real>> {
  using Element = Real;
  using Constant = Dual<Real>;
  using Constants = const Dual<Real>*;
  using Bits = typename NumberTraits<Real>::Bits;
  static constexpr int lanes = 1;
};

template <class T>
inline constexpr bool is_dual = false;
template <class Real>
inline constexpr bool is_dual<Dual<Real>> = true;

#define ERGODE_DUAL     \
  template <class Real> \
  ERGODE_HOST_DEVICE inline

ERGODE_DUAL Real value_of(Dual<Real> x) {
  return x.value;
}
ERGODE_DUAL Real tangent_of(Dual<Real> x) {
  return x.tangent;
}

ERGODE_DUAL Dual<Real> operator+(Dual<Real> a, Dual<Real> b) {
  return {a.value + b.value, a.tangent + b.tangent};
}
ERGODE_DUAL Dual<Real> operator+(Dual<Real> a, Real b) {
  return {a.value + b, a.tangent};
}
ERGODE_DUAL Dual<Real> operator+(Real a, Dual<Real> b) {
  return {a + b.value, b.tangent};
}
ERGODE_DUAL Dual<Real> operator-(Dual<Real> a, Dual<Real> b) {
  return {a.value - b.value, a.tangent - b.tangent};
}
ERGODE_DUAL Dual<Real> operator-(Dual<Real> a, Real b) {
  return {a.value - b, a.tangent};
}
ERGODE_DUAL Dual<Real> operator-(Real a, Dual<Real> b) {
  return {a - b.value, -b.tangent};
}
ERGODE_DUAL Dual<Real> operator-(Dual<Real> a) {
  return {-a.value, -a.tangent};
}
ERGODE_DUAL Dual<Real> operator*(Dual<Real> a, Dual<Real> b) {
  return {a.value * b.value, multiply_add(a.value, b.tangent, a.tangent * b.value)};
}
ERGODE_DUAL Dual<Real> operator*(Dual<Real> a, Real b) {
  return {a.value * b, a.tangent * b};
}
ERGODE_DUAL Dual<Real> operator*(Real a, Dual<Real> b) {
  return {a * b.value, a * b.tangent};
}
ERGODE_DUAL Dual<Real> quotient(Dual<Real> a, Dual<Real> b) {
  const Real q = quotient(a.value, b.value);
  return {q, quotient(a.tangent - q * b.tangent, b.value)};
}
ERGODE_DUAL Dual<Real> quotient(Dual<Real> a, Real b) {
  return {quotient(a.value, b), quotient(a.tangent, b)};
}
ERGODE_DUAL Dual<Real> quotient(Real a, Dual<Real> b) {
  const Real q = quotient(a, b.value);
  return {q, quotient(-q * b.tangent, b.value)};
}

ERGODE_DUAL auto operator<(Dual<Real> a, Dual<Real> b) {
  return a.value < b.value;
}
ERGODE_DUAL auto operator>(Dual<Real> a, Dual<Real> b) {
  return a.value > b.value;
}
ERGODE_DUAL auto operator<=(Dual<Real> a, Dual<Real> b) {
  return a.value <= b.value;
}
ERGODE_DUAL auto operator>=(Dual<Real> a, Dual<Real> b) {
  return a.value >= b.value;
}

template <class Condition, class Real>
ERGODE_HOST_DEVICE inline Dual<Real> select(const Condition& condition, Dual<Real> a, Dual<Real> b) {
  return {select(condition, a.value, b.value), select(condition, a.tangent, b.tangent)};
}

/// a b + c. The value is that of the plain numbers, bit for bit.
ERGODE_DUAL Dual<Real> multiply_add(Dual<Real> a, Dual<Real> b, Dual<Real> c) {
  return {multiply_add(a.value, b.value, c.value),
          multiply_add(a.value, b.tangent, multiply_add(a.tangent, b.value, c.tangent))};
}
ERGODE_DUAL Dual<Real> multiply_add(Dual<Real> a, Real b, Dual<Real> c) {
  return {multiply_add(a.value, b, c.value), multiply_add(a.tangent, b, c.tangent)};
}

ERGODE_DUAL Dual<Real> exponential(Dual<Real> x) {
  const Real e = exponential(x.value);
  return {e, e * x.tangent};
}
ERGODE_DUAL Dual<Real> logarithm(Dual<Real> x) {
  return {logarithm(x.value), quotient(x.tangent, x.value)};
}
ERGODE_DUAL Dual<Real> logarithm_of_one_plus(Dual<Real> x) {
  return {logarithm_of_one_plus(x.value), quotient(x.tangent, Real(1) + x.value)};
}
/// At 0 the derivative is taken as 0: there the paths of a variance process are at rest.
ERGODE_DUAL Dual<Real> square_root(Dual<Real> x) {
  const Real s = square_root(x.value);
  return {s, select(s > Real(0), quotient(Real(0.5) * x.tangent, s), Real(0))};
}
ERGODE_DUAL Dual<Real> power(Dual<Real> x, Dual<Real> y) {
  const Real p = power(x.value, y.value);
  return {p, p * (y.value * quotient(x.tangent, x.value) + y.tangent * logarithm(x.value))};
}
ERGODE_DUAL Dual<Real> normal_cumulative(Dual<Real> x) {
  const Real density = Real(0.3989422804014327) * exponential(Real(-0.5) * x.value * x.value);
  return {normal_cumulative(x.value), density * x.tangent};
}
ERGODE_DUAL Dual<Real> maximum(Dual<Real> a, Dual<Real> b) {
  return select(a.value > b.value, a, b);
}
ERGODE_DUAL Dual<Real> minimum(Dual<Real> a, Dual<Real> b) {
  return select(a.value < b.value, a, b);
}

template <class Real>
ERGODE_HOST_DEVICE inline void store(Dual<Element<Real>>* at, const Dual<Real>& x) {
  Element<Real> values[lanes_of<Real>], tangents[lanes_of<Real>];
  store(values, x.value);
  store(tangents, x.tangent);
  for (int i = 0; i < lanes_of<Real>; ++i) at[i] = {values[i], tangents[i]};
}
template <class Real>
ERGODE_HOST_DEVICE inline void load(Dual<Real>& x, const Dual<Element<Real>>* at) {
  Element<Real> values[lanes_of<Real>], tangents[lanes_of<Real>];
  for (int i = 0; i < lanes_of<Real>; ++i) {
    values[i] = at[i].value;
    tangents[i] = at[i].tangent;
  }
  load(x.value, values);
  load(x.tangent, tangents);
}

template <class Real>
ERGODE_HOST_DEVICE inline void set_lane(Dual<Real>& x, int lane, Dual<Element<Real>> value) {
  set_lane(x.value, lane, value.value);
  set_lane(x.tangent, lane, value.tangent);
}

#undef ERGODE_DUAL

}  // namespace ergode::kernels
