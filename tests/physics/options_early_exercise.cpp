// Early exercise: lower bounds and dual upper bounds against exact values.
#include "tests/physics/options_book.hpp"

using namespace ergode;
using namespace ergode::testing::options;

namespace {

/// 0.995 exact - 4 errors <= lower bound <= exact + 4 errors: the policy costs half a per cent at most, and pricing
/// paths of their own leave nothing to foresight. A false alarm in 32,000.
void check_lower(const sim::options::InstrumentResult& r, double truth) {
  INFO(r.id << ": lower bound " << r.price << " +- " << r.standard_error << ", exact " << truth);
  REQUIRE(r.lower_bound.has_value());
  CHECK(*r.lower_bound == r.price);
  CHECK(*r.lower_bound_standard_error < 0.005 * truth);
  CHECK(*r.lower_bound > 0.995 * truth - 4 * *r.lower_bound_standard_error);
  CHECK(*r.lower_bound < truth + 4 * *r.lower_bound_standard_error);
}

/// Not below the exact value by more than 4 errors, and within 2 %.
void check_upper(const sim::options::InstrumentResult& r, double truth) {
  REQUIRE(r.upper_bound.has_value());
  INFO(r.id << ": upper bound " << *r.upper_bound << " +- " << *r.upper_bound_standard_error << ", exact " << truth);
  CHECK(*r.upper_bound + 4 * *r.upper_bound_standard_error > truth);
  CHECK(*r.upper_bound < 1.02 * truth);
  CHECK(*r.upper_bound_standard_error < 0.005 * truth);
}

/// A Bermudan put under gbm without dividends by the trapezoid rule over the log price, from the last date back. A node
/// lies on the strike, where the payoff has its kink.
double bermudan_put(double spot, double strike, double rate, double volatility, const std::vector<double>& dates) {
  const int n = 4000, middle = n / 2;
  const double h = 1.2 / middle;
  std::vector<double> value(n + 1), next(n + 1);
  const auto payoff = [&](int i) { return std::max(strike * (1 - std::exp((i - middle) * h)), 0.0); };
  for (int i = 0; i <= n; ++i) value[static_cast<std::size_t>(i)] = payoff(i);
  const auto weight = [&](double distance, double dt) {
    const double u = (distance - (rate - 0.5 * volatility * volatility) * dt) / (volatility * std::sqrt(dt));
    return std::exp(-0.5 * u * u - rate * dt) * h / (volatility * std::sqrt(2 * M_PI * dt));
  };
  for (std::size_t k = dates.size() - 1; k > 0; --k) {
    std::vector<double> weights;
    for (int i = -n; i <= n; ++i) weights.push_back(weight(i * h, dates[k] - dates[k - 1]));
    for (int i = 0; i <= n; ++i) {
      double hold = 0;
      for (int j = 0; j <= n; ++j)
        hold += weights[static_cast<std::size_t>(j - i + n)] * value[static_cast<std::size_t>(j)];
      next[static_cast<std::size_t>(i)] = std::max(hold, payoff(i));
    }
    value.swap(next);
  }
  double now = 0;
  for (int j = 0; j <= n; ++j)
    now += weight(std::log(strike / spot) + (j - middle) * h, dates[0]) * value[static_cast<std::size_t>(j)];
  return now;
}

std::string lsm(int training, int outer = 0, int inner = 0) {
  return ", lsm: {training_paths: " + std::to_string(training) +
         (outer > 0
              ? ", upper_bound: true, outer_paths: " + std::to_string(outer) + ", inner_paths: " + std::to_string(inner)
              : "") +
         "}";
}

std::string gbm(double spot, double rate, double yield, double volatility) {
  return "rate: " + text(rate) + ", underlyings: {A: {spot: " + text(spot) + ", dividend_yield: " + text(yield) +
         ", model: gbm, volatility: " + text(volatility) + "}}";
}

}  // namespace

