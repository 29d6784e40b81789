#include "sim/nbody/body_input.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "io/error.hpp"
#include "sim/nbody/orbit.hpp"

namespace ergode::sim::nbody {
namespace {

kernels::Vec3 vec(const std::array<double, 3>& a) {
  return {a[0], a[1], a[2]};
}

template <class T>
OrbitalElements elements(const T& s, double a) {
  return {a,
          s.eccentricity,
          s.inclination,
          s.longitude_of_ascending_node,
          s.argument_of_periapsis,
          s.mean_anomaly ? *s.mean_anomaly : s.true_anomaly.value_or(0),
          s.mean_anomaly.has_value()};
}

// A true anomaly beyond a hyperbola's asymptote has no place.
void check_anomaly(const OrbitalElements& el, const std::string& whose) {
  if (el.mean || el.eccentricity <= 1) return;
  if (1 + el.eccentricity * std::cos(el.anomaly * 0.017453292519943295) <= 0)
    throw io::Error(io::ExitCode::config, whose + ": true_anomaly lies beyond the asymptote of the hyperbola");
}

void require_file(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path))
    throw io::Error(io::ExitCode::input_file,
                    path.string() + ": no such file (paths are relative to the config's folder)");
}

bool finite(const kernels::Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

}  // namespace

BodySet explicit_bodies(const BodiesSettings& settings, double g, double default_softening) {
  BodySet b;
  std::map<std::string, std::size_t> index;
  for (const auto& s : settings.bodies) {
    kernels::Vec3 x, v;
    if (s.primary) {
      const std::size_t p = index.at(*s.primary);
      const double mu = g * (b.mass[p] + s.mass);
      if (!(mu > 0))
        throw io::Error(io::ExitCode::config, "body '" + s.name + "': its primary '" + *s.primary + "' has no mass");
      const auto el = elements(s, s.semi_major_axis.value());
      check_anomaly(el, "body '" + s.name + "'");
      const auto state = state_from_elements(el, mu);
      x = b.position[p] + state.position;
      v = b.velocity[p] + state.velocity;
    } else {
      x = vec(s.position.value());
      if (s.velocity) v = vec(*s.velocity);
    }
    if (!s.name.empty()) index.emplace(s.name, b.mass.size());
    b.position.push_back(x);
    b.velocity.push_back(v);
    b.mass.push_back(s.mass);
    b.softening.push_back(s.softening.value_or(default_softening));
  }
  return b;
}

BodySet two_body(const TwoBodySettings& s, double g) {
  const double m = s.masses.at(0) + s.masses.at(1);
  const auto el = elements(s, s.semi_major_axis);
  check_anomaly(el, "two_body");
  const auto state = state_from_elements(el, g * m);
  BodySet b;
  for (int k = 0; k < 2; ++k) {
    const double share = k == 0 ? -s.masses[1] / m : s.masses[0] / m;
    b.position.push_back(share * state.position);
    b.velocity.push_back(share * state.velocity);
    b.mass.push_back(s.masses[static_cast<std::size_t>(k)]);
  }
  return b;
}

BodySet read_bodies(const std::filesystem::path& path, const UnitSystem& units) {
  require_file(path);
  return path.extension() == ".csv" ? read_csv(path) : read_gadget(path, units);
}

BodyCount count_bodies_of(const std::filesystem::path& path, const UnitSystem& units) {
  require_file(path);
  if (path.extension() != ".csv") return count_gadget(path, units);
  const auto mass = read_csv(path).mass;
  return {static_cast<std::int64_t>(mass.size()),
          static_cast<std::int64_t>(std::count_if(mass.begin(), mass.end(), [](double m) { return m > 0; }))};
}

void check_bodies(const BodySet& b, const std::filesystem::path& path, std::span<const std::int64_t> rows,
                  const char* row_name) {
  const auto where = [&](std::size_t i) {
    return std::string(row_name) + " " + std::to_string(rows.empty() ? static_cast<std::int64_t>(i) : rows[i]);
  };
  const auto refuse = [&](std::size_t i, const std::string& what) {
    throw io::Error(io::ExitCode::input_file, path.string() + ": " + where(i) + ": " + what);
  };
  for (std::size_t i = 0; i < b.mass.size(); ++i) {
    if (!finite(b.position[i])) refuse(i, "the position is not finite");
    if (!finite(b.velocity[i])) refuse(i, "the velocity is not finite");
    if (!std::isfinite(b.mass[i]) || b.mass[i] < 0) refuse(i, "the mass is negative or not finite");
    if (!b.softening.empty() && (!std::isfinite(b.softening[i]) || b.softening[i] < 0))
      refuse(i, "the softening is negative or not finite");
  }
  std::vector<std::size_t> order(b.id.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return std::pair(b.id[i], i) < std::pair(b.id[j], j); });
  for (std::size_t k = 1; k < order.size(); ++k)
    if (b.id[order[k]] == b.id[order[k - 1]])
      refuse(order[k], "id " + std::to_string(b.id[order[k]]) + " is that of " + where(order[k - 1]) + " already");
}

}  // namespace ergode::sim::nbody
