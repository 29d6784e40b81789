#pragma once

#include <memory>

#include "kernels/gravity/engine.hpp"
#include "kernels/options/engine.hpp"

namespace ergode::sim {

/// An engine whose calls count as kernels in the profile of this thread, with the work that they do. Without a profile
/// it is the engine itself.
std::unique_ptr<kernels::GravityEngine> profiled(std::unique_ptr<kernels::GravityEngine> engine);
std::unique_ptr<kernels::options::PathEngine> profiled(std::unique_ptr<kernels::options::PathEngine> engine);

}  // namespace ergode::sim
