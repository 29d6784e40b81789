#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <set>
#include <tuple>

#include "kernels/options/group_data.hpp"
#include "tests/gpu/device.hpp"
#include "tests/gpu/option_groups.hpp"

// The loops that have a small group in constant memory against the loop for any group: a path has the same bits in
// both. Values of single samples come from the loop for any group.

using namespace ergode;
using namespace ergode::testing;
using namespace ergode::kernels::options;

namespace {

constexpr std::int64_t samples = 2500;  // two whole chunks and a part of one

/// Asians of `fixings`, with and without their control, of one strike or several, and Greeks; Europeans; both models.
std::string book(const std::string& monte_carlo, int fixings, const std::string& volatility) {
  std::string text = "monte_carlo: {steps_per_year: 12, paths: " + std::to_string(samples) + ", " + monte_carlo +
                     "}\nmarket:\n  rate: 0.03\n  underlyings:\n";
  for (const char* name : {"E", "F", "G", "I", "J", "P"})
    text += "    " + std::string(name) + ": {spot: 100, dividend_yield: 0.01, model: gbm, volatility: " + volatility +
            "}\n";
  for (const char* name : {"H", "K"})
    text += "    " + std::string(name) +
            ": {spot: 100, model: heston, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.4, rho: -0.6}\n";
  text += "options:\n";
  const auto add = [&](const std::string& id, const std::string& product, const std::string& keys) {
    text += "  - {id: " + id + ", product: " + product + ", type: call, maturity: 1, " + keys + "}\n";
  };
  const std::string n = std::to_string(fixings);
  const auto asian = [&](const std::string& id, const std::string& on, const std::string& strike,
                         const std::string& more = "") {
    add(id, "asian", "underlying: " + on + ", fixings: " + n + ", strike: " + strike + more);
  };
  add("european", "european", "underlying: E, strike: 100");
  add("greeks", "european", "underlying: F, strike: 100, greeks: [delta, gamma, vega]");
  add("digital", "digital", "underlying: P, strike: 100, greeks: [delta, gamma]");
  asian("asian", "G", "95");
  asian("first", "I", "95");
  asian("second", "I", "105");
  asian("third", "I", "110");
  asian("asian-greeks", "J", "100", ", greeks: [delta, vega, rho]");
  add("heston", "european", "underlying: H, strike: 100");
  asian("heston-asian", "K", "100");
  return text;
}

/// x and x x of an estimator over a chunk, added up as the loops do.
std::pair<double, double> sums_of_chunk(const double* x, std::int64_t count) {
  double sum[chunk_lanes] = {}, square[chunk_lanes] = {};
  for (std::int64_t i = 0; i < count; ++i) {
    sum[i % chunk_lanes] += x[i];
    square[i % chunk_lanes] = std::fma(x[i], x[i], square[i % chunk_lanes]);
  }
  for (int width = chunk_lanes / 2; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) {
      sum[l] += sum[l + width];
      square[l] += square[l + width];
    }
  return {sum[0], square[0]};
}

/// Model, number of statistics, whether with tangents, several estimators, all steps alike, and sums direct.
using Form = std::tuple<int, int, bool, bool, bool, bool>;

std::optional<Form> compact_form(const GroupPlan& plan) {
  const auto data = group_data<float>(plan);
  const auto compact = compact_group(data);
  if (!compact) return std::nullopt;
  return Form{static_cast<int>(compact->grid.asset[0].model),
              compact->grid.observers,
              !data.dual.empty(),
              plan.estimators > 1,
              compact->grid.alike != 0,
              compact->direct != 0};
}

}  // namespace

