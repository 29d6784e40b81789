#include "sim/nbody/state_io.hpp"

#include <cstring>
#include <utility>

#include "io/state.hpp"

namespace ergode::sim::nbody {
namespace {

/// Of `per_body` numbers for each body; all arrays have the bodies of `id`.
template <class T>
std::span<const T> of_bodies(const io::State& in, const std::string& name, std::size_t per_body, bool optional) {
  const auto values = io::numbers<T>(in, name);
  const std::size_t bodies = io::numbers<std::uint64_t>(in, "id").size();
  if (values.size() != per_body * bodies && !(optional && values.empty()))
    io::refuse_length(name, values.size(),
                      std::to_string(per_body * bodies) + ": " + std::to_string(per_body) + " for each of the " +
                          std::to_string(bodies) + " in '/state/id'");
  return values;
}

template <class T>
void numbers(const io::State& in, const std::string& name, std::vector<T>& out, bool optional = false) {
  const auto values = of_bodies<T>(in, name, 1, optional);
  out.assign(values.begin(), values.end());
}

void vectors(const io::State& in, const std::string& name, std::vector<kernels::Vec3>& out, bool optional = false) {
  const auto values = of_bodies<double>(in, name, 3, optional);
  out.resize(values.size() / 3);
  if (!values.empty()) std::memcpy(static_cast<void*>(out.data()), values.data(), values.size_bytes());
}

void check_order(const std::vector<std::int64_t>& order) {
  const std::int64_t last = std::ssize(order) - 1;
  std::vector<bool> there(order.size(), false);
  for (const std::int64_t body : order) {
    if (body < 0 || body > last || there[static_cast<std::size_t>(body)])
      io::refuse_array("tile_order",
                       "body " + std::to_string(body) + ", expected 0 to " + std::to_string(last) + ", each once");
    there[static_cast<std::size_t>(body)] = true;
  }
}

io::Array vectors(const std::vector<kernels::Vec3>& v) {
  return io::Array::from<double>(v.data(), {static_cast<std::int64_t>(v.size()), 3});
}

}  // namespace

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
  vectors(in, "acceleration", s.acceleration, true);
  numbers(in, "mass", s.mass);
  numbers(in, "softening", s.softening);
  numbers(in, "id", s.id);
  numbers(in, "tile_order", s.tile_order, true);
  check_order(s.tile_order);
  s.sources = io::integer(in, "sources", 0, s.size());
  s.length_scale = io::real(in, "length_scale");
  return s;
}

}  // namespace ergode::sim::nbody
