// Markets of several underlyings, curves on them, and cash dividends.
#include <numeric>

#include "kernels/options/engine.hpp"
#include "sim/options/correlation.hpp"
#include "tests/physics/options_book.hpp"

using namespace ergode;
using namespace ergode::testing::options;

namespace {

double cumulative(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

/// E[max(X - K, 0)] of a lognormal X; K of any sign.
double lognormal_call(double forward, double strike, double variance) {
  if (strike <= 0) return forward - strike;
  const double root = std::sqrt(variance), d = std::log(forward / strike) / root + 0.5 * root;
  return forward * cumulative(d) - strike * cumulative(d - root);
}

/// E[f(Z)] of a standard normal Z by Simpson's rule.
template <class Function>
double expectation(const Function& f) {
  const int n = 4000;
  const double h = 20.0 / n;
  double sum = 0;
  for (int i = 0; i <= n; ++i) {
    const double z = -10 + h * i;
    sum += (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) * std::exp(-0.5 * z * z) * f(z);
  }
  return sum * h / 3 / std::sqrt(2 * M_PI);
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double ma = std::accumulate(a.begin(), a.end(), 0.0) / n, mb = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - ma) * (b[i] - mb);
    aa += (a[i] - ma) * (a[i] - ma);
    bb += (b[i] - mb) * (b[i] - mb);
  }
  return ab / std::sqrt(aa * bb);
}

}  // namespace

TEST_CASE(
    "the Brownian motions of two Hestons have the correlation that was asked for, and their variances what follows") {
  namespace so = sim::options;
  const double rho = 0.6, rho_1 = -0.7, rho_2 = 0.4;
  const std::string market =
      "rate: 0.02, correlation: 0.6, underlyings: {A: {spot: 100, model: heston, v0: 0.09, kappa: 1.5, theta: 0.09, "
      "sigma_v: 0.3, rho: -0.7}, "
      "B: {spot: 50, model: heston, v0: 0.04, kappa: 2, theta: 0.05, sigma_v: 0.2, rho: 0.4}}";
  const auto settings = testing::read_settings(config("paths: 4096, steps_per_year: 504, precision: double", market,
                                                      {"id: o, product: exchange, underlyings: [A, B], maturity: 0.1"}))
                            .settings;
  const auto groups = so::make_groups(settings, 7);
  const auto& g = groups.at(0);
  std::vector<int> slots(g.grid.times.size());
  std::iota(slots.begin(), slots.end(), 1);
  const std::int64_t paths = 4096;
  const auto engine = kernels::options::make_path_engine(kernels::cpu_device(kernels::best_isa()), 2);
  kernels::options::Recording<float> single;
  kernels::options::Recording<double> real;
  engine->record(engine->add(so::plan_recording(g, slots, 0, paths)), paths, static_cast<int>(slots.size()), true,
                 single, real);
  const auto at = [&](const std::vector<double>& x, std::size_t slot, std::size_t asset, std::int64_t path) {
    return x[(slot * 2 + asset) * static_cast<std::size_t>(paths) + static_cast<std::size_t>(path)];
  };
  // Increments of ln S and of v over a step, by the root of the variance at its beginning.
  std::vector<double> spot[2], variance[2];
  REQUIRE(slots.size() > 40);
  for (std::size_t s = 1; s < slots.size(); ++s)
    for (std::int64_t p = 0; p < paths; ++p)
      for (std::size_t a = 0; a < 2; ++a) {
        const double root = std::sqrt(at(real.variance, s - 1, a, p));
        spot[a].push_back(std::log(at(real.spot, s, a, p) / at(real.spot, s - 1, a, p)) / root);
        variance[a].push_back((at(real.variance, s, a, p) - at(real.variance, s - 1, a, p)) / root);
      }
  // 200,000 increments: the standard error is 0.0022 at most, the bounds four of it and 0.003 for the steps' length.
  const double bound = 0.012;
  CHECK(std::abs(correlation(spot[0], spot[1]) - rho) < bound);
  CHECK(std::abs(correlation(spot[0], variance[0]) - rho_1) < bound);
  CHECK(std::abs(correlation(spot[1], variance[1]) - rho_2) < bound);
  CHECK(std::abs(correlation(spot[0], variance[1]) - rho * rho_2) < bound);
  CHECK(std::abs(correlation(spot[1], variance[0]) - rho * rho_1) < bound);
  CHECK(std::abs(correlation(variance[0], variance[1]) - rho * rho_1 * rho_2) < bound);
}

