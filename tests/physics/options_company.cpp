// What an option's numbers may not depend on, and what they rest on: company, order, threads; control variates' means.
#include <algorithm>

#include "kernels/options/chunk.hpp"
#include "kernels/options/engine.hpp"
#include "tests/physics/options_book.hpp"

using namespace ergode;
using namespace ergode::testing::options;
using sim::options::InstrumentResult;

namespace {

const std::string mixed_market =
    "rate: 0.03, correlation: 0.3, underlyings: {"
    "A: {spot: 100, dividend_yield: 0.01, model: gbm, volatility: 0.2}, "
    "B: {spot: 95, model: gbm, volatility: 0.3}, "
    "H: {spot: 100, model: heston, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.4, rho: -0.6}, "
    "J: {spot: 110, model: kou_jump, volatility: 0.2, jump_intensity: 1, jump_up_prob: 0.4, eta_up: 12, eta_down: 9}}";

const std::vector<std::string> mixed_book{
    "id: call, product: european, underlying: A, strike: 100, maturity: 1, greeks: [delta, gamma, vega, theta, rho]",
    "id: digital, product: digital, underlying: A, strike: 105, maturity: 1, greeks: [delta, gamma]",
    "id: out, product: barrier, type: put, underlying: A, strike: 100, barrier: 85, barrier_type: down_out, maturity: "
    "1, greeks: [delta, vega]",
    "id: average, product: asian, underlying: H, strike: 100, fixings: 4, maturity: 1, greeks: [vega, rho], "
    "parameter_greeks: [kappa]",
    "id: smile, product: european, underlying: H, strike: 120, maturity: 1, greeks: [delta]",
    "id: low, product: lookback, underlying: J, maturity: 0.5",
    "id: basket, product: basket, underlyings: [A, B], strike: 98, maturity: 1, greeks: [delta, gamma]",
    "id: best, product: rainbow, underlyings: [H, J], strike: 105, maturity: 1, greeks: [delta]",
    "id: swap, product: variance_swap, underlying: A, fixings: 12, maturity: 1",
    "id: note, product: autocallable, underlying: B, observations: 4, coupon: 0.03, knock_in_barrier: 0.7, maturity: 1",
    "id: early, product: bermudan, type: put, underlying: A, strike: 105, maturity: 1, exercise_dates: 4, "
    "lsm: {order: 3, training_paths: 2048, upper_bound: true, outer_paths: 32, inner_paths: 32}"};

/// All numbers of a result, for comparison bit for bit. NaN where there is none.
std::vector<double> numbers(const InstrumentResult& r) {
  const auto of = [](const std::optional<double>& x) { return x.value_or(-1e300); };
  std::vector<double> all{r.price,
                          r.standard_error,
                          r.confidence_low,
                          r.confidence_high,
                          of(r.bias),
                          of(r.bias_standard_error),
                          of(r.lower_bound),
                          of(r.upper_bound),
                          of(r.upper_bound_standard_error),
                          of(r.implied_volatility),
                          of(r.event_probability),
                          of(r.event_probability_standard_error),
                          of(r.variance_reduction_factor),
                          static_cast<double>(r.paths),
                          static_cast<double>(r.steps),
                          r.histogram.low,
                          r.histogram.high};
  for (const auto& g : r.greeks)
    for (const auto& e : g.estimates) all.insert(all.end(), {e.value, e.standard_error});
  for (const auto& c : r.convergence) all.insert(all.end(), {static_cast<double>(c.paths), c.price, c.standard_error});
  for (const auto& e : r.exercise) all.insert(all.end(), {e.time, e.probability, of(e.boundary)});
  for (const auto n : r.histogram.counts) all.push_back(static_cast<double>(n));
  all.insert(all.end(), r.values.begin(), r.values.end());
  return all;
}

const InstrumentResult& by_id(const sim::options::Results& r, const std::string& id) {
  return *std::find_if(r.instruments.begin(), r.instruments.end(),
                       [&](const InstrumentResult& x) { return x.id == id; });
}

}  // namespace

TEST_CASE("an option's results are the same bits alone, in a book, reversed and beside others") {
  for (const char* mc :
       {"paths: 6000, steps_per_year: 12", "paths: 4096, steps_per_year: 12, rng: sobol, replications: 4"}) {
    const auto book = price(config(mc, mixed_market, mixed_book));
    auto backwards = mixed_book;
    std::reverse(backwards.begin(), backwards.end());
    backwards.push_back(
        "id: more, product: cliquet, underlying: A, resets: 4, local_cap: 0.05, maturity: 1, greeks: [vega]");
    backwards.insert(
        backwards.begin(),
        "id: first, product: european, underlying: A, type: put, strike: 90, maturity: 1, greeks: [delta]");
    const auto other = price(config(mc, mixed_market, backwards));
    for (std::size_t i = 0; i < mixed_book.size(); ++i) {
      const InstrumentResult& r = book.instruments[i];
      INFO(mc << ": " << r.id);
      CHECK(std::isfinite(r.price));
      const auto alone = price_one(mc, mixed_market, mixed_book[i]);
      CHECK(numbers(alone) == numbers(r));
      CHECK(numbers(by_id(other, r.id)) == numbers(r));
    }
    // The comparison can fail: another seed gives other numbers.
    CHECK(numbers(price(config(mc, mixed_market, mixed_book), 2).instruments[0]) != numbers(book.instruments[0]));
  }
}

