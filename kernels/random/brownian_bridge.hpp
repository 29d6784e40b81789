#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/host_device.hpp"

namespace ergode::kernels {

/// One step of a Brownian bridge's construction: it splits the interval that ends at time `right` after time `point`.
template <class Real>
struct BridgeStep {
  std::int32_t point = 0, right = 0;
  Real left_weight = 0, right_weight = 0;  ///< roots of the two parts' shares of the interval; their squares' sum is 1
};

/// The steps in the order of the construction. The first is the whole interval, which nothing splits.
template <class Real>
struct BridgeView {
  const BridgeStep<Real>* steps = nullptr;
  std::int32_t count = 0;
};

/// The construction for the times of a path: first the value at the last time, then, again and again, the longest
/// interval is split at the time that is nearest to its middle. A low-discrepancy sequence's first and best dimensions
/// so fix what moves a path most (Moskowitz & Caflisch 1996, "Smoothness and dimension reduction in quasi-Monte Carlo
/// methods", Math. Comput. Model. 23, 37).
/// @param times ascending strictly, the first above 0, at least one; else std::invalid_argument
/// @return a step for each time
template <class Real>
std::vector<BridgeStep<Real>> brownian_bridge(const std::vector<double>& times);

template <class Real>
BridgeView<Real> view(const std::vector<BridgeStep<Real>>& steps) {
  return {steps.data(), static_cast<std::int32_t>(steps.size())};
}

/// From independent normals to the standardised increments (W_i - W_(i-1)) / sqrt(t_i - t_(i-1)) of the path that the
/// bridge builds of them, in place.
///
/// An interval's increment over the root of its length, x, and a new normal z give the two parts' in the same measure
/// by a rotation: left = a x + b z, right = b x - a z, where a^2 and b^2 are the parts' shares. So the map is
/// orthogonal, and no value of W is formed.
/// @param z on entry the normal of the k-th most important dimension at z[stride * steps[k].point];
///          on return the increments in the order of time
template <class Real>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) void brownian_increments(BridgeView<Real> bridge, Real* z,
                                                                                  std::int64_t stride = 1) {
  for (std::int32_t k = 1; k < bridge.count; ++k) {
    const BridgeStep<Real> step = bridge.steps[k];
    Real& left = z[stride * step.point];
    Real& right = z[stride * step.right];
    const Real x = right, normal = left;
    left = step.left_weight * x + step.right_weight * normal;
    right = step.right_weight * x - step.left_weight * normal;
  }
}

}  // namespace ergode::kernels