TEST_CASE("two Hestons of constant variance are two correlated lognormals") {
  const std::string of = ", kappa: 1, sigma_v: 0, rho: 0.5}";
  const std::string hestons =
      "rate: 0.02, correlation: -0.5, underlyings: {A: {spot: 100, model: heston, v0: 0.09, theta: 0.09" + of +
      ", B: {spot: 90, model: heston, v0: 0.04, theta: 0.04" + of + "}";
  const std::string option = "id: o, product: exchange, underlyings: [A, B], maturity: 1";
  const double sigma = std::sqrt(0.09 + 0.04 + 2 * 0.5 * 0.3 * 0.2);
  const double truth = lognormal_call(100, 90, sigma * sigma);
  const auto r = price_one("paths: 65536, steps_per_year: 8", hestons, option);
  INFO(r.price << " +- " << r.standard_error << ", exact " << truth);
  CHECK(std::abs(r.price - truth) < 4 * r.standard_error);  // a false alarm in 16,000
}

TEST_CASE("three underlyings have the correlation of their matrix, pair by pair, whatever the order of its rows") {
  const std::string market =
      "rate: 0.03, underlyings: {A: {spot: 100, model: gbm, volatility: 0.2}, B: {spot: 80, model: gbm, volatility: "
      "0.3}, "
      "C: {spot: 120, model: gbm, volatility: 0.4}}, "
      "correlation: {order: [C, A, B], matrix: [[1, -0.4, 0.5], [-0.4, 1, 0.2], [0.5, 0.2, 1]]}";
  const double sigma[3] = {0.2, 0.3, 0.4}, rho[3][3] = {{1, 0.2, -0.4}, {0.2, 1, 0.5}, {-0.4, 0.5, 1}},
               weight[3] = {0.5, 0.3, 0.2};
  const double spot[3] = {100, 80, 120};
  double mean = 0, variance = 0;
  for (int i = 0; i < 3; ++i) {
    mean += weight[i] * (std::log(spot[i]) + 0.03 - 0.5 * sigma[i] * sigma[i]);
    for (int j = 0; j < 3; ++j) variance += weight[i] * weight[j] * sigma[i] * sigma[j] * rho[i][j];
  }
  const double geometric = std::exp(-0.03) * lognormal_call(std::exp(mean + 0.5 * variance), 95, variance);
  const auto r = price(config("paths: 65536", market,
                              {"id: basket, product: basket, average: geometric, weights: [0.5, 0.3, 0.2], "
                               "underlyings: [A, B, C], strike: 95, maturity: 1",
                               "id: ab, product: exchange, underlyings: [A, B], maturity: 1",
                               "id: bc, product: exchange, underlyings: [B, C], maturity: 1",
                               "id: ca, product: exchange, underlyings: [C, A], maturity: 1"}));
  const auto pair = [&](int i, int j) {
    return lognormal_call(spot[i], spot[j],
                          sigma[i] * sigma[i] + sigma[j] * sigma[j] - 2 * rho[i][j] * sigma[i] * sigma[j]);
  };
  const double truth[4] = {geometric, pair(0, 1), pair(1, 2), pair(2, 0)};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& x = r.instruments[i];
    INFO(x.id << ": " << x.price << " +- " << x.standard_error << ", exact " << truth[i]);
    CHECK(std::abs(x.price - truth[i]) < 4 * x.standard_error);  // a false alarm in 16,000 each
    CHECK(x.standard_error < 0.02 * truth[i]);
  }
}

