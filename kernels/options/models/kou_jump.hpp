#pragma once

#include "kernels/options/models/jumps.hpp"

namespace ergode::kernels::options {

/// The log jump of Kou (2002, "A jump-diffusion model for option pricing") is exponential upwards with probability p
/// and downwards else. Constants: [0] intensity a year, [1] p, [2] rate eta_up, [3] rate eta_down.
struct KouJumpSize {
  template <class T>
  ERGODE_HOST_DEVICE static T size(const T* c, const Words4& words) {
    using Real = Scalar<T>;
    const Real e = -logarithm(uniform_from_word<Real>(words[2]));
    return uniform_from_word<Real>(words[1]) < value_of(c[1]) ? quotient(T(e), c[2]) : -quotient(T(e), c[3]);
  }
};

}  // namespace ergode::kernels::options
