#pragma once

#include "kernels/options/models/jumps.hpp"

namespace ergode::kernels::options {

/// The log jump of Merton (1976) is normal. Constants: [0] intensity a year, [1] mean, [2] standard deviation.
struct MertonJumpSize {
  template <class T>
  ERGODE_HOST_DEVICE static T size(const T* c, const Words4& words) {
    return c[1] + c[2] * normal_from_word<Scalar<T>>(words[1]);
  }
};

}  // namespace ergode::kernels::options
