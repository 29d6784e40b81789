#pragma once

#include "kernels/core/host_device.hpp"

// Polynomials of total degree <= order in several variables, as products of one-dimensional families (Abramowitz &
// Stegun 1964, table 22.7). The families span the same space and differ in how well the regression is conditioned.
//
// Everything here is forced inline and free of standard containers: it runs in the path loops of kernels and of sources
// that are built once for each instruction set.

namespace ergode::kernels {

enum class BasisFamily : int {
  monomial,   ///< x^n
  laguerre,   ///< L_n, orthogonal under exp(-x) on x > 0
  hermite,    ///< He_n, the probabilists', orthogonal under exp(-x^2 / 2)
  chebyshev,  ///< T_n, orthogonal under 1 / sqrt(1 - x^2) on [-1, 1]
};

inline constexpr int max_basis_variables = 8;
inline constexpr int max_basis_order = 20;

#define ERGODE_BASIS_INLINE ERGODE_HOST_DEVICE inline __attribute__((always_inline))

/// How many products of `variables` polynomials have total degree <= order: (variables + order)! / (variables! order!).
ERGODE_BASIS_INLINE int basis_terms(int variables, int order) {
  long long terms = 1;
  for (int k = 1; k <= variables; ++k) terms = terms * (order + k) / k;
  return static_cast<int>(terms);
}

/// p_(n+1)(x) from p_n and p_(n-1), n >= 1.
template <class Real>
ERGODE_BASIS_INLINE Real next_polynomial(BasisFamily family, int n, Real x, Real current, Real previous) {
  switch (family) {
    case BasisFamily::laguerre:
      return (static_cast<Real>(2 * n + 1) - x) * current / static_cast<Real>(n + 1) -
             static_cast<Real>(n) * previous / static_cast<Real>(n + 1);
    case BasisFamily::hermite:
      return x * current - static_cast<Real>(n) * previous;
    case BasisFamily::chebyshev:
      return (x + x) * current - previous;
    case BasisFamily::monomial:
      break;
  }
  return x * current;
}

/// p_1(x); p_0 is 1 in every family.
template <class Real>
ERGODE_BASIS_INLINE Real first_polynomial(BasisFamily family, Real x) {
  return family == BasisFamily::laguerre ? Real(1) - x : x;
}

/// The terms at one point, in graded order of their exponents: (0,0) (1,0) (0,1) (2,0) (1,1) (0,2) ... A lower order
/// is a prefix of a higher one.
template <class Real>
struct BasisTerms {
  int variables;
  int degree;                         ///< of the present term
  int exponent[max_basis_variables];  ///< of the present term
  Real value_of[max_basis_variables][max_basis_order + 1];

  /// `x`: the variables, already mapped; variables in [1, 8], order in [0, 20].
  ERGODE_BASIS_INLINE BasisTerms(BasisFamily family, int variables_, int order, const Real* x)
      : variables(variables_), degree(0) {
    for (int i = 0; i < variables; ++i) {
      exponent[i] = 0;
      value_of[i][0] = 1;
      if (order > 0) value_of[i][1] = first_polynomial(family, x[i]);
      for (int n = 1; n < order; ++n)
        value_of[i][n + 1] = next_polynomial(family, n, x[i], value_of[i][n], value_of[i][n - 1]);
    }
  }

  ERGODE_BASIS_INLINE Real value() const {
    Real product = value_of[0][exponent[0]];
    for (int i = 1; i < variables; ++i)
      if (exponent[i] > 0) product *= value_of[i][exponent[i]];
    return product;
  }

  /// To the next term.
  ERGODE_BASIS_INLINE void advance() {
    int i = variables - 2;
    while (i >= 0 && exponent[i] == 0) --i;
    const int tail = exponent[variables - 1];
    exponent[variables - 1] = 0;
    if (i < 0) {
      exponent[0] = ++degree;
    } else {
      --exponent[i];
      exponent[i + 1] = tail + 1;
    }
  }
};

/// A polynomial: sum over k of coefficient[k] phi_k(x'), x'_i = (x_i - centre[i]) scale[i].
template <class Real>
struct BasisView {
  int variables, order;
  BasisFamily family;
  const Real* centre;       ///< (variables)
  const Real* scale;        ///< (variables); 0 takes a variable out
  const Real* coefficient;  ///< (basis_terms(variables, order))
};

template <class Real>
ERGODE_BASIS_INLINE Real evaluate_basis(const BasisView<Real>& basis, const Real* x) {
  Real sum = basis.coefficient[0];
  if (basis.order == 0) return sum;
  if (basis.variables == 1) {
    const Real mapped = (x[0] - basis.centre[0]) * basis.scale[0];
    Real previous = 1, current = first_polynomial(basis.family, mapped);
    sum += basis.coefficient[1] * current;
    for (int n = 1; n < basis.order; ++n) {
      const Real next = next_polynomial(basis.family, n, mapped, current, previous);
      previous = current;
      current = next;
      sum += basis.coefficient[n + 1] * current;
    }
    return sum;
  }
  Real mapped[max_basis_variables];
  for (int i = 0; i < basis.variables; ++i) mapped[i] = (x[i] - basis.centre[i]) * basis.scale[i];
  BasisTerms<Real> term(basis.family, basis.variables, basis.order, mapped);
  const int terms = basis_terms(basis.variables, basis.order);
  for (int k = 1; k < terms; ++k) {
    term.advance();
    sum += basis.coefficient[k] * term.value();
  }
  return sum;
}

}  // namespace ergode::kernels
