// Error bars are real: over 16 fixed seeds the squares of (price - exact) / standard_error must add up as chi-square
// with 16 degrees does. Bounds [2.51, 47.86]: a false alarm in 10,000 for each option.
#include <map>

#include "tests/physics/options_book.hpp"

using namespace ergode;
using namespace ergode::testing::options;

namespace {

constexpr int seeds = 16;
constexpr double chi_square_low = 2.51, chi_square_high = 47.86;

/// Sums of z^2 by id; `known` are the values of options without a closed form of their own.
void check_books(const std::string& monte_carlo, const std::string& market, const std::vector<std::string>& options,
                 const std::map<std::string, double>& known = {}) {
  const std::string text = config(monte_carlo, market, options);
  std::vector<double> squares(options.size(), 0.0), sum(options.size(), 0.0);
  sim::options::Results last;
  for (int seed = 1; seed <= seeds; ++seed) {
    last = price(text, static_cast<std::uint32_t>(1000 + seed));
    for (std::size_t i = 0; i < options.size(); ++i) {
      const auto& r = last.instruments[i];
      const auto found = known.find(r.id);
      REQUIRE((found != known.end() || r.reference_value.has_value()));
      const double truth = found != known.end() ? found->second : *r.reference_value;
      REQUIRE(r.standard_error > 0);
      const double z = (r.price - truth) / r.standard_error;
      squares[i] += z * z;
      sum[i] += z;
    }
  }
  double all = 0;
  for (std::size_t i = 0; i < options.size(); ++i) {
    INFO(last.instruments[i].id << ": price " << last.instruments[i].price << " +- "
                                << last.instruments[i].standard_error << ", sum of z " << sum[i] << ", of z^2 "
                                << squares[i]);
    CHECK(squares[i] > chi_square_low);
    CHECK(squares[i] < chi_square_high);
    all += squares[i] / seeds;
  }
  INFO("mean z^2 over all: " << all / static_cast<double>(options.size()));
  CHECK(all / static_cast<double>(options.size()) > 0.5);
  CHECK(all / static_cast<double>(options.size()) < 1.7);
}

/// Value of an option watched at `fixings` equidistant dates that pays at the end unless it was outside (lower, upper)
/// at one of them, under gbm: the density of ln S before the barriers, one date after another, by the trapezoid rule.
double discrete_double_barrier(double spot, double rate, double volatility, double maturity, int fixings, double lower,
                               double upper, double strike, bool call) {
  const double dt = maturity / fixings, deviation = volatility * std::sqrt(dt),
               drift = (rate - 0.5 * volatility * volatility) * dt;
  const double low = std::max(std::log(lower / spot), -8 * volatility * std::sqrt(maturity));
  const double high = std::min(std::log(upper / spot), 8 * volatility * std::sqrt(maturity));
  const int n = 1200;
  const double h = (high - low) / n;
  std::vector<double> value(n + 1), next(n + 1);
  const auto payoff = [&](double x) {
    return std::max(call ? spot * std::exp(x) - strike : strike - spot * std::exp(x), 0.0);
  };
  // The last date's payoff has its kink within the grid: the first step back over a finer one.
  const auto back = [&](double x, const auto& f, int fine) {
    double sum = 0;
    const double step = h / fine;
    for (int j = 0; j <= n * fine; ++j) {
      const double y = low + j * step, u = (y - x - drift) / deviation;
      if (std::abs(u) > 9) continue;
      sum += (j == 0 || j == n * fine ? 0.5 : 1.0) * std::exp(-0.5 * u * u) * f(j, y);
    }
    return sum * step / (deviation * std::sqrt(2 * M_PI));
  };
  for (int i = 0; i <= n; ++i)
    value[static_cast<std::size_t>(i)] = back(
        low + i * h, [&](int, double y) { return payoff(y); }, 4);
  for (int k = 2; k < fixings; ++k) {
    for (int i = 0; i <= n; ++i)
      next[static_cast<std::size_t>(i)] = back(
          low + i * h, [&](int j, double) { return value[static_cast<std::size_t>(j)]; }, 1);
    value.swap(next);
  }
  return std::exp(-rate * maturity) * back(
                                          0, [&](int j, double) { return value[static_cast<std::size_t>(j)]; }, 1);
}

}  // namespace

