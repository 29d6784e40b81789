#pragma once

#include <cstdint>

namespace ergode::kernels::options {

/// What a group's dual upper bound needs (see kernels/options/upper_bound.hpp).
struct UpperBoundPlan {
  int observer = 0;                   ///< the exercise observer
  std::int64_t outer = 0, inner = 0;  ///< paths in all
  std::int64_t first = 0, count = 0;  ///< outer paths of this call
  std::uint64_t first_sample = 0;
};

}  // namespace ergode::kernels::options
