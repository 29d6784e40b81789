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
      price_one("paths: 65536, steps_per_year: 64", gbm(36, 0.06, 0, 0.2),
                "id: american, product: american, type: put, underlying: A, strike: 40, maturity: 1" + lsm(32768));
  INFO(r.price << " +- " << r.standard_error << ", bias " << r.bias.value_or(0) << " +- "
               << r.bias_standard_error.value_or(0));
  CHECK(r.steps == 128);
  CHECK(r.price < 4.486674419 + 4 * r.standard_error);
  CHECK(r.price > 0.995 * 4.486674419 - 4 * r.standard_error);
  CHECK(r.bias.has_value());
  // A call without dividends is never exercised early: the European's value.
  const auto call =
      price_one("paths: 65536, steps_per_year: 64", gbm(36, 0.06, 0, 0.2),
                "id: call, product: american, type: call, underlying: A, strike: 40, maturity: 1" + lsm(16384));
  check_lower(call, exact(gbm(36, 0.06, 0, 0.2), "id: e, product: european, underlying: A, strike: 40, maturity: 1"));
}
