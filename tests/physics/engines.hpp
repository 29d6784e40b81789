#pragma once

#include <memory>

#include "kernels/device/device.hpp"
#include "kernels/gravity/engine.hpp"
#include "sim/nbody/body_set.hpp"
#include "tests/physics/naive_engine.hpp"

namespace ergode::test {

/// The engine that the physics is tested on: the CPU's, on one thread (no number of them changes a bit).
inline std::unique_ptr<kernels::GravityEngine> cpu_engine(kernels::Precision precision, double g = 1) {
  kernels::GravityOptions options;
  options.gravitational_constant = g;
  options.precision = precision;
  return kernels::make_gravity_engine(kernels::cpu_device(kernels::best_isa()), 1, options);
}
inline std::unique_ptr<kernels::GravityEngine> double_engine(double g = 1) {
  return cpu_engine(kernels::Precision::float64, g);
}

inline const char* name(kernels::Precision p) {
  return p == kernels::Precision::mixed ? "mixed" : "double";
}

/// Bodies that all have mass, as a state.
inline kernels::NbodyState as_state(const sim::nbody::BodySet& b, double softening) {
  kernels::NbodyState s;
  s.position = b.position;
  s.velocity = b.velocity;
  s.mass = b.mass;
  s.sources = b.size();
  s.softening.assign(b.mass.size(), softening);
  s.id.resize(b.mass.size());
  return s;
}

}  // namespace ergode::test