TEST_CASE("volatilities of two underlyings follow their own nodes, and their covariance both") {
  const std::string market =
      "rate: 0.03, correlation: 0.7, underlyings: {A: {spot: 100, model: gbm, volatility: [[0.3, 0.5], [1, 0.3]]}, "
      "B: {spot: 100, model: gbm, volatility: [[0.6, 0.1], [1, 0.4]]}}";
  // Local volatilities: A 0.5 to 0.3 and the rest after, B 0.1 to 0.6 and the rest after.
  const double a = std::sqrt((0.09 - 0.25 * 0.3) / 0.7), b = std::sqrt((0.16 - 0.01 * 0.6) / 0.4);
  const double covariance = 0.7 * (0.3 * 0.5 * 0.1 + 0.3 * a * 0.1 + 0.4 * a * b);
  const double truth = lognormal_call(100, 100, 0.09 + 0.16 - 2 * covariance);
  const auto r = price_one("paths: 262144", market, "id: o, product: exchange, underlyings: [A, B], maturity: 1");
  INFO(r.price << " +- " << r.standard_error << ", exact " << truth);
  CHECK(std::abs(r.price - truth) < 4 * r.standard_error);
  // The average volatilities' covariance would be told apart.
  const double wrong = lognormal_call(100, 100, 0.09 + 0.16 - 2 * 0.7 * 0.3 * 0.4);
  CHECK(std::abs(wrong - truth) > 8 * r.standard_error);
}

TEST_CASE("cash dividends leave the spot on their dates") {
  const std::string market =
      "rate: 0.04, underlyings: {A: {spot: 100, dividend_yield: 0.01, model: gbm, volatility: 0.3, cash_dividends: "
      "[[0.4, 6]]}}";
  const std::string two =
      "rate: 0.04, underlyings: {A: {spot: 100, dividend_yield: 0.01, model: gbm, volatility: 0.3, "
      "cash_dividends: [[0.4, 6], [1.5, 50]]}}";
  const double carry = 0.03, sigma = 0.3;
  const auto truth = [&](bool call) {
    const double value = expectation([&](double z) {
      const double before = 100 * std::exp((carry - 0.5 * sigma * sigma) * 0.4 + sigma * std::sqrt(0.4) * z),
                   after = std::max(before - 6, 0.0);
      const double forward = after * std::exp(carry * 0.6);
      const double value_then = forward > 0 ? lognormal_call(forward, 95, sigma * sigma * 0.6) : 0;
      return call ? value_then : value_then - forward + 95;
    });
    return std::exp(-0.04) * value;
  };
  for (const bool call : {true, false}) {
    const std::string option = std::string("id: o, product: european, underlying: A, strike: 95, maturity: 1, type: ") +
                               (call ? "call" : "put");
    const auto r = price_one("paths: 131072", market, option);
    INFO(option << ": " << r.price << " +- " << r.standard_error << ", exact " << truth(call));
    CHECK(std::abs(r.price - truth(call)) < 4 * r.standard_error);  // a false alarm in 16,000
    CHECK(r.standard_error < 0.01 * truth(call));
    // One after maturity changes nothing.
    CHECK(price_one("paths: 131072", two, option).price == r.price);
    // Without the dividend it would be another price.
    CHECK(std::abs(r.price -
                   exact("rate: 0.04, underlyings: {A: {spot: 100, dividend_yield: 0.01, model: gbm, volatility: 0.3}}",
                         option)) > 20 * r.standard_error);
  }
}

TEST_CASE("the implied volatility under a cash dividend is of the forward without it") {
  // The dividend is paid at once: what is left is a lognormal of 98.
  const auto r = price_one(
      "paths: 262144",
      "rate: 0.03, underlyings: {A: {spot: 100, model: gbm, volatility: 0.2, cash_dividends: [[0.000001, 2]]}}",
      "id: call, product: european, underlying: A, strike: 100, maturity: 1");
  REQUIRE(r.implied_volatility.has_value());
  INFO(*r.implied_volatility << " +- " << *r.implied_volatility_standard_error);
  CHECK(std::abs(*r.implied_volatility - 0.2) < 4 * *r.implied_volatility_standard_error);
  CHECK(*r.implied_volatility_standard_error < 0.001);
}

TEST_CASE("a corridor that is narrow against a day's deviation is left by every path") {
  const auto r =
      price_one("paths: 4096", "rate: 0, underlyings: {A: {spot: 100, model: gbm, volatility: 0.6}}",
                "id: thin, product: double_barrier, type: call, underlying: A, strike: 0, lower_barrier: 99.5, "
                "upper_barrier: 100.5, barrier_type: knock_out, maturity: 1.5");
  CHECK(r.price == 0);
  CHECK(r.event_probability == 1);
}
