#include "sim/nbody/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "sim/nbody/draws.hpp"
#include "sim/nbody/sum.hpp"

namespace ergode::sim::nbody {
namespace {

using kernels::Vec3;

std::size_t sources(const kernels::NbodyState& state) {
  return static_cast<std::size_t>(state.sources);
}

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// Of a size at which nothing that matters is lost to rounding or is beyond the range of numbers.
bool in_range(double size) {
  return size >= std::numeric_limits<double>::min() && std::isfinite(size);
}

// Without the square's shorter range of numbers.
double length(Vec3 v) {
  const double square = dot(v, v);
  if (std::isnan(square) || (square > 1e-280 && std::isfinite(square))) return std::sqrt(square);
  return std::hypot(std::hypot(v.x, v.y), v.z);
}

bool moves(Vec3 velocity) {
  return velocity.x != 0 || velocity.y != 0 || velocity.z != 0;
}

// A power of two, which changes no digit, that brings the largest of the vectors near 1.
double scale_of(std::span<const Vec3> a, std::span<const Vec3> b) {
  double largest = 0;
  for (const auto vectors : {a, b})
    for (const Vec3 v : vectors) largest = std::max(largest, length(v));
  return largest > 0 && std::isfinite(largest) ? std::ldexp(1, -std::max(std::ilogb(largest), -1022)) : 1;
}

// Nearest rank: the smallest value with at least the fraction `p` of all at or below it. NaN is beyond all others.
double percentile(std::vector<double>& values, double p) {
  if (values.empty()) return 0;
  const auto n = static_cast<double>(values.size());
  const auto rank = static_cast<std::ptrdiff_t>(std::max(1.0, std::ceil(p * n))) - 1;
  std::nth_element(values.begin(), values.begin() + rank, values.end(),
                   [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); });
  return values[static_cast<std::size_t>(rank)];
}

}  // namespace

double larger(double a, double b) {
  return std::isnan(a) || a >= b ? a : b;
}

double Energies::virial_ratio() const {
  return potential == 0 ? no_number : kinetic / std::fabs(potential);
}

Energies energies(const kernels::NbodyState& s, std::span<const double> potentials) {
  Sum kinetic, potential;
  bool none = s.sources < 2;
  for (std::size_t i = 0; i < sources(s); ++i) {
    kinetic.add(0.5 * s.mass[i] * dot(s.velocity[i], s.velocity[i]));
    potential.add(0.5 * s.mass[i] * potentials[i]);
    none = none && !moves(s.velocity[i]);
  }
  return {kinetic.value(), potential.value(), none};
}

double relative_energy_error(const Energies& now, const Energies& start) {
  const double size = start.kinetic + std::fabs(start.potential);
  if (now.none && size == 0) return 0;
  if (!in_range(size)) return no_number;
  const double change = (now.kinetic - start.kinetic) + (now.potential - start.potential);
  if (std::isnan(change)) return no_number;
  const double scale = start.total() == 0 ? size : std::fabs(start.total());
  return change == 0 ? 0 : change / scale;
}

Motion motion(const kernels::NbodyState& s) {
  Sum mass, scale;
  VectorSum centre, momentum, angular;
  bool at_rest = true;
  for (std::size_t i = 0; i < sources(s); ++i) {
    const double m = s.mass[i];
    mass.add(m);
    centre.add(m * s.position[i]);
    momentum.add(m * s.velocity[i]);
    angular.add(m * cross(s.position[i], s.velocity[i]));
    scale.add(m * length(s.velocity[i]));
    at_rest = at_rest && !moves(s.velocity[i]);
  }
  const double m = mass.value();
  return {m, m > 0 ? (1 / m) * centre.value() : Vec3{}, momentum.value(), angular.value(), scale.value(), at_rest};
}

double momentum_drift(const Motion& now, Vec3 start) {
  if (now.at_rest) return 0;
  return in_range(now.momentum_scale) ? length(now.momentum - start) / now.momentum_scale : no_number;
}

