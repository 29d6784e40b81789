#include <catch2/catch_test_macros.hpp>

#include "tests/options/read_settings.hpp"

using namespace ergode;
using namespace ergode::testing;

namespace {

struct Case {
  std::string keys, message;
};

void check_all(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Refusal refused = refusal(book(c.keys));
    INFO(c.keys << "\n" << refused.text);
    CHECK(refused.code == io::ExitCode::config);
    CHECK(refused.has(c.message));
    CHECK(refused.has("c.yaml:7:"));
  }
}

std::string one_underlying(const std::string& keys) {
  return "market:\n  underlyings:\n    X: {" + keys + "}\noptions: [{product: european, strike: 1, maturity: 1}]\n";
}

}  // namespace

TEST_CASE("All that is wrong is said at once, each with its place") {
  const Refusal refused = refusal(
      "monte_carlo: {paths: 0}\n"
      "market:\n  rate: 0.03\n  underlyings:\n"
      "    A: {spot: -1, model: gbm, volatility: 0.2}\n"
      "    B: {spot: 1, model: hestn, v0: 0.04}\n"
      "options:\n"
      "  - {product: european, underlying: A, strike: 100, maturity: nan}\n"
      "  - {product: european, underlying: C, strike: 100, maturity: 1}\n"
      "  - {product: europaen, underlying: A, strike: 100, maturity: 1}\n"
      "  - {product: european, underlying: A, strke: 100, maturity: 1}\n");
  CHECK(refused.code == io::ExitCode::config);
  for (const char* part :
       {"c.yaml:1:22: 'monte_carlo.paths': found '0', allowed is at least 1",
        "c.yaml:5:15: 'market.underlyings.A.spot': found '-1', allowed is greater than 0",
        "c.yaml:6:25: 'market.underlyings.B.model': expected one of gbm | cev | local_volatility",
        "c.yaml:8:63: 'options.0.maturity': expected a finite number",
        "c.yaml:9:37: 'options.1.underlying': the market has no 'C'", "found 'europaen'; did you mean 'european'?",
        "c.yaml:11:40: unknown key 'strke'; did you mean 'strike'?",
        "c.yaml:11:5: the key 'options.3.strike' is required and missing"}) {
    INFO(refused.text << "\n-- " << part);
    CHECK(refused.has(part));
  }
  CHECK_FALSE(refused.has("unknown key 'v0'"));
}

TEST_CASE("What does not fit an option's product is refused") {
  check_all({
      {"product: european, underlying: A, strike: -1, maturity: 1", "allowed is at least 0"},
      {"product: european, underlying: A, strike: 1, maturity: -1", "allowed is at least 0"},
      {"product: european, underlying: A, strike: 1, maturity: .inf", "a finite number"},
      {"product: european, underlyings: [A, B], strike: 1, maturity: 1", "the product european is on one underlying"},
      {"product: spread, underlyings: [A], strike: 1, maturity: 1", "is on two underlyings, [long, short]"},
      {"product: exchange, underlying: A, maturity: 1",
       "'options.0.underlying': found 1; the product exchange is on two"},
      {"product: exchange, underlyings: [A, A], maturity: 1", "'A' stands here twice"},
      {"product: exchange, underlying: A, underlyings: [A, B], maturity: 1", "`underlying` or `underlyings`, not both"},
      {"product: american, underlyings: [A, B], strike: 1, maturity: 1", "of 2 underlyings must be max, min or basket"},
      {"product: american, underlying: A, weights: [1], strike: 1, maturity: 1", "need `payoff: basket`"},
      {"product: bermudan, underlying: A, strike: 1, maturity: 1", "'options.0.exercise_dates' is required"},
      {"product: bermudan, underlying: A, exercise_dates: 0, strike: 1, maturity: 1", "allowed is at least 1"},
      {"product: basket, underlyings: [A, B], weights: [1], strike: 1, maturity: 1",
       "one for each of the 2 underlyings"},
      {"product: asian, underlying: A, fixings: 2, maturity: 1", "a fixed strike is required"},
      {"product: asian, underlying: A, fixings: 2, strike: 3, strike_type: floating, maturity: 1",
       "comes from the path"},
      {"product: asian, underlying: A, strike: 1, maturity: 1", "discrete monitoring needs the number of fixings"},
      {"product: asian, underlying: A, strike: 1, fixings: 1, past_fixings: [1, 2], maturity: 1",
       "more than the 1 fixings"},
      {"product: barrier, underlying: A, strike: 1, barrier: 1, barrier_type: up_in, monitoring: discrete, maturity: 1",
       "needs the number of fixings"},
      {"product: barrier, underlying: A, strike: 1, barrier: 1, barrier_type: up_in, fixings: 3, maturity: 1",
       "continuous monitoring has none"},
      {"product: barrier, underlying: A, strike: 1, barrier: 1, barrier_type: up, maturity: 1",
       "down_in | down_out | up_in"},
      {"product: double_barrier, underlying: A, strike: 1, lower_barrier: 2, upper_barrier: 2, barrier_type: knock_in, "
       "maturity: 1",
       "must be above lower_barrier; found 2 and 2"},
      {"product: forward_start, underlying: A, start: 2, maturity: 1", "2 is after the maturity 1"},
      {"product: cliquet, underlying: A, resets: 4, local_floor: 0.1, local_cap: 0, maturity: 1", "is below the floor"},
      {"product: european, underlying: A, strike: 1, maturity: 1, greeks: [delta, vegga]", "did you mean 'vega'?"},
      {"product: european, underlying: A, strike: 1, maturity: 1, greeks: [vega, vega]", "'vega' stands here twice"},
      {"product: european, underlying: B, strike: 1, maturity: 1, parameter_greeks: [kapa]", "did you mean 'kappa'?"},
      {"product: european, underlying: A, strike: 1, maturity: 1, parameter_greeks: [kappa]",
       "is no parameter of this"},
      {"product: european, underlying: A, strike: 1, maturity: 1, paths: 0", "allowed is at least 1"},
      {"product: european, underlying: A, strike: 1, maturity: 1, tolerance: {confidence: 0.9}",
       "`absolute`, `relative` or both"},
      {"product: european, underlying: A, strike: 1, maturity: 1, id: ''", "is empty"},
      {"product: exchange, underlyings: [A, B], maturity: 1, correlation: 1.5", "allowed is at least -1, at most 1"},
      {"product: exchange, underlyings: [A, B], maturity: 1, correlation: {order: [A, C], matrix: [[1, 0], [0, 1]]}",
       "the market has no 'C'"},
  });
}

