#include "sim/options/settings.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/options/read_settings.hpp"

using namespace ergode;
using namespace ergode::sim::options;
using namespace ergode::testing;

namespace {

/// The keys of one option of each product, beside id, maturity and underlyings.
const std::vector<std::pair<std::string, std::string>> products = {
    {"european", "underlying: A, type: put, strike: 100"},
    {"digital", "underlying: A, strike: 100, payout: asset"},
    {"asian", "underlying: A, average: geometric, strike: 100, fixings: 12, past_fixings: [99, 101.5]"},
    {"barrier", "underlying: B, strike: 100, barrier: 90, barrier_type: down_in, rebate: 3"},
    {"double_barrier",
     "underlying: A, strike: 100, lower_barrier: 80, upper_barrier: 120, barrier_type: knock_out, monitoring: "
     "discrete, "
     "fixings: 52"},
    {"lookback", "underlying: A, type: put, running_extreme: 110"},
    {"basket", "underlyings: [A, B], weights: [0.3, 0.7], strike: 70"},
    {"rainbow", "underlyings: [A, B], select: min, strike: 60"},
    {"spread", "underlyings: [A, B], strike: 3"},
    {"exchange", "underlyings: [A, B]"},
    {"forward_start", "underlying: A, start: 0.25, moneyness: 1.1"},
    {"cliquet", "underlying: A, resets: 12, local_floor: -0.02, local_cap: 0.03, global_floor: 0"},
    {"variance_swap", "underlying: B, fixings: 252"},
    {"autocallable", "underlyings: [A, B], observations: 4, coupon: 0.02, memory: true, knock_in_barrier: 0.6"},
    {"bermudan",
     "underlyings: [A, B], payoff: max, strike: 100, exercise_dates: 9, lsm: {order: 3, upper_bound: true}"},
    {"american", "underlying: A, strike: 100"},
};

std::string all_products() {
  std::string text =
      "monte_carlo: {paths: 1e5, rng: sobol, precision: double, tolerance: {absolute: 1e-3}, time_limit: 15 min}\n" +
      market + "  correlation: 0.5\nscenarios: {spot: [0.9, 1, 1.1]}\noutput: {save_paths: 3}\noptions:\n";
  for (const auto& [name, keys] : products) text += "  - {product: " + name + ", maturity: 1, " + keys + "}\n";
  return text;
}

}  // namespace

TEST_CASE("The config in the description of the simulation is read as it says") {
  const Read read = read_settings(
      "monte_carlo:\n  paths: 1e6\n  steps_per_year: 252\n  rng: philox\n  precision: float\n  antithetic: true\n"
      "  control_variate: auto\n  tolerance: {absolute: 1e-3, relative: 1e-4, confidence: 0.95, max_paths: 1e9}\n"
      "market:\n  rate: [[0.5, 0.031], [1, 0.03], [5, 0.028]]\n  underlyings:\n"
      "    SPX:  {spot: 5000, dividend_yield: 0.013, model: heston, v0: 0.04, kappa: 2.0, theta: 0.04, sigma_v: 0.4, "
      "rho: "
      "-0.7}\n"
      "    SX5E: {spot: 4300, dividend_yield: 0.025, model: gbm, volatility: 0.21}\n"
      "  correlation: {order: [SPX, SX5E], matrix: [[1.0, 0.6], [0.6, 1.0]]}\n"
      "options:\n"
      "  - {id: eq-001, product: european, type: call, underlying: SPX, strike: 5000, maturity: 1.0, quantity: 100, "
      "greeks: "
      "[delta, gamma, vega, theta, rho]}\n"
      "  - {id: eq-002, product: barrier, type: put, underlying: SX5E, strike: 4300, barrier: 3500, barrier_type: "
      "down_in, "
      "monitoring: continuous, rebate: 0, maturity: 1.0}\n"
      "  - {id: eq-005, product: basket, average: arithmetic, weights: [0.5, 0.5], underlyings: [SPX, SX5E], type: "
      "call, "
      "strike: 4650, maturity: 1.0}\n");
  const Settings& s = read.settings;
  CHECK(s.monte_carlo.paths == 1000000);
  CHECK(s.monte_carlo.tolerance->max_paths == 1000000000);
  CHECK(s.market.rate.times == std::vector<double>{0.5, 1, 5});
  REQUIRE(s.market.underlyings.size() == 2);
  CHECK(s.market.underlyings[0].name == "SPX");
  CHECK(std::get<HestonModel>(s.market.underlyings[0].model).rho == -0.7);
  CHECK(std::get<GbmModel>(s.market.underlyings[1].model).volatility == TermStructure(0.21));
  CHECK(s.market.correlation->matrix[0][1] == 0.6);
  REQUIRE(s.options.size() == 3);
  CHECK(s.options[0].greeks.size() == 5);
  CHECK(s.options[0].quantity == 100);
  CHECK(std::get<Barrier>(s.options[1].product).barrier_type == BarrierType::down_in);
  CHECK(std::get<Barrier>(s.options[1].product).type == OptionType::put);
  CHECK(s.options[2].underlyings == std::vector<std::string>{"SPX", "SX5E"});
  REQUIRE(read.result.warnings.size() == 1);  // 2 kappa theta = 0.16 = sigma_v^2 by rounding, or just below
}

