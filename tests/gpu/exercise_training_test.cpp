#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "kernels/options/longstaff_schwartz.hpp"
#include "sim/options/reference.hpp"
#include "sim/options/time_grid.hpp"
#include "tests/gpu/device.hpp"
#include "tests/gpu/option_groups.hpp"

// Exercise policies that a device fits to the paths that it records, against the host's fit to the same paths.

using namespace ergode;
using namespace ergode::testing;
using namespace ergode::kernels;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using ergode::kernels::options::GroupPlan;
using ergode::kernels::options::PathEngine;
using ergode::kernels::options::Recording;
using ergode::kernels::test::usable_device;

namespace {

/// Recorded paths of one option, and how they are trained on.
struct Training {
  GroupPlan recording;
  TrainingPlan plan;
  int assets;

  int dates() const { return static_cast<int>(plan.rule.discount.size()); }
};

/// `dates` exercise dates of a Bermudan option on markets of all models.
Training training_of(const std::string& option, std::int64_t paths, int dates, int order, bool disperse,
                     const std::string& precision = "float") {
  const std::string yaml = "monte_carlo: {steps_per_year: 12, precision: " + precision + "}\n" +
                           markets_of_all_models() + "options:\n  - {id: o, product: bermudan, maturity: 1, " +
                           "exercise_dates: " + std::to_string(dates) + ", " + option + "}\n";
  const sim::options::Group group = sim::options::make_groups(read_settings(yaml).settings, 5).front();
  const sim::options::EarlyExercise& o = *sim::options::early_exercise(group.items.front().option);
  Training t;
  t.assets = static_cast<int>(group.market.assets.size());
  std::vector<int> slots(group.grid.times.size(), 0);
  int slot = 0;
  for (const double time : sim::options::exercise_times(group.items.front().option, group.grid)) {
    slots[static_cast<std::size_t>(group.grid.step_at(time))] = ++slot;
    t.plan.rule.discount.push_back(group.market.discount(time));
  }
  t.recording = sim::options::plan_recording(group, slots, std::uint64_t{1} << 40, paths);
  t.plan.paths = paths;
  for (const auto& a : group.market.assets)
    if (sim::options::heston_part(a.model) != nullptr) t.plan.variance = true;
  t.plan.rule.kind = static_cast<ExercisePayoff>(static_cast<int>(o.payoff));
  t.plan.rule.call = o.type == sim::options::OptionType::call;
  t.plan.rule.strike = o.strike;
  t.plan.rule.order = order;
  for (int a = 0; a < t.assets; ++a) {
    if (t.plan.rule.kind == ExercisePayoff::basket) t.plan.rule.weights.push_back(1.0 / t.assets);
    if (disperse) {
      t.plan.dispersion.width.push_back(0.05 + 0.01 * a);
      t.plan.dispersion.step.push_back(std::sqrt(2.0 + a));
    }
  }
  return t;
}

std::optional<ExercisePolicy> on_device(PathEngine& engine, const Training& t) {
  const int number = engine.add(t.recording);
  auto policy = engine.train(number, t.plan);
  engine.remove(number);
  return policy;
}

template <class Real>
struct HostPaths {
  Recording<Real> recording;
  std::vector<Real> factors;
  TrainingPaths<Real> paths;

