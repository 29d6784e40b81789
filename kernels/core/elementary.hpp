#pragma once

#include "kernels/core/formulas.hpp"

// The elementary functions of the path loops, for float and double (kernels/core/dual.hpp adds derivatives,
// kernels/core/simd.hpp vectors). On a device in float they are the special function unit's: relative error about
// 2^-22, which a path's log-price carries as an absolute error of the same size; in double they are the device
// library's. On a host they are those of kernels/core/formulas.hpp.

namespace ergode::kernels {

ERGODE_HOST_DEVICE inline float exponential(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.4426950408889634f));
  return y;
#else
  return formulas::exponential(x);
#endif
}
ERGODE_HOST_DEVICE inline double exponential(double x) {
#ifdef __CUDA_ARCH__
  return ::exp(x);
#else
  return formulas::exponential(x);
#endif
}

/// Natural logarithm, x > 0.
ERGODE_HOST_DEVICE inline float logarithm(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y * 0.69314718055994531f;
#else
  return formulas::logarithm(x);
#endif
}
ERGODE_HOST_DEVICE inline double logarithm(double x) {
#ifdef __CUDA_ARCH__
  return ::log(x);
#else
  return formulas::logarithm(x);
#endif
}

/// ln(1 + x), x > -1, exact also where x is small.
ERGODE_HOST_DEVICE inline float logarithm_of_one_plus(float x) {
#ifdef __CUDA_ARCH__
  return ::log1pf(x);
#else
  return formulas::logarithm_of_one_plus(x);
#endif
}
ERGODE_HOST_DEVICE inline double logarithm_of_one_plus(double x) {
#ifdef __CUDA_ARCH__
  return ::log1p(x);
#else
  return formulas::logarithm_of_one_plus(x);
#endif
}

/// ln(1 + x) - x, x > -1. In float within 1.5e-8 where |x| <= 1/4, by a near-minimax polynomial; beyond, within the
/// rounding of the logarithm.
template <class V>
ERGODE_HOST_DEVICE inline V logarithm_beyond_first(V x) {
  if constexpr (sizeof(Element<V>) == 8) {
    return logarithm_of_one_plus(x) - x;
  } else {
    const V x2 = x * x;
    V result = x2 * formulas::polynomial<V>({-1.36694051e-01f, 1.55834600e-01f, -1.66293946e-01f, 1.99586520e-01f,
                                             -2.50002931e-01f, 3.33336585e-01f, -0.5f},
                                            x);
    const auto far = x2 > V(0.0625f);
    if (any(far)) result = select(far, logarithm(V(1) + x) - x, result);
    return result;
  }
}

/// x >= 0.
ERGODE_HOST_DEVICE inline float square_root(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return ::sqrtf(x);
#endif
}
ERGODE_HOST_DEVICE inline double square_root(double x) {
  return ::sqrt(x);
}

/// On a device in float subnormal numbers count as 0, and of |b| > 2^126 the quotient is 0.
ERGODE_HOST_DEVICE inline float quotient(float a, float b) {
#ifdef __CUDA_ARCH__
  float y;
  asm("div.approx.ftz.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  return a / b;
#endif
}
ERGODE_HOST_DEVICE inline double quotient(double a, double b) {
  return a / b;
}

/// x to the power of y, x > 0.
ERGODE_HOST_DEVICE inline float power(float x, float y) {
  return ::powf(x, y);
}
ERGODE_HOST_DEVICE inline double power(double x, double y) {
  return ::pow(x, y);
}

/// The cumulative distribution function of the standard normal law.
ERGODE_HOST_DEVICE inline float normal_cumulative(float x) {
#ifdef __CUDA_ARCH__
  return 0.5f * ::erfcf(-0.70710678118654752f * x);
#else
  return formulas::normal_cumulative(x);
#endif
}
ERGODE_HOST_DEVICE inline double normal_cumulative(double x) {
#ifdef __CUDA_ARCH__
  return 0.5 * ::erfc(-0.70710678118654752 * x);
#else
  return formulas::normal_cumulative(x);
#endif
}

/// The plain number in x, which for a dual number leaves the derivative out.
ERGODE_HOST_DEVICE inline float value_of(float x) {
  return x;
}
ERGODE_HOST_DEVICE inline double value_of(double x) {
  return x;
}
ERGODE_HOST_DEVICE inline float tangent_along(int, float) {
  return 0;
}
ERGODE_HOST_DEVICE inline double tangent_along(int, double) {
  return 0;
}

/// float of float and of its duals, double of double and of its.
template <class T>
struct ScalarOf {
  using type = T;
};
template <class T>
using Scalar = typename ScalarOf<T>::type;

/// Number i of constants, without its derivative: the same for all lanes, so that code may branch on it.
template <class T>
ERGODE_HOST_DEVICE inline Element<T> plain_constant(const T* constants, int i) {
  return value_of(constants[i]);
}

/// Adds factor x to a sum of each lane.
ERGODE_HOST_DEVICE inline void add_scaled(double* sum, double factor, float x) {
  *sum = multiply_add(factor, static_cast<double>(x), *sum);
}
ERGODE_HOST_DEVICE inline void add_scaled(double* sum, double factor, double x) {
  *sum = multiply_add(factor, x, *sum);
}

/// Constants as scalars.
template <class T>
ERGODE_HOST_DEVICE inline const T* plain_array(const T* constants) {
  return constants;
}

}  // namespace ergode::kernels
