#include "sim/nbody/initial_conditions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "io/error.hpp"
#include "sim/nbody/body_input.hpp"
#include "sim/nbody/schedule.hpp"
#include "sim/nbody/spheres.hpp"

namespace ergode::sim::nbody {
namespace {

using kernels::Vec3;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

std::filesystem::path resolved(const std::filesystem::path& folder, const std::filesystem::path& file) {
  return file.is_absolute() ? file : folder / file;
}

BodySet make(const Component& c, const Settings& settings, const UnitSystem& units, const Draws& draws,
             const std::filesystem::path& folder) {
  const double g = units.gravitational_constant;
  BodySet b = std::visit(Overloaded{[&](const BodiesSettings& s) {
                                      return explicit_bodies(s, g, c.softening.value_or(settings.gravity.softening));
                                    },
                                    [&](const PlummerSettings& s) { return plummer(s, draws, g); },
                                    [&](const HernquistSettings& s) { return hernquist(s, draws, g); },
                                    [&](const UniformSphereSettings& s) { return uniform_sphere(s, draws, g); },
                                    [&](const TwoBodySettings& s) { return two_body(s, g); },
                                    [&](const FileSettings& s) {
                                      BodySet f = read_bodies(resolved(folder, s.file), units);
                                      if (c.softening) f.softening.clear();
                                      return f;
                                    }},
                         c.source);
  if (b.softening.empty()) b.softening.assign(b.mass.size(), c.softening.value_or(settings.gravity.softening));
  const Vec3 x{c.position[0], c.position[1], c.position[2]}, v{c.velocity[0], c.velocity[1], c.velocity[2]};
  for (std::size_t i = 0; i < b.mass.size(); ++i) {
    b.position[i] = b.position[i] + x;
    b.velocity[i] = b.velocity[i] + v;
  }
  return b;
}

// `largest`: the largest id given so far; 0 at the start.
void number(BodySet& b, std::uint64_t& largest, bool first) {
  if (b.id.empty()) {
    if (b.mass.size() > UINT64_MAX - largest)
      throw io::Error(io::ExitCode::input_file, "ids are too large to be joined with those of another component");
    b.id.resize(b.mass.size());
    std::iota(b.id.begin(), b.id.end(), largest + 1);
  } else if (!first && *std::min_element(b.id.begin(), b.id.end()) <= largest) {
    for (auto& id : b.id) {
      if (id > UINT64_MAX - largest - 1)
        throw io::Error(io::ExitCode::input_file, "ids are too large to be joined with those of another component");
      id += largest + 1;
    }
  }
  largest = std::max(largest, *std::max_element(b.id.begin(), b.id.end()));
}

/// The names that bodies of the config have, by their ids.
void note_names(const Component& c, const BodySet& b, BodyNames& names) {
  const auto* given = std::get_if<BodiesSettings>(&c.source);
  for (std::size_t i = 0; given != nullptr && i < given->bodies.size(); ++i)
    if (!given->bodies[i].name.empty()) names[b.id[i]] = given->bodies[i].name;
}

void append(kernels::NbodyState& state, const BodySet& b, bool massive) {
  for (std::size_t i = 0; i < b.mass.size(); ++i) {
    if ((b.mass[i] > 0) != massive) continue;
    state.position.push_back(b.position[i]);
    state.velocity.push_back(b.velocity[i]);
    state.mass.push_back(b.mass[i]);
    state.softening.push_back(b.softening[i]);
    state.id.push_back(b.id[i]);
  }
}

}  // namespace

kernels::NbodyState initial_state(const Settings& settings, std::uint32_t seed, const std::filesystem::path& folder) {
  const UnitSystem units = unit_system(settings.units);
  std::vector<BodySet> components;
  std::uint64_t largest = 0;
  std::size_t bodies = 0;
  BodyNames names;
  for (std::size_t c = 0; c < settings.initial_conditions.size(); ++c) {
    BodySet b = make(settings.initial_conditions[c], settings, units, {seed, static_cast<std::uint32_t>(c)}, folder);
    if (b.size() == 0)
      throw io::Error(io::ExitCode::config, "initial_conditions: component " + std::to_string(c) + " has no bodies");
    number(b, largest, c == 0);
    note_names(settings.initial_conditions[c], b, names);
    bodies += b.mass.size();
    components.push_back(std::move(b));
  }
  kernels::NbodyState state;
  state.position.reserve(bodies);
  state.velocity.reserve(bodies);
  state.mass.reserve(bodies);
  state.softening.reserve(bodies);
  state.id.reserve(bodies);
  for (auto& b : components) append(state, b, true);
  state.sources = state.size();
  for (auto& b : components) append(state, b, false);
  for (std::size_t i = 0; i < bodies; ++i)
    if (!std::isfinite(dot(state.position[i], state.position[i]) + dot(state.velocity[i], state.velocity[i])))
      throw io::Error(io::ExitCode::config,
                      "initial_conditions: body " + std::to_string(state.id[i]) + " lies beyond the range of numbers");
  refuse_coincident(state, names);
  return state;
}

std::vector<std::filesystem::path> input_files(const Settings& settings, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& component : settings.initial_conditions)
    if (const auto* source = std::get_if<FileSettings>(&component.source))
      files.push_back(std::filesystem::absolute(resolved(folder, source->file)));
  return files;
}