  HostPaths(PathEngine& engine, const Training& t) {
    Recording<float> single;
    Recording<double> real;
    const int number = engine.add(t.recording);
    engine.record(number, t.plan.paths, t.dates(), t.plan.variance, single, real);
    engine.remove(number);
    if constexpr (std::is_same_v<Real, float>)
      recording = std::move(single);
    else
      recording = std::move(real);
    factors = dispersion_factors<Real>(t.plan.dispersion, t.plan.paths, all_threads());
    paths = {t.plan.paths,
             t.dates(),
             t.assets,
             recording.spot.data(),
             t.plan.variance ? recording.variance.data() : nullptr,
             factors.empty() ? nullptr : factors.data()};
  }
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// The largest difference of two policies' values of holding on over the paths in the money, relative to the largest
/// value.
template <class Real>
double difference(const HostPaths<Real>& host, const ExercisePolicy& a, const ExercisePolicy& b, int date) {
  const TrainingPaths<Real>& t = host.paths;
  double most = 0, scale = 0;
  for (std::int64_t p = 0; p < t.paths; ++p) {
    double spot[max_training_underlyings] = {}, variance[max_training_underlyings] = {};
    for (int u = 0; u < t.underlyings; ++u) {
      const std::int64_t at = (std::int64_t{date} * t.underlyings + u) * t.paths + p;
      spot[u] =
          static_cast<double>(t.spot[at]) * (t.dispersion ? static_cast<double>(t.dispersion[u * t.paths + p]) : 1.0);
      if (t.variance) variance[u] = static_cast<double>(t.variance[at]);
    }
    if (!(exercise_payoff(a.view(), spot) > 0)) continue;
    const double x = continuation_value(a.view(), date, spot, variance);
    const double y = continuation_value(b.view(), date, spot, variance);
    most = std::max(most, std::fabs(x - y));
    scale = std::max(scale, std::fabs(x));
  }
  return scale > 0 ? most / scale : most;
}

/// The device's fit against the host's. The sample of the quantiles is the same, and so are all decisions but where a
/// payoff is as good as equal to the value of holding on.
template <class Real>
void check_against_host(PathEngine& engine, const Training& t) {
  const auto device = on_device(engine, t);
  REQUIRE(device.has_value());
  const HostPaths<Real> host(engine, t);
  const ExercisePolicy truth = fit_exercise_policy(host.paths, t.plan.rule, all_threads());
  REQUIRE(device->data.size() == truth.data.size());
  REQUIRE(device->dates.size() == truth.dates.size());
  std::int64_t listed = 0;
  for (int date = 0; date < t.dates(); ++date) {
    INFO("date " << date);
    const ExerciseDateFit &a = device->dates[static_cast<std::size_t>(date)],
                          &b = truth.dates[static_cast<std::size_t>(date)];
    CHECK(a.in_the_money == b.in_the_money);
    CHECK(a.order == b.order);
    CHECK(a.rank == b.rank);
    CHECK_THAT(a.exercised, WithinAbs(b.exercised, 2.0 / static_cast<double>(t.plan.paths)));
    CHECK(std::isnan(a.critical_spot) == std::isnan(b.critical_spot));
    if (std::isfinite(b.critical_spot)) CHECK_THAT(a.critical_spot, WithinRel(b.critical_spot, 1e-6));
    CHECK(exercise_action(device->view(), date) == exercise_action(truth.view(), date));
    if (exercise_action(truth.view(), date) == ExerciseAction::above_continuation)
      CHECK(difference(host, truth, *device, date) < 1e-8);
    listed += a.in_the_money;
  }
  CHECK(listed > 0);
  CHECK(device->in_sample_price > 0);
  CHECK_THAT(device->in_sample_price, WithinRel(truth.in_sample_price, 1e-7));
  CHECK_THAT(device->in_sample_standard_error, WithinRel(truth.in_sample_standard_error, 1e-5));
  const auto again = on_device(engine, t);
  CHECK(same_bits(again->data, device->data));
  CHECK(again->in_sample_price == device->in_sample_price);
  CHECK(again->in_sample_standard_error == device->in_sample_standard_error);
}

const std::string put = "type: put, underlying: G, strike: 100";
const std::string max_call = "type: call, payoff: max, underlyings: [G, S], strike: 100";

}  // namespace

// Enough parts for two levels of joins.
TEST_CASE("CUDA fits the policy that the host fits to the same paths", "[small]") {
  const auto engine = options::make_path_engine(usable_device(), all_threads());
  check_against_host<float>(*engine, training_of(put, 3000, 4, 5, true));
  check_against_host<float>(
      *engine, training_of("type: call, payoff: max, underlyings: [G, H, S], strike: 100", 6000, 2, 3, true));
}

TEST_CASE("CUDA policies are the host's for every payoff, with variance, dispersed or not, in float and double") {
  const auto engine = options::make_path_engine(usable_device(), all_threads());
  for (const std::string& option :
       {put, std::string("type: call, underlying: S, strike: 95"), std::string("type: put, underlying: H, strike: 100"),
        std::string("type: put, underlying: B, strike: 100"), max_call,
        std::string("type: put, payoff: min, underlyings: [G, S, D1], strike: 100"),
        std::string("type: put, payoff: basket, underlyings: [G, S, D2], strike: 95"),
        std::string("type: put, payoff: basket, underlyings: [G, H, D2, D3], strike: 95"),
        std::string("type: call, payoff: max, underlyings: [D1, D2, D3, D4, D5, D6, D7, D8, D9], strike: 100")})
    for (const bool disperse : {false, true}) {
      CAPTURE(option, disperse);
      const bool wide = option.find("D9") != std::string::npos;
      check_against_host<float>(*engine, training_of(option, 20001, 5, wide ? 2 : 3, disperse));
      check_against_host<double>(*engine, training_of(option, 20001, 5, wide ? 2 : 3, disperse, "double"));
    }
}

TEST_CASE("CUDA policies of every order and basis are the host's, also of few paths") {
  const auto engine = options::make_path_engine(usable_device(), all_threads());
  for (int order = 0; order <= 10; ++order) {
    CAPTURE(order);
    check_against_host<float>(*engine, training_of(put, 50000, 3, order, true));
    if (order <= 9) check_against_host<double>(*engine, training_of(max_call, 30000, 3, order, false, "double"));
  }
  for (const BasisFamily family : {BasisFamily::monomial, BasisFamily::laguerre, BasisFamily::hermite}) {
    Training t = training_of(put, 30000, 6, 5, true);
    t.plan.rule.family = family;
    check_against_host<float>(*engine, t);
  }
  for (const std::int64_t paths : {20, 31, 256, 1023, 1024, 1025}) {
    CAPTURE(paths);
    check_against_host<float>(*engine, training_of(put, paths, 3, 5, false));
  }
}

TEST_CASE("CUDA policies exercise on the dates that they may alone") {
  const auto engine = options::make_path_engine(usable_device(), all_threads());
  for (const std::vector<char>& may : {std::vector<char>{0, 1, 0, 1, 1}, {1, 1, 1, 1, 0}}) {
    Training t = training_of(put, 20000, 5, 4, true);
    t.plan.rule.may_exercise = may;
    check_against_host<float>(*engine, t);
    const auto policy = on_device(*engine, t);
    for (int date = 0; date < 5; ++date)
      if (!may[static_cast<std::size_t>(date)]) {
        CHECK(exercise_action(policy->view(), date) == ExerciseAction::never);
        CHECK(policy->dates[static_cast<std::size_t>(date)].exercised == 0);
      }
  }
}

TEST_CASE("CUDA refuses training paths that are not finite with the host's words") {
  const auto engine = options::make_path_engine(usable_device(), all_threads());
  Training t = training_of("type: call, underlying: G, strike: 100", 5000, 3, 3, false);
  // Near the largest float, so that some paths overflow.
  auto& constants = t.recording.variations[0].constants;
  constants[static_cast<std::size_t>(t.recording.grids[0].asset[0].spot)] = 2.4e38;
  const auto words = [&](const auto& fit) -> std::string {
    try {
      fit();
    } catch (const std::domain_error& e) {
      return e.what();
    }
    return "none";
  };
  const HostPaths<float> host(*engine, t);
  const std::string of_host = words([&] { fit_exercise_policy(host.paths, t.plan.rule, 1); });
  CHECK(of_host.find("is not finite at exercise date 2") != std::string::npos);
  CHECK(words([&] { on_device(*engine, t); }) == of_host);
}

TEST_CASE("CUDA leaves a policy to the host that is too wide for a block or too large for the memory it may take") {
  const auto device = usable_device();
  const auto engine = options::make_path_engine(device, all_threads());
  CHECK(!on_device(*engine, training_of(max_call, 2000, 2, 10, false)));  // 66 terms
  CHECK(on_device(*engine, training_of(max_call, 2000, 2, 9, false)));
  const auto tight = options::make_path_engine(device, all_threads(), 1 << 20);
  CHECK(!on_device(*tight, training_of(put, 200000, 2, 3, false)));
  CHECK(on_device(*tight, training_of(put, 20000, 2, 3, false)));
  Training wrong = training_of(put, 2000, 2, 3, false);
  wrong.plan.rule.order = max_basis_order + 1;
  CHECK_THROWS_AS(on_device(*engine, wrong), std::invalid_argument);
}

// The exact value is by quadrature, as in tests/kernels/longstaff_schwartz_test.cpp.
TEST_CASE("A Bermudan put that is trained and priced on CUDA is worth its exact price") {
  const auto cuda = options::make_path_engine(usable_device(), all_threads());
  const std::string yaml =
      "monte_carlo: {paths: 1e6}\nmarket:\n  rate: 0.06\n  underlyings:\n    A: {spot: 36, model: gbm, volatility: "
      "0.2}\noptions:\n  - {id: o, product: bermudan, type: put, underlying: A, strike: 40, maturity: 1, "
      "exercise_dates: 50, lsm: {training_paths: 1e6}}\n";
  const sim::options::Settings settings = read_settings(yaml).settings;
  sim::options::Task task(std::move(sim::options::make_groups(settings, 3).front()), settings.monte_carlo, false);
  task.exercise = sim::options::train(task.group, *cuda, all_threads());
  ReadyGroup ready{task, task.plan()};
  ready.task.plan();
  const auto estimate = ready.estimates(ready.run(*cuda)).front();
  INFO(estimate.mean << " +- " << estimate.standard_error);
  CHECK(estimate.standard_error < 0.004);
  CHECK(estimate.mean <= 4.47781111114 + 4 * estimate.standard_error);
  CHECK(estimate.mean >= 0.999 * 4.47781111114 - 4 * estimate.standard_error);
  double probability = 0;
  for (const auto& date : task.exercise.dates) probability += date.probability;
  CHECK(probability > 0.5);
  CHECK(probability <= 1 + 1e-12);
}
