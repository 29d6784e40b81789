#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>

#include "tests/kernels/bodies.hpp"
#include "tests/kernels/oracle.hpp"

// What every engine must do, whatever its backend: tests/kernels runs these on each instruction set, tests/gpu on CUDA.

namespace ergode::kernels::test {

using MakeEngine = std::function<std::unique_ptr<GravityEngine>(const GravityOptions&)>;

inline GravityOptions options(Precision precision, double g = 1) {
  GravityOptions o;
  o.precision = precision;
  o.gravitational_constant = g;
  return o;
}

inline NbodyState with_forces(const MakeEngine& make, const NbodyState& s, const GravityOptions& o) {
  auto engine = make(o);
  engine->upload(s);
  NbodyState out;
  engine->download(out);
  return out;
}

inline std::vector<Vec3> pick(const std::vector<Vec3>& all, const std::vector<std::int64_t>& index) {
  std::vector<Vec3> some;
  for (const std::int64_t i : index) some.push_back(all[static_cast<std::size_t>(i)]);
  return some;
}

inline bool same_bits(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec3)) == 0);
}

inline bool same_bits(const NbodyState& a, const NbodyState& b) {
  return a.sources == b.sources && same_bits(a.position, b.position) && same_bits(a.velocity, b.velocity) &&
         same_bits(a.acceleration, b.acceleration) && a.mass == b.mass && a.softening == b.softening && a.id == b.id &&
         a.tile_order == b.tile_order && a.length_scale == b.length_scale;
}

inline StepPlan leapfrog() {
  return {{0.5, 0.5}, {1.0}};
}

/// Yoshida (1990), fourth order: three leapfrogs, the middle one backwards.
inline StepPlan yoshida4() {
  const double w = 1 / (2 - std::cbrt(2.0)), m = 1 - 2 * w;
  return {{w / 2, (w + m) / 2, (w + m) / 2, w / 2}, {w, m, w}};
}

inline double error_of(const MakeEngine& make, const NbodyState& s, const GravityOptions& o, std::int64_t targets) {
  const auto index = sample(s, targets);
  const NbodyState out = with_forces(make, s, o);
  return force_error(pick(out.acceleration, index), brute_force(s, o.gravitational_constant, index).acceleration);
}

/// Sizes about a tile and a partial sum, every mix of sources and test particles, three kinds of softening, sources of
/// equal masses. Unsoftened bodies in float lose digits to close pairs: half an ulp of a position, 3e-8, over the
/// nearest distance, about 1e-2 here; softening of 1e-2 bounds the same quotient.
inline void check_sizes_and_softenings(const MakeEngine& make) {
  for (const Precision precision : {Precision::mixed, Precision::float64})
    for (const std::int64_t n : {1, 2, 127, 128, 129, 255, 256, 257, 1000})
      for (const std::int64_t sources : {n, 3 * n / 4, std::int64_t{0}})
        for (int kind = 0; kind < 4; ++kind) {
          CAPTURE(precision == Precision::mixed, n, sources, kind);
          const bool soft = kind == 0 || kind == 3;
          NbodyState s = cube(n, sources, soft ? 0.01 : 0.0);
          if (kind == 2) mix_softening(s);
          if (kind == 3) std::fill_n(s.mass.begin(), sources, 0.7);
          const NbodyState out = with_forces(make, s, options(precision, 2.5));
          const auto truth = brute_force(s, 2.5, all_bodies(s));
          const double bound = precision == Precision::float64 ? 1e-13 : soft ? 1e-6 : 5e-6;
          REQUIRE(out.acceleration.size() == s.position.size());
          REQUIRE(force_error(out.acceleration, truth.acceleration) <= bound);
        }
}

/// The stated force error (Plummer sphere in Henon units), about the origin, far from it and in SI units.
inline void check_force_error(const MakeEngine& make, std::int64_t bodies, std::int64_t targets) {
  struct Case {
    double softening, bound;
  };
  for (const Case c : {Case{0.01, 2e-7}, Case{0.001, 1e-6}}) {
    NbodyState s = plummer(bodies, c.softening);
    CAPTURE(bodies, c.softening);
    const double centred = error_of(make, s, options(Precision::mixed), targets);
    CAPTURE(centred);
    CHECK(centred <= c.bound);
    CHECK(error_of(make, s, options(Precision::float64), targets) <= 1e-13);

    NbodyState si = s;
    for (std::size_t i = 0; i < si.position.size(); ++i) {
      si.position[i] = 3.1e16 * si.position[i];
      si.mass[i] *= 2e40;
      si.softening[i] *= 3.1e16;
    }
    CHECK(error_of(make, si, options(Precision::mixed, 6.6743e-11), targets) <= c.bound);
    CHECK(error_of(make, si, options(Precision::float64, 6.6743e-11), targets) <= 1e-13);

    move(s, {589.0, -589.0, 589.0});
    CHECK(error_of(make, s, options(Precision::mixed), targets) <= 2 * c.bound);
    CHECK(error_of(make, s, options(Precision::float64), targets) <= 1e-13);
  }
}

