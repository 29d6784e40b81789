#include "sim/options/task.hpp"

#include <catch2/catch_test_macros.hpp>

#include "kernels/options/engine.hpp"
#include "tests/options/read_settings.hpp"

using namespace ergode;
using namespace ergode::sim::options;
namespace k = ergode::kernels::options;

namespace {

Task task_of(int paths) {
  const auto settings =
      testing::read_settings("monte_carlo: {antithetic: false, paths: " + std::to_string(paths) +
                             "}\nmarket: {underlyings: {A: {spot: 100, model: gbm, volatility: 0.2}}}\n"
                             "options: [{product: european, strike: 100, maturity: 1}]\n")
          .settings;
  return std::move(make_tasks(settings, 1).at(0));
}

/// Chunks up to number `last`, and the end of the round where that is the end of all.
void run(Task& t, std::int64_t last, bool ends) {
  const auto engine = k::make_path_engine(kernels::cpu_device(kernels::Isa::baseline), 1);
  const int number = engine->add(t.plan());
  while (t.next_chunk < last) {
    const k::Work work{number, t.next_chunk, 1};
    const auto sums = engine->run({&work, 1});
    t.add(t.next_chunk, sums.data());
  }
  if (ends) t.end_round();
}

}  // namespace

/// A chunk is 1,024 paths; what a single round notes on its way it notes after 4, 8, 16 ... chunks.
TEST_CASE("a task that is given more paths notes its convergence as if it had had them from the start") {
  Task whole = task_of(9216);
  run(whole, 9, true);
  REQUIRE(whole.options[0].convergence.size() == 3);  // after 4, 8 and 9
  for (const int first : {4096, 3500, 4500, 8192}) {
    for (const bool ended : {false, true}) {
      INFO(first << " paths first, " << (ended ? "to its end" : "its round still open"));
      Task before = task_of(first);
      run(before, before.chunks(), ended);
      io::State state;
      before.save(state, "");
      Task after = task_of(9216);
      after.restore(state, "");
      CHECK_FALSE(after.done());
      run(after, 9, true);
      CHECK(after.done());
      REQUIRE(after.options[0].convergence.size() == 3);
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(after.options[0].convergence[i].paths == whole.options[0].convergence[i].paths);
        CHECK(after.options[0].convergence[i].price == whole.options[0].convergence[i].price);
        CHECK(after.options[0].convergence[i].standard_error == whole.options[0].convergence[i].standard_error);
      }
      CHECK(after.estimate(0).mean == whole.estimate(0).mean);
      CHECK(after.estimate(0).standard_error == whole.estimate(0).standard_error);
    }
  }
}