TEST_CASE("Limits that degenerate are accepted: maturity, strike and volatility 0, negative rates") {
  CHECK(refusal(vanilla("quantity: -3")).text.empty());
  CHECK(refusal(book("product: european, underlying: A, strike: 0, maturity: 0")).text.empty());
  CHECK(refusal(one_underlying("spot: 1, rate: -0.01, dividend_yield: -0.02, model: gbm, volatility: 0")).text.empty());
  CHECK(refusal(book("product: asian, underlying: A, strike: 1, fixings: 1, past_fixings: [3], maturity: 1"))
            .text.empty());
}

TEST_CASE("What does not fit a model is refused") {
  const std::vector<Case> cases = {
      {"spot: 1, model: gbm, volatility: -0.1", "allowed is at least 0"},
      {"spot: 1, model: gbm", "'market.underlyings.X.volatility' is required"},
      {"model: gbm, volatility: 0.1", "'market.underlyings.X.spot' is required"},
      {"spot: 1, volatility: 0.1", "'market.underlyings.X.model': expected one of"},
      {"spot: 1, model: gbm, volatility: [[1, 0.3], [2, 0.2]]", "total variance falls from 0.09 at time 1"},
      {"spot: 1, model: gbm, volatility: [[1, 0.2], [1, 0.2]]", "must ascend; found 1 after 1"},
      {"spot: 1, model: gbm, volatility: [[0, 0.2], [1, 0.2]]", "allowed is greater than 0"},
      {"spot: 1, model: gbm, volatility: [0.2, 0.3]", "expected a number, or nodes"},
      {"spot: 1, model: gbm, volatility: []", "expected a number, or nodes"},
      {"spot: 1, model: gbm, volatility: 0.2, v0: 0.1", "unknown key 'v0'"},
      {"spot: 1, model: gbm, volatility: 0.2, cash_dividends: [[1, 2], [1, 2]]", "must ascend"},
      {"spot: 1, model: gbm, volatility: 0.2, cash_dividends: [[1, 0]]", "allowed is greater than 0"},
      {"spot: 1, model: cev, cev_sigma: 0.2, cev_beta: 1, cash_dividends: [[1, 2]]", "are for `model: gbm` alone"},
      {"spot: 1, model: heston, v0: 0.04, kappa: -1, theta: 0.04, sigma_v: 0.3, rho: 0", "kappa': found '-1'"},
      {"spot: 1, model: heston, v0: 0.04, kappa: 1, theta: 0.04, sigma_v: 0.3, rho: -1.1", "rho': found '-1.1'"},
      {"spot: 1, model: kou_jump, volatility: 0.2, jump_intensity: 1, jump_up_prob: 0.4, eta_up: 1, eta_down: 5",
       "eta_up': found '1', allowed is greater than 1"},
      {"spot: 1, model: local_volatility", "needs `strikes`, `maturities` and `local_volatility`, or `file`"},
      {"spot: 1, model: local_volatility, strikes: [1, 2], maturities: [1], local_volatility: [[0.2]]",
       "row 1 has 1 numbers; there must be one for each of the 2 strikes"},
      {"spot: 1, model: local_volatility, strikes: [2, 1], maturities: [1], local_volatility: [[0.2, 0.2]]",
       "must ascend"},
  };
  for (const Case& c : cases) {
    const Refusal refused = refusal(one_underlying(c.keys));
    INFO(c.keys << "\n" << refused.text);
    CHECK(refused.code == io::ExitCode::config);
    CHECK(refused.has(c.message));
    CHECK(refused.has("c.yaml:3:"));
  }
  CHECK(refusal("market: {underlyings: {}}\noptions: [{product: european, strike: 1, maturity: 1}]\n")
            .has("'market.underlyings' is required and is empty"));
  CHECK(refusal("options: []\n").has("'options' is required and has no items"));
  CHECK(refusal("market: {underlyings: {X: 3}}\n").has("'market.underlyings.X': expected a mapping"));
}

