#include "sim/nbody/snapshot.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace ergode::sim::nbody {
namespace {

using io::Array;

constexpr std::size_t types = 6;

struct Range {
  std::int64_t begin, end;
  std::int64_t count() const { return end - begin; }
};

Array vectors(const std::vector<kernels::Vec3>& all, Range r) {
  return Array::from<double>(all.data() + r.begin, {r.count(), 3});
}
Array numbers(std::span<const double> all, Range r) {
  return Array::from<double>(all.data() + r.begin, {r.count()});
}
Array ids(const std::vector<std::uint64_t>& all, Range r) {
  return Array::from<std::uint64_t>(all.data() + r.begin, {r.count()});
}

// The meaning ends in the Gadget world's words for units, from which pynbody computes the conversion factor: a name of
// /Units (U_L, U_M, U_V), a power, and the CGS unit, in this order.
io::Dataset described(Array data, const std::string& meaning, const std::string& units, double cgs) {
  return {std::move(data),
          {{"VarDescription", meaning},
           {"CGSConversionFactor", cgs},
           {"aexp-scale-exponent", 0.0},
           {"h-scale-exponent", 0.0},
           {"units", units}}};
}

void add_particles(io::FileContent& f, const std::string& group, const kernels::NbodyState& s, Range r,
                   std::span<const double> potentials, const UnitSystem& u) {
  const double v = u.velocity_in_cm_per_s;
  f.datasets[group + "/Coordinates"] =
      described(vectors(s.position, r), "positions, U_L [cm]", u.length, u.length_in_cm);
  f.datasets[group + "/Velocities"] = described(vectors(s.velocity, r), "velocities, U_V [cm/s]", u.velocity, v);
  f.datasets[group + "/Masses"] = described(numbers(s.mass, r), "masses, U_M [g]", u.mass, u.mass_in_g);
  f.datasets[group + "/ParticleIDs"] = described(ids(s.id, r), "unique identifiers", "1", 1.0);
  if (!potentials.empty())
    f.datasets[group + "/Potential"] =
        described(numbers(potentials, r), "specific potential energy, U_V^2 [cm^2/s^2]", u.specific_energy, v * v);
}

Array consecutive(std::int64_t n) {
  Array a;
  a.type = io::Type::int64;
  a.shape = {n};
  a.bytes.resize(static_cast<std::size_t>(n) * sizeof(std::int64_t));
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(a.bytes.data() + static_cast<std::size_t>(i) * sizeof i, &i, sizeof i);
  return a;
}

void add_vtk(io::FileContent& f, const kernels::NbodyState& s) {
  const std::int64_t n = s.size();
  f.groups["/VTKHDF"] = {{"Version", Array::from<std::int64_t>(std::vector<std::int64_t>{1, 0})},
                         {"Type", std::string("UnstructuredGrid")}};
  const auto one = [&](const std::string& name, std::int64_t value) {
    f.datasets["/VTKHDF/" + name] = {Array::from(std::vector<std::int64_t>{value}), {}};
  };
  one("NumberOfPoints", n);
  one("NumberOfCells", 1);
  one("NumberOfConnectivityIds", n);
  // Consecutive numbers shuffled and deflated take 1 % of their 8 bytes a body.
  f.datasets["/VTKHDF/Connectivity"] = {consecutive(n), {}, true};
  f.datasets["/VTKHDF/Offsets"] = {Array::from(std::vector<std::int64_t>{0, n}), {}};
  f.datasets["/VTKHDF/Types"] = {Array::from(std::vector<std::uint8_t>{2}), {}};  // one poly-vertex of all points

  const std::pair<const char*, const char*> views[] = {{"/VTKHDF/Points", "Coordinates"},
                                                       {"/VTKHDF/PointData/velocity", "Velocities"},
                                                       {"/VTKHDF/PointData/mass", "Masses"},
                                                       {"/VTKHDF/PointData/id", "ParticleIDs"}};
  if (s.sources == 0 || s.sources == n) {
    const std::string group = s.sources == n ? "/PartType1/" : "/PartType2/";
    for (const auto& [view, dataset] : views) f.links[view] = group + dataset;
    return;
  }
  const Range all{0, n};
  f.datasets["/VTKHDF/Points"] = {vectors(s.position, all), {}};
  f.datasets["/VTKHDF/PointData/velocity"] = {vectors(s.velocity, all), {}};
  f.datasets["/VTKHDF/PointData/mass"] = {numbers(s.mass, all), {}};
  f.datasets["/VTKHDF/PointData/id"] = {ids(s.id, all), {}};
}

Array six(const std::array<std::uint32_t, types>& values) {
  return Array::from<std::uint32_t>(values.data(), {types});
}

}  // namespace

io::FileContent snapshot(const kernels::NbodyState& s, std::span<const double> potentials, const UnitSystem& u,
                         const SnapshotInfo& info) {
  io::FileContent f;
  const Range sources{0, s.sources}, tests{s.sources, s.size()};
  std::array<std::uint32_t, types> low{}, high{};
  std::array<std::int32_t, types> here{};
  std::array<std::int64_t, types> here_long{};
  for (const auto& [type, range] : {std::pair{1, sources}, std::pair{2, tests}}) {
    const auto count = static_cast<std::uint64_t>(range.count());
    const auto t = static_cast<std::size_t>(type);
    low[t] = static_cast<std::uint32_t>(count);
    high[t] = static_cast<std::uint32_t>(count >> 32);
    here[t] = static_cast<std::int32_t>(range.count());
    here_long[t] = range.count();
    if (count > 0) add_particles(f, "/PartType" + std::to_string(type), s, range, potentials, u);
  }
  const bool wide = s.size() > INT32_MAX;  // old readers expect 32 bits; beyond them only 64 can be right
  const std::array<double, types> no_masses{};
  f.groups["/Header"] = {{"NumPart_ThisFile", wide ? Array::from<std::int64_t>(here_long.data(), {types})
                                                   : Array::from<std::int32_t>(here.data(), {types})},
                         {"NumPart_Total", six(low)},
                         {"NumPart_Total_HighWord", six(high)},
                         {"MassTable", Array::from<double>(no_masses.data(), {types})},
                         {"Time", info.time},
                         {"BoxSize", 0.0},
                         {"NumFilesPerSnapshot", std::int64_t{1}}};
  f.groups["/Units"] = {{"UnitLength_in_cm", u.length_in_cm},
                        {"UnitMass_in_g", u.mass_in_g},
                        {"UnitVelocity_in_cm_per_s", u.velocity_in_cm_per_s}};
  auto& ours = f.groups["/Ergode"];
  ours = {{"name", info.name},
          {"step", info.step},
          {"units", u.name},
          {"precision", info.precision},
          {"integrator", info.integrator},
          {"gravitational_constant", u.gravitational_constant}};
  const bool common =
      std::all_of(s.softening.begin(), s.softening.end(), [&](double e) { return e == s.softening.front(); });
  if (common) {
    ours["softening"] = s.softening.empty() ? 0.0 : s.softening.front();
  } else {
    for (const auto& [group, range] : {std::pair{"/PartType1", sources}, std::pair{"/PartType2", tests}})
      if (range.count() > 0)
        f.datasets[std::string(group) + "/Softening"] =
            described(numbers(s.softening, range), "Plummer softening length, a pair uses the larger, U_L [cm]",
                      u.length, u.length_in_cm);
  }
  f.groups["/provenance"] = info.provenance;
  add_vtk(f, s);
  return f;
}

}  // namespace ergode::sim::nbody
