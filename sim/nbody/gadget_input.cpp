#include <cmath>
#include <cstring>

#include "io/error.hpp"
#include "io/hdf5/reader.hpp"
#include "sim/nbody/body_input.hpp"
#include "sim/nbody/schedule.hpp"

namespace ergode::sim::nbody {
namespace {

using kernels::Vec3;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& object, const std::string& what) {
  throw io::Error(io::ExitCode::input_file, path.string() + ": " + object + ": " + what);
}

double number(const io::Attribute& a, std::size_t i, double otherwise) {
  if (const auto* x = std::get_if<double>(&a)) return *x;
  if (const auto* n = std::get_if<std::int64_t>(&a)) return static_cast<double>(*n);
  if (const auto* array = std::get_if<io::Array>(&a)) {
    const auto at = [&](auto span) { return i < span.size() ? static_cast<double>(span[i]) : otherwise; };
    switch (array->type) {
      case io::Type::float64:
        return at(array->as<double>());
      case io::Type::float32:
        return at(array->as<float>());
      case io::Type::int32:
        return at(array->as<std::int32_t>());
      case io::Type::uint32:
        return at(array->as<std::uint32_t>());
      case io::Type::int64:
        return at(array->as<std::int64_t>());
      case io::Type::uint64:
        return at(array->as<std::uint64_t>());
      default:
        return otherwise;
    }
  }
  return otherwise;
}

double number(const io::Attributes& attributes, const std::string& name, std::size_t i, double otherwise) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? otherwise : number(found->second, i, otherwise);
}

// A file in other units than the run's would be a silent disaster; one without /Units is taken as it is.
void check_units(const io::FileReader& file, const std::filesystem::path& path, const UnitSystem& units) {
  const char* group = file.has("/Units")        ? "/Units"
                      : file.has("/Parameters") ? "/Parameters"
                                                : "/Header";  // ours, Gadget-4, Arepo
  const auto found = file.attributes(group);
  const std::pair<const char*, double> expected[] = {{"UnitLength_in_cm", units.length_in_cm},
                                                     {"UnitMass_in_g", units.mass_in_g},
                                                     {"UnitVelocity_in_cm_per_s", units.velocity_in_cm_per_s}};
  for (const auto& [name, value] : expected) {
    const double x = number(found, name, 0, value);
    if (!(std::fabs(x - value) <= 1e-3 * value))
      refuse(path, group,
             std::string(name) + " is " + text(x) + ", but this run has `units: " + units.name + "` (" + text(value) +
                 ")");
  }
}

// One group of bodies, found to be whole in all but its values.
struct Part {
  std::string group;
  std::int64_t count = 0;
  double common_mass = 0;  ///< from the MassTable, where there is no dataset Masses
  bool masses = false, ids = false, softenings = false;
};
struct Layout {
  std::vector<Part> parts;
  double common_softening = -1;  ///< of a snapshot of ours whose bodies share it; -1: none
  bool ours = false;

  std::int64_t size() const {
    std::int64_t n = 0;
    for (const auto& p : parts) n += p.count;
    return n;
  }
};

void check_shape(const io::FileReader& file, const std::filesystem::path& path, const std::string& name,
                 const std::vector<std::int64_t>& shape) {
  if (!file.has(name)) refuse(path, name, "is missing");
  const auto info = file.info(name);
  if (!info.type || !info.supported) refuse(path, name, "does not hold numbers");
  if (info.shape != shape)
    refuse(path, name, "does not have the shape (" + std::to_string(shape[0]) + (shape.size() == 2 ? ", 3)" : ")"));
}

// Whether a dataset of one number a body is there.
bool has_column(const io::FileReader& file, const std::filesystem::path& path, const std::string& name,
                std::int64_t count) {
  if (!file.has(name)) return false;
  check_shape(file, path, name, {count});
  return true;
}

Part look_at(const io::FileReader& file, const std::filesystem::path& path, const std::string& group,
             std::int64_t expected, double table_mass) {
  Part p{group};
  if (!file.has(group + "/Coordinates")) refuse(path, group + "/Coordinates", "is missing");
  const auto shape = file.info(group + "/Coordinates").shape;
  p.count = shape.empty() ? 0 : shape[0];
  if (expected >= 0 && p.count != expected)
    refuse(path, group, "has " + std::to_string(p.count) + " particles, the header says " + std::to_string(expected));
  check_shape(file, path, group + "/Coordinates", {p.count, 3});
  check_shape(file, path, group + "/Velocities", {p.count, 3});
  p.masses = has_column(file, path, group + "/Masses", p.count);
  p.common_mass = table_mass;
  if (!p.masses && !(table_mass > 0))
    refuse(path, group + "/Masses", "is missing, and the MassTable has no mass for this type");
  p.ids = has_column(file, path, group + "/ParticleIDs", p.count);
  p.softenings = has_column(file, path, group + "/Softening", p.count);
  return p;
}

