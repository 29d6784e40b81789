#include <algorithm>
#include <atomic>
#include <barrier>
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "kernels/gravity/tiles.hpp"
#include "tests/gpu/device.hpp"
#include "tests/kernels/engine_checks.hpp"

// Forces summed over pairs, in fixed point: from `paired_from` sources on, in mixed precision.

using namespace ergode::kernels;
using namespace ergode::kernels::test;

namespace {

NbodyState after_steps(const Device& device, GravityOptions o, const NbodyState& s, std::int64_t steps) {
  auto engine = make_gravity_engine(device, 1, o);
  engine->upload(s);
  REQUIRE(engine->integrate(leapfrog(), 1e-3, 15, steps).step == -1);
  NbodyState end;
  engine->download(end);
  return end;
}

double error_at(const NbodyState& s, const std::vector<std::int64_t>& index) {
  return force_error(pick(s.acceleration, index), brute_force(s, 1, index).acceleration);
}

void mix_masses(NbodyState& s) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.sources); ++i) s.mass[i] *= 1.0 + static_cast<double>(i % 5);
}

/// A cube of bodies of which the first 256 stand in one corner, in a clump of size `size` that is a tile of its own.
NbodyState with_clump(double size) {
  NbodyState s = cube(paired_from, paired_from, 0);
  for (std::size_t i = 256; i < s.position.size(); ++i) s.position[i] = Vec3{0.1, 0.1, 0.1} + 0.9 * s.position[i];
  for (std::size_t i = 0; i < 256; ++i) s.position[i] = size * s.position[i];
  return s;
}

std::vector<std::int64_t> first(std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> index;
  for (std::int64_t i = begin; i < end; ++i) index.push_back(i);
  return index;
}

/// Threads of this process in the place of processes.
class Meeting {
 public:
  explicit Meeting(int parts) : parts_(parts), barrier_(parts) {}

  struct Share final : TargetShare {
    Share(Meeting& m, int p) : meeting(m), number(p) {}
    int parts() const override { return meeting.parts_; }
    int part() const override { return number; }
    void exchange(double* values, std::span<const std::int64_t> bounds) const override {
      const auto n = static_cast<std::size_t>(bounds.back());
      meeting.barrier_.arrive_and_wait();
      if (number == 0) meeting.doubles_.assign(n, 0);
      meeting.barrier_.arrive_and_wait();
      const auto p = static_cast<std::size_t>(number);
      std::copy(values + bounds[p], values + bounds[p + 1], meeting.doubles_.data() + bounds[p]);
      meeting.barrier_.arrive_and_wait();
      std::copy(meeting.doubles_.begin(), meeting.doubles_.end(), values);
    }
    void add_up(std::int64_t* values, std::int64_t count) const override {
      meeting.barrier_.arrive_and_wait();
      if (number == 0) meeting.integers_.assign(static_cast<std::size_t>(count), 0);
      for (int turn = 0; turn < meeting.parts_; ++turn) {
        meeting.barrier_.arrive_and_wait();
        if (turn == number)
          for (std::int64_t i = 0; i < count; ++i) meeting.integers_[static_cast<std::size_t>(i)] += values[i];
      }
      meeting.barrier_.arrive_and_wait();
      std::copy(meeting.integers_.begin(), meeting.integers_.end(), values);
      ++meeting.sums;
    }
    Meeting& meeting;
    int number;
  };

  std::atomic<int> sums = 0;

 private:
  int parts_;
  std::barrier<> barrier_;
  std::vector<double> doubles_;
  std::vector<std::int64_t> integers_;
};

}  // namespace

/// Under the memory and race checkers too, hence as few bodies and passes as can be.
TEST_CASE("CUDA forces over pairs are right in every form, and momentum is kept", "[small]") {
  const Device device = usable_device();
  for (const bool mixed_softening : {false, true})
    for (const bool equal_masses : {false, true}) {
      const std::int64_t sources = paired_from + (equal_masses ? 300 : 0);  // 48 whole tiles, or 50 of which one is not
      CAPTURE(sources, mixed_softening, equal_masses);
      NbodyState s = cube(sources + 200, sources, 0.02);
      if (mixed_softening) mix_softening(s);
      s.mass.assign(s.mass.size(), 0);
      std::fill_n(s.mass.begin(), sources, 1.0 / static_cast<double>(sources));
      if (!equal_masses) mix_masses(s);
      const NbodyState end = after_steps(device, options(Precision::mixed), s, 1);
      const double bound = mixed_softening ? 5e-6 : 1e-6;  // as in check_sizes_and_softenings
      CHECK(error_at(end, sample(end, 200)) <= bound);
      CHECK(error_at(end, first(sources, sources + 100)) <= bound);  // test particles
      CHECK(error_at(end, first(sources - 100, sources)) <= bound);

      // What two bodies do to each other cancels but for the rounding of the sums.
      Vec3 total;
      double size = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(sources); ++i) {
        total = total + end.mass[i] * end.acceleration[i];
        size += end.mass[i] * std::sqrt(dot(end.acceleration[i], end.acceleration[i]));
      }
      CHECK(std::sqrt(dot(total, total)) <= 1e-8 * size);
    }
}

