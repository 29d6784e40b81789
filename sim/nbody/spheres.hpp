#pragma once

#include "sim/nbody/body_set.hpp"
#include "sim/nbody/draws.hpp"
#include "sim/nbody/settings.hpp"

namespace ergode::sim::nbody {

/// Samples of spherical models, equal masses, G as given. What is not exact in IEEE arithmetic (roots, arcsine) is evaluated
/// in long double and rounded once, so that no library's choice of instruction set reaches the result.
/// With a truncation radius the bodies share the mass within it, and move as in the whole model.
BodySet plummer(const PlummerSettings& settings, const Draws& draws, double gravitational_constant);
BodySet hernquist(const HernquistSettings& settings, const Draws& draws, double gravitational_constant);
BodySet uniform_sphere(const UniformSphereSettings& settings, const Draws& draws, double gravitational_constant);

/// Shifts to zero mass-weighted mean position and velocity.
void recentre(BodySet& bodies);

}  // namespace ergode::sim::nbody
