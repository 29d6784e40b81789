#pragma once

#include "kernels/core/arithmetic.hpp"

namespace ergode::kernels {

/// Kick and drift alike: value + rate * step, rounded once. A kick adds an acceleration to a velocity, a drift a
/// velocity to a position; compositions of the two make every integrator (Yoshida 1990).
struct Advance {
  template <class T>
  ERGODE_HOST_DEVICE inline __attribute__((always_inline)) T operator()(T value, T rate, T step) const {
    return fused_multiply_add(rate, step, value);
  }
};

}  // namespace ergode::kernels
