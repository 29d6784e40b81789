// A model or product that contains another as a special case must give its numbers there.
#include "sim/options/closed_forms/cev.hpp"
#include "tests/physics/options_book.hpp"

using namespace ergode;
using namespace ergode::testing::options;

namespace {

void check_relative(double a, double b, double bound) {
  INFO(a << " and " << b);
  CHECK(std::abs(a - b) <= bound * std::abs(b));
}

/// Black & Scholes's price from integrals, written out: forward, discount and total variance to maturity.
double black(bool call, double forward, double strike, double discount, double variance) {
  const auto cumulative = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  const double root = std::sqrt(variance), d = std::log(forward / strike) / root + 0.5 * root;
  const double value = forward * cumulative(d) - strike * cumulative(d - root);
  return discount * (call ? value : value - forward + strike);
}

const std::string heston_keys = "v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.4, rho: -0.6";

}  // namespace

TEST_CASE("bates without jumps is heston on the same draws") {
  const std::vector<std::string> options{
      "id: call, product: european, underlying: A, strike: 100, maturity: 1, greeks: [delta, vega, rho]",
      "id: average, product: asian, underlying: A, strike: 100, fixings: 4, maturity: 1",
      "id: out, product: barrier, type: put, underlying: A, strike: 100, barrier: 80, barrier_type: down_out, "
      "maturity: 1"};
  const std::string mc = "paths: 4096, steps_per_year: 16, precision: double";
  const auto h =
      price(config(mc, "rate: 0.03, underlyings: {A: {spot: 100, model: heston, " + heston_keys + "}}", options));
  const auto b = price(config(mc,
                              "rate: 0.03, underlyings: {A: {spot: 100, model: bates, " + heston_keys +
                                  ", jump_intensity: 0, jump_mean: -0.1, jump_stddev: 0.2}}",
                              options));
  for (std::size_t i = 0; i < options.size(); ++i) {
    INFO(options[i]);
    check_relative(b.instruments[i].price, h.instruments[i].price, 1e-6);
    check_relative(b.instruments[i].standard_error, h.instruments[i].standard_error, 1e-6);
  }
  for (const char* name : {"delta", "vega", "rho"})
    check_relative(greek(b.instruments[0], name).value, greek(h.instruments[0], name).value, 1e-6);
}

TEST_CASE("jump diffusions without jumps are gbm on the same draws") {
  const std::vector<std::string> options{
      "id: call, product: european, underlying: A, strike: 100, maturity: 1, greeks: [delta, vega]",
      "id: average, product: asian, underlying: A, strike: 100, fixings: 4, maturity: 1",
      "id: out, product: barrier, type: put, underlying: A, strike: 100, barrier: 80, barrier_type: down_out, "
      "maturity: 1"};
  // The choice of control variates knows the model, and would differ.
  const std::string mc = "paths: 4096, precision: double, control_variate: none";
  const auto under = [&](const std::string& model) {
    return price(config(mc, "rate: 0.03, underlyings: {A: {spot: 100, volatility: 0.2, " + model + "}}", options));
  };
  const auto gbm = under("model: gbm");
  const auto merton = under("model: merton_jump, jump_intensity: 0, jump_mean: -0.1, jump_stddev: 0.2");
  const auto kou = under("model: kou_jump, jump_intensity: 0, jump_up_prob: 0.4, eta_up: 10, eta_down: 5");
  for (std::size_t i = 0; i < options.size(); ++i) {
    INFO(options[i]);
    check_relative(merton.instruments[i].price, gbm.instruments[i].price, 1e-6);
    check_relative(kou.instruments[i].price, gbm.instruments[i].price, 1e-6);
  }
  check_relative(greek(merton.instruments[0], "delta").value, greek(gbm.instruments[0], "delta").value, 1e-6);
  check_relative(greek(kou.instruments[0], "vega").value, greek(gbm.instruments[0], "vega").value, 1e-6);
}

TEST_CASE("a flat local volatility is gbm") {
  const std::string flat =
      "rate: 0.03, underlyings: {A: {spot: 100, dividend_yield: 0.01, model: local_volatility, strikes: [50, 200], "
      "maturities: [0.5, 2], "
      "local_volatility: [[0.25, 0.25], [0.25, 0.25]]}}";
  const std::string gbm =
      "rate: 0.03, underlyings: {A: {spot: 100, dividend_yield: 0.01, model: gbm, volatility: 0.25}}";
  // A continuous average steps alike under both, on the same draws.
  const std::string average =
      "id: average, product: asian, underlying: A, strike: 100, monitoring: continuous, maturity: 1";
  const std::string mc = "paths: 8192, steps_per_year: 24, precision: double, control_variate: none";
  check_relative(price_one(mc, flat, average).price, price_one(mc, gbm, average).price, 1e-9);
  // Against the closed form: 4 standard errors, a false alarm in 16,000.
  const std::string call =
      "id: call, product: european, underlying: A, strike: 110, maturity: 1, greeks: [delta, vega]";
  const auto r = price_one("paths: 32768, steps_per_year: 24", flat, call);
  CHECK(std::abs(r.price - exact(gbm, call)) < 4 * r.standard_error);
}

