#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/host_device.hpp"

// The operations that functors need beyond + - *, for scalars. kernels/core/simd.hpp has the same names for the vector
// types of one instruction set: there a comparison gives a mask of the lanes, && and || join masks, and where scalar
// code would branch,
//   if (any(mask)) y = select(mask, value, y);
// computes what some lane needs and keeps it for the lanes that do. With a scalar it is the branch.
//
// Contraction is off, so a fused multiply-add is where one of these says so and nowhere else.

namespace ergode::kernels {

/// What a number on a path is made of. Element: the plain floating-point type. Constant: what an array of constants
/// holds of it, and Constants the way to read that array. Bits: an unsigned integer of the same size, as often.
template <class T>
struct NumberTraits;
template <>
struct NumberTraits<float> {
  using Element = float;
  using Constant = float;
  using Constants = const float*;
  using Bits = std::uint32_t;
  static constexpr int lanes = 1;
};
template <>
struct NumberTraits<double> {
  using Element = double;
  using Constant = double;
  using Constants = const double*;
  using Bits = std::uint64_t;
  static constexpr int lanes = 1;
};
template <class T>
using Element = typename NumberTraits<T>::Element;
template <class T>
using Constants = typename NumberTraits<T>::Constants;
template <class T>
inline constexpr int lanes_of = NumberTraits<T>::lanes;

ERGODE_HOST_DEVICE inline double fused_multiply_add(double a, double b, double c) {
  return ::fma(a, b, c);
}
ERGODE_HOST_DEVICE inline float fused_multiply_add(float a, float b, float c) {
  return ::fmaf(a, b, c);
}

/// a b + c: fused where the processor has an instruction for it, else a product and a sum.
template <class Real>
ERGODE_HOST_DEVICE inline Real multiply_add(Real a, Real b, Real c) {
#if defined(__CUDA_ARCH__) || defined(__FMA__)
  return fused_multiply_add(a, b, c);
#else
  return a * b + c;
#endif
}

/// 1 / sqrt(x), x > 0. On a device in float the hardware's approximation (2 ulp), which the float sum's error hides.
ERGODE_HOST_DEVICE inline float inverse_square_root(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.0f / ::sqrtf(x);
#endif
}
ERGODE_HOST_DEVICE inline double inverse_square_root(double x) {
#ifdef __CUDA_ARCH__
  return ::rsqrt(x);
#else
  return 1.0 / ::sqrt(x);
#endif
}

/// On a host b where either is NaN, as the vector instructions have it.
ERGODE_HOST_DEVICE inline float maximum(float a, float b) {
#ifdef __CUDA_ARCH__
  return ::fmaxf(a, b);
#else
  return a > b ? a : b;
#endif
}
ERGODE_HOST_DEVICE inline double maximum(double a, double b) {
#ifdef __CUDA_ARCH__
  return ::fmax(a, b);
#else
  return a > b ? a : b;
#endif
}
ERGODE_HOST_DEVICE inline float minimum(float a, float b) {
#ifdef __CUDA_ARCH__
  return ::fminf(a, b);
#else
  return a < b ? a : b;
#endif
}
ERGODE_HOST_DEVICE inline double minimum(double a, double b) {
#ifdef __CUDA_ARCH__
  return ::fmin(a, b);
#else
  return a < b ? a : b;
#endif
}

/// y where x > 0, else 0.
ERGODE_HOST_DEVICE inline double where_positive(double x, double y) {
  return x > 0 ? y : 0;
}

ERGODE_HOST_DEVICE constexpr bool any(bool condition) {
  return condition;
}
ERGODE_HOST_DEVICE constexpr float select(bool condition, float a, float b) {
  return condition ? a : b;
}
ERGODE_HOST_DEVICE constexpr double select(bool condition, double a, double b) {
  return condition ? a : b;
}
ERGODE_HOST_DEVICE constexpr std::uint32_t select(bool condition, std::uint32_t a, std::uint32_t b) {
  return condition ? a : b;
}
ERGODE_HOST_DEVICE constexpr std::uint64_t select(bool condition, std::uint64_t a, std::uint64_t b) {
  return condition ? a : b;
}

/// Lane number `lane` of a number, and its setting.
ERGODE_HOST_DEVICE inline float lane_of(float x, int) {
  return x;
}
ERGODE_HOST_DEVICE inline double lane_of(double x, int) {
  return x;
}
ERGODE_HOST_DEVICE inline void set_lane(float& x, int, float value) {
  x = value;
}
ERGODE_HOST_DEVICE inline void set_lane(double& x, int, double value) {
  x = value;
}

/// The lanes of a number to and from memory, next to each other.
ERGODE_HOST_DEVICE inline void store(float* at, float x) {
  *at = x;
}
ERGODE_HOST_DEVICE inline void store(double* at, double x) {
  *at = x;
}
ERGODE_HOST_DEVICE inline void load(float& x, const float* at) {
  x = *at;
}
ERGODE_HOST_DEVICE inline void load(double& x, const double* at) {
  x = *at;
}

/// Element number `index` of an array of constants, where each lane has an index of its own.
template <class T>
ERGODE_HOST_DEVICE inline T gather(const T* array, typename NumberTraits<T>::Bits index) {
  return array[index];
}

}  // namespace ergode::kernels
