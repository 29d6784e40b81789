#pragma once

#include "kernels/core/arithmetic.hpp"

// The gravity of one body on another with Plummer softening (Aarseth 1963; Dehnen & Read 2011, eq. 1):
//   phi = -G m / sqrt(r^2 + eps^2),   a = G m d / (r^2 + eps^2)^(3/2),   d = x_source - x_target.
// G is applied once to the finished sums. T is float, double, or a vector of either.

namespace ergode::kernels {

/// Adds m d / (r^2 + eps2)^(3/2) to (ax, ay, az). `eps2` > 0: the callers floor it (kernels/gravity/tiles.hpp), so that
/// a body's pull on itself, and that of a coincident one, is exactly zero without a test. Thirteen instructions in
/// float on a GPU.
struct PlummerForce {
  template <class T>
  ERGODE_HOST_DEVICE inline __attribute__((always_inline)) void operator()(T dx, T dy, T dz, T mass, T eps2, T& ax,
                                                                           T& ay, T& az) const {
    const T r2 = fused_multiply_add(dz, dz, fused_multiply_add(dy, dy, fused_multiply_add(dx, dx, eps2)));
    const T inverse = inverse_square_root(r2);
    const T strength = (mass * inverse) * (inverse * inverse);
    ax = fused_multiply_add(strength, dx, ax);
    ay = fused_multiply_add(strength, dy, ay);
    az = fused_multiply_add(strength, dz, az);
  }
};

/// Returns m / sqrt(r^2 + eps2); 0 where both r and eps2 are 0, the body itself among them.
struct PlummerPotential {
  template <class T>
  ERGODE_HOST_DEVICE inline __attribute__((always_inline)) T operator()(T dx, T dy, T dz, T mass, T eps2) const {
    const T r2 = fused_multiply_add(dz, dz, fused_multiply_add(dy, dy, fused_multiply_add(dx, dx, eps2)));
    return where_positive(r2, mass * inverse_square_root(r2));
  }
};

}  // namespace ergode::kernels
