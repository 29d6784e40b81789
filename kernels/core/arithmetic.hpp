#pragma once

#include <cmath>

#include "kernels/core/host_device.hpp"

// The operations that the pair functors need beyond + - *, for scalars. kernels/core/simd.hpp has the same names for
// the vector types of one instruction set. Contraction is off, so a fused multiply-add is where one of these says so
// and nowhere else.

namespace ergode::kernels {

ERGODE_HOST_DEVICE inline double fused_multiply_add(double a, double b, double c) {
  return ::fma(a, b, c);
}
ERGODE_HOST_DEVICE inline float fused_multiply_add(float a, float b, float c) {
  return ::fmaf(a, b, c);
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

ERGODE_HOST_DEVICE inline float maximum(float a, float b) {
  return ::fmaxf(a, b);
}
ERGODE_HOST_DEVICE inline double maximum(double a, double b) {
  return ::fmax(a, b);
}

/// y where x > 0, else 0.
ERGODE_HOST_DEVICE inline double where_positive(double x, double y) {
  return x > 0 ? y : 0;
}

}  // namespace ergode::kernels
