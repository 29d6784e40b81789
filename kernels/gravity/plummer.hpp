#pragma once

#include "kernels/core/arithmetic.hpp"

// The gravity of one body on another with Plummer softening (Aarseth 1963; Dehnen & Read 2011, eq. 1):
//   phi = -G m / sqrt(r^2 + eps^2),   a = G m d / (r^2 + eps^2)^(3/2),   d = x_source - x_target.
// G is applied once to the finished sums. T is float, double, or a vector of either.

namespace ergode::kernels {

/// r^2 + eps2.
template <class T>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) T softened_square(T dx, T dy, T dz, T eps2) {
  return fused_multiply_add(dz, dz, fused_multiply_add(dy, dy, fused_multiply_add(dx, dx, eps2)));
}

/// 1 / sqrt(r^2 + eps2).
template <class T>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) T inverse_distance(T dx, T dy, T dz, T eps2) {
  return inverse_square_root(softened_square(dx, dy, dz, eps2));
}

/// mass / square^(3/2). Vectors of a CPU have their own (kernels/gravity/over_cube.hpp), in which a constant factor may
/// be left for the caller to multiply the sums by.
template <class T>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) T over_cube(T mass, T square) {
  const T inverse = inverse_square_root(square);
  return (mass * inverse) * (inverse * inverse);
}

/// Adds m d / (r^2 + eps2)^(3/2) to (ax, ay, az). `eps2` > 0: the callers floor it (kernels/gravity/tiles.hpp), so that
/// a body's pull on itself, and that of a coincident one, is exactly zero without a test. Thirteen instructions in
/// float on a GPU.
struct PlummerForce {
  template <class T>
  ERGODE_HOST_DEVICE inline __attribute__((always_inline)) void operator()(T dx, T dy, T dz, T mass, T eps2, T& ax,
                                                                           T& ay, T& az) const {
    const T strength = over_cube(mass, softened_square(dx, dy, dz, eps2));
    ax = fused_multiply_add(strength, dx, ax);
    ay = fused_multiply_add(strength, dy, ay);
    az = fused_multiply_add(strength, dz, az);
  }
};

/// Both directions of a pair (Newton's third law): adds m_b d / (r^2 + eps2)^(3/2) to the acceleration of a and
/// m_a (-d) / (r^2 + eps2)^(3/2) to that of b, d = x_b - x_a. With `equal_masses` the masses are left for the caller to
/// multiply the sums by. Seventeen instructions in float on a GPU, or fifteen, for two interactions.
template <bool equal_masses>
struct PlummerPairForce {
  template <class T>
  ERGODE_HOST_DEVICE inline __attribute__((always_inline)) void operator()(T dx, T dy, T dz, T mass_a, T mass_b, T eps2,
                                                                           T (&a)[3], T (&b)[3]) const {
    const T inverse = inverse_distance(dx, dy, dz, eps2);
    const T cube = inverse * (inverse * inverse);
    const T on_a = equal_masses ? cube : mass_b * cube, on_b = equal_masses ? cube : mass_a * cube;
    a[0] = fused_multiply_add(on_a, dx, a[0]);
    a[1] = fused_multiply_add(on_a, dy, a[1]);
    a[2] = fused_multiply_add(on_a, dz, a[2]);
    b[0] = fused_multiply_add(-on_b, dx, b[0]);
    b[1] = fused_multiply_add(-on_b, dy, b[1]);
    b[2] = fused_multiply_add(-on_b, dz, b[2]);
  }
};

/// Returns m / sqrt(r^2 + eps2); 0 where both r and eps2 are 0, the body itself among them.
struct PlummerPotential {
  template <class T>
  ERGODE_HOST_DEVICE inline __attribute__((always_inline)) T operator()(T dx, T dy, T dz, T mass, T eps2) const {
    const T r2 = softened_square(dx, dy, dz, eps2);
    return where_positive(r2, mass * inverse_square_root(r2));
  }
};

}  // namespace ergode::kernels
