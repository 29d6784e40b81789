#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/gravity/engine.hpp"

namespace ergode::sim::nbody {

/// The larger of two errors: NaN where one is, so that it cannot be lost among others.
double larger(double a, double b);

/// Energies of the bodies with mass, in the run's units. W = 1/2 sum m_i phi_i with softened potentials.
struct Energies {
  double kinetic = 0, potential = 0;
  bool none = false;  ///< nothing moves and no two attract: both are 0, and not only too small for numbers
  double total() const { return kinetic + potential; }
  /// T / |W|: 0.5 in virial equilibrium; NaN where W = 0 (one body).
  double virial_ratio() const;
};
Energies energies(const kernels::NbodyState& state, std::span<const double> potentials);

/// (E - E0) / |E0|; where E0 = 0, the difference over T0 + |W0|; 0 where there are no energies. NaN where they are
/// beyond the range of numbers, above or below it.
double relative_energy_error(const Energies& now, const Energies& start);

/// Mass, centre, momentum and angular momentum (about the origin).
struct Motion {
  double mass = 0;
  kernels::Vec3 centre_of_mass, momentum, angular_momentum;
  double momentum_scale = 0;  ///< sum m |v|: what a drift is measured against
  bool at_rest = true;        ///< every body
};
Motion motion(const kernels::NbodyState& state);

/// |P - start| / sum m |v|; 0 at rest, NaN where momenta are beyond the range of numbers, above or below it.
double momentum_drift(const Motion& now, kernels::Vec3 start);

/// Where radii are measured from: the centre of mass of the bodies in a sphere that shrinks by a tenth at a time, until
/// it holds a tenth of them or 100 (after Power et al. 2003). Below 100 bodies it is the centre of mass.
kernels::Vec3 centre(const kernels::NbodyState& state);

/// Radii about `about` of the smallest spheres that hold the given fractions (ascending, in (0, 1]) of the mass.
std::vector<double> lagrangian_radii(const kernels::NbodyState& state, kernels::Vec3 about,
                                     std::span<const double> fractions);

/// Bodies with v^2 / 2 + phi > 0 (v relative to the centre of mass' velocity) farther than `radius` from `about`.
std::int64_t escapers(const kernels::NbodyState& state, std::span<const double> potentials, kernels::Vec3 about,
                      double radius);

/// Errors of accelerations: E2 = sqrt(sum |da|^2 / sum |a|^2), and the median, 99th percentile and largest of
/// |da| / |a|. NaN counts as larger than any number.
struct ForceError {
  double e2 = std::numeric_limits<double>::quiet_NaN(), median = e2, percentile_99 = e2;
  double largest = std::numeric_limits<double>::quiet_NaN();  ///< not kept by checkpoints
};
ForceError force_error(std::span<const kernels::Vec3> measured, std::span<const kernels::Vec3> reference);

/// `count` different bodies of `bodies` (all, when there are no more), ascending, drawn for this step.
std::vector<std::int64_t> force_check_sample(std::int64_t bodies, std::int64_t count, std::uint32_t seed,
                                             std::int64_t step);

}  // namespace ergode::sim::nbody
