#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/vec3.hpp"

namespace ergode::sim::nbody {

/// The bodies of one component, in the order in which it gives them; masses may be 0.
struct BodySet {
  std::vector<kernels::Vec3> position, velocity;
  std::vector<double> mass;
  std::vector<double> softening;    ///< empty: the component's
  std::vector<std::uint64_t> id;    ///< empty: to be numbered

  std::int64_t size() const { return static_cast<std::int64_t>(position.size()); }
};

}  // namespace ergode::sim::nbody