std::pair<std::int64_t, std::int64_t> count_bodies(const Settings& settings, const std::filesystem::path& folder) {
  std::int64_t all = 0, massive = 0;
  const auto masses = [&](const std::vector<double>& mass) {
    all += static_cast<std::int64_t>(mass.size());
    massive += std::count_if(mass.begin(), mass.end(), [](double m) { return m > 0; });
  };
  for (const auto& c : settings.initial_conditions)
    std::visit(Overloaded{[&](const BodiesSettings& s) {
                            for (const auto& b : s.bodies) masses({b.mass});
                          },
                          [&](const TwoBodySettings& s) { masses(s.masses); },
                          [&](const FileSettings& s) {
                            const auto count = count_bodies_of(resolved(folder, s.file), unit_system(settings.units));
                            all += count.all;
                            massive += count.massive;
                          },
                          [&](const auto& s) {
                            all += s.particles;
                            massive += s.particles;
                          }},
               c.source);
  return {all, massive};
}

void refuse_coincident(const kernels::NbodyState& state, const BodyNames& names) {
  // Only bodies without softening can form such a pair.
  std::vector<std::int64_t> bare;
  for (std::int64_t i = 0; i < state.size(); ++i)
    if (state.softening[static_cast<std::size_t>(i)] == 0) bare.push_back(i);
  const auto at = [&](std::int64_t i) {
    const Vec3& p = state.position[static_cast<std::size_t>(i)];
    return std::tuple(p.x, p.y, p.z);
  };
  // Within one place bodies with mass come first, being first in canonical order.
  std::sort(bare.begin(), bare.end(), [&](auto i, auto j) { return at(i) != at(j) ? at(i) < at(j) : i < j; });
  for (std::size_t k = 1; k < bare.size(); ++k) {
    const std::int64_t i = bare[k - 1], j = bare[k];
    if (at(i) != at(j) || i >= state.sources) continue;
    const Vec3& p = state.position[static_cast<std::size_t>(i)];
    const auto which = [&](std::int64_t body) {
      const std::uint64_t id = state.id[static_cast<std::size_t>(body)];
      const auto name = names.find(id);
      return std::to_string(id) + (name == names.end() ? "" : " (" + name->second + ")");
    };
    throw io::Error(io::ExitCode::config, "bodies with ids " + which(i) + " and " + which(j) + " are both at (" +
                                              text(p.x) + ", " + text(p.y) + ", " + text(p.z) +
                                              ") and have no softening: move one, or give them a softening");
  }
}

}  // namespace ergode::sim::nbody