TEST_CASE("error bars are real for products on gbm") {
  const std::string market = "rate: 0.05, underlyings: {A: {spot: 100, model: gbm, volatility: 0.3}}";
  const double out = discrete_double_barrier(100, 0.05, 0.3, 1, 12, 85, 1e9, 100, false);
  const double between = discrete_double_barrier(100, 0.05, 0.3, 1, 12, 80, 140, 100, true);
  const double vanilla = exact(market, "id: o, product: european, type: put, underlying: A, strike: 100, maturity: 1");
  check_books(
      "paths: 16384", market,
      {"id: call, product: european, underlying: A, strike: 100, maturity: 1",
       "id: put, product: european, type: put, underlying: A, strike: 110, maturity: 1",
       "id: cash, product: digital, underlying: A, strike: 100, maturity: 1",
       "id: asset, product: digital, type: put, payout: asset, underlying: A, strike: 100, maturity: 1",
       "id: geometric, product: asian, average: geometric, underlying: A, strike: 100, fixings: 12, maturity: 1",
       "id: floating, product: asian, average: geometric, strike_type: floating, underlying: A, fixings: 12, maturity: "
       "1",
       "id: arithmetic, product: asian, underlying: A, strike: 100, fixings: 12, maturity: 1",
       "id: down-out, product: barrier, underlying: A, strike: 100, barrier: 85, barrier_type: down_out, maturity: 1",
       "id: up-in, product: barrier, type: put, underlying: A, strike: 100, barrier: 120, barrier_type: up_in, rebate: "
       "2, maturity: 1",
       "id: double-out, product: double_barrier, underlying: A, strike: 100, lower_barrier: 80, upper_barrier: 140, "
       "barrier_type: knock_out, maturity: 1",
       "id: double-in, product: double_barrier, type: put, underlying: A, strike: 100, lower_barrier: 80, "
       "upper_barrier: 140, "
       "barrier_type: knock_in, maturity: 1",
       "id: lookback, product: lookback, underlying: A, maturity: 1",
       "id: lookback-fixed, product: lookback, strike_type: fixed, underlying: A, strike: 110, maturity: 1",
       "id: lookback-put, product: lookback, type: put, underlying: A, running_extreme: 110, maturity: 1",
       "id: start, product: forward_start, underlying: A, start: 0.4, moneyness: 1.05, maturity: 1",
       "id: cliquet, product: cliquet, underlying: A, resets: 4, local_floor: -0.05, local_cap: 0.1, maturity: 1",
       "id: variance, product: variance_swap, underlying: A, fixings: 12, maturity: 1",
       "id: swap, product: variance_swap, underlying: A, fixings: 12, strike: 0.08, notional: 100, maturity: 1",
       "id: fixed-out, product: barrier, type: put, underlying: A, strike: 100, barrier: 85, barrier_type: down_out, "
       "monitoring: discrete, fixings: 12, maturity: 1",
       "id: fixed-in, product: barrier, type: put, underlying: A, strike: 100, barrier: 85, barrier_type: down_in, "
       "monitoring: discrete, fixings: 12, maturity: 1",
       "id: fixed-double, product: double_barrier, underlying: A, strike: 100, lower_barrier: 80, upper_barrier: 140, "
       "barrier_type: knock_out, monitoring: discrete, fixings: 12, maturity: 1"},
      // The arithmetic average: recursive quadrature of the log density (Carverhill & Clewlow 1990).
      {{"arithmetic", 8.47428953698}, {"fixed-out", out}, {"fixed-in", vanilla - out}, {"fixed-double", between}});
}

