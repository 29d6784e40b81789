#pragma once

#include <memory>

#include "tests/physics/naive_engine.hpp"

namespace ergode::test {

/// The engine that the physics is tested on: the naive one, so that a failure here is the physics' and not the kernels'.
inline std::unique_ptr<kernels::GravityEngine> double_engine(double g = 1) { return std::make_unique<NaiveEngine>(g); }

}  // namespace ergode::test