// Exact Bermudan values: quadrature of the transition density with the boundary as a root at each date.

TEST_CASE("the Bermudan put of Longstaff and Schwartz has its value") {
  const auto r = price_one(
      "paths: 65536", gbm(36, 0.06, 0, 0.2),
      "id: put, product: bermudan, type: put, underlying: A, strike: 40, maturity: 1, exercise_dates: 50" + lsm(65536));
  check_lower(r, 4.47781111114);
  // Its boundary rises to the strike, and the probabilities are those of a life.
  REQUIRE(r.exercise.size() == 50);
  double sum = 0;
  for (const auto& d : r.exercise) {
    CHECK(d.probability >= 0);
    sum += d.probability;
  }
  CHECK(sum <= 1 + 1e-12);
  CHECK(sum > 0.5);
  REQUIRE(r.exercise[25].boundary.has_value());
  CHECK(*r.exercise[25].boundary > 30);
  CHECK(*r.exercise[25].boundary < 40);
  // And it is worth more than the European, whose own value it has with a single date.
  const std::string european = "id: e, product: european, type: put, underlying: A, strike: 40, maturity: 1";
  CHECK(r.price > exact(gbm(36, 0.06, 0, 0.2), european) + 20 * r.standard_error);
  const auto once = price_one(
      "paths: 65536", gbm(36, 0.06, 0, 0.2),
      "id: once, product: bermudan, type: put, underlying: A, strike: 40, maturity: 1, exercise_dates: 1" + lsm(1024));
  CHECK(std::abs(once.price - exact(gbm(36, 0.06, 0, 0.2), european)) < 4 * once.standard_error);
}

TEST_CASE("dual upper bounds of Bermudan options hold and are close") {
  const auto put =
      price_one("paths: 65536", gbm(100, 0.05, 0, 0.2),
                "id: put, product: bermudan, type: put, underlying: A, strike: 100, maturity: 1, exercise_dates: 4" +
                    lsm(32768, 1024, 256));
  check_lower(put, 5.95663454367);
  check_upper(put, 5.95663454367);
  const auto call =
      price_one("paths: 65536", gbm(100, 0.05, 0.1, 0.2),
                "id: call, product: bermudan, type: call, underlying: A, strike: 100, maturity: 3, exercise_dates: 9" +
                    lsm(32768, 1024, 256));
  check_lower(call, 7.96379510466);
  check_upper(call, 7.96379510466);
}

TEST_CASE("the Bermudan call on the larger of two has its value between its bounds") {
  // Andersen & Broadie (2004, Management Science 50, p. 1222), table 2; the exact value from a lattice: 13.902.
  const std::string asset = ": {spot: 100, dividend_yield: 0.1, model: gbm, volatility: 0.2}";
  const auto r = price_one("paths: 65536", "rate: 0.05, underlyings: {A" + asset + ", B" + asset + "}",
                           "id: max, product: bermudan, payoff: max, type: call, underlyings: [A, B], strike: 100, "
                           "maturity: 3, exercise_dates: 9" +
                               lsm(65536, 768, 256));
  check_lower(r, 13.902);
  check_upper(r, 13.902);
}

TEST_CASE("an American put is the Bermudan of its own dates and the bias that it states") {
  // The American's exact value by the integral equation of its boundary (Andersen, Lake & Offengenden 2016).
  const auto r =
      price_one("paths: 32768, steps_per_year: 64", gbm(36, 0.06, 0, 0.2),
                "id: american, product: american, type: put, underlying: A, strike: 40, maturity: 1" + lsm(16384));
  INFO(r.price << " +- " << r.standard_error << ", bias " << r.bias.value_or(0) << " +- "
               << r.bias_standard_error.value_or(0));
  CHECK(r.steps == 128);
  CHECK(r.price < 4.486674419 + 4 * r.standard_error);
  CHECK(r.price > 0.995 * 4.486674419 - 4 * r.standard_error);
  CHECK(r.bias.has_value());
  // A call without dividends is never exercised early: the European's value.
  const auto call =
      price_one("paths: 32768, steps_per_year: 64", gbm(36, 0.06, 0, 0.2),
                "id: call, product: american, type: call, underlying: A, strike: 40, maturity: 1" + lsm(16384));
  check_lower(call, exact(gbm(36, 0.06, 0, 0.2), "id: e, product: european, underlying: A, strike: 40, maturity: 1"));
}