TEST_CASE("error bars are real for jumps") {
  check_books("paths: 16384",
              "rate: 0.03, underlyings: {"
              "M: {spot: 100, dividend_yield: 0.01, model: merton_jump, volatility: 0.2, jump_intensity: 0.8, "
              "jump_mean: -0.1, jump_stddev: 0.15}, "
              "K: {spot: 100, dividend_yield: 0.01, model: kou_jump, volatility: 0.2, jump_intensity: 1, jump_up_prob: "
              "0.4, eta_up: 12, eta_down: 9}}",
              {"id: merton, product: european, underlying: M, strike: 100, maturity: 1",
               "id: merton-digital, product: digital, underlying: M, strike: 95, maturity: 1",
               "id: merton-start, product: forward_start, underlying: M, start: 0.4, maturity: 1",
               "id: merton-variance, product: variance_swap, underlying: M, fixings: 6, maturity: 1",
               "id: kou, product: european, type: put, underlying: K, strike: 100, maturity: 1",
               "id: kou-digital, product: digital, underlying: K, strike: 105, maturity: 1",
               "id: kou-variance, product: variance_swap, underlying: K, fixings: 6, maturity: 1"});
}

TEST_CASE("error bars are real for models in steps") {
  // Small steps, so that the scheme's bias is well below the errors of these few paths.
  check_books(
      "paths: 8192, steps_per_year: 64",
      "rate: 0.03, underlyings: {"
      "H: {spot: 100, model: heston, v0: 0.04, kappa: 1.5, theta: 0.05, sigma_v: 0.4, rho: -0.6}, "
      "B: {spot: 100, model: bates, v0: 0.04, kappa: 2, theta: 0.04, sigma_v: 0.3, rho: -0.5, jump_intensity: 0.5, "
      "jump_mean: -0.1, jump_stddev: 0.1}, "
      "C: {spot: 100, model: cev, cev_sigma: 2.5, cev_beta: 0.5}, "
      "L: {spot: 100, model: local_volatility, strikes: [50, 150], maturities: [1], local_volatility: [[0.25, 0.25]]}}",
      {"id: heston, product: european, underlying: H, strike: 100, maturity: 1",
       "id: heston-digital, product: digital, underlying: H, strike: 100, maturity: 1",
       "id: heston-variance, product: variance_swap, underlying: H, fixings: 4, maturity: 1",
       "id: bates, product: european, type: put, underlying: B, strike: 95, maturity: 1",
       "id: cev, product: european, underlying: C, strike: 100, maturity: 1",
       "id: local, product: european, underlying: L, strike: 105, maturity: 1"},
      {{"local", exact("rate: 0.03, underlyings: {A: {spot: 100, model: gbm, volatility: 0.25}}",
                       "id: o, product: european, underlying: A, strike: 105, maturity: 1")}});
}

TEST_CASE("error bars are real for several underlyings") {
  check_books(
      "paths: 16384",
      "rate: 0.03, correlation: 0.4, underlyings: {A: {spot: 100, dividend_yield: 0.02, model: gbm, volatility: 0.2}, "
      "B: {spot: 95, model: gbm, volatility: 0.3}, C: {spot: 110, model: gbm, volatility: 0.25}}",
      {"id: arithmetic, product: basket, underlyings: [A, B], strike: 98, maturity: 1",
       "id: geometric, product: basket, average: geometric, underlyings: [A, B, C], strike: 100, maturity: 1",
       "id: best, product: rainbow, underlyings: [A, B], strike: 105, maturity: 1",
       "id: worst, product: rainbow, select: min, type: put, underlyings: [A, B], strike: 95, maturity: 1",
       "id: spread, product: spread, underlyings: [A, B], strike: 5, maturity: 1",
       "id: exchange, product: exchange, underlyings: [A, B], maturity: 1"});
}

TEST_CASE("a Heston call whose second moment explodes has a real error bar through its put") {
  // Case II of Andersen (2008, J. Computational Finance 11(3), p. 25), at T = 15.
  const std::string market =
      "rate: 0, underlyings: {A: {spot: 100, model: heston, v0: 0.04, kappa: 0.3, theta: 0.04, sigma_v: 0.9, rho: "
      "-0.5}}";
  const std::string option = "id: call, product: european, underlying: A, strike: 100, maturity: 15";
  const std::string mc = "paths: 8192, steps_per_year: 8";
  CHECK(price_one(mc, market, option).variance_reduction.find("parity") != std::string::npos);
  check_books(mc, market, {option});
}