/// sum m a is zero but for rounding, and turning the axes turns the accelerations: in float to twice the stated force
/// error and a half, since both sides have it and 3,000 bodies have wide tiles.
inline void check_symmetries(const MakeEngine& make) {
  for (const Precision precision : {Precision::mixed, Precision::float64}) {
    const double rounding = precision == Precision::mixed ? 5e-7 : 1e-14;
    NbodyState s = plummer(3000, 0.02);
    const NbodyState out = with_forces(make, s, options(precision));
    Vec3 total;
    double size = 0;
    for (std::size_t i = 0; i < out.mass.size(); ++i) {
      total = total + out.mass[i] * out.acceleration[i];
      size += out.mass[i] * std::sqrt(dot(out.acceleration[i], out.acceleration[i]));
    }
    CHECK(std::sqrt(dot(total, total)) <= rounding * size);

    for (Vec3& p : s.position) p = {p.y, -p.x, p.z};
    NbodyState turned = with_forces(make, s, options(precision));
    for (Vec3& a : turned.acceleration) a = {-a.y, a.x, a.z};
    CHECK(force_error(turned.acceleration, out.acceleration) <= rounding);
  }
}

/// Bodies in one place pull nothing out of each other, softened or not, and the others see them both.
inline void check_coincident(const MakeEngine& make) {
  for (const Precision precision : {Precision::mixed, Precision::float64})
    for (const double softening : {0.0, 1e-30, 0.1}) {
      CAPTURE(precision == Precision::mixed, softening);
      NbodyState s = rows(4, 3, softening);
      s.position = {{1, 2, 3}, {1, 2, 3}, {2, 2, 3}, {1, 2, 3}};
      const NbodyState out = with_forces(make, s, options(precision));
      const auto truth = brute_force(s, 1, all_bodies(s));
      CHECK(force_error(out.acceleration, truth.acceleration) <= (precision == Precision::mixed ? 3e-7 : 1e-14));
      NbodyState pair = rows(2, 2, softening);
      const NbodyState alone = with_forces(make, pair, options(precision));
      for (const Vec3& a : alone.acceleration) CHECK(dot(a, a) == 0);
    }
}

inline void check_potentials_and_reference(const MakeEngine& make) {
  for (const std::int64_t sources : {600, 400, 0})
    for (const bool mixed_softening : {false, true}) {
      CAPTURE(sources, mixed_softening);
      NbodyState s = cube(600, sources, 0.0);
      if (mixed_softening) mix_softening(s);
      if (sources > 1) s.position[1] = s.position[0];
      auto engine = make(options(Precision::mixed, 3.0));
      engine->upload(s);
      const auto truth = brute_force(s, 3.0, all_bodies(s));
      const auto potential = engine->potentials();
      REQUIRE(potential.size() == truth.potential.size());
      for (std::size_t i = 0; i < potential.size(); ++i)
        REQUIRE(std::abs(potential[i] - truth.potential[i]) <= 1e-13 * std::abs(truth.potential[i]));
      const std::vector<std::int64_t> index = {599, 0, 1, 17, 17, 300};
      const auto reference = engine->reference_accelerations(index);
      REQUIRE(force_error(reference, pick(truth.acceleration, index)) <= 1e-13);
    }
}

/// However the steps are divided over calls and engines, the bits are the same; the cuts lie about a re-ordering of the
/// tiles.
inline void check_division_of_steps(const MakeEngine& make, const MakeEngine& other) {
  for (const Precision precision : {Precision::mixed, Precision::float64}) {
    NbodyState s = cube(400, 300, 0.02);
    mix_softening(s);
    for (Vec3& v : s.velocity) v = 30.0 * v;  // far enough in a few steps to change the tiles
    auto whole = make(options(precision));
    whole->upload(s);
    REQUIRE(whole->integrate(yoshida4(), 0.01, 0, 35).step == -1);
    NbodyState expected;
    whole->download(expected);
    REQUIRE(expected.tile_order != with_forces(make, s, options(precision)).tile_order);
    for (const std::int64_t cut : {1, 16, 17, 33}) {
      CAPTURE(cut);
      auto first = make(options(precision));
      first->upload(s);
      first->integrate(yoshida4(), 0.01, 0, cut);
      NbodyState between;
      first->download(between);
      auto second = other(options(precision));
      second->upload(between);
      second->integrate(yoshida4(), 0.01, cut, 35 - cut);
      NbodyState end;
      second->download(end);
      REQUIRE(same_bits(end, expected));
    }
  }
}

