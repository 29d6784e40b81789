#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <deque>

#include "kernels/gravity/tiles.hpp"
#include "tests/kernels/engine_checks.hpp"

// Processes that share the targets compute a part of them each. Here there is one of them, and what the others would
// send comes from an engine that is alone.

using namespace ergode::kernels;
using namespace ergode::kernels::test;

namespace {

using Values = std::vector<double>;

/// What an exchange ends with when nobody answers any more.
struct Silence {};

class Others final : public TargetShare {
 public:
  Others(int parts, int part) : parts_(parts), part_(part) {}
  int parts() const override { return parts_; }
  int part() const override { return part_; }

  void exchange(double* values, std::span<const std::int64_t> asked) const override {
    bounds.assign(asked.begin(), asked.end());
    REQUIRE(std::ssize(bounds) == parts_ + 1);
    seen.assign(values, values + bounds.back());
    if (answers.empty()) throw Silence{};
    const Values answer = answers.front();
    answers.pop_front();
    REQUIRE(std::ssize(answer) == bounds.back());
    for (std::int64_t k = 0; k < bounds.back(); ++k)
      if (!mine(k)) values[k] = answer[static_cast<std::size_t>(k)];
  }

  void add_up(std::int64_t*, std::int64_t) const override { FAIL("nothing is summed up on a CPU"); }

  bool mine(std::int64_t k) const {
    const auto p = static_cast<std::size_t>(part_);
    return bounds[p] <= k && k < bounds[p + 1];
  }
  /// Of the last exchange: all of `count` values, of which each process has its part of N but for a block.
  void check_bounds(std::int64_t count, std::int64_t block) const {
    CHECK(bounds.front() == 0);
    CHECK(bounds.back() == count);
    for (std::size_t p = 0; p + 1 < bounds.size(); ++p)
      CHECK(std::abs(bounds[p + 1] - bounds[p] - count / parts_) <= block);
  }
  /// This process brought its own part of `truth` to the last exchange, and had computed nothing else.
  void check_own_part_alone(const Values& truth) const {
    REQUIRE(seen.size() == truth.size());
    std::int64_t wrong = 0;
    for (std::size_t k = 0; k < seen.size(); ++k)
      wrong += seen[k] != (mine(static_cast<std::int64_t>(k)) ? truth[k] : 0.0);
    CHECK(wrong == 0);
  }

  mutable std::deque<Values> answers;        ///< one an exchange
  mutable std::vector<std::int64_t> bounds;  ///< of the last exchange
  mutable Values seen;                       ///< before it

 private:
  int parts_, part_;
};

Values flat(const std::vector<Vec3>& vectors) {
  Values values;
  for (const Vec3& v : vectors) values.insert(values.end(), {v.x, v.y, v.z});
  return values;
}

/// In tile order, as they are exchanged.
Values accelerations(const NbodyState& s) {
  return flat(pick(s.acceleration, s.tile_order));
}

constexpr std::int64_t bodies = 2100, first_step = 14, steps = 4;  // nine tiles; they are ordered anew at step 16

/// An engine that is alone, in each state of it.
struct Alone {
  explicit Alone(Isa isa, Precision precision) : start(cube(bodies, 1500, 0.02)) {
    mix_softening(start);
    for (std::int64_t i = 0; i < 50; ++i) index.push_back(41 * i);
    const auto engine = make_gravity_engine(cpu_device(isa), 2, options(precision));
    engine->upload(start);
    for (std::int64_t step = 0;; ++step) {
      engine->download(states.emplace_back());
      if (step == steps) break;
      engine->integrate(leapfrog(), 0.01, first_step + step, 1);
    }
    potential = engine->potentials();
    reference = engine->reference_accelerations(index);
  }
  NbodyState start;
  std::vector<NbodyState> states;
  std::vector<std::int64_t> index;
  Values potential;
  std::vector<Vec3> reference;
};

/// `check(alone, others, engine)` for each instruction set, precision, number of processes and place among them.
template <class Check>
void on_each_part(Check check) {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    for (const Precision precision : {Precision::mixed, Precision::float64}) {
      if (!isa_supported(isa)) continue;
      const Alone alone(isa, precision);
      for (const int parts : {2, 3, 4})
        for (int part = 0; part < parts; ++part) {
          CAPTURE(name(isa), precision == Precision::mixed, parts, part);
          const Others others(parts, part);
          GravityOptions o = options(precision);
          o.share = &others;
          check(alone, others, *make_gravity_engine(cpu_device(isa), 2, o));
        }
    }
}

}  // namespace

TEST_CASE("CPU engines of a share give the bits of one that is alone") {
  on_each_part([](const Alone& alone, const Others& others, GravityEngine& engine) {
    for (const NbodyState& s : alone.states) others.answers.push_back(accelerations(s));
    engine.upload(alone.start);
    engine.integrate(leapfrog(), 0.01, first_step, steps);
    NbodyState end;
    engine.download(end);
    CHECK(same_bits(end, alone.states.back()));
    CHECK(others.answers.empty());
    others.answers = {alone.potential};
    CHECK(engine.potentials() == alone.potential);
    others.answers = {flat(alone.reference)};
    CHECK(same_bits(engine.reference_accelerations(alone.index), alone.reference));
    CHECK(others.answers.empty());
  });
}

TEST_CASE("CPU engines of a share compute about 1/N of the targets each, and no others") {
  on_each_part([](const Alone& alone, const Others& others, GravityEngine& engine) {
    CHECK_THROWS_AS(engine.upload(alone.start), Silence);
    others.check_bounds(3 * bodies, 3 * target_tile);
    others.check_own_part_alone(accelerations(alone.states.front()));
    // What is not exchanged was not computed on the way either.
    NbodyState after;
    engine.download(after);
    CHECK(accelerations(after) == others.seen);

    engine.upload(alone.states.back());
    CHECK_THROWS_AS(engine.potentials(), Silence);
    others.check_bounds(bodies, target_tile);
    others.check_own_part_alone(alone.potential);
    CHECK_THROWS_AS(engine.reference_accelerations(alone.index), Silence);
    others.check_bounds(3 * std::ssize(alone.index), 3);
    others.check_own_part_alone(flat(alone.reference));
  });
}
