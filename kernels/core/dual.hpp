#pragma once

#include <type_traits>

#include "kernels/core/elementary.hpp"

namespace ergode::kernels {

/// In how many directions a number carries derivatives at once.
inline constexpr int tangent_directions = 2;

/// Derivatives in each direction: a vector with the operations of one.
template <class Real>
struct Tangents {
  Real along[tangent_directions];

  Tangents() = default;
  ERGODE_HOST_DEVICE constexpr Tangents(Real first, Real second) : along{first, second} {}

  friend ERGODE_HOST_DEVICE inline Tangents operator+(const Tangents& a, const Tangents& b) {
    return {a.along[0] + b.along[0], a.along[1] + b.along[1]};
  }
  friend ERGODE_HOST_DEVICE inline Tangents operator-(const Tangents& a, const Tangents& b) {
    return {a.along[0] - b.along[0], a.along[1] - b.along[1]};
  }
  friend ERGODE_HOST_DEVICE inline Tangents operator-(const Tangents& a) { return {-a.along[0], -a.along[1]}; }
  friend ERGODE_HOST_DEVICE inline Tangents operator*(const Tangents& a, Real b) {
    return {a.along[0] * b, a.along[1] * b};
  }
};

/// a b + c
template <class Real>
ERGODE_HOST_DEVICE inline Tangents<Real> multiply_add(const Tangents<Real>& a, Real b, const Tangents<Real>& c) {
  return {multiply_add(a.along[0], b, c.along[0]), multiply_add(a.along[1], b, c.along[1])};
}
template <class Condition, class Real>
ERGODE_HOST_DEVICE inline Tangents<Real> select(const Condition& condition, const Tangents<Real>& a,
                                                const Tangents<Real>& b) {
  return {select(condition, a.along[0], b.along[0]), select(condition, a.along[1], b.along[1])};
}
template <class Real>
ERGODE_HOST_DEVICE inline Real tangent_along(int direction, const Tangents<Real>& t) {
  return direction == 0 ? t.along[0] : t.along[1];
}

/// A number and its derivatives (forward-mode differentiation; Giles & Glasserman 2006, "Smoking adjoints"). A path
/// computed in duals carries the derivatives of its payoff with respect to the parameters that seed the tangents of its
/// constants. Comparisons look at the value alone, so a derivative does not see jumps. Of scalars it fills what one
/// load fetches.
template <class Real>
struct alignas(std::is_floating_point_v<Real> ? 4 * sizeof(Real) : alignof(Real)) Dual {
  Real value = 0;
  Tangents<Real> tangents{Real(0), Real(0)};