TEST_CASE("Greeks of a Bermudan put are those of its exact value, but for what the policy costs") {
  const auto value = [](double spot, double rate, double volatility, double later) {
    return bermudan_put(spot, 100, rate, volatility, {0.25 - later, 0.5 - later, 0.75 - later, 1 - later});
  };
  const double middle = value(100, 0.05, 0.2, 0);
  CHECK(std::abs(middle - 5.95663454367) < 2e-5);
  const auto r =
      price_one("paths: 131072", gbm(100, 0.05, 0, 0.2),
                "id: put, product: bermudan, type: put, underlying: A, strike: 100, maturity: 1, exercise_dates: 4, "
                "greeks: [delta, gamma, vega, rho, theta]" +
                    lsm(65536));
  const double up = value(100.5, 0.05, 0.2, 0), down = value(99.5, 0.05, 0.2, 0);
  const std::pair<const char*, double> truths[] = {
      {"delta", up - down},
      {"gamma", (up + down - 2 * middle) / 0.25},
      {"vega", (value(100, 0.05, 0.201, 0) - value(100, 0.05, 0.199, 0)) / 0.002},
      {"rho", (value(100, 0.051, 0.2, 0) - value(100, 0.049, 0.2, 0)) / 0.002},
      {"theta", (value(100, 0.05, 0.2, 1e-3) - value(100, 0.05, 0.2, -1e-3)) / 0.002}};
  for (const auto& [name, truth] : truths) {
    const auto g = greek(r, name);
    INFO(name << ": " << g.value << " +- " << g.standard_error << ", exact " << truth);
    // As the price: half a per cent for the policy, and four errors.
    CHECK(std::abs(g.value - truth) < 4 * g.standard_error + 0.005 * std::abs(truth));
    // Differences under a fixed policy: delta and vega are sharp, the others are not.
    const bool sharp = std::string(name) == "delta" || std::string(name) == "vega";
    CHECK(g.standard_error < (sharp ? 0.02 : 0.2) * std::abs(truth));
  }
}

TEST_CASE(
    "the delta of an American put whose first dates are a day or two away is right, whatever the training paths") {
  // Binomial tree of 8,000 steps (the error is below 1e-5 of the delta). Fitted to undispersed paths the rule is not
  // known where a shifted spot is on the first dates: such deltas were off by 0.004 to 0.014, by the seed.
  const auto delta = [](const std::string& market, const std::string& strike, std::uint32_t seed) {
    return greek(price_one("paths: 131072, steps_per_year: 64", market,
                           "id: a, product: american, type: put, underlying: A, strike: " + strike +
                               ", maturity: 1, greeks: [delta]" + lsm(65536),
                           seed),
                 "delta");
  };
  for (const std::uint32_t seed : {1, 2, 3}) {
    const auto in = delta(gbm(100, 0.04, 0.02, 0.25), "105", seed), at = delta(gbm(36, 0.06, 0, 0.2), "36", seed);
    INFO("seed " << seed << ": " << in.value << " +- " << in.standard_error << ", " << at.value << " +- "
                 << at.standard_error);
    CHECK(in.standard_error < 0.003);
    CHECK(std::abs(in.value + 0.507976) < 4 * in.standard_error);
    CHECK(at.standard_error < 0.004);
    CHECK(std::abs(at.value + 0.404779) < 4 * at.standard_error);
  }
}
