// Books of options through the program: what its results promise.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <map>

#include "sim/options/csv.hpp"
#include "tests/sim/program.hpp"

using namespace ergode;
using namespace ergode::testing;

namespace {

using Row = std::map<std::string, std::string>;

double number(const Row& row, const std::string& column) {
  return std::stod(row.at(column));
}

/// The rows of results.csv by id.
std::map<std::string, Row> price(const std::string& config) {
  const TemporaryDirectory d;
  spill(d / "book.yaml", config);
  const Outcome outcome =
      Child(d.path(), {"run", d / "book.yaml", "-o", d / "run", "--device", "cpu", "-q"}, {}, ERGODE_PROGRAM).wait();
  INFO(outcome.error);
  REQUIRE(outcome.code == 0);
  const auto table = sim::options::read_csv_rows(d / "run/results.csv");
  std::map<std::string, Row> rows;
  for (std::size_t r = 1; r < table.size(); ++r)
    for (std::size_t c = 0; c < table[r].cells.size(); ++c)
      rows[table[r].cells[0].text][table[0].cells[c].text] = table[r].cells[c].text;
  return rows;
}

const std::string head =
    "simulation: option_pricing\n"
    "seed: 11\n"
    "monte_carlo: {paths: 4096, steps_per_year: 12}\n"
    "market:\n"
    "  rate: 0.03\n"
    "  underlyings:\n"
    "    A: {spot: 100, dividend_yield: 0.01, model: gbm, volatility: 0.2}\n"
    "    H: {spot: 100, model: heston, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.4, rho: -0.6}\n"
    "    L: {spot: 99, model: heston, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.4, rho: -0.6}\n"
    "    U: {spot: 101, model: heston, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.4, rho: -0.6}\n"
    "    J: {spot: 110, model: kou_jump, volatility: 0.2, jump_intensity: 1, jump_up_prob: 0.4, eta_up: 12, eta_down: "
    "9}\n"
    "  correlation: 0.3\n"
    "options:\n";

}  // namespace

TEST_CASE("an option has the same numbers, bit for bit, alone, in a book and in any order") {
  const std::vector<std::string> options{
      "  - {id: call, product: european, underlying: A, strike: 100, maturity: 1, greeks: [delta, gamma, vega]}\n",
      "  - {id: in, product: barrier, type: put, underlying: A, strike: 100, barrier: 85, barrier_type: down_in, "
      "maturity: 1, greeks: [delta]}\n",
      "  - {id: out, product: barrier, type: put, underlying: A, strike: 100, barrier: 85, barrier_type: down_out, "
      "maturity: 1}\n",
      "  - {id: average, product: asian, underlying: H, strike: 100, fixings: 4, maturity: 1, greeks: [vega]}\n",
      "  - {id: low, product: lookback, underlying: J, maturity: 0.5}\n",
      "  - {id: best, product: rainbow, underlyings: [H, J], strike: 105, maturity: 1, greeks: [delta]}\n",
      "  - {id: early, product: bermudan, type: put, underlying: A, strike: 105, maturity: 1, exercise_dates: 4, "
      "lsm: {order: 3, training_paths: 1024}}\n",
      "  - {id: late, product: european, underlying: A, strike: 110, maturity: 1, tolerance: {absolute: 0.5, "
      "max_paths: 100000}}\n"};
  std::string forth = head, back = head;
  for (std::size_t i = 0; i < options.size(); ++i) {
    forth += options[i];
    back += options[options.size() - 1 - i];
  }
  const auto book = price(forth), reversed = price(back);
  REQUIRE(book.size() == options.size());
  CHECK(book == reversed);
  for (const std::string& option : options) {
    const auto alone = price(head + option);
    REQUIRE(alone.size() == 1);
    const auto& [id, row] = *alone.begin();
    INFO(id);
    // Alone there are the columns of its own Greeks only.
    for (const auto& [column, text] : row) {
      INFO(column);
      CHECK(book.at(id).at(column) == text);
    }
  }
}