  Dual() = default;
  ERGODE_HOST_DEVICE constexpr Dual(Real v) : value(v) {}
  ERGODE_HOST_DEVICE constexpr Dual(Real v, const Tangents<Real>& t) : value(v), tangents(t) {}
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
ERGODE_DUAL Tangents<Real> tangents_of(Dual<Real> x) {
  return x.tangents;
}
ERGODE_DUAL Real tangent_along(int direction, Dual<Real> x) {
  return tangent_along(direction, x.tangents);
}

ERGODE_DUAL Dual<Real> operator+(Dual<Real> a, Dual<Real> b) {
  return {a.value + b.value, a.tangents + b.tangents};
}
ERGODE_DUAL Dual<Real> operator+(Dual<Real> a, Real b) {
  return {a.value + b, a.tangents};
}
ERGODE_DUAL Dual<Real> operator+(Real a, Dual<Real> b) {
  return {a + b.value, b.tangents};
}
ERGODE_DUAL Dual<Real> operator-(Dual<Real> a, Dual<Real> b) {
  return {a.value - b.value, a.tangents - b.tangents};
}
ERGODE_DUAL Dual<Real> operator-(Dual<Real> a, Real b) {
  return {a.value - b, a.tangents};
}
ERGODE_DUAL Dual<Real> operator-(Real a, Dual<Real> b) {
  return {a - b.value, -b.tangents};
}
ERGODE_DUAL Dual<Real> operator-(Dual<Real> a) {
  return {-a.value, -a.tangents};
}
ERGODE_DUAL Dual<Real> operator*(Dual<Real> a, Dual<Real> b) {
  return {a.value * b.value, multiply_add(b.tangents, a.value, a.tangents * b.value)};
}
ERGODE_DUAL Dual<Real> operator*(Dual<Real> a, Real b) {
  return {a.value * b, a.tangents * b};
}
ERGODE_DUAL Dual<Real> operator*(Real a, Dual<Real> b) {
  return {a * b.value, b.tangents * a};
}
ERGODE_DUAL Dual<Real> quotient(Dual<Real> a, Dual<Real> b) {
  const Real q = quotient(a.value, b.value);
  return {q, multiply_add(b.tangents, -q, a.tangents) * quotient(Real(1), b.value)};
}
ERGODE_DUAL Dual<Real> quotient(Dual<Real> a, Real b) {
  return {quotient(a.value, b), a.tangents * quotient(Real(1), b)};
}
ERGODE_DUAL Dual<Real> quotient(Real a, Dual<Real> b) {
  const Real q = quotient(a, b.value);
  return {q, b.tangents * quotient(-q, b.value)};
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
  return {select(condition, a.value, b.value), select(condition, a.tangents, b.tangents)};
}

/// a b + c. The value is that of the plain numbers, bit for bit.
ERGODE_DUAL Dual<Real> multiply_add(Dual<Real> a, Dual<Real> b, Dual<Real> c) {
  return {multiply_add(a.value, b.value, c.value),
          multiply_add(b.tangents, a.value, multiply_add(a.tangents, b.value, c.tangents))};
}
ERGODE_DUAL Dual<Real> multiply_add(Dual<Real> a, Real b, Dual<Real> c) {
  return {multiply_add(a.value, b, c.value), multiply_add(a.tangents, b, c.tangents)};
}

ERGODE_DUAL Dual<Real> exponential(Dual<Real> x) {
  const Real e = exponential(x.value);
  return {e, x.tangents * e};
}
ERGODE_DUAL Dual<Real> logarithm(Dual<Real> x) {
  return {logarithm(x.value), x.tangents * quotient(Real(1), x.value)};
}
ERGODE_DUAL Dual<Real> logarithm_beyond_first(Dual<Real> x) {
  return {logarithm_beyond_first(x.value), x.tangents * quotient(-x.value, Real(1) + x.value)};
}
/// At 0 the derivative is taken as 0: there the paths of a variance process are at rest.
ERGODE_DUAL Dual<Real> square_root(Dual<Real> x) {
  const Real s = square_root(x.value);
  return {s, x.tangents * select(s > Real(0), quotient(Real(0.5), s), Real(0))};
}
ERGODE_DUAL Dual<Real> power(Dual<Real> x, Dual<Real> y) {
  const Real p = power(x.value, y.value);
  return {p, (x.tangents * quotient(y.value, x.value) + y.tangents * logarithm(x.value)) * p};
}
ERGODE_DUAL Dual<Real> normal_cumulative(Dual<Real> x) {
  const Real density = Real(0.3989422804014327) * exponential(Real(-0.5) * x.value * x.value);
  return {normal_cumulative(x.value), x.tangents * density};
}
ERGODE_DUAL Dual<Real> maximum(Dual<Real> a, Dual<Real> b) {
  return select(a.value > b.value, a, b);
}
ERGODE_DUAL Dual<Real> minimum(Dual<Real> a, Dual<Real> b) {
  return select(a.value < b.value, a, b);
}

template <class Real>
ERGODE_HOST_DEVICE inline void store(Dual<Element<Real>>* at, const Dual<Real>& x) {
  for (int i = 0; i < lanes_of<Real>; ++i)
    at[i] = {lane_of(x.value, i), {lane_of(x.tangents.along[0], i), lane_of(x.tangents.along[1], i)}};
}
template <class Real>
ERGODE_HOST_DEVICE inline void set_lane(Dual<Real>& x, int lane, Dual<Element<Real>> value) {
  set_lane(x.value, lane, value.value);
  for (int d = 0; d < tangent_directions; ++d) set_lane(x.tangents.along[d], lane, value.tangents.along[d]);
}
template <class Real>
ERGODE_HOST_DEVICE inline void load(Dual<Real>& x, const Dual<Element<Real>>* at) {
  for (int i = 0; i < lanes_of<Real>; ++i) set_lane(x, i, at[i]);
}

#undef ERGODE_DUAL

}  // namespace ergode::kernels
