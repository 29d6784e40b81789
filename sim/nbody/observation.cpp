#include "sim/nbody/observation.hpp"

namespace ergode::sim::nbody {

io::SeriesLayout series_layout(const DiagnosticsSettings& d, const UnitSystem& u, const io::Attributes& attributes,
                               const io::Attributes& provenance) {
  using io::Type;
  io::SeriesLayout l;
  l.attributes = attributes;
  l.provenance = provenance;
  l.scale = {"time", Type::float64, "", u.time, "time since the start"};
  l.dimensions.push_back({"component", {}, {"x", "y", "z"}, "", "Cartesian component"});
  l.columns.push_back({"step", Type::int64, "", "1", "number of steps made"});
  const auto scalar = [&](const char* name, const std::string& units, const char* meaning) {
    l.columns.push_back({name, Type::float64, "", units, meaning});
  };
  const auto vector = [&](const char* name, const std::string& units, const char* meaning) {
    l.columns.push_back({name, Type::float64, "component", units, meaning});
  };
  if (d.energy) {
    scalar("kinetic_energy", u.energy, "kinetic energy of the bodies with mass");
    scalar("potential_energy", u.energy, "potential energy, softened");
    scalar("total_energy", u.energy, "kinetic and potential energy");
    scalar("relative_energy_error", "1", "change of the total energy since the start over its size then");
    scalar("virial_ratio", "1", "kinetic energy over the size of the potential energy");
  }
  vector("momentum", u.momentum, "total momentum");
  vector("angular_momentum", u.angular_momentum, "total angular momentum about the origin");
  vector("centre_of_mass", u.length, "centre of mass");
  if (!d.lagrangian_radii.empty()) {
    l.dimensions.push_back({"mass_fraction", d.lagrangian_radii, {}, "1", "fraction of the mass"});
    l.columns.push_back({"lagrangian_radius", Type::float64, "mass_fraction", u.length,
                         "radius about the centre (shrinking spheres) that holds the fraction of the mass"});
  }
  if (d.escapers) l.columns.push_back({"escapers", Type::int64, "", "1", "unbound bodies beyond the escape radius"});
  if (d.force_check) {
    scalar("force_error", "1", "E2 of sampled accelerations against a direct sum in double");
    scalar("force_error_median", "1", "median relative error of sampled accelerations");
    scalar("force_error_percentile_99", "1", "99th percentile of the relative error of sampled accelerations");
  }
  return l;
}

std::vector<double> series_row(const DiagnosticsSettings& d, const Observation& o) {
  std::vector<double> row{o.time, static_cast<double>(o.step)};
  if (d.energy) {
    const Energies& e = o.energies.value();
    row.insert(row.end(), {e.kinetic, e.potential, e.total(), o.relative_energy_error, e.virial_ratio()});
  }
  for (const auto& v : {o.motion.momentum, o.motion.angular_momentum, o.motion.centre_of_mass})
    row.insert(row.end(), {v.x, v.y, v.z});
  row.insert(row.end(), o.lagrangian_radii.begin(), o.lagrangian_radii.end());
  if (d.escapers) row.push_back(static_cast<double>(o.escapers.value()));
  if (d.force_check) {
    const ForceError f = o.force.value_or(ForceError{});
    row.insert(row.end(), {f.e2, f.median, f.percentile_99});
  }
  return row;
}

}  // namespace ergode::sim::nbody
