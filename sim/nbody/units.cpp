#include "sim/nbody/units.hpp"

namespace ergode::sim::nbody {
namespace {

constexpr double gauss_k = 0.01720209895;         // AU^1.5 solar mass^-0.5 day^-1
constexpr double au_cm = 1.495978707e13;          // IAU 2012, exact
constexpr double kpc_cm = 3.0856775814913673e21;  // 648000/pi * 1000 AU
constexpr double gm_sun = 1.3271244e26;           // cm^3 s^-2, IAU 2015 nominal
constexpr double newton_cgs = 6.67430e-8;         // cm^3 g^-1 s^-2, CODATA 2018
constexpr double newton_si = 6.67430e-11;

UnitSystem named(std::string name, const std::string& length, const std::string& mass, const std::string& time,
                 const std::string& velocity, const std::string& velocity2) {
  UnitSystem u;
  u.name = std::move(name);
  u.length = length;
  u.mass = mass;
  u.time = time;
  u.velocity = velocity;
  u.energy = mass + " " + velocity2;
  u.momentum = mass + " " + velocity;
  u.angular_momentum = mass + " " + length + " " + velocity;
  u.specific_energy = velocity2;
  return u;
}

}  // namespace

UnitSystem unit_system(Units units) {
  UnitSystem u;
  switch (units) {
    case Units::nbody:
      u.name = "nbody";
      break;
    case Units::si:
      u = named("si", "m", "kg", "s", "m s-1", "m2 s-2");
      u.gravitational_constant = newton_si;
      u.length_in_cm = 100;
      u.mass_in_g = 1000;
      u.velocity_in_cm_per_s = 100;
      break;
    case Units::solar:
      u = named("solar", "AU", "solar_mass", "day", "AU day-1", "AU2 day-2");
      u.gravitational_constant = gauss_k * gauss_k;
      u.length_in_cm = au_cm;
      u.mass_in_g = gm_sun / newton_cgs;
      u.velocity_in_cm_per_s = au_cm / 86400;
      break;
    case Units::galactic:
      u = named("galactic", "kpc", "1e10_solar_mass", "kpc km-1 s", "km s-1", "km2 s-2");
      u.gravitational_constant = gm_sun * 1e10 / (kpc_cm * 1e10);
      u.length_in_cm = kpc_cm;
      u.mass_in_g = 1e10 * (gm_sun / newton_cgs);
      u.velocity_in_cm_per_s = 1e5;
      break;
  }
  return u;
}

}  // namespace ergode::sim::nbody
