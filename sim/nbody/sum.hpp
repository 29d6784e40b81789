#pragma once

#include <cmath>

#include "kernels/core/vec3.hpp"

namespace ergode::sim::nbody {

/// A compensated running sum (Neumaier 1974): the error stays at rounding however many terms there are. Diagnostics add in
/// canonical order on one thread, so no thread count can change a bit.
class Sum {
 public:
  void add(double x) {
    const double t = sum_ + x;
    correction_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - t) + x : (x - t) + sum_;
    sum_ = t;
  }
  double value() const { return sum_ + correction_; }

 private:
  double sum_ = 0, correction_ = 0;
};

class VectorSum {
 public:
  void add(kernels::Vec3 v) {
    x_.add(v.x);
    y_.add(v.y);
    z_.add(v.z);
  }
  kernels::Vec3 value() const { return {x_.value(), y_.value(), z_.value()}; }

 private:
  Sum x_, y_, z_;
};

}  // namespace ergode::sim::nbody
