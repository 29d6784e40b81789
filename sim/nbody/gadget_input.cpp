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
      case io::Type::float64: return at(array->as<double>());
      case io::Type::float32: return at(array->as<float>());
      case io::Type::int32: return at(array->as<std::int32_t>());
      case io::Type::uint32: return at(array->as<std::uint32_t>());
      case io::Type::int64: return at(array->as<std::int64_t>());
      case io::Type::uint64: return at(array->as<std::uint64_t>());
      default: return otherwise;
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
  if (!file.has("/Units")) return;
  const auto found = file.attributes("/Units");
  const std::pair<const char*, double> expected[] = {{"UnitLength_in_cm", units.length_in_cm},
                                                     {"UnitMass_in_g", units.mass_in_g},
                                                     {"UnitVelocity_in_cm_per_s", units.velocity_in_cm_per_s}};
  for (const auto& [name, value] : expected) {
    const double x = number(found, name, 0, value);
    if (!(std::fabs(x - value) <= 1e-3 * value))
      refuse(path, "/Units", std::string(name) + " is " + text(x) + ", but this run has `units: " + units.name + "` (" + text(value) + ")");
  }
}

void append(std::vector<Vec3>& out, const io::FileReader& file, const std::filesystem::path& path, const std::string& name,
            std::int64_t count) {
  if (!file.has(name)) refuse(path, name, "is missing");
  const auto a = file.dataset(name, io::Type::float64);
  if (a.shape != std::vector<std::int64_t>{count, 3}) refuse(path, name, "does not have the shape (" + std::to_string(count) + ", 3)");
  const std::size_t old = out.size();
  out.resize(old + static_cast<std::size_t>(count));
  std::memcpy(static_cast<void*>(&out[old]), a.bytes.data(), a.bytes.size());
}

template <class T>
void append(std::vector<T>& out, const io::FileReader& file, const std::filesystem::path& path, const std::string& name,
            std::int64_t count) {
  const auto a = file.dataset(name, io::TypeOf<T>::value);
  if (a.shape != std::vector<std::int64_t>{count}) refuse(path, name, "does not have the shape (" + std::to_string(count) + ")");
  const auto values = a.template as<T>();
  out.insert(out.end(), values.begin(), values.end());
}

}  // namespace

BodySet read_gadget(const std::filesystem::path& path, const UnitSystem& units) {
  const io::FileReader file(path);
  if (!file.has("/Header")) refuse(path, "/Header", "is missing: this is no Gadget-HDF5 file");
  const auto header = file.attributes("/Header");
  if (number(header, "NumFilesPerSnapshot", 0, 1) > 1) refuse(path, "/Header", "the snapshot is spread over several files: join them first");
  if (number(header, "Redshift", 0, 0) != 0) refuse(path, "/Header", "a cosmological snapshot (Redshift is not 0): its comoving units are not read");
  check_units(file, path, units);
  const double common_softening = file.has("/Ergode") ? number(file.attributes("/Ergode"), "softening", 0, -1) : -1;

  BodySet b;
  bool all_ids = true;
  for (std::size_t type = 0; type < 6; ++type) {
    const std::string group = "/PartType" + std::to_string(type);
    const auto expected = static_cast<std::int64_t>(number(header, "NumPart_ThisFile", type, -1));
    if (!file.has(group)) {
      if (expected > 0) refuse(path, group, "is missing, though the header counts " + std::to_string(expected) + " particles");
      continue;
    }
    if (!file.has(group + "/Coordinates")) refuse(path, group + "/Coordinates", "is missing");
    const auto shape = file.info(group + "/Coordinates").shape;
    const std::int64_t count = shape.empty() ? 0 : shape[0];
    if (expected >= 0 && count != expected)
      refuse(path, group, "has " + std::to_string(count) + " particles, the header says " + std::to_string(expected));
    append(b.position, file, path, group + "/Coordinates", count);
    append(b.velocity, file, path, group + "/Velocities", count);
    if (file.has(group + "/Masses")) {
      append(b.mass, file, path, group + "/Masses", count);
    } else {
      const double mass = number(header, "MassTable", type, 0);
      if (!(mass > 0)) refuse(path, group + "/Masses", "is missing, and the MassTable has no mass for this type");
      b.mass.insert(b.mass.end(), static_cast<std::size_t>(count), mass);
    }
    if (all_ids && file.has(group + "/ParticleIDs"))
      append(b.id, file, path, group + "/ParticleIDs", count);
    else
      all_ids = all_ids && count == 0;
    if (file.has(group + "/Softening"))
      append(b.softening, file, path, group + "/Softening", count);
    else if (common_softening >= 0)
      b.softening.insert(b.softening.end(), static_cast<std::size_t>(count), common_softening);
  }
  if (!all_ids) b.id.clear();
  if (b.softening.size() != b.position.size()) b.softening.clear();
  if (b.size() == 0) refuse(path, "/", "holds no particles");
  check_bodies(b, path, {}, "particle");
  return b;
}

}  // namespace ergode::sim::nbody