TEST_CASE("Every product is read, and the written config gives the same run") {
  const Read first = read_settings(all_products());
  REQUIRE(first.settings.options.size() == products.size());
  CHECK(std::variant_size_v<Product> == products.size());
  for (std::size_t i = 0; i < products.size(); ++i) {
    CHECK(first.settings.options[i].product.index() == i);
    CHECK(first.settings.options[i].id == "option-" + std::to_string(i + 1));
  }
  CHECK(std::get<Bermudan>(first.settings.options[14].product).exercise.lsm.order == 3);
  CHECK(std::get<Asian>(first.settings.options[2].product).past_fixings == std::vector<double>{99, 101.5});
  INFO(first.result.used_yaml);
  const Read second = read_settings(first.result.used_yaml);
  CHECK(second.result.used_yaml == first.result.used_yaml);
  CHECK(io::differing_keys(first.result.flat, second.result.flat).empty());
}

TEST_CASE("Every model is read, and the written config gives the same run") {
  const Read first = read_settings(
      "market:\n  rate: -0.01\n  underlyings:\n"
      "    g: {spot: 1, model: gbm, volatility: [[0.5, 0.2], [1, 0.25]], cash_dividends: [[0.25, 1], [0.5, 2]], rate: "
      "0.02}\n"
      "    'a: b': {spot: 1, model: cev, cev_sigma: 0.3, cev_beta: 0.5}\n"
      "    l: {spot: 1, model: local_volatility, strikes: [1, 2], maturities: [1], local_volatility: [[0.2, 0.3]]}\n"
      "    h: {spot: 1, model: heston, v0: 0.04, kappa: 1, theta: 0.04, sigma_v: 0, rho: 0, scheme: full_truncation}\n"
      "    b: {spot: 1, model: bates, v0: 0.04, kappa: 1, theta: 0.04, sigma_v: 0, rho: 0, jump_intensity: 1, "
      "jump_mean: "
      "-0.1, jump_stddev: 0.1}\n"
      "    m: {spot: 1, model: merton_jump, volatility: 0.2, jump_intensity: 1, jump_mean: -0.1, jump_stddev: 0.1}\n"
      "    k: {spot: 1, model: kou_jump, volatility: 0.2, jump_intensity: 1, jump_up_prob: 0.4, eta_up: 10, eta_down: "
      "5}\n"
      "options: {product: european, underlying: 'a: b', strike: 0, maturity: 0}\n");
  const auto& underlyings = first.settings.market.underlyings;
  REQUIRE(underlyings.size() == std::variant_size_v<Model>);
  for (std::size_t i = 0; i < underlyings.size(); ++i) CHECK(underlyings[i].model.index() == i);
  CHECK(underlyings[1].name == "a: b");
  CHECK(underlyings[0].cash_dividends[1].amount == 2);
  CHECK(underlyings[0].rate == TermStructure(0.02));
  CHECK_FALSE(underlyings[1].rate);
  CHECK(std::get<BatesModel>(underlyings[4].model).jump.jump_mean == -0.1);
  CHECK(std::get<HestonModel>(underlyings[3].model).scheme == HestonScheme::full_truncation);
  const Read second = read_settings(first.result.used_yaml);
  CHECK(second.result.used_yaml == first.result.used_yaml);
  CHECK(second.settings.market.underlyings[0].rate == TermStructure(0.02));
}

