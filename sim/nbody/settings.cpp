#include "sim/nbody/settings.hpp"

#include "sim/nbody/integrators.hpp"
#include "sim/nbody/schedule.hpp"

namespace ergode::sim::nbody {
namespace {

template <class T>
void declare_orbit(io::Section& s, T& o) {
  s.key("eccentricity", o.eccentricity, "0 <= e < 1 with a > 0, or e > 1 with a < 0").at_least(0);
  s.key("inclination", o.inclination, "of the orbit to the x-y plane").unit("degree");
  s.key("longitude_of_ascending_node", o.longitude_of_ascending_node, "from the x axis").unit("degree");
  s.key("argument_of_periapsis", o.argument_of_periapsis, "from the ascending node").unit("degree");
  s.key("true_anomaly", o.true_anomaly, "place on the orbit; without an anomaly the body starts at periapsis")
      .unit("degree");
  s.key("mean_anomaly", o.mean_anomaly, "place on the orbit, instead of true_anomaly").unit("degree");
}

using Complain = std::function<void(std::string_view, const std::string&)>;

template <class T>
void check_orbit(const T& o, double a, const Complain& complain) {
  const double e = o.eccentricity;
  if (e == 1)
    complain("eccentricity", "a parabola (eccentricity 1) has no semi-major axis: give position and velocity instead");
  else if (e < 1 && !(a > 0))
    complain("semi_major_axis", "must be greater than 0 for an ellipse (eccentricity below 1)");
  else if (e > 1 && !(a < 0))
    complain("semi_major_axis", "must be less than 0 for a hyperbola (eccentricity above 1)");
  if (o.true_anomaly && o.mean_anomaly) complain("mean_anomaly", "give true_anomaly or mean_anomaly, not both");
}

}  // namespace

void BodySettings::declare(io::Section& s) {
  s.key("name", name, "by which `primary` refers to it");
  s.key("mass", mass, "0: a test particle, which follows and does not attract").unit("mass").at_least(0);
  s.key("softening", softening, "Plummer length; a pair uses the larger").unit("length").at_least(0);
  s.key("position", position, "Cartesian").unit("length");
  s.key("velocity", velocity, "Cartesian; without it the body is at rest").unit("velocity");
  s.key("primary", primary, "name of the body, further up in this list, that the orbit is about");
  s.key("semi_major_axis", semi_major_axis, "of the orbit about the primary").unit("length");
  declare_orbit(s, *this);
  s.check([this](const Complain& complain) {
    if (semi_major_axis) {
      if (!primary) complain("semi_major_axis", "an orbit needs `primary`");
      if (position || velocity) complain("semi_major_axis", "give position and velocity, or an orbit, not both");
      check_orbit(*this, *semi_major_axis, complain);
    } else if (primary) {
      complain("primary", "an orbit needs `semi_major_axis`");
    } else if (eccentricity != 0 || inclination != 0 || longitude_of_ascending_node != 0 ||
               argument_of_periapsis != 0 || true_anomaly || mean_anomaly) {
      complain("", "orbital elements need `primary` and `semi_major_axis`; give those, or position and velocity alone");
    } else if (!position) {
      complain("", "a body needs `position` (and `velocity`), or `primary` and `semi_major_axis`");
    }
  });
}

void BodiesSettings::declare(io::Section& s) {
  s.list("bodies", bodies, "the bodies, in order", true);
  s.check([this](const Complain& complain) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      bool found = !bodies[i].primary;
      for (std::size_t j = 0; j < i; ++j) {
        found = found || bodies[j].name == bodies[i].primary.value_or("");
        if (!bodies[i].name.empty() && bodies[i].name == bodies[j].name)
          complain("bodies", "two bodies are called '" + bodies[i].name + "'");
      }
      if (!found) complain("bodies", "primary '" + *bodies[i].primary + "' is not the name of a body further up");
    }
  });
}

void PlummerSettings::declare(io::Section& s) {
  s.key("particles", particles, "number of bodies").required().at_least(1).at_most(1e13);
  s.key("mass", mass, "of the whole model").unit("mass").greater_than(0);
  s.key("scale_radius", scale_radius, "Plummer radius; the default gives Henon units for mass 1")
      .unit("length")
      .greater_than(0);
  s.key("truncation_radius", truncation_radius, "no bodies beyond; they carry the mass within")
      .unit("length")
      .greater_than(0);
  s.key("recentre", recentre, "shift the sample to zero mean position and velocity");
}

void HernquistSettings::declare(io::Section& s) {
  s.key("particles", particles, "number of bodies").required().at_least(1).at_most(1e13);
  s.key("mass", mass, "of the whole model").unit("mass").greater_than(0);
  s.key("scale_radius", scale_radius, "a of the profile").unit("length").greater_than(0);
  s.key("truncation_radius", truncation_radius, "no bodies beyond; they carry the mass within")
      .unit("length")
      .greater_than(0);
  s.key("recentre", recentre, "shift the sample to zero mean position and velocity");
}

void UniformSphereSettings::declare(io::Section& s) {
  s.key("particles", particles, "number of bodies").required().at_least(1).at_most(1e13);
  s.key("mass", mass, "of all of them").unit("mass").greater_than(0);
  s.key("radius", radius, "of the sphere").unit("length").greater_than(0);
  s.key("virial_ratio", virial_ratio, "kinetic energy over |potential energy|: 0 is cold, 0.5 virial equilibrium")
      .at_least(0);
  s.key("recentre", recentre, "shift the sample to zero mean position and velocity");
}

