#pragma once

#include <memory>

#include "kernels/device/device.hpp"
#include "kernels/gravity/engine.hpp"
#include "tests/physics/naive_engine.hpp"

namespace ergode::test {

/// The engine that the physics is tested on: the CPU's, in double.
inline std::unique_ptr<kernels::GravityEngine> double_engine(double g = 1) {
  kernels::GravityOptions options;
  options.gravitational_constant = g;
  options.precision = kernels::Precision::float64;
  return kernels::make_gravity_engine(kernels::cpu_device(kernels::best_isa()), 2, options);
}

}  // namespace ergode::test
