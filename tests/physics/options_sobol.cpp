// Quasi-Monte Carlo: how fast the error falls, and whether the intervals hold.
#include "tests/physics/options_book.hpp"

using namespace ergode;
using namespace ergode::testing::options;

namespace {

const std::string market = "rate: 0.05, underlyings: {A: {spot: 100, model: gbm, volatility: 0.3}}";
const std::string arithmetic = "id: arithmetic, product: asian, underlying: A, strike: 100, fixings: 12, maturity: 1";
const std::string geometric =
    "id: geometric, product: asian, average: geometric, underlying: A, strike: 100, fixings: 12, maturity: 1";
/// By recursive quadrature of the log density (Carverhill & Clewlow 1990, Risk 3(4), p. 25).
constexpr double arithmetic_value = 8.47428953698;

/// Slope of ln(RMS error over the seeds) against ln(paths) from 2^10 to 2^18 by least squares, of both averages.
std::pair<double, double> slopes(const std::string& rng, int seeds) {
  const double truths[2] = {arithmetic_value, exact(market, geometric)};
  double n = 0, x = 0, xx = 0, y[2] = {0, 0}, xy[2] = {0, 0};
  for (int power = 10; power <= 18; ++power) {
    double square[2] = {0, 0};
    for (int seed = 1; seed <= seeds; ++seed) {
      const auto r =
          price(config("precision: double, control_variate: none, paths: " + std::to_string(1 << power) + rng, market,
                       {arithmetic, geometric}),
                static_cast<std::uint32_t>(seed));
      for (std::size_t i = 0; i < 2; ++i) {
        CHECK(r.instruments[i].paths == 1 << power);
        square[i] += std::pow(r.instruments[i].price - truths[i], 2) / seeds;
      }
    }
    const double u = power * std::log(2.0);
    n += 1;
    x += u;
    xx += u * u;
    for (int i = 0; i < 2; ++i) {
      const double v = 0.5 * std::log(square[i]);
      y[i] += v;
      xy[i] += u * v;
    }
  }
  const auto slope = [&](int i) { return (n * xy[i] - x * y[i]) / (n * xx - x * x); };
  return {slope(0), slope(1)};
}

}  // namespace

TEST_CASE("the error of Sobol points falls faster than that of random ones, on Asian options") {
  const auto [sobol, sobol_geometric] = slopes(", rng: sobol, replications: 16", 4);
  INFO("slopes " << sobol << " and " << sobol_geometric);
  CHECK(sobol <= -0.7);
  CHECK(sobol_geometric <= -0.7);
  CHECK(sobol > -1.7);
  // The measure can tell: random numbers give -1/2, to 0.15 for so few seeds.
  const auto [random, random_geometric] = slopes("", 3);
  INFO("slopes of random numbers " << random << " and " << random_geometric);
  CHECK(random > -0.68);
  CHECK(random_geometric > -0.68);
}

TEST_CASE("of 100 intervals of 95 % from Sobol points between 89 and 99 hold") {
  // Binomial: outside with probability 1 %.
  const double truths[2] = {arithmetic_value, exact(market, geometric)};
  for (const char* mc : {"paths: 4096, rng: sobol, replications: 16",
                         "paths: 4096, rng: sobol, replications: 16, control_variate: none"}) {
    int held[2] = {0, 0};
    for (int seed = 1; seed <= 100; ++seed) {
      const auto r = price(config(mc, market, {arithmetic, geometric}), static_cast<std::uint32_t>(seed));
      for (std::size_t i = 0; i < 2; ++i)
        held[i] +=
            r.instruments[i].confidence_low <= truths[i] && truths[i] <= r.instruments[i].confidence_high ? 1 : 0;
    }
    INFO(mc << ": " << held[0] << " and " << held[1]);
    for (const int h : held) {
      CHECK(h >= 89);
      CHECK(h <= 99);
    }
  }
}

TEST_CASE("Sobol points serve several underlyings, Heston's variance and many dimensions") {
  // Student's law with 15 degrees: |t| < 5.2, a false alarm in 10,000 each.
  const std::string several =
      "rate: 0.03, correlation: 0.4, underlyings: {A: {spot: 100, model: gbm, volatility: 0.2}, B: {spot: 95, model: "
      "gbm, volatility: 0.3}, "
      "H: {spot: 100, model: heston, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.4, rho: -0.6}}";
  for (const char* option :
       {"id: best, product: rainbow, underlyings: [A, B], strike: 105, maturity: 1",
        "id: smile, product: european, type: put, underlying: H, strike: 95, maturity: 1",
        "id: long, product: asian, average: geometric, underlying: A, strike: 100, fixings: 1500, maturity: 1"}) {
    const auto r = price_one("paths: 8192, steps_per_year: 48, rng: sobol", several, option);
    const auto random = price_one("paths: 8192, steps_per_year: 48", several, option);
    REQUIRE(r.reference_value.has_value());
    INFO(option << ": " << r.price << " +- " << r.standard_error << ", exact " << *r.reference_value << ", random +- "
                << random.standard_error);
    CHECK(std::abs(r.price - *r.reference_value) < 5.2 * r.standard_error + std::abs(r.bias.value_or(0)));
    CHECK(r.standard_error < random.standard_error);
  }
}