void TwoBodySettings::declare(io::Section& s) {
  s.key("masses", masses, "of the two").required().unit("mass").length(2).at_least(0);
  s.key("semi_major_axis", semi_major_axis, "of the relative orbit").unit("length");
  declare_orbit(s, *this);
  s.check([this](const Complain& complain) {
    check_orbit(*this, semi_major_axis, complain);
    if (masses.size() == 2 && masses[0] + masses[1] == 0) complain("masses", "both are 0: there is no orbit");
  });
}

void FileSettings::declare(io::Section& s) {
  s.key("file", file, "path, relative to the folder of this config (.hdf5 .h5 .csv)")
      .required()
      .relative_to_config()
      .may_change_on_resume();
}

void Component::declare(io::Section& s) {
  s.alternatives("type", source);
  s.key("name", name, "of this component");
  s.key("softening", softening, "Plummer length of its bodies; default: gravity.softening").unit("length").at_least(0);
  s.key("position", position, "added to its bodies' positions").unit("length");
  s.key("velocity", velocity, "added to its bodies' velocities").unit("velocity");
}

void GravitySettings::declare(io::Section& s) {
  s.key("softening", softening, "Plummer length of components that give none; a pair uses the larger")
      .unit("length")
      .at_least(0);
  s.choice("precision", precision, {{"mixed", kernels::Precision::mixed}, {"double", kernels::Precision::float64}},
           "of the pair arithmetic; state and integration are always double, and so are pairs of up to 256 bodies with "
           "mass. mixed leaves relative force errors of about 1e-7: take double for high orders");
  s.choice("method", method, {{"direct", std::string("direct")}}, "direct: the sum over all pairs");
}

void IntegratorSettings::declare(io::Section& s) {
  std::vector<std::pair<std::string, std::string>> names;
  std::string sources;
  for (const auto& i : integrators()) {
    names.emplace_back(i.name, i.name);
    sources += (sources.empty() ? "" : ", ") + i.description();
  }
  s.choice("scheme", scheme, names, "symplectic integrator with a fixed step: " + sources);
  s.key("timestep", timestep, "length of a step").unit("time").greater_than(0);
  s.key("steps", steps, "number of steps to end_time, instead of timestep").at_least(1).may_change_on_resume();
  s.key("end_time", end_time, "the run goes from time 0 to here")
      .unit("time")
      .required()
      .greater_than(0)
      .may_change_on_resume();
}

void SeriesSettings::declare(io::Section& s) {
  s.key("interval", interval, "time between rows, a multiple of the time step; default: a hundred rows, or every step")
      .unit("time")
      .greater_than(0)
      .may_change_on_resume();
}

void SnapshotSettings::declare(io::Section& s) {
  s.key("interval", interval, "time between snapshots, a multiple of the time step; default: the start and the end")
      .unit("time")
      .greater_than(0)
      .may_change_on_resume();
  s.key("potential", potential, "write each body's specific potential; costs a force pass");
}

void OutputSettings::declare(io::Section& s) {
  s.section("series", series, "series.h5: energies, momenta, radii against time");
  s.section("snapshots", snapshots, "snapshots/: all bodies");
}

void ForceCheckSettings::declare(io::Section& s) {
  s.key("sample", sample, "bodies whose acceleration is compared with a sum in double").at_least(1);
  s.key("every", every, "time between checks, a multiple of the series interval; default: at each row")
      .unit("time")
      .greater_than(0);
}

void DiagnosticsSettings::declare(io::Section& s) {
  s.key("energy", energy, "energies at each row of the series; costs a force pass in double");
  s.key("lagrangian_radii", lagrangian_radii, "mass fractions whose radii are followed").greater_than(0).at_most(1);
  s.key("escapers", escapers, "count bodies of positive energy beyond this distance from the centre")
      .unit("length")
      .at_least(0);
  s.section("force_check", force_check, "compare a sample of accelerations with a direct sum in double");
  s.key(
       "max_relative_energy_error", max_relative_energy_error,
       "a warning at half of it, beyond it, or where there is no number, the run stops (exit 8); without it there is a "
       "warning beyond 0.01")
      .greater_than(0)
      .may_change_on_resume();
  s.key("max_force_error", max_force_error,
        "bound on E2 of force_check: a warning at half of it, beyond it, or where there is no number, the run stops "
        "(exit 8)")
      .greater_than(0)
      .may_change_on_resume();
  s.check([this](const Complain& complain) {
    if (!energy && escapers) complain("escapers", "needs `energy: true`");
    if (!energy && max_relative_energy_error) complain("max_relative_energy_error", "needs `energy: true`");
    if (!force_check && max_force_error) complain("max_force_error", "needs `force_check`");
    for (std::size_t i = 1; i < lagrangian_radii.size(); ++i)
      if (!(lagrangian_radii[i] > lagrangian_radii[i - 1])) {
        complain("lagrangian_radii", "must ascend");
        break;
      }
  });
}

void Settings::declare(io::Section& root) {
  root.choice("units", units,
              {{"nbody", Units::nbody}, {"si", Units::si}, {"solar", Units::solar}, {"galactic", Units::galactic}},
              "nbody: G = 1; si: m, kg, s; solar: AU, solar mass, day; galactic: kpc, 1e10 solar masses, km/s");
  root.list("initial_conditions", initial_conditions, "components of bodies, in their order", true);
  root.section("gravity", gravity, "the force");
  root.section("integrator", integrator, "how time goes on");
  root.section("output", output, "what is written, and when");
  root.section("diagnostics", diagnostics, "what is measured on the way");
  root.check([this](const Complain& complain) {
    if (initial_conditions.empty()) complain("initial_conditions", "there are no bodies");
    std::vector<Problem> problems;
    make_schedule(integrator, output, diagnostics, problems);
    for (const auto& p : problems) complain(p.key, p.message);
  });
}

}  // namespace ergode::sim::nbody