TEST_CASE(
    "calls under a volatility that no mean over paths survives are valued through their puts, or said to be unsure") {
  // sigma^2 T = 125: all but one path in 10^14 end below the strike, and the mean is made of those.
  const std::string market = "rate: 0.02, underlyings: {A: {spot: 100, model: gbm, volatility: 5}}";
  const auto call =
      price_one("paths: 8192", market, "id: call, product: european, underlying: A, strike: 100, maturity: 5");
  CHECK(call.variance_reduction.find("parity") != std::string::npos);
  // Black & Scholes: 100 less 2.2e-6.
  CHECK(call.price > 99.9999);
  CHECK(call.price <= 100);
  const auto late =
      price_one("paths: 8192", market, "id: late, product: forward_start, underlying: A, start: 1, maturity: 5");
  CHECK(late.message.find("cannot be relied on") != std::string::npos);
}

TEST_CASE("the reduction of variance is that of everything together, and payoffs are those of single paths") {
  const std::string market = "rate: 0, underlyings: {A: {spot: 100, model: gbm, volatility: 0.2}}";
  const std::string option = "id: call, product: european, underlying: A, strike: 100, maturity: 1";
  const auto priced = [&](const std::string& mc) {
    auto settings = testing::read_settings(config(mc + ", paths: 65536", market, {option})).settings;
    settings.output.save_values = 16384;
    return sim::options::price_book(settings, context(3)).instruments.at(0);
  };
  const auto plain = priced("antithetic: false, control_variate: none"), mirrored = priced("control_variate: none"),
             both = priced("antithetic: true"), sobol = priced("rng: sobol, control_variate: none");
  // Of so many payoffs the variance is known to 2 %, and by itself the plain estimate reduces nothing.
  CHECK(std::abs(*plain.variance_reduction_factor - 1) < 0.08);
  const auto ratio = [&](const auto& r) { return std::pow(plain.standard_error / r.standard_error, 2); };
  CHECK(std::abs(*mirrored.variance_reduction_factor / ratio(mirrored) - 1) < 0.08);
  CHECK(std::abs(*both.variance_reduction_factor / ratio(both) - 1) < 0.08);
  CHECK(std::abs(*sobol.variance_reduction_factor / ratio(sobol) - 1) < 0.08);
  CHECK(*sobol.variance_reduction_factor > 100);
  // P(S_T > K) = N(-0.1) = 0.460: a pair's mean is positive nearly always.
  for (const auto* r : {&plain, &mirrored, &both, &sobol}) {
    const auto paid = std::count_if(r->values.begin(), r->values.end(), [](double x) { return x > 0; });
    CHECK(r->values.size() == 16384);
    CHECK(std::abs(static_cast<double>(paid) / static_cast<double>(r->values.size()) - 0.4602) < 4 * 0.0039);
  }
}

TEST_CASE("an error of nothing is said where it says nothing") {
  const std::string market = "rate: 0, underlyings: {A: {spot: 100, model: gbm, volatility: 0.1}}";
  const auto message = [&](const std::string& option) {
    return price_one("paths: 1024, control_variate: none", market, option + ", underlying: A, maturity: 0.01").message;
  };
  // One path in 100,000 jumps, twentyfold.
  const std::string rare =
      "rate: 0, underlyings: {A: {spot: 100, model: merton_jump, volatility: 0.1, jump_intensity: 0.001, jump_mean: 3, "
      "jump_stddev: 0}}";
  CHECK(price_one("paths: 1024, control_variate: none", rare,
                  "id: far, product: european, underlying: A, strike: 120, maturity: 0.01")
            .message == "no path paid anything, and the closed form differs: the error bar says nothing");
  CHECK(message("id: gone, product: barrier, strike: 100, barrier: 110, barrier_type: down_out") ==
        "no path paid anything");
  CHECK(message("id: near, product: european, strike: 100").empty());
}
