#pragma once

#include "kernels/core/vec3.hpp"

namespace ergode::sim::nbody {

/// Kepler elements, angles in degrees. Ellipse: 0 <= e < 1, a > 0; hyperbola: e > 1, a < 0. A parabola has no semi-major
/// axis and is refused by the config.
struct OrbitalElements {
  double semi_major_axis = 1;
  double eccentricity = 0;
  double inclination = 0;
  double longitude_of_ascending_node = 0;
  double argument_of_periapsis = 0;
  double anomaly = 0;             ///< true, or mean when `mean` is set
  bool mean = false;
};

struct RelativeState {
  kernels::Vec3 position, velocity;
};

/// Position and velocity relative to the primary, with mu = G (m_primary + m_body) > 0 (Murray & Dermott 1999, section 2.8).
/// Evaluated in long double and rounded once.
RelativeState state_from_elements(const OrbitalElements& elements, double mu);

/// The true anomaly in radians for a mean anomaly in radians; e != 1. Newton's iteration on Kepler's equation.
long double true_anomaly(long double mean_anomaly, long double eccentricity);

}  // namespace ergode::sim::nbody