TEST_CASE("cev as a grid of local volatilities is cev, also where much of it is absorbed") {
  // With beta = 1/2 the probability of absorption is exp(-2 S0 / (sigma^2 T)) at r = q: 0 and 21 % here.
  struct Case {
    double sigma;
    const char* option;
  };
  for (const Case& c : {Case{3, "id: o, product: european, type: call, underlying: A, strike: 100, maturity: 2"},
                        Case{8, "id: o, product: european, type: put, underlying: A, strike: 100, maturity: 2"},
                        Case{8, "id: o, product: european, type: call, underlying: A, strike: 150, maturity: 2"}}) {
    std::string strikes, volatilities;
    for (double k = 0.02; k < 2e3; k *= 1.15) {
      strikes += (strikes.empty() ? "" : ", ") + text(k);
      volatilities += (volatilities.empty() ? "" : ", ") + text(c.sigma / std::sqrt(k));
    }
    const std::string grid = "rate: 0, underlyings: {A: {spot: 100, model: local_volatility, strikes: [" + strikes +
                             "], maturities: [1], local_volatility: [[" + volatilities + "]]}}";
    const std::string cev =
        "rate: 0, underlyings: {A: {spot: 100, model: cev, cev_beta: 0.5, cev_sigma: " + text(c.sigma) + "}}";
    const double truth = exact(cev, c.option);
    for (const std::string& market : {grid, cev}) {
      const auto r = price_one("paths: 32768, steps_per_year: 100", market, c.option);
      INFO(r.model << ", sigma " << c.sigma << ": " << r.price << " +- " << r.standard_error << ", bias "
                   << r.bias.value_or(0) << ", exact " << truth);
      // Four standard errors, a false alarm in 16,000 each; the stated bias, and of its own error.
      CHECK(std::abs(r.price - truth) <
            4 * r.standard_error + std::abs(r.bias.value_or(0)) + 2 * r.bias_standard_error.value_or(0));
      CHECK(r.standard_error < 0.02 * truth);
    }
  }
  const sim::options::closed_forms::CevInputs inputs{100, 0, 8, 0.5};
  CHECK(std::abs(1 - sim::options::closed_forms::cev_probability_above(inputs, 0, 2) - std::exp(-200.0 / 128)) < 1e-9);
}

TEST_CASE("a double barrier with one side out of reach is a single barrier") {
  for (const char* model :
       {"model: gbm, volatility: 0.25",
        "model: kou_jump, volatility: 0.2, jump_intensity: 1, jump_up_prob: 0.4, eta_up: 12, eta_down: 9"}) {
    for (const char* watch : {"monitoring: continuous", "monitoring: discrete, fixings: 8"}) {
      const std::string market = std::string("rate: 0.03, underlyings: {A: {spot: 100, ") + model + "}}";
      const std::string common =
          std::string("underlying: A, strike: 100, maturity: 1, rebate: 1, rebate_at: at_maturity, ") + watch;
      const auto r = price(config("paths: 4096", market,
                                  {"id: a, product: barrier, barrier: 85, barrier_type: down_out, type: put, " + common,
                                   "id: b, product: double_barrier, lower_barrier: 85, upper_barrier: 1e9, "
                                   "barrier_type: knock_out, type: put, " +
                                       common,
                                   "id: c, product: barrier, barrier: 120, barrier_type: up_in, type: call, " + common,
                                   "id: d, product: double_barrier, lower_barrier: 1e-6, upper_barrier: 120, "
                                   "barrier_type: knock_in, type: call, " +
                                       common}));
      INFO(model << ", " << watch);
      check_relative(r.instruments[1].price, r.instruments[0].price, 2e-6);
      check_relative(r.instruments[1].standard_error, r.instruments[0].standard_error, 2e-6);
      check_relative(r.instruments[3].price, r.instruments[2].price, 2e-6);
    }
  }
}