Vec3 centre(const kernels::NbodyState& s) {
  constexpr double shrink = 0.9;
  Vec3 c = motion(s).centre_of_mass;
  const std::int64_t fewest = std::max<std::int64_t>(100, s.sources / 10);
  double radius2 = 0;
  for (std::size_t i = 0; i < sources(s); ++i) {
    const Vec3 d = s.position[i] - c;
    radius2 = std::max(radius2, dot(d, d));
  }
  for (int turn = 0; turn < 1000; ++turn) {
    radius2 *= shrink * shrink;
    Sum mass;
    VectorSum weighted;
    std::int64_t inside = 0;
    for (std::size_t i = 0; i < sources(s); ++i) {
      const Vec3 d = s.position[i] - c;
      if (dot(d, d) > radius2) continue;
      ++inside;
      mass.add(s.mass[i]);
      weighted.add(s.mass[i] * d);
    }
    if (inside < fewest) break;
    c = c + (1 / mass.value()) * weighted.value();
  }
  return c;
}

std::vector<double> lagrangian_radii(const kernels::NbodyState& s, Vec3 about, std::span<const double> fractions) {
  std::vector<std::pair<double, double>> shells(sources(s));  // squared radius, mass
  Sum all;
  for (std::size_t i = 0; i < shells.size(); ++i) {
    const Vec3 d = s.position[i] - about;
    shells[i] = {dot(d, d), s.mass[i]};
    all.add(s.mass[i]);
  }
  std::sort(shells.begin(), shells.end());
  std::vector<double> radii;
  Sum within;
  std::size_t next = 0;
  for (const double fraction : fractions) {
    // A hair of slack, so that a tenth of ten equal masses is one body whatever the rounding of the sum.
    while (next < shells.size() && (next == 0 || within.value() < fraction * all.value() * (1 - 1e-12)))
      within.add(shells[next++].second);
    radii.push_back(next == 0 ? 0 : std::sqrt(shells[next - 1].first));
  }
  return radii;
}

std::int64_t escapers(const kernels::NbodyState& s, std::span<const double> potentials, Vec3 about, double radius) {
  const Motion m = motion(s);
  const Vec3 mean = m.mass > 0 ? (1 / m.mass) * m.momentum : Vec3{};
  std::int64_t count = 0;
  for (std::size_t i = 0; i < sources(s); ++i) {
    const Vec3 v = s.velocity[i] - mean, d = s.position[i] - about;
    if (0.5 * dot(v, v) + potentials[i] > 0 && dot(d, d) > radius * radius) ++count;
  }
  return count;
}

ForceError force_error(std::span<const Vec3> measured, std::span<const Vec3> reference) {
  const double scale = scale_of(measured, reference);
  Sum error, size;
  std::vector<double> relative;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const Vec3 d = measured[i] - reference[i], a = scale * reference[i];
    error.add(dot(scale * d, scale * d));
    size.add(dot(a, a));
    const double e = length(d);
    relative.push_back(e == 0 ? 0 : e / length(reference[i]));
  }
  ForceError f;
  f.e2 = error.value() == 0 ? 0 : std::sqrt(error.value() / size.value());
  f.median = percentile(relative, 0.5);
  f.percentile_99 = percentile(relative, 0.99);
  f.largest = percentile(relative, 1);
  return f;
}

std::vector<std::int64_t> force_check_sample(std::int64_t bodies, std::int64_t count, std::uint32_t seed,
                                             std::int64_t step) {
  std::vector<std::int64_t> sample;
  if (count >= bodies) {
    sample.resize(static_cast<std::size_t>(bodies));
    std::iota(sample.begin(), sample.end(), 0);
    return sample;
  }
  // Floyd's way to draw without repetition: one draw a body. The stream is the step's low word.
  const Draws draws{seed, static_cast<std::uint32_t>(step)};
  std::set<std::int64_t> chosen;
  for (std::int64_t top = bodies - count; top < bodies; ++top) {
    const double u = draws.uniform(top, 0, Purpose::force_check).first;
    const auto pick = std::min(top, static_cast<std::int64_t>(u * static_cast<double>(top + 1)));
    if (!chosen.insert(pick).second) chosen.insert(top);
  }
  sample.assign(chosen.begin(), chosen.end());
  return sample;
}

}  // namespace ergode::sim::nbody
