#pragma once

#include "kernels/options/models/model.hpp"
#include "kernels/options/plan.hpp"

namespace ergode::kernels::options {

/// What a path pays: discounted value and the probability of its event (knocked, exercised early, called).
template <class T>
struct Payment {
  T value;
  Scalar<T> event;
};

template <class T>
ERGODE_HOST_DEVICE inline T positive_part(const T& x) {
  return select(value_of(x) <= Scalar<T>(0), T(0), x);  // NaN stays NaN
}

template <class T>
ERGODE_HOST_DEVICE inline T clip(const T& x, const T& low, const T& high) {
  return minimum(maximum(x, low), high);
}

}  // namespace ergode::kernels::options