TEST_CASE("knock-in and knock-out add up to the vanilla, path by path") {
  for (const char* model : {"model: gbm, volatility: 0.25",
                            "model: merton_jump, volatility: 0.2, jump_intensity: 1, jump_mean: -0.1, jump_stddev: 0.1",
                            "model: heston, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.4, rho: -0.6"}) {
    for (const char* watch : {"monitoring: continuous", "monitoring: discrete, fixings: 4"}) {
      const std::string market = std::string("rate: 0.03, underlyings: {A: {spot: 100, ") + model + "}}";
      const std::string common =
          std::string(", type: put, underlying: A, strike: 100, maturity: 1, greeks: [delta], ") + watch;
      const auto r = price(config(
          "paths: 4096, steps_per_year: 16, control_variate: none, precision: double", market,
          {"id: in, product: barrier, barrier: 85, barrier_type: down_in" + common,
           "id: out, product: barrier, barrier: 85, barrier_type: down_out" + common,
           // Never reached: the vanilla on the same steps.
           "id: all, product: barrier, barrier: 1e-9, barrier_type: down_out" + common,
           "id: in2, product: double_barrier, lower_barrier: 85, upper_barrier: 125, barrier_type: knock_in" + common,
           "id: out2, product: double_barrier, lower_barrier: 85, upper_barrier: 125, barrier_type: knock_out" + common,
           "id: all2, product: double_barrier, lower_barrier: 1e-9, upper_barrier: 1e9, barrier_type: knock_out" +
               common}));
      INFO(model << ", " << watch);
      const auto& o = r.instruments;
      check_relative(o[0].price + o[1].price, o[2].price, 1e-9);
      check_relative(o[3].price + o[4].price, o[2].price, 1e-9);
      const auto delta = [&](std::size_t i) { return greek(o[i], "delta").value; };
      check_relative(delta(0) + delta(1), delta(2), 1e-6);
      // The method of a double barrier's Greeks is another.
      check_relative(delta(3) + delta(4), delta(5), 1e-6);
      CHECK(o[0].price > 0.05 * o[2].price);
      CHECK(o[1].price > 0.05 * o[2].price);
    }
  }
}

TEST_CASE("term structures price as their averages in Black and Scholes's formula") {
  // Zero rates, zero yields and Black volatilities at nodes: linear in r t, q t and sigma^2 t between them, flat before
  // the first, flat forward after the last. At T = 0.75, half way from 0.5 to 1, and at T = 3, beyond all nodes.
  const std::string market =
      "rate: [[0.5, 0.02], [1, 0.03]], underlyings: {A: {spot: 100, dividend_yield: [[0.5, 0.01], [1, 0.015]], model: "
      "gbm, "
      "volatility: [[0.5, 0.2], [1, 0.25]]}}";
  struct Case {
    double maturity, rates, yields, variance;
  };
  const double first = 0.04 * 0.5, second = 0.0625;
  for (const Case& c : {Case{0.25, 0.02 * 0.25, 0.01 * 0.25, 0.04 * 0.25},
                        Case{0.75, 0.5 * (0.01 + 0.03), 0.5 * (0.005 + 0.015), 0.5 * (first + second)},
                        Case{3, 0.03 + 2 * (0.03 - 0.01) / 0.5, 0.015 + 2 * (0.015 - 0.005) / 0.5,
                             second + 2 * (second - first) / 0.5}}) {
    const double forward = 100 * std::exp(c.rates - c.yields);
    for (const bool call : {true, false}) {
      const std::string option = std::string("id: o, product: european, underlying: A, strike: 105, type: ") +
                                 (call ? "call" : "put") + ", maturity: " + text(c.maturity);
      const double truth = black(call, forward, 105, std::exp(-c.rates), c.variance);
      CHECK(std::abs(exact(market, option) - truth) < 1e-9);
      const auto r = price_one("paths: 65536", market, option);
      INFO(c.maturity << ": " << r.price << " +- " << r.standard_error << ", exact " << truth);
      CHECK(std::abs(r.price - truth) < 4 * r.standard_error);  // a false alarm in 16,000
      CHECK(r.standard_error < 0.02 * truth);
    }
  }
  // Products of several dates follow the curves in between: a barrier out of reach leaves the vanilla; what a
  // forward-starting option costs depends on the second half alone.
  const std::string later = "id: f, product: forward_start, underlying: A, start: 0.5, maturity: 1";
  // D(1) E[S_0.5] E[max(growth - 1, 0)].
  const double truth =
      std::exp(-0.03) * 100 * std::exp(0.01 - 0.005) * black(true, std::exp(0.02 - 0.01), 1, 1, second - first);
  const auto r = price_one("paths: 65536", market, later);
  INFO(r.price << " +- " << r.standard_error << ", exact " << truth);
  CHECK(std::abs(r.price - truth) < 4 * r.standard_error);
  const std::string barrier =
      "id: b, product: barrier, barrier: 1e-6, barrier_type: down_out, underlying: A, strike: 105, maturity: 3";
  const auto b = price_one("paths: 65536", market, barrier);
  CHECK(std::abs(b.price - exact(market, "id: o, product: european, underlying: A, strike: 105, maturity: 3")) <
        4 * b.standard_error + 1e-4);
}