// Reads the header and the shapes, no values.
Layout look_at(const io::FileReader& file, const std::filesystem::path& path, const UnitSystem& units) {
  if (!file.has("/Header")) refuse(path, "/Header", "is missing: this is no Gadget-HDF5 file");
  const auto header = file.attributes("/Header");
  if (number(header, "NumFilesPerSnapshot", 0, 1) > 1)
    refuse(path, "/Header", "the snapshot is spread over several files: join them first");
  if (number(header, "Redshift", 0, 0) != 0)
    refuse(path, "/Header", "a cosmological snapshot (Redshift is not 0): its comoving units are not read");
  const double hubble = number(header, "HubbleParam", 0, 1);
  if ((hubble != 0 && hubble != 1) || number(header, "Omega0", 0, 0) != 0)
    refuse(path, "/Header", "a cosmological snapshot (HubbleParam or Omega0): its comoving units are not read");
  check_units(file, path, units);
  Layout layout;
  layout.ours = file.has("/Ergode");
  if (layout.ours) layout.common_softening = number(file.attributes("/Ergode"), "softening", 0, -1);
  for (std::size_t type = 0; type < 6; ++type) {
    const std::string group = "/PartType" + std::to_string(type);
    const auto expected = static_cast<std::int64_t>(number(header, "NumPart_ThisFile", type, -1));
    if (file.has(group) && (expected != 0 || file.has(group + "/Coordinates")))  // some codes write empty groups
      layout.parts.push_back(look_at(file, path, group, expected, number(header, "MassTable", type, 0)));
    else if (expected > 0)
      refuse(path, group, "is missing, though the header counts " + std::to_string(expected) + " particles");
  }
  if (layout.size() == 0) refuse(path, "/", "holds no particles");
  return layout;
}

void append(std::vector<Vec3>& out, const io::FileReader& file, const std::string& name) {
  const auto a = file.dataset(name, io::Type::float64);
  const std::size_t old = out.size();
  out.resize(old + a.bytes.size() / sizeof(Vec3));
  if (!a.bytes.empty()) std::memcpy(static_cast<void*>(&out[old]), a.bytes.data(), a.bytes.size());
}

template <class T>
void append(std::vector<T>& out, const io::FileReader& file, const std::string& name) {
  const auto a = file.dataset(name, io::TypeOf<T>::value);
  const auto values = a.template as<T>();
  out.insert(out.end(), values.begin(), values.end());
}

}  // namespace

BodySet read_gadget(const std::filesystem::path& path, const UnitSystem& units) {
  const io::FileReader file(path);
  const Layout layout = look_at(file, path, units);
  const auto bodies = static_cast<std::size_t>(layout.size());
  BodySet b;
  b.position.reserve(bodies);
  b.velocity.reserve(bodies);
  b.mass.reserve(bodies);
  bool all_ids = true;
  for (const Part& p : layout.parts) {
    const auto count = static_cast<std::size_t>(p.count);
    append(b.position, file, p.group + "/Coordinates");
    append(b.velocity, file, p.group + "/Velocities");
    if (p.masses)
      append(b.mass, file, p.group + "/Masses");
    else
      b.mass.insert(b.mass.end(), count, p.common_mass);
    all_ids = all_ids && (p.ids || p.count == 0);
    if (all_ids && p.ids) append(b.id, file, p.group + "/ParticleIDs");
    if (p.softenings)
      append(b.softening, file, p.group + "/Softening");
    else if (layout.common_softening >= 0)
      b.softening.insert(b.softening.end(), count, layout.common_softening);
  }
  if (!all_ids) b.id.clear();
  if (b.softening.size() != b.position.size()) b.softening.clear();
  check_bodies(b, path, {}, "particle");
  return b;
}

BodyCount count_gadget(const std::filesystem::path& path, const UnitSystem& units) {
  const io::FileReader file(path);
  const Layout layout = look_at(file, path, units);
  BodyCount count{layout.size(), 0};
  for (const Part& p : layout.parts)
    if (!(layout.ours && p.group == "/PartType2")) count.massive += p.count;
  return count;
}

}  // namespace ergode::sim::nbody
