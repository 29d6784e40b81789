#include "sim/nbody/state_io.hpp"

#include <cstring>
#include <utility>

namespace ergode::sim::nbody {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw io::Error(io::ExitCode::input_file, "checkpoint: " + what);
}

const io::Array& array(const io::State& in, const std::string& name) {
  const auto found = in.arrays.find(name);
  if (found == in.arrays.end()) refuse("'" + name + "' is missing");
  return found->second;
}

template <class T>
void numbers(const io::State& in, const std::string& name, std::vector<T>& out) {
  const auto values = array(in, name).as<T>();
  out.assign(values.begin(), values.end());
}

void vectors(const io::State& in, const std::string& name, std::vector<kernels::Vec3>& out) {
  const auto values = array(in, name).as<double>();
  if (values.size() % 3 != 0) refuse("'" + name + "' is not an array of vectors");
  out.resize(values.size() / 3);
  if (!values.empty()) std::memcpy(static_cast<void*>(out.data()), values.data(), values.size_bytes());
}

io::Array vectors(const std::vector<kernels::Vec3>& v) {
  return io::Array::from<double>(v.data(), {static_cast<std::int64_t>(v.size()), 3});
}

template <class T>
T attribute(const io::State& in, const std::string& name) {
  const auto found = in.attributes.find(name);
  if (found == in.attributes.end()) refuse("'" + name + "' is missing");
  if (const auto* value = std::get_if<T>(&found->second)) return *value;
  refuse("'" + name + "' has another type than expected");
}

}  // namespace

std::int64_t integer(const io::State& in, const std::string& name) {
  return attribute<std::int64_t>(in, name);
}
double real(const io::State& in, const std::string& name) {
  return attribute<double>(in, name);
}

void store(kernels::NbodyState&& s, io::State& out) {
  const auto vectors_of = [](std::vector<kernels::Vec3>& v) {
    const auto all = std::exchange(v, {});
    return vectors(all);
  };
  const auto numbers_of = [](auto& v) {
    const auto all = std::exchange(v, {});
    return io::Array::from(all);
  };
  out.arrays["position"] = vectors_of(s.position);
  out.arrays["velocity"] = vectors_of(s.velocity);
  out.arrays["acceleration"] = vectors_of(s.acceleration);
  out.arrays["mass"] = numbers_of(s.mass);
  out.arrays["softening"] = numbers_of(s.softening);
  out.arrays["id"] = numbers_of(s.id);
  out.arrays["tile_order"] = numbers_of(s.tile_order);
  out.attributes["sources"] = s.sources;
  out.attributes["length_scale"] = s.length_scale;
}

kernels::NbodyState load(const io::State& in) {
  kernels::NbodyState s;
  vectors(in, "position", s.position);
  vectors(in, "velocity", s.velocity);
  vectors(in, "acceleration", s.acceleration);
  numbers(in, "mass", s.mass);
  numbers(in, "softening", s.softening);
  numbers(in, "id", s.id);
  numbers(in, "tile_order", s.tile_order);
  s.sources = integer(in, "sources");
  s.length_scale = real(in, "length_scale");
  const auto n = s.position.size();
  const auto fits = [n](std::size_t size, bool optional) { return size == n || (optional && size == 0); };
  if (!fits(s.velocity.size(), false) || !fits(s.acceleration.size(), true) || !fits(s.mass.size(), false) ||
      !fits(s.softening.size(), false) || !fits(s.id.size(), false) || !fits(s.tile_order.size(), true) ||
      s.sources < 0 || s.sources > s.size())
    refuse("its arrays do not have one length");
  return s;
}

}  // namespace ergode::sim::nbody
