#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <map>

#include "sim/options/csv.hpp"
#include "tests/sim/program.hpp"

// What goes wrong with a book of options, through the program: the exit code, and what the message names. And what only
// looks wrong: options whose price is a limit that needs no chance.

using namespace ergode;
using namespace ergode::testing;

namespace {

const std::string head =
    "simulation: option_pricing\n"
    "name: b\n"
    "seed: 1\n"
    "monte_carlo: {paths: 4096, steps_per_year: 12}\n"
    "market:\n"
    "  rate: 0.03\n"
    "  underlyings:\n"
    "    A: {spot: 100, model: gbm, volatility: 0.2}\n"
    "    B: {spot: 100, model: gbm, volatility: 0.2}\n"
    "    C: {spot: 100, model: gbm, volatility: 0.2}\n";
const std::string call = "options: [{id: a, product: european, underlying: A, strike: 100, maturity: 1}]\n";
const std::string table = "options: {file: book.csv}\n";
const std::string columns = "id,product,type,underlying,strike,maturity\n";

struct Place : TemporaryDirectory {
  explicit Place(const std::string& config) { spill(*this / "run.yaml", config); }
  Outcome program(std::vector<std::string> arguments, const std::function<void()>& setup = {}) const {
    return Child(path(), std::move(arguments), setup, ERGODE_PROGRAM).wait();
  }
  Outcome run(const std::vector<std::string>& sets = {}, const std::vector<std::string>& more = {},
              const std::function<void()>& setup = {}) const {
    std::vector<std::string> arguments{"run", *this / "run.yaml", "-o", *this / "run", "--device", "cpu", "-q"};
    for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return program(arguments, setup);
  }
  Outcome validate(const std::vector<std::string>& sets) const {
    std::vector<std::string> arguments{"validate", *this / "run.yaml", "--device", "cpu"};
    for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
    return program(arguments);
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
int times(const std::string& text, const std::string& part) {
  int n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

void check(const Outcome& outcome, int code, const std::vector<std::string>& says) {
  INFO(outcome.out << outcome.error);
  CHECK(outcome.signal == 0);
  CHECK(outcome.code == code);
  for (const std::string& text : says) {
    INFO(text);
    CHECK(has(outcome.error, text));
  }
}

/// Refused with all of `says`, and nothing written.
void check_refused(const std::string& config, int code, const std::vector<std::string>& says,
                   const std::vector<std::string>& sets = {}) {
  const Place p(config);
  check(p.run(sets), code, says);
  CHECK_FALSE(fs::exists(p / "run"));
}
void check_table_refused(const std::string& rows, const std::vector<std::string>& says) {
  const Place p(head + table);
  if (!rows.empty()) spill(p / "book.csv", rows);
  check(p.run(), 4, says);
  CHECK_FALSE(fs::exists(p / "run"));
}

std::string with(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

using Row = std::map<std::string, std::string>;

std::map<std::string, Row> rows_of(const fs::path& csv) {
  const auto cells = sim::options::read_csv_rows(csv);
  std::map<std::string, Row> rows;
  for (std::size_t r = 1; r < cells.size(); ++r)
    for (std::size_t c = 0; c < cells[r].cells.size(); ++c)
      rows[cells[r].cells[0].text][cells[0].cells[c].text] = cells[r].cells[c].text;
  return rows;
}

const std::string indefinite = "{order: [A, B, C], matrix: [[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]]";
const std::string basket = "options: [{product: basket, underlyings: [A, B, C], strike: 100, maturity: 1}]\n";

}  // namespace

TEST_CASE("misspelt and duplicate keys, wrong types and values of a book are refused, all at once") {
  check_refused(with(head, "spot: 100, model: gbm", "spto: 100, model: gbm") + with(call, "strike", "strkie"), 3,
                {"run.yaml:8:9: unknown key 'spto'; did you mean 'spot'?",
                 "run.yaml:11:53: unknown key 'strkie'; did you mean 'strike'?"});
  check_refused(with(head, "    B: {", "    A: {") + call, 3, {"run.yaml:9:5", "'A'", "line 8, column 5"});
  check_refused(head + with(call, "strike: 100", "strike: 100, strike: 90"), 3,
                {"run.yaml:11:66", "'strike'", "line 11, column 53"});
  check_refused(with(head, "paths: 4096", "paths: 1.5") + call, 3, {"run.yaml:4:22", "'monte_carlo.paths'", "'1.5'"});
  check_refused(with(head, "paths: 4096", "paths: 08") + call, 3, {"run.yaml:4:22", "'08'"});
  check_refused(with(head, "volatility: 0.2", "volatility: yes") + call, 3, {"run.yaml:8:44", "'yes'", "number"});
  check_refused(with(head, "volatility: 0.2", "volatility: .nan") + call, 3, {"run.yaml:8:44", "'.nan'", "finite"});
  check_refused(with(head, "volatility: 0.2", "volatility: -0.2") + call, 3, {"run.yaml:8:44", "'-0.2'", "at least 0"});
  check_refused(with(head, "rate: 0.03", "rate: .inf") + call, 3, {"run.yaml:6:9", "'.inf'", "finite"});
  check_refused(with(head, "spot: 100", "spot: 0") + call, 3, {"run.yaml:8:15", "'0'", "greater than 0"});
  check_refused(with(head, "paths: 4096", "paths: 0") + call, 3, {"run.yaml:4:22", "'0'", "at least 1"});
  check_refused(with(head, "steps_per_year: 12", "steps_per_year: 0") + call, 3,
                {"run.yaml:4:44", "'0'", "at least 1"});
  check_refused(head + with(call, "maturity: 1", "maturity: -1"), 3, {"run.yaml:11:76", "'-1'", "at least 0"});
  check_refused(head + call + "\tx: 1\n", 3, {"run.yaml:12:", "not valid YAML"});
  check_refused(head + "options: []\n", 3, {"'options'"});
}

TEST_CASE("an override of a path that is not there is refused with 2 and the nearest key") {
  check_refused(head + call, 2, {"--set monte_carlo.pathes", "unknown key 'pathes'", "did you mean 'paths'?"},
                {"monte_carlo.pathes=3"});
  check_refused(head + call, 2, {"options.7"}, {"options.7.strike=3"});
  check_refused(head + call, 2, {"monte_carlo.paths"}, {"monte_carlo.paths"});
}

TEST_CASE("a rate or a volatility that looks like per cent is warned about, and runs") {
  const Place p(head + call);
  check(p.run({"market.rate=5"}), 0, {"warning", "'market.rate'", "'5'", "per cent"});
  check(p.run({"market.underlyings.A.volatility=20"}, {"--exists", "overwrite"}), 0,
        {"warning", "'market.underlyings.A.volatility'", "'20'", "per cent"});
}

TEST_CASE("a bad table of options is refused with its row") {
  const std::string first = columns + "a,european,call,A,100,1\n";
  check_table_refused("", {"book.csv", "no such file"});
  check_table_refused(first + "b,european,call,A,nan,1\n", {"book.csv:3:19", "'nan'", "strike"});
  check_table_refused(first + "b,european,call,A,100,inf\n", {"book.csv:3:23", "'inf'", "maturity"});
  check_table_refused(first + "a,european,put,A,90,1\n", {"book.csv:3:1", "'a'", "ids must differ"});
  check_table_refused(first + "b,european,put,A\n", {"book.csv:3:1", "4 cells, the header 6"});
  check_table_refused(first + "b,european,put,A,100,1,9\n", {"book.csv:3:1", "7 cells, the header 6"});
  check_table_refused(first + "b,europaen,put,A,100,1\nc,european,put,X,-3,1\n",
                      {"book.csv:3:3", "did you mean 'european'?", "book.csv:4:18", "'-3'"});
  check_table_refused("id,product,type,underlying,strike,maturity,extra\na,european,call,A,100,1,2\n",
                      {"book.csv:1:44", "'extra'"});
  check_table_refused(columns, {"book.csv:1:1", "no option"});
  const Place good(head + table);
  spill(good / "book.csv", first + "b,european,put,A,100,1\n");
  CHECK(good.run().code == 0);
}

TEST_CASE("a file of local volatilities that is missing, cut off or not finite is refused") {
  const std::string config =
      with(head, "model: gbm, volatility: 0.2", "model: local_volatility, file: grid.csv") + call;
  const auto refused = [&](const std::string& grid, const std::vector<std::string>& says) {
    const Place p(config);
    if (!grid.empty()) spill(p / "grid.csv", grid);
    check(p.run(), 4, says);
    CHECK_FALSE(fs::exists(p / "run"));
  };
  refused("", {"grid.csv"});
  refused("t,90,110\n0.5,0.2,0.2\n1,0.2\n", {"grid.csv:3"});
  refused("t,90,110\n0.5,0.2,0.2\n1,0.2,nan\n", {"grid.csv:3", "nan"});
  const Place good(config);
  spill(good / "grid.csv", "t,90,110\n0.5,0.2,0.2\n1,0.2,0.2\n");
  check(good.run(), 0, {});
}

TEST_CASE("a path that is not finite ends the run with option, path and step, and its last checkpoint stays") {
  // The sum of the fixings, a quarter of S each, passes the largest float, 3.4e38, where the normal is at some 4:
  // rarely, and so not at once.
  const std::string config =
      with(head, "{spot: 100, model: gbm, volatility: 0.2}", "{spot: 2e37, model: gbm, volatility: 1}") +
      "options: [{id: far, product: asian, underlying: A, strike: 4e37, fixings: 4, maturity: 1}]\n"
      "checkpoint: {every: 1 steps}\n";
  const Place p(with(config, "paths: 4096", "paths: 400000, antithetic: false"));
  const Outcome outcome = p.run({}, {"--threads", "2"});
  check(outcome, 8, {"option far", "not finite", "first path ", ", step ", "checkpoint.h5 (unit "});
  CHECK(fs::exists(p / "run" / "checkpoint.h5"));
  CHECK_FALSE(fs::exists(p / "run" / "results.h5"));

  // It is the first: with as many paths as there are before it all is well, with one more it is not.
  const std::string mark = "first path ";
  REQUIRE(has(outcome.error, mark));
  const std::string path = std::to_string(std::stoll(outcome.error.substr(outcome.error.find(mark) + mark.size())));
  CHECK(path != "0");
  check(p.run({"monte_carlo.paths=" + path}, {"--exists", "overwrite"}), 0, {});
  const Outcome again =
      p.run({"monte_carlo.paths=" + std::to_string(std::stoll(path) + 1)}, {"--exists", "overwrite", "--threads", "1"});
  check(again, 8, {"option far", mark + path + ", step "});
}

TEST_CASE("overflow in every path is an error by the option's name, with early exercise and under Heston too") {
  const std::string market =
      with(with(head, "rate: 0.03", "rate: 50"), "B: {spot: 100, model: gbm, volatility: 0.2}",
           "B: {spot: 100, model: heston, v0: 0.04, kappa: 2, theta: 0.04, sigma_v: 0.2, rho: 0}");
  for (const std::string option :
       {"product: european, underlying: A, strike: 100", "product: lookback, underlying: A",
        "product: asian, underlying: B, strike: 100, fixings: 12",
        "product: american, type: call, underlying: A, strike: 1, lsm: {training_paths: 256}"}) {
    INFO(option);
    const Place p(market + "options: [{id: x-1, maturity: 5, " + option + "}]\n");
    check(p.run({"monte_carlo.paths=1024"}), 8, {"x-1", "not finite", "path"});
    CHECK_FALSE(fs::exists(p / "run" / "results.csv"));
  }
}

TEST_CASE("infinity less infinity is no price of 0") {
  // Spots of 100 e^240 are beyond float; no control variate is there to show it.
  const Place p(with(with(head, "rate: 0.03", "rate: 60"), "paths: 4096", "paths: 512, control_variate: none") + call);
  for (const std::string option :
       {"product: exchange, underlyings: [A, B]", "product: spread, underlyings: [A, B], strike: 1",
        "product: asian, strike_type: floating, fixings: 4, underlying: A"}) {
    INFO(option);
    check(p.run({"options=[{id: x-1, maturity: 4, " + option + "}]"}, {"--exists", "overwrite"}), 8,
          {"option x-1", "not finite", "path"});
  }
}

TEST_CASE("an upper bound that is not finite is an error, with its outer path") {
  // Three spots in 100,000 pass the largest float: of the many inner paths, and not of the 512 that train and price.
  const Place p(with(with(head, "{spot: 100, model: gbm, volatility: 0.2}", "{spot: 1e37, model: gbm, volatility: 1}"),
                     "paths: 4096", "paths: 512") +
                "options: [{id: early, product: bermudan, type: call, underlying: A, strike: 1e37, exercise_dates: 4, "
                "maturity: 1, lsm: {order: 2, training_paths: 512, upper_bound: true, inner_paths: 128}}]\n");
  check(p.run(), 8, {"option early", "upper bound", "not finite", "outer path "});
}

TEST_CASE("options whose price needs no chance have their limit, with an error of nothing and no NaN") {
  struct Limit {
    std::string keys;
    double value;
  };
  const double r = 0.03, q = 0.01, growth = std::exp(r - q), discount = std::exp(-r), forward = 100 * growth;
  const auto at = [&](double t) { return 100 * std::exp((r - q) * t); };
  const auto paid = [&](double t) { return std::exp(-r * t); };
  const double mean = (at(0.25) + at(0.5) + at(0.75) + at(1)) / 4;
  const double hit = std::log(1.01) / (r - q);  // the time at which the forward is at 101
  std::vector<Limit> limits;
  // Volatility 0: the forward, in each model. A variance of 0 stays at 0 where its mean is 0.
  for (const std::string z : {"Z", "H", "E", "M", "K", "L"}) {
    limits.push_back({"product: european, strike: 100, underlying: " + z, discount * (forward - 100)});
    limits.push_back({"product: european, type: put, strike: 105, underlying: " + z, discount * (105 - forward)});
    limits.push_back({"product: european, type: put, strike: 95, underlying: " + z, 0});
  }
  for (
      const Limit& limit : std::vector<Limit>{
          {"product: digital, underlying: Z, strike: 100, cash: 3", 3 * discount},
          {"product: asian, underlying: Z, strike: 90, fixings: 4", discount * (mean - 90)},
          {"product: asian, average: geometric, underlying: Z, strike: 90, fixings: 4", discount * (at(0.625) - 90)},
          {"product: barrier, underlying: Z, strike: 100, barrier: 101, barrier_type: up_in",
           discount * (forward - 100)},
          {"product: barrier, underlying: Z, strike: 100, barrier: 90, barrier_type: down_out, rebate: 3",
           discount * (forward - 100)},
          {"product: barrier, underlying: Z, strike: 100, barrier: 90, barrier_type: down_in, rebate: 3", 3 * discount},
          {"product: double_barrier, underlying: Z, strike: 100, lower_barrier: 90, upper_barrier: 110, barrier_type: "
           "knock_out",
           discount * (forward - 100)},
          {"product: double_barrier, underlying: Z, strike: 100, lower_barrier: 90, upper_barrier: 101, barrier_type: "
           "knock_out",
           0},
          {"product: lookback, underlying: Z", discount * (forward - 100)},
          {"product: lookback, type: put, strike_type: fixed, strike: 101, underlying: Z", discount},
          {"product: forward_start, underlying: Z, start: 0.5", discount * (forward - at(0.5))},
          {"product: cliquet, underlying: Z, resets: 4, local_cap: 0.004", 0.016 * discount},
          {"product: variance_swap, underlying: Z, monitoring: continuous", 0},
          {"product: variance_swap, underlying: Z, fixings: 4", 4 * std::pow((r - q) / 4, 2)},
          {"product: bermudan, type: put, underlying: Z, strike: 110, exercise_dates: 4, lsm: {training_paths: 256}",
           paid(0.25) * (110 - at(0.25))},
          {"product: american, type: put, underlying: Z, strike: 110, lsm: {training_paths: 256}", 10},
          {"product: exchange, underlyings: [Z, E]", 0},
          {"product: autocallable, underlying: Z, observations: 4, coupon: 0.05, autocall_level: 1.01, "
           "knock_in_barrier: 0.6",
           1.05 * paid(0.5)},
          // strike 0
          {"product: european, type: put, underlying: A, strike: 0", 0},
          {"product: digital, underlying: A, strike: 0", discount},
          {"product: american, type: put, underlying: A, strike: 0, lsm: {training_paths: 256}", 0},
          // a continuous barrier that the spot is beyond, or at
          {"product: barrier, underlying: A, strike: 100, barrier: 110, barrier_type: down_out, rebate: 3", 3},
          {"product: barrier, underlying: A, strike: 100, barrier: 110, barrier_type: down_out, rebate: 3, rebate_at: "
           "at_maturity",
           3 * discount},
          {"product: barrier, type: put, underlying: A, strike: 100, barrier: 100, barrier_type: up_out, rebate: 3", 3},
          {"product: barrier, underlying: H, strike: 90, barrier: 110, barrier_type: down_in",
           discount * (forward - 90)},
          {"product: double_barrier, underlying: A, strike: 100, lower_barrier: 110, upper_barrier: 120, barrier_type: "
           "knock_out, rebate: 2",
           2},
          // nothing left to fix
          {"product: asian, underlying: A, strike: 100, fixings: 3, past_fixings: [100, 110, 120]", 10 * discount},
          {"product: asian, average: geometric, underlying: A, strike: 100, fixings: 2, past_fixings: [100, 144]",
           20 * discount},
          {"product: asian, underlying: A, strike: 200, fixings: 2, past_fixings: [100, 110]", 0}})
    limits.push_back(limit);
  std::string config =
      "simulation: option_pricing\nseed: 1\nmonte_carlo: {paths: 2048, steps_per_year: 12}\n"
      "market:\n  rate: 0.03\n  underlyings:\n"
      "    A: {spot: 100, model: gbm, volatility: 0.2}\n"
      "    Z: {spot: 100, dividend_yield: 0.01, model: gbm, volatility: 0}\n"
      "    H: {spot: 100, dividend_yield: 0.01, model: heston, v0: 0, kappa: 1.5, theta: 0, sigma_v: 0.3, rho: -0.6}\n"
      "    E: {spot: 100, dividend_yield: 0.01, model: cev, cev_sigma: 0, cev_beta: 0.5}\n"
      "    M: {spot: 100, dividend_yield: 0.01, model: merton_jump, volatility: 0, jump_intensity: 0, jump_mean: 0, "
      "jump_stddev: 0}\n"
      "    K: {spot: 100, dividend_yield: 0.01, model: kou_jump, volatility: 0, jump_intensity: 0, jump_up_prob: 0.5, "
      "eta_up: 10, eta_down: "
      "10}\n"
      "    L: {spot: 100, dividend_yield: 0.01, model: local_volatility, strikes: [90, 110], maturities: [1], "
      "local_volatility: [[0, 0]]}\n"
      "options:\n";
  for (const Limit& limit : limits)
    config += "  - {greeks: [delta, gamma, vega, rho], maturity: 1, " + limit.keys + "}\n";
  // The rebate is paid between two steps: exact to the bias that is stated.
  config +=
      "  - {id: rebate, product: barrier, underlying: Z, strike: 100, barrier: 101, barrier_type: up_out, rebate: 3, "
      "maturity: 1}\n";
  const Place p(config);
  check(p.run(), 0, {});
  const std::string csv = slurp(p / "run/results.csv");
  CHECK_FALSE(has(csv, "nan"));
  CHECK_FALSE(has(csv, "inf,"));
  const auto rows = rows_of(p / "run/results.csv");
  for (std::size_t i = 0; i < limits.size(); ++i) {
    INFO(limits[i].keys);
    const Row& row = rows.at("option-" + std::to_string(i + 1));
    INFO(row.at("price") << " for " << limits[i].value);
    CHECK(std::abs(std::stod(row.at("price")) - limits[i].value) < 1e-4);  // paths in float
    CHECK(std::stod(row.at("standard_error")) < 1e-5);
  }
  const Row& rebate = rows.at("rebate");
  CHECK(std::abs(std::stod(rebate.at("price")) - 3 * paid(hit)) <= 1.1 * std::abs(std::stod(rebate.at("bias"))));
}

TEST_CASE("a strike of 0 gives the asset, and a barrier behind the spot the vanilla") {
  // Bounds of 5 standard errors: 1 false alarm in 300,000 for all.
  const Place p(
      head +
      "options:\n"
      "  - {id: asset, product: european, underlying: A, strike: 0, maturity: 1}\n"
      "  - {id: in, product: barrier, underlying: A, strike: 100, barrier: 110, barrier_type: down_in, maturity: 1}\n"
      "  - {id: vanilla, product: european, underlying: A, strike: 100, maturity: 1}\n"
      "  - {id: average, product: asian, underlying: A, strike: 0, fixings: 2, maturity: 1}\n");
  check(p.run(), 0, {});
  const auto rows = rows_of(p / "run/results.csv");
  const auto number = [&](const char* id, const char* column) { return std::stod(rows.at(id).at(column)); };
  const auto near = [&](const char* id, double value) {
    INFO(id);
    const double error = number(id, "standard_error");
    CHECK(error > 0);
    CHECK(error < 0.5);
    CHECK(std::abs(number(id, "price") - value) < 5 * error + 1e-4);
  };
  near("asset", 100);
  near("average", 50 * (1 + std::exp(-0.015)));
  const double d = (0.03 + 0.02) / 0.2, truth = 50 * std::erfc(-d / std::sqrt(2.0)) -
                                                50 * std::exp(-0.03) * std::erfc(-(d - 0.2) / std::sqrt(2.0));
  near("vanilla", truth);
  near("in", truth);
}

TEST_CASE("correlations that cannot be are refused with the smallest eigenvalue, or the nearest that can are taken") {
  // Eigenvalues 1.9 (twice) and -0.8.
  check_refused(head + "  correlation: " + indefinite + "}\n" + basket, 3,
                {"run.yaml:11:", "'market.correlation.matrix'", "smallest eigenvalue is -0.8", "nearest: true"});
  check_refused(head + "  correlation: {order: [A, B], matrix: [[1, 0.9], [0.8, 1]]}\n" + basket, 3,
                {"run.yaml:11:", "not symmetric", "0.8", "0.9"});
  check_refused(head + "  correlation: {order: [A, B], matrix: [[1, 1.2], [1.2, 1]]}\n" + basket, 3,
                {"run.yaml:11:", "1.2"});
  check_refused(head + "  correlation: -0.6\n" + basket, 3, {"smallest eigenvalue is -0.2"});  // 1 + 2 rho

  const Place p(head + "  correlation: " + indefinite + ", nearest: true}\n" + basket);
  check(p.run(), 0, {"warning", "smallest eigenvalue -0.8", "nearest", "up to 0.4"});
  CHECK(has(slurp(p / "run/run.log"), "up to 0.4"));
  CHECK(has(slurp(p / "run/config.used.yaml"), "nearest: true"));
  // The nearest has 0.5, 0.5 and -0.5.
  const double nearest = std::stod(rows_of(p / "run/results.csv").at("option-1").at("price"));
  const Place q(head + "  correlation: {order: [A, B, C], matrix: [[1, 0.5, -0.5], [0.5, 1, 0.5], [-0.5, 0.5, 1]]}\n" +
                basket);
  check(q.run(), 0, {});
  CHECK(std::abs(std::stod(rows_of(q / "run/results.csv").at("option-1").at("price")) - nearest) < 1e-3 * nearest);
}

TEST_CASE("Heston parameters that violate the Feller condition are said once, and price") {
  const Place p(
      "simulation: option_pricing\nseed: 1\nmonte_carlo: {paths: 4096, steps_per_year: 12}\n"
      "market:\n  underlyings:\n    H: {spot: 100, model: heston, v0: 0.04, kappa: 0.5, theta: 0.04, sigma_v: 1, rho: "
      "-0.9}\n"
      "options:\n"
      "  - {id: a, product: european, strike: 100, maturity: 1, greeks: [delta, vega]}\n"
      "  - {id: b, product: asian, strike: 100, fixings: 12, maturity: 1}\n"
      "scenarios: {spot: [0.9, 1.1]}\n");
  const Outcome outcome = p.run();
  check(outcome, 0, {"run.yaml:6:", "Feller", "(0.04 < 1)"});
  CHECK(times(outcome.error, "Feller") == 1);
  CHECK(times(slurp(p / "run/run.log"), "Feller") == 1);
  CHECK_FALSE(has(slurp(p / "run/results.csv"), "nan"));
}

TEST_CASE("dimensions beyond the Sobol numbers are said, with how many, and recorded") {
  const Place p(head + "options: [{id: a, product: asian, underlying: A, strike: 100, fixings: 1200, maturity: 1}]\n");
  const Outcome outcome = p.run(
      {"monte_carlo.rng=sobol", "monte_carlo.replications=2", "monte_carlo.paths=64", "monte_carlo.precision=float"});
  check(outcome, 0, {"option a: its paths have 1200 dimensions, the Sobol numbers 1111; the 89"});
  CHECK(has(slurp(p / "run/summary.json"), "dimensions_beyond_sobol"));
  fs::remove_all(p / "run");
  const Outcome few = p.run({"monte_carlo.rng=sobol", "monte_carlo.replications=2", "options.0.fixings=1111"});
  INFO(few.error);
  CHECK(few.code == 0);
  CHECK_FALSE(has(few.error, "Sobol"));
}

TEST_CASE("more paths than 32 bits count are valid, and end where the tolerance is met") {
  const Place p(head + call);
  const Outcome sized = p.validate({"monte_carlo.paths=1e10"});
  check(sized, 0, {});
  CHECK(has(sized.out, "work            1e+10 path steps"));
  // 4.3e9 paths, of which the first few are enough.
  check(p.run({"monte_carlo.paths=4294967299", "monte_carlo.tolerance={absolute: 0.5, max_paths: 4294967299}"}), 0, {});
  const auto row = rows_of(p / "run/results.csv").at("a");
  CHECK(row.at("status") == "done");
  CHECK(std::stoll(row.at("paths")) < 1'000'000);
}

TEST_CASE("what early exercise keeps is predicted by validate, and a run that does not fit is refused") {
  const std::string american =
      "options: [{id: a, product: american, type: put, underlying: A, strike: 100, maturity: 1, lsm: {training_paths: "
      "1e10}}]\n";
  const Place p(head + american);
  const Outcome sized = p.validate({});
  INFO(sized.out << sized.error);
  CHECK(sized.code == 6);
  CHECK(has(sized.out, "does not fit"));
  CHECK(has(sized.out, "training paths of early exercise"));
  check(p.run(), 6, {"memory"});
}

TEST_CASE("host memory that is refused to option pricing ends the run with 6") {
  const Place p(head + call);
  check(p.run({}, {}, [] { ::setenv("ERGODE_KERNEL_FAULT", "host_alloc:1", 1); }), 6, {"memory"});
}

TEST_CASE("a limit on files that the results do not fit ends with 7, and a resume writes them from the checkpoint") {
  const std::string config = head + call + "output: {save_values: 40000}\ncheckpoint: {every: 2 steps}\n";
  const Place p(with(config, "paths: 4096", "paths: 40000, antithetic: false"));
  const Outcome full = p.run({}, {}, [] {
    const rlimit limit{200000, 200000};  // 320 kB of values, checkpoints of some 10 kB
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::setenv("ERGODE_CHECKPOINT_RETRY", "0", 1);
  });
  check(full, 7, {"results.h5", "last good checkpoint"});
  CHECK(fs::exists(p / "run/checkpoint.h5"));
  CHECK_FALSE(fs::exists(p / "run/results.h5"));
  for (const auto& entry : fs::directory_iterator(p / "run")) CHECK_FALSE(has(entry.path().filename(), "tmp"));
  check(p.run({}, {"--resume"}), 0, {});
  const std::string resumed = slurp(p / "run/results.csv");
  CHECK(p.program({"verify", p / "run"}).code == 0);
  fs::rename(p / "run", p / "resumed");
  check(p.run(), 0, {});
  CHECK(p.program({"diff", p / "run", p / "resumed"}).code == 0);
  CHECK(slurp(p / "run/results.csv") == resumed);
}

TEST_CASE("too few paths for an error bar have none, and a tolerance is not met by them") {
  // One sample has no variance; two, through which a control variate's coefficient is fitted, have none either.
  const Place p(head + call);
  for (const std::string paths : {"2", "4"}) {
    INFO(paths);
    check(p.run({"monte_carlo.paths=" + paths}, {"--exists", "overwrite"}), 0, {});
    const auto row = rows_of(p / "run/results.csv").at("a");
    CHECK(row.at("paths") == paths);
    CHECK(std::isfinite(std::stod(row.at("price"))));
    CHECK(row.at("standard_error").empty());
    CHECK(row.at("confidence_low").empty());
    CHECK(row.at("z_score").empty());
  }
  check(p.run({"monte_carlo.paths=6"}, {"--exists", "overwrite"}), 0, {});
  CHECK(std::stod(rows_of(p / "run/results.csv").at("a").at("standard_error")) > 0);
  check(p.run({"monte_carlo.tolerance={absolute: 1e3, max_paths: 2}"}, {"--exists", "overwrite"}), 0, {});
  CHECK(rows_of(p / "run/results.csv").at("a").at("status") == "tolerance missed");
}