TEST_CASE("at maturity 0 every option is worth what it pays now") {
  struct Case {
    std::string keys;
    double value;
  };
  const std::vector<Case> cases{
      {"product: european, underlying: A, strike: 95", 5},
      {"product: digital, underlying: H, strike: 95, cash: 3", 3},
      {"product: asian, underlying: A, strike: 95, fixings: 4", 5},
      {"product: barrier, underlying: A, strike: 95, barrier: 90, barrier_type: down_out, rebate: 2", 5},
      {"product: double_barrier, underlying: J, strike: 95, lower_barrier: 80, upper_barrier: 105, barrier_type: "
       "knock_out, rebate: 2",
       2},
      {"product: lookback, type: put, strike_type: fixed, strike: 105, underlying: H", 5},
      {"product: basket, underlyings: [A, J], strike: 95", 10},
      {"product: exchange, underlyings: [J, A]", 10},
      {"product: forward_start, start: 0, moneyness: 0.9, underlying: A", 10},
      {"product: cliquet, resets: 3, underlying: A", 0},
      {"product: autocallable, underlying: A, observations: 4, coupon: 0.05, knock_in_barrier: 0.6", 1.05},
      {"product: autocallable, underlying: A, observations: 4, autocall_level: 1.1, knock_in_barrier: 0.6", 1},
      {"product: bermudan, type: put, underlying: A, strike: 105, exercise_dates: 3, lsm: {training_paths: 64}", 5},
      {"product: american, type: put, underlying: H, strike: 105, lsm: {training_paths: 64}", 5},
      {"product: bermudan, type: call, payoff: max, underlyings: [A, J], strike: 105, exercise_dates: 3, "
       "lsm: {training_paths: 64}",
       5}};
  std::string config = head;
  for (const Case& c : cases) config += "  - {" + c.keys + ", maturity: 0}\n";
  const auto rows = price(config);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i].keys);
    const Row& row = rows.at("option-" + std::to_string(i + 1));
    CHECK(std::abs(number(row, "price") - cases[i].value) < 1e-5);
    CHECK(number(row, "standard_error") < 1e-5);
    if (!row.at("bias").empty()) CHECK(std::abs(number(row, "bias")) < 1e-5);
  }
}

TEST_CASE("gamma and rho where the control variate's own are 0") {
  // Truth: differences of the closed forms beside them. Two bounds of 4.5 standard errors: 1 false alarm in 70,000.
  const auto european = [](const std::string& keys) {
    return "  - {product: european, strike: 100, maturity: 1, " + keys + "}\n";
  };
  const auto rows = price(head + european("id: middle, underlying: H, greeks: [gamma, rho]") +
                          european("id: down, underlying: L") + european("id: up, underlying: U"));
  std::string moved = head;
  moved.replace(moved.find("rate: 0.03"), 10, "rate: 0.031");
  const auto dearer = price(moved + european("id: middle, underlying: H"));
  const auto reference = [&](const std::string& id) { return number(rows.at(id), "reference_value"); };
  const Row& middle = rows.at("middle");
  CHECK(middle.at("variance_reduction").find("spot") != std::string::npos);
  const double gamma = reference("up") - 2 * reference("middle") + reference("down");
  CHECK(std::abs(number(middle, "gamma") - gamma) < 4.5 * number(middle, "gamma_standard_error") + 0.01 * gamma);
  const double rho = (number(dearer.at("middle"), "reference_value") - reference("middle")) / 0.001;
  CHECK(std::abs(number(middle, "rho") - rho) < 4.5 * number(middle, "rho_standard_error") + 0.01 * rho);
  CHECK(number(middle, "gamma_standard_error") < 0.2 * gamma);
  CHECK(number(middle, "rho_standard_error") < 0.05 * rho);
}