/// Two bodies on an orbit of eccentricity 0.3, one period: the error of position falls as the order says.
inline void check_order(const MakeEngine& make) {
  const auto error = [&](const StepPlan& plan, std::int64_t steps) {
    NbodyState s = rows(2, 2, 0);
    s.mass = {0.75, 0.25};
    const double e = 0.3, v = std::sqrt((1 + e) / (1 - e));  // at pericentre, semi-major axis 1, G M = 1
    s.position = {{-0.25 * (1 - e), 0, 0}, {0.75 * (1 - e), 0, 0}};
    s.velocity = {{0, -0.25 * v, 0}, {0, 0.75 * v, 0}};
    auto engine = make(options(Precision::float64));
    engine->upload(s);
    engine->integrate(plan, 2 * std::numbers::pi / static_cast<double>(steps), 0, steps);
    NbodyState end;
    engine->download(end);
    const Vec3 d = end.position[1] - s.position[1];
    return std::sqrt(dot(d, d));
  };
  const double second = std::log2(error(leapfrog(), 400) / error(leapfrog(), 800));
  const double fourth = std::log2(error(yoshida4(), 400) / error(yoshida4(), 800));
  CAPTURE(second, fourth);
  CHECK(std::abs(second - 2) < 0.1);
  CHECK(std::abs(fourth - 4) < 0.2);
}

/// A massless body at 3e307 a step passes the largest double at its sixth; of two the one with the lower index is
/// named, and so is a source, though every other body feels it within the same step.
inline void check_not_finite(const MakeEngine& make) {
  for (const std::int64_t first_step : {0, 37}) {
    NbodyState s = cube(300, 200, 0.1);
    s.velocity[203] = s.velocity[250] = {0, 3e307, 0};
    auto engine = make(options(Precision::float64));
    engine->upload(s);
    REQUIRE(engine->integrate(leapfrog(), 1.0, first_step, 5).step == -1);
    const BadBody bad = engine->integrate(leapfrog(), 1.0, first_step + 5, 90);
    CHECK(bad.step == first_step + 5);
    CHECK(bad.index == 203);
  }
  for (const std::int64_t body : {299, 150})
    for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      CAPTURE(body, value);
      NbodyState s = cube(300, 200, 0.1);
      s.velocity[static_cast<std::size_t>(body)].z = value;
      auto engine = make(options(Precision::mixed));
      engine->upload(s);
      const BadBody bad = engine->integrate(yoshida4(), 0.01, 4, 100);
      CHECK(bad.step == 4);
      CHECK(bad.index == body);
    }
}

inline void check_nothing(const MakeEngine& make) {
  for (const Precision precision : {Precision::mixed, Precision::float64}) {
    auto engine = make(options(precision));
    engine->upload(NbodyState{});
    CHECK(engine->integrate(leapfrog(), 0.1, 0, 20).step == -1);
    CHECK(engine->potentials().empty());
    CHECK(engine->reference_accelerations({}).empty());
    NbodyState s;
    engine->download(s);
    CHECK(s.size() == 0);
  }
}

/// A lone body and massless bodies alone move in straight lines.
inline void check_free_motion(const MakeEngine& make) {
  for (const std::int64_t sources : {1, 0}) {
    NbodyState s = rows(1, sources, 0);
    s.velocity[0] = {1, -2, 0.5};
    auto engine = make(options(Precision::mixed));
    engine->upload(s);
    engine->integrate(leapfrog(), 0.25, 0, 8);
    engine->download(s);
    CHECK(same_bits(s.position, {{2, -4, 1}}));
    CHECK(dot(s.acceleration[0], s.acceleration[0]) == 0);
  }
}

/// Of a share in which nobody answers.
struct SilentShare final : TargetShare {
  explicit SilentShare(int processes) : count(processes) {}
  int parts() const override { return count; }
  int part() const override { return 0; }
  void exchange(double*, std::span<const std::int64_t>) const override {}
  void add_up(std::int64_t*, std::int64_t) const override {}
  int count;
};

/// Alone, shared, and with fewer tiles than processes, where nothing is shared.
inline void check_memory(const MakeEngine& make, const Device& device) {
  const SilentShare alone(1), three(3), five(5);
  for (const Precision precision : {Precision::mixed, Precision::float64}) {
    const std::int64_t least = gravity_memory(1000, 700, precision, device).total;
    for (const SilentShare* share : {&alone, &three, &five}) {
      CAPTURE(share->parts());
      GravityOptions o = options(precision);
      o.share = share;
      auto engine = make(o);
      engine->upload(cube(1000, 700, 0.1));
      const MemoryNeed need = gravity_memory(1000, 700, precision, device, share);
      std::int64_t sum = 0;
      for (const auto& [array, bytes] : need.arrays) sum += bytes;
      CHECK(sum == need.total);
      CHECK(engine->memory_bytes() == need.total);
      const bool more = share == &three && device.backend == Backend::cpu;
      CHECK(need.total == (more ? least + 24 * 1000 : least));
    }
  }
}

}  // namespace ergode::kernels::test