TEST_CASE("an option's results are the same bits with one, two and three threads") {
  const std::string text = config("paths: 10000, steps_per_year: 12", mixed_market, mixed_book);
  const auto one = price(text, 5, 1), two = price(text, 5, 2), three = price(text, 5, 3);
  for (std::size_t i = 0; i < mixed_book.size(); ++i) {
    INFO(one.instruments[i].id);
    CHECK(numbers(two.instruments[i]) == numbers(one.instruments[i]));
    CHECK(numbers(three.instruments[i]) == numbers(one.instruments[i]));
  }
}

TEST_CASE("control variates have the means that are taken for exact, those of Greeks too") {
  namespace so = sim::options;
  namespace k = kernels::options;
  // Each estimator's control over a run against its stated mean: |z| < 4.5, a false alarm in 150,000 each. A mean of
  // a scheme's own is exact for the scheme: QE with its martingale correction keeps E[S] at any step.
  const std::vector<std::string> options{
      "id: spot, product: european, underlying: H, strike: 100, maturity: 1, greeks: [delta, vega, theta]",
      "id: spot2, product: european, underlying: J, strike: 100, maturity: 1, greeks: [delta, vega]",
      "id: portfolio, product: rainbow, underlyings: [H, J], strike: 105, maturity: 1, greeks: [delta]",
      "id: european, product: barrier, type: put, underlying: A, strike: 100, barrier: 85, barrier_type: down_out, "
      "maturity: 1, "
      "greeks: [delta, gamma, vega, theta, rho]",
      "id: average, product: asian, underlying: A, strike: 100, fixings: 6, maturity: 1, greeks: [delta, gamma, vega, "
      "theta, rho]",
      "id: trapezoid, product: asian, underlying: A, strike: 100, monitoring: continuous, maturity: 1, greeks: [delta, "
      "theta]",
      "id: past, product: asian, underlying: B, strike: 100, fixings: 6, past_fixings: [101, 99], maturity: 0.5, "
      "greeks: [delta]",
      "id: basket, product: basket, underlyings: [A, B], weights: [0.3, 0.7], strike: 98, maturity: 1, "
      "greeks: [delta, gamma, vega, theta, rho], parameter_greeks: [correlation]"};
  auto settings =
      testing::read_settings(config("paths: 65536, steps_per_year: 12, precision: double", mixed_market, options))
          .settings;
  const auto device = kernels::cpu_device(kernels::best_isa());
  const auto engine = k::make_path_engine(device, 2);
  std::vector<so::Control> seen;
  for (so::Group& g : so::make_groups(settings, 3)) {
    const auto plan = so::plan_group(g, {}, true);
    const int number = engine->add(plan);
    const k::Work all{number, 0, plan.chunks()};
    const auto sums = engine->run({&all, 1});
    for (const auto& item : g.items) {
      CHECK(item.control != so::Control::none);
      seen.push_back(item.control);
    }
    for (std::size_t e = 0; e < g.estimators.size(); ++e) {
      const so::Estimator& estimator = g.estimators[e];
      if (!estimator.controlled) continue;
      double sum = 0, square = 0;
      for (std::int64_t c = 0; c < plan.chunks(); ++c) {
        const double* row = &sums[(static_cast<std::size_t>(c) * g.estimators.size() + e) * k::moments];
        sum += row[1];
        square += row[4];
      }
      const auto n = static_cast<double>(plan.samples);
      const double mean = sum / n, error = std::sqrt(std::max(square / n - mean * mean, 0.0) / n);
      INFO(g.items[estimator.item].option.id << " " << estimator.name << " " << estimator.asset << ": " << mean
                                             << " +- " << error << ", stated " << estimator.control_mean);
      CHECK(std::abs(mean - estimator.control_mean) < 4.5 * error + 1e-7 * (1 + std::abs(mean)));
      CHECK(std::isfinite(error));
    }
    engine->remove(number);
  }
  for (const auto control : {so::Control::spot, so::Control::portfolio, so::Control::european,
                             so::Control::geometric_average, so::Control::geometric_basket})
    CHECK(std::count(seen.begin(), seen.end(), control) > 0);
}