TEST_CASE("CUDA loops of small groups add up what the loop for any group gives, bit for bit", "[small]") {
  const auto device = kernels::test::usable_device();
  const auto engine = make_path_engine(device, all_threads());
  const auto cpu = make_path_engine(kernels::cpu_device(kernels::best_isa()), all_threads());
  std::set<Form> forms;
  for (const char* monte_carlo : {"control_variate: auto, antithetic: false", "control_variate: none, antithetic: true",
                                  "control_variate: none, antithetic: false"})
    for (const std::string volatility : {"0.2", "[[0.3, 0.2], [1, 0.3]]"})
      for (const int fixings : {1, 2, 3, 4, 9, 13, 20}) {
        const sim::options::Settings settings = read_settings(book(monte_carlo, fixings, volatility)).settings;
        for (sim::options::Group& group : sim::options::make_groups(settings, 5)) {
          const bool stochastic = std::holds_alternative<sim::options::HestonModel>(group.market.assets[0].model);
          sim::options::Task task(std::move(group), settings.monte_carlo, !stochastic);
          const GroupPlan plan = task.plan();
          CAPTURE(monte_carlo, volatility, fixings, task.group.items[0].option.id);
          const auto form = compact_form(plan);
          if (!form) continue;
          forms.insert(*form);
          const int number = engine->add(plan);
          const std::vector<double> values = engine->values(number, plan.samples);
          const Work work{number, 0, plan.chunks()};
          const std::vector<double> sums = engine->run({&work, 1});
          engine->remove(number);
          const int number_there = cpu->add(plan);
          const Work work_there{number_there, 0, plan.chunks()};
          const std::vector<double> sums_there = cpu->run({&work_there, 1});
          cpu->remove(number_there);
          const auto on_cpu = [&](std::int64_t chunk, int e) {
            return sums_there.data() + (chunk * plan.estimators + e) * moments;
          };
          for (std::int64_t chunk = 0; chunk < plan.chunks(); ++chunk)
            for (int e = 0; e < plan.estimators; ++e) {
              const std::int64_t first = chunk * chunk_samples,
                                 count = std::min<std::int64_t>(plan.samples - first, chunk_samples);
              const auto [sum, square] = sums_of_chunk(values.data() + e * plan.samples + first, count);
              const double* found = sums.data() + (chunk * plan.estimators + e) * moments;
              CAPTURE(chunk, e, sum, found[0]);
              CHECK(std::memcmp(&sum, &found[0], sizeof sum) == 0);
              CHECK(std::memcmp(&square, &found[2], sizeof square) == 0);
              if (std::none_of(plan.targets.begin(), plan.targets.end(),
                               [&](const TermTarget& t) { return t.estimator == e && t.control != 0; })) {
                CHECK(found[1] == 0);
                CHECK(found[3] == 0);
                CHECK(found[4] == 0);
              } else {
                // A CPU rounds otherwise, and a path close to a strike may be on its other side.
                const double* there = on_cpu(chunk, e);
                const auto paths = static_cast<double>(count);
                CHECK(std::abs(found[1] - there[1]) <= 5e-3 * std::sqrt(paths * there[4]));
                CHECK(std::abs(found[3] - there[3]) <= 5e-3 * std::sqrt(there[2] * there[4]));
                CHECK(std::abs(found[4] - there[4]) <= 5e-3 * there[4]);
              }
            }
        }
      }
  const int gbm = static_cast<int>(ModelKind::gbm), heston = static_cast<int>(ModelKind::heston);
  const auto found = [&](const Form& form) { return forms.count(form) == 1; };
  for (const bool alike : {true, false})
    for (const bool direct : {true, false})
      for (const int observers : {0, 1, 2}) {
        CAPTURE(alike, direct, observers);
        // An average's control is the geometric one beside it.
        if (observers == 0 || (direct && observers == 2)) continue;
        CHECK(found({gbm, observers, false, false, alike, direct}));
        CHECK(found({gbm, observers, false, true, alike, direct}));
        CHECK(found({gbm, observers, true, true, alike, direct}));
      }
  for (const bool direct : {true, false}) {
    CHECK(found({gbm, 0, false, false, true, direct}));
    CHECK(found({gbm, 0, true, true, true, direct}));
    CHECK(found({heston, 0, false, false, true, direct}));
    CHECK(found({heston, 1, false, false, false, direct}));  // it has steps between fixings
  }
}
