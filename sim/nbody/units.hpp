#pragma once

#include <string>

namespace ergode::sim::nbody {

enum class Units {
  nbody,     ///< G = 1 and no dimensions (Henon units when M = 1, E = -1/4)
  si,        ///< m, kg, s
  solar,     ///< AU, solar mass, day; G = k^2 with Gauss's k
  galactic,  ///< kpc, 1e10 solar masses, km/s
};

/// What the numbers of a run mean. The strings are those of the `units` attributes: "1" where there is no dimension.
struct UnitSystem {
  std::string name;
  double gravitational_constant = 1;  ///< length^3 mass^-1 time^-2 in the run's units
  double length_in_cm = 1;
  double mass_in_g = 1;
  double velocity_in_cm_per_s = 1;
  std::string length = "1", mass = "1", time = "1", velocity = "1";
  std::string energy = "1", momentum = "1", angular_momentum = "1", specific_energy = "1";
};

/// The constants: astronomical unit IAU 2012, parsec from it, GM of the Sun IAU 2015 (nominal), G CODATA 2018.
UnitSystem unit_system(Units units);

}  // namespace ergode::sim::nbody