TEST_CASE("A number that looks like per cent is warned about, and so is a violated Feller condition") {
  const auto warnings = [](const std::string& keys) {
    const auto all = read_settings(one_underlying(keys)).result.warnings;
    return all.size() == 1 ? all[0] : std::to_string(all.size()) + " warnings";
  };
  CHECK(warnings("spot: 1, rate: 5, model: gbm, volatility: 0.2")
            .find("c.yaml:3:24: 'market.underlyings.X.rate': found "
                  "'5': is this per cent") == 0);
  CHECK(warnings("spot: 1, model: gbm, volatility: 20").find("20 % is 0.2") != std::string::npos);
  CHECK(warnings("spot: 1, rate: 1, model: gbm, volatility: 3") == "0 warnings");
  CHECK(
      warnings("spot: 1, model: heston, v0: 0.04, kappa: 0.5, theta: 0.04, sigma_v: 1, rho: -0.9")
          .find("'market.underlyings.X.sigma_v': the Feller condition 2 kappa theta >= sigma_v^2 does not hold (0.04 < "
                "1)") != std::string::npos);
  CHECK(warnings("spot: 1, model: heston, v0: 0.04, kappa: 2, theta: 0.04, sigma_v: 0.3, rho: -0.9") == "0 warnings");
  CHECK(
      warnings("spot: 1, model: heston, v0: 0.04, kappa: 110, theta: 0.04, sigma_v: 0.3, rho: -0.9")
          .find("252 steps a year are few for the kappa of X: the bias from steps cannot be relied on; steps_per_year "
                "of 440 or more will do") != std::string::npos);
}

TEST_CASE("Lives and prices too small to be told from nothing are refused, and dates without number") {
  const auto of = [](const std::string& spot, const std::string& option) {
    return refusal("market: {underlyings: {X: {spot: " + spot + ", model: gbm, volatility: 0.2}}}\noptions: [{" +
                   option + "}]\n");
  };
  CHECK(of("1", "product: european, strike: 1, maturity: 1e-7")
            .has("'options.0.maturity': 1e-07 years is less than 1e-6 (half a minute)"));
  CHECK(of("1e-31", "product: european, strike: 1, maturity: 1").has("spot': must be at least 1e-30"));
  CHECK(of("1", "product: asian, strike: 1, maturity: 1, fixings: 1e9").has("fixings': found '1e9', allowed is"));
  CHECK(of("1", "product: bermudan, strike: 1, maturity: 1, exercise_dates: 1e6")
            .has("exercise_dates': found '1e6', allowed is"));
}

TEST_CASE("Ids that stand twice and rates that differ within one option are refused") {
  CHECK(refusal(market + "options:\n  - {id: x, product: european, underlying: A, strike: 1, maturity: 1}\n"
                         "  - {id: x, product: european, underlying: A, strike: 2, maturity: 1}\n")
            .has("c.yaml:8:10: 'options.1.id': 'x' is the id of options.0 too"));
  CHECK(refusal(market + "    C: {spot: 1, rate: 0.04, model: gbm, volatility: 0.2}\n"
                         "options: [{product: exchange, underlyings: [A, C], maturity: 1}]\n")
            .has("'A' and 'C' have different rates"));
  CHECK(refusal(market + "    C: {spot: 1, rate: 0.03, model: gbm, volatility: 0.2}\n"
                         "options: [{product: exchange, underlyings: [A, C], maturity: 1}]\n")
            .text.empty());
}

TEST_CASE("Overrides reach the settings and carry the same hints") {
  CHECK(read_settings(vanilla(), "monte_carlo.paths=123").settings.monte_carlo.paths == 123);
  CHECK(read_settings(vanilla(), "market.underlyings.A.spot=7").settings.market.underlyings[0].spot == 7);
  CHECK(read_settings(vanilla(), "options.0.maturity=3").settings.options[0].maturity == 3);
  const Refusal refused = refusal(vanilla(), "monte_carlo.pathes=3");
  CHECK(refused.code == io::ExitCode::command_line);
  CHECK(refused.has("--set monte_carlo.pathes: unknown key 'pathes'; did you mean 'paths'?"));
}