TEST_CASE("The schema shows free names, every model and every product") {
  const std::string text = io::schema_text(*io::describe([](io::Section& s) {
    static Settings settings;
    settings.declare(s);
  }));
  CHECK(text.find("<name>: an underlying") != std::string::npos);
  CHECK(text.find("with model: bates") != std::string::npos);
  for (const auto& product : products) CHECK(text.find("with product: " + product.first + ":") != std::string::npos);
  CHECK(text.find("a value alone stands for `all_pairs`") != std::string::npos);
}

TEST_CASE("An option takes the only underlying there is, and needs one of several") {
  const std::string one = "market: {underlyings: {X: {spot: 1, model: gbm, volatility: 0.2}}}\n";
  const std::string option = "options: [{product: european, strike: 1, maturity: 1}]\n";
  const Read read = read_settings(one + option);
  CHECK(read.settings.options[0].underlyings == std::vector<std::string>{"X"});
  CHECK(read.result.used_yaml.find("underlyings: [\"X\"]") != std::string::npos);
  CHECK(refusal(market + option)
            .has("'options.0.underlying': is required where the market has several; allowed here: A, B"));
}

TEST_CASE("Dates stand for years by each day count") {
  const std::string before = "market:\n  valuation_date: 2026-01-31\n  day_count: ";
  const std::string after =
      "\n  rate: [[2026-07-31, 0.03], [2, 0.03]]\n  underlyings: {X: {spot: 1, model: gbm, volatility: 0.2, "
      "cash_dividends: [[2026-03-31, 1]]}}\noptions:\n"
      "  - {product: forward_start, start: 2026-07-31, maturity: 2027-01-31}\n";
  const auto start = [](const Read& r) { return std::get<ForwardStart>(r.settings.options[0].product).start; };
  const Read fixed = read_settings(before + "ACT/365F" + after);
  CHECK(start(fixed) == Catch::Approx(181 / 365.0).epsilon(1e-15));
  CHECK(fixed.settings.options[0].maturity == 1);
  CHECK(fixed.settings.market.rate.times[0] == start(fixed));
  CHECK(fixed.settings.market.underlyings[0].cash_dividends[0].time == Catch::Approx(59 / 365.0).epsilon(1e-15));
  CHECK(start(read_settings(before + "ACT/360" + after)) == Catch::Approx(181 / 360.0).epsilon(1e-15));
  CHECK(start(read_settings(before + "30/360" + after)) == 0.5);
  CHECK(read_settings(fixed.result.used_yaml).result.used_yaml == fixed.result.used_yaml);

  CHECK(refusal(vanilla().replace(vanilla().find("maturity: 1"), 11, "maturity: 2027-01-01"))
            .has("a date needs `market.valuation_date`"));
  CHECK(refusal(before + "ACT/365F\n  underlyings: {X: {spot: 1, model: gbm, volatility: 0.2}}\noptions: [{product: "
                         "european, strike: 1, maturity: 2026-02-30}]\n")
            .has("c.yaml:5:52: 'options.0.maturity': found the date 2026-02-30: there is no such day"));
  CHECK(refusal(before + "ACT/365F\n  underlyings: {X: {spot: 1, model: gbm, volatility: 0.2}}\noptions: [{product: "
                         "european, strike: 1, maturity: 2026-01-01}]\n")
            .has("allowed is at least 0"));
}