TEST_CASE("CUDA forces over pairs hold from far to near: within a fixed-point number, its extension, and beyond both") {
  const Device device = usable_device();
  const GravityOptions o = options(Precision::mixed);
  for (const double size : {0.1, 1e-2, 1e-4, 1e-6, 1e-8}) {
    CAPTURE(size);
    const NbodyState s = with_clump(size);
    auto engine = make_gravity_engine(device, 1, o);
    engine->upload(s);
    NbodyState out;
    engine->download(out);
    CHECK(error_at(out, first(0, 256)) <= 5e-6);
    CHECK(error_at(out, first(256, 456)) <= 5e-6);

    // Nothing of a pass is left for the next one, whatever it came to.
    const NbodyState even = with_clump(0.1);
    engine->upload(even);
    engine->download(out);
    CHECK(same_bits(
        out, with_forces([&](const GravityOptions& of) { return make_gravity_engine(device, 1, of); }, even, o)));
  }
}

/// Where all together have less than 2^-10 of the heavy body's mass, they are not summed over pairs.
TEST_CASE("CUDA forces of light bodies on a heavy one") {
  const Device device = usable_device();
  for (const double lightness : {1e-3, 1.6e-5, 1e-7, 1e-9, 1e-12}) {
    CAPTURE(lightness);
    NbodyState s = cube(paired_from + 1, paired_from + 1, 0.02);
    s.mass.assign(s.mass.size(), lightness);
    s.mass[0] = 1;
    s.position[0] = {0.3, 0.4, 0.45};
    CHECK(sums_over_pairs(device.backend, Precision::mixed, s.mass, s.sources) == (paired_from * lightness > 0x1p-10));
    auto engine = make_gravity_engine(device, 1, options(Precision::mixed));
    engine->upload(s);
    NbodyState out;
    engine->download(out);
    CHECK(error_at(out, {0}) <= 1e-6);
    CHECK(error_at(out, first(1, 201)) <= 1e-6);
    CHECK(engine->passes_done_twice() == 0);
  }
}

TEST_CASE("CUDA engines that sum over pairs hold the memory that was predicted, and say which passes they did twice") {
  const Device device = usable_device();
  auto engine = make_gravity_engine(device, 1, options(Precision::mixed));
  engine->upload(with_clump(1e-10));
  CHECK(engine->memory_bytes() == gravity_memory(paired_from, paired_from, Precision::mixed, device).total);
  CHECK(engine->passes_done_twice() == 1);
  engine->integrate(leapfrog(), 0, 0, 3);
  CHECK(engine->passes_done_twice() == 4);
  engine->upload(with_clump(0.1));
  CHECK(engine->passes_done_twice() == 0);
}

TEST_CASE("CUDA forces over pairs have the same bits when processes share them") {
  const Device device = usable_device();
  for (const double clump : {0.1, 1e-5, 1e-10}) {
    NbodyState s = with_clump(clump);
    const NbodyState tests = cube(700, 0, 0);
    for (std::size_t i = 0; i < 700; ++i) {
      s.position.push_back(tests.position[i]);
      s.velocity.push_back(tests.velocity[i]);
      s.mass.push_back(0);
      s.softening.push_back(0);
      s.id.push_back(100000 + i);
    }
    const NbodyState alone = after_steps(device, options(Precision::mixed), s, 2);
    for (const int parts : {2, 3}) {
      CAPTURE(clump, parts);
      Meeting meeting(parts);
      std::vector<NbodyState> end(static_cast<std::size_t>(parts));
      std::vector<std::thread> threads;
      for (int p = 0; p < parts; ++p)
        threads.emplace_back([&, p] {
          const Meeting::Share share(meeting, p);
          GravityOptions o = options(Precision::mixed);
          o.share = &share;
          auto engine = make_gravity_engine(device, 1, o);
          engine->upload(s);
          engine->integrate(leapfrog(), 1e-3, 15, 2);
          engine->download(end[static_cast<std::size_t>(p)]);
        });
      for (std::thread& t : threads) t.join();
      for (const NbodyState& e : end) CHECK(same_bits(e, alone));
      CHECK(meeting.sums >= 3 * parts);
    }
  }
}
