#include "sim/options/path_work.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "tests/gpu/option_groups.hpp"
#include "tests/options/read_settings.hpp"

using namespace ergode;
using namespace ergode::sim::options;
namespace k = ergode::kernels::options;

namespace {

Task task_of(std::int64_t paths, const std::string& more = "") {
  const auto settings =
      testing::read_settings("monte_carlo: {antithetic: false, control_variate: none, paths: " + std::to_string(paths) +
                             more +
                             "}\nmarket: {underlyings: {A: {spot: 100, model: gbm, volatility: 0.2}}}\n"
                             "options: [{product: european, strike: 100, maturity: 1}]\n")
          .settings;
  return std::move(make_tasks(settings, 1).at(0));
}

std::vector<k::Work> work_of(const Task& task, std::int64_t first, std::int64_t count) {
  std::vector<k::Work> work;
  append_work(work, task, 3, first, count);
  return work;
}

void check_is(const k::Work& w, std::int64_t first, std::int64_t count, bool folded) {
  CHECK(w.group == 3);
  CHECK(w.first == first);
  CHECK(w.count == count);
  CHECK(w.folded == folded);
}

}  // namespace

TEST_CASE("a block's sums are those of its chunks in sequence, of the chunks that take part in an estimator") {
  const auto groups = testing::ready_groups(testing::book_to_fold());
  const bool with_bias = std::any_of(groups.begin(), groups.end(), [](const testing::ReadyGroup& g) {
    return std::any_of(g.task.group.estimators.begin(), g.task.group.estimators.end(),
                       [](const Estimator& e) { return e.stride > 1; });
  });
  REQUIRE(with_bias);
  const auto engine = testing::cpu_engine();
  const testing::Folding folding = testing::fold(*engine, groups);
  REQUIRE(folding.found.size() == folding.expected.size());
  CHECK(std::memcmp(folding.found.data(), folding.expected.data(), folding.found.size() * sizeof(double)) == 0);
}

TEST_CASE("whole blocks of a long stretch of chunks are folded, but for the first and the one with the last chunk") {
  const Task task = task_of(5000 * 1024);
  const auto from_start = work_of(task, 0, 4000);
  REQUIRE(from_start.size() == 3);
  check_is(from_start[0], 0, 64, false);
  check_is(from_start[1], 64, 3904, true);
  check_is(from_start[2], 3968, 32, false);
  const auto to_end = work_of(task, 3968, 1032);
  REQUIRE(to_end.size() == 2);
  check_is(to_end[0], 3968, 1024, true);
  check_is(to_end[1], 4992, 8, false);
  REQUIRE(work_of(task, 64, 1024).size() == 1);
  check_is(work_of(task, 64, 1024)[0], 64, 1024, true);
  check_is(work_of(task, 64, 1023)[0], 64, 1023, false);

  const Task even = task_of(4992 * 1024);  // its last block is full
  check_is(work_of(even, 64, 4928).back(), 4928, 64, false);
  CHECK(work_of(task_of(4000 * 1024, ", rng: sobol, replications: 4"), 0, 4000).size() == 1);
}

TEST_CASE("pieces of work follow each other and leave nothing out") {
  const Task task = task_of(5000 * 1024);
  for (const std::int64_t first : {0, 1, 63, 64, 65, 1000, 3000})
    for (const std::int64_t count : {1, 64, 1023, 1024, 1086, 1087, 1088, 1089, 1152, 2000}) {
      INFO(first << " and " << count << " more");
      std::int64_t next = first;
      for (const k::Work& w : work_of(task, first, count)) {
        CHECK(w.first == next);
        CHECK(w.count > 0);
        next += w.count;
        if (!w.folded) continue;
        CHECK(w.first >= 64);
        CHECK(w.first % 64 == 0);
        CHECK(w.count % 64 == 0);
        CHECK(next < task.chunks());
      }
      CHECK(next == first + count);
    }
}

TEST_CASE("an estimate is of the sum of its blocks and of the chunks after them, folded or not") {
  Task whole = task_of(1'300'000);
  const auto engine = testing::cpu_engine();
  const int number = engine->add(whole.plan());
  const k::Work all{number, 0, whole.chunks()};
  const auto sums = engine->run({&all, 1});
  double total = 0, block = 0;
  for (std::int64_t c = 0; c < whole.chunks(); ++c) {
    block += sums[static_cast<std::size_t>(c) * whole.group.estimators.size() * k::moments];
    if (c % 64 < 63) continue;
    total += block;
    block = 0;
  }
  REQUIRE(block > 0);

  Task divided = whole;
  const auto run = [&](Task& t, std::int64_t at_a_time) {
    bool folds = false;
    while (t.next_chunk < t.chunks()) {
      std::vector<k::Work> work;
      append_work(work, t, number, t.next_chunk, std::min(at_a_time, t.chunks() - t.next_chunk));
      const auto piece = engine->run(work);
      const double* at = piece.data();
      for (const k::Work& w : work) at = add_sums(t, w, at, *engine), folds = folds || w.folded;
      CHECK(at == piece.data() + piece.size());
    }
    return folds;
  };
  CHECK(run(whole, 1'000'000));
  CHECK_FALSE(run(divided, 100));
  CHECK(whole.estimate(0).mean == (total + block) / 1'300'000);
  CHECK(divided.estimate(0).mean == whole.estimate(0).mean);
  CHECK(divided.estimate(0).standard_error == whole.estimate(0).standard_error);
}
