// Closed forms against independent truth: other formulas, brute-force integrals, differences, and exact limits.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "sim/options/closed_forms/average.hpp"
#include "sim/options/closed_forms/black.hpp"
#include "sim/options/closed_forms/forward_start.hpp"
#include "sim/options/closed_forms/multi_asset.hpp"
#include "sim/options/closed_forms/normal.hpp"
#include "sim/options/closed_forms/quadrature.hpp"

using namespace ergode::sim::options;
using namespace ergode::sim::options::closed_forms;

namespace {

constexpr auto types = {OptionType::call, OptionType::put};

bool near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance;
}

}  // namespace

TEST_CASE("The quadrature rules are exact for the polynomials they must be exact for") {
  for (int power = 0; power <= 22; power += 2) {
    double error = 0;
    const auto value =
        quadrature::rule<1>([&](double x) { return quadrature::Values<1>{std::pow(x, power)}; }, -1, 1, error);
    CHECK(near(value[0], 2.0 / (power + 1), 3e-16));
    if (power <= 13) CHECK(error < 1e-15);
    if (power >= 14) CHECK(error > 1e-7);
  }
  CHECK(near(integrate([](double x) { return std::exp(-x * x); }, 8, -8, 1e-15), -std::sqrt(std::numbers::pi), 1e-14));
}

TEST_CASE("The normal distribution keeps its relative accuracy where factors over- and underflow") {
  const auto truth = [](double x) { return 0.5L * std::erfc(-static_cast<long double>(x) / std::sqrt(2.0L)); };
  for (const double x : {3.0, 0.0, -1.0, -10.0, -30.0, -34.9, -35.1, -40.0, -60.0, -130.0}) {
    for (const double exponent : {-700.0, 0.0, 5.0, 599.0, 601.0, 900.0, 8400.0}) {
      const long double expected = std::exp(static_cast<long double>(exponent)) * truth(x);
      if (expected > 1e300L || expected < 1e-290L) continue;
      CHECK(std::abs(scaled_normal_cdf(exponent, x) / expected - 1) < 4e-12L);
    }
  }
  CHECK(scaled_normal_cdf(1e4, -INFINITY) == 0);
  const double interval = scaled_normal_interval(800, 39.9, 40.0);
  const long double expected = std::exp(800.0L) * (truth(-39.9) - truth(-40.0));
  CHECK(std::abs(interval / expected - 1) < 1e-11L);
  CHECK(scaled_normal_interval(0, 1, 1) == 0);
}

TEST_CASE("The bivariate normal distribution agrees with its definition") {
  for (const double rho : {-0.9999, -0.6, 0.0, 0.3, 0.95, 0.99999}) {
    CHECK(near(bivariate_normal_cdf(0, 0, rho), 0.25 + std::asin(rho) / (2 * std::numbers::pi), 1e-14));
  }
  for (const double rho : {-0.8, 0.2, 0.97}) {
    for (const double x : {-2.0, 0.4, 1.5}) {
      for (const double y : {-1.0, 0.5, 3.0}) {
        // P(Y <= y | X = z) over a fine grid: Simpson's rule, independent of the library's quadrature.
        const int n = 20000;
        const double low = -9, h = (x - low) / n;
        long double sum = 0;
        for (int i = 0; i <= n; ++i) {
          const double z = low + i * h, weight = i == 0 || i == n ? 1 : i % 2 ? 4 : 2;
          sum += weight * normal_density(z) * normal_cdf((y - rho * z) / std::sqrt(1 - rho * rho));
        }
        CHECK(near(bivariate_normal_cdf(x, y, rho), static_cast<double>(sum * h / 3), 1e-13));
      }
    }
  }
  CHECK(bivariate_normal_cdf(0.3, 0.1, 1) == normal_cdf(0.1));
  CHECK(near(bivariate_normal_cdf(0.3, 0.1, -1), normal_cdf(0.3) - normal_cdf(-0.1), 1e-16));
  CHECK(bivariate_normal_cdf(INFINITY, 0.1, 0.5) == normal_cdf(0.1));
  CHECK(bivariate_normal_cdf(0.1, -INFINITY, 0.5) == 0);
}

TEST_CASE("Black's prices and digitals agree with the lognormal integral of the payoff") {
  const double forward = 104, discount = 0.93;
  for (const double strike : {60.0, 100.0, 104.0, 150.0}) {
    for (const double variance : {1e-4, 0.04, 1.0}) {
      const double s = std::sqrt(variance), edge = (std::log(strike / forward) + 0.5 * variance) / s;
      const auto expect = [&](auto payoff) {
        const auto f = [&](double z) { return normal_density(z) * payoff(forward * std::exp(s * z - 0.5 * variance)); };
        const double cut = std::clamp(edge, -12.0, 12.0);
        return discount * (integrate(f, -12.0, cut, 1e-14) + integrate(f, cut, 12.0, 1e-14));
      };
      for (const auto type : types) {
        const double sign = type == OptionType::call ? 1 : -1;
        const auto in = [&](double spot) { return sign * (spot - strike) > 0; };
        CHECK(near(black_scholes(type, forward, strike, discount, variance),
                   expect([&](double x) { return in(x) ? sign * (x - strike) : 0.0; }), 1e-10));
        CHECK(near(digital(type, Payout::asset, 7, forward, strike, discount, variance),
                   expect([&](double x) { return in(x) ? x : 0.0; }), 1e-10));
        CHECK(near(digital(type, Payout::cash, 7, forward, strike, discount, variance),
                   expect([&](double x) { return in(x) ? 7.0 : 0.0; }), 1e-10));
      }
    }
  }
}

TEST_CASE("Without variance, strike or time Black's values are the exact limits") {
  CHECK(black_scholes(OptionType::call, 100, 90, 0.9, 0) == 0.9 * 10);
  CHECK(black_scholes(OptionType::put, 100, 90, 0.9, 0) == 0);
  CHECK(black_scholes(OptionType::call, 100, 0, 0.9, 0.04) == 0.9 * 100);
  CHECK(black_scholes(OptionType::put, 100, 0, 0.9, 0.04) == 0);
  CHECK(black_scholes(OptionType::call, 100, -5, 0.9, 0.04) == 0.9 * 105);
  CHECK(black_scholes(OptionType::put, 0, 90, 0.9, 0.04) == 0.9 * 90);
  CHECK(black_scholes(OptionType::call, 100, 90, 0.9, INFINITY) == 0.9 * 100);
  CHECK(digital(OptionType::call, Payout::cash, 5, 100, 100, 0.9, 0) == 0);  // strictly in the money
  CHECK(digital(OptionType::put, Payout::cash, 5, 100, 100, 0.9, 0) == 0);
  CHECK(digital(OptionType::call, Payout::asset, 5, 100, 0, 0.9, 0.04) == 0.9 * 100);
  for (const auto type : types) {
    for (const double strike : {0.0, 90.0, 100.0}) {
      for (const double maturity : {0.0, 1.0}) {
        const GbmConstants m{100, 0, 0, 0};
        for (const SpotGreeks& g : {black_scholes_greeks(type, m, strike, maturity),
                                    digital_greeks(type, Payout::cash, 1, m, strike, maturity),
                                    digital_greeks(type, Payout::asset, 1, m, strike, maturity)}) {
          for (const double value : {g.price, g.delta, g.gamma, g.vega, g.theta, g.rho}) CHECK(!std::isnan(value));
        }
      }
    }
  }
  CHECK(black_scholes_greeks(OptionType::call, {100, 0, 0, 0}, 90, 1).delta == 1);
  CHECK(black_scholes_greeks(OptionType::call, {100, 0, 0, 0}, 100, 1).delta == 0.5);
}

TEST_CASE("The Greeks of Europeans and digitals are the differences of their prices") {
  const GbmConstants m{95, 0.04, 0.015, 0.27};
  const double strike = 100, maturity = 0.8, h = 1e-3;
  const auto check = [&](auto price, const SpotGreeks& g) {
    const auto slope = [&](auto moved) {
      return (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
    };
    const auto at = [&](double ds, double dv, double dr, double dt) {
      return price(GbmConstants{m.spot + ds, m.rate + dr, m.dividend_yield, m.volatility + dv}, maturity + dt);
    };
    CHECK(near(g.price, at(0, 0, 0, 0), 1e-13));
    CHECK(near(g.delta, slope([&](double x) { return at(x, 0, 0, 0); }), 1e-9));
    CHECK(near(g.vega, slope([&](double x) { return at(0, x, 0, 0); }), 1e-7));
    CHECK(near(g.rho, slope([&](double x) { return at(0, 0, x, 0); }), 1e-7));
    CHECK(near(g.theta, -slope([&](double x) { return at(0, 0, 0, x); }), 1e-7));
    CHECK(near(g.gamma, (at(0.1, 0, 0, 0) - 2 * at(0, 0, 0, 0) + at(-0.1, 0, 0, 0)) / 0.01, 1e-6));
  };
  for (const auto type : types) {
    check([&](const GbmConstants& x,
              double t) { return black_scholes(type, x.forward(t), strike, x.discount(t), x.variance(t)); },
          black_scholes_greeks(type, m, strike, maturity));
    for (const auto payout : {Payout::cash, Payout::asset}) {
      check([&](const GbmConstants& x,
                double t) { return digital(type, payout, 10, x.forward(t), strike, x.discount(t), x.variance(t)); },
            digital_greeks(type, payout, 10, m, strike, maturity));
    }
  }
}

TEST_CASE("Implied volatility returns the volatility of a price, deep in and out of the money too") {
  const double forward = 100, discount = 0.95;
  int compared = 0;
  for (const double maturity : {0.01, 1.0, 20.0}) {
    for (const double volatility : {0.01, 0.1, 0.3, 1.0, 3.0}) {
      for (const double strike : {1.0, 50.0, 90.0, 99.999, 100.0, 110.0, 200.0, 5000.0}) {
        for (const auto type : types) {
          const double w = volatility * volatility * maturity;
          const double price = black_scholes(type, forward, strike, discount, w);
          const double intrinsic =
              discount * std::max(type == OptionType::call ? forward - strike : strike - forward, 0.0);
          const double over = price - intrinsic, cap = discount * std::min(forward, strike);
          // What the rounding of the price leaves of its volatility.
          const double vega = discount * forward *
                              normal_density(std::log(forward / strike) / std::sqrt(w) + 0.5 * std::sqrt(w)) *
                              std::sqrt(maturity);
          const double lost =
              (intrinsic > 0 ? 1e-15 * (forward + strike) : 1e-13 * over + 1e-15 * (over > 1e-8) * forward) / vega;
          if (!(over > 1e-200) || !(lost < 1e-6 * volatility) || over > 0.999 * cap) continue;
          ++compared;
          const auto implied = implied_volatility(type, price, forward, strike, discount, maturity);
          INFO(maturity << " " << volatility << " " << strike << " " << over);
          REQUIRE(implied.has_value());
          CHECK(near(*implied, volatility, 1e-11 * volatility + 4 * lost));
        }
      }
    }
  }
  CHECK(compared > 100);
  CHECK(implied_volatility(OptionType::call, 0.95 * 10, 100, 90, 0.95, 1) == 0.0);
  CHECK(implied_volatility(OptionType::call, 0, 100, 190, 0.95, 1) == 0.0);
  CHECK(!implied_volatility(OptionType::call, 9.4, 100, 90, 0.95, 1));   // below intrinsic value
  CHECK(!implied_volatility(OptionType::call, 95.1, 100, 90, 0.95, 1));  // above the forward
  CHECK(!implied_volatility(OptionType::put, 85.6, 100, 90, 0.95, 1));   // above the strike
  CHECK(!implied_volatility(OptionType::call, -1, 100, 120, 0.95, 1));
  CHECK(!implied_volatility(OptionType::call, NAN, 100, 120, 0.95, 1));
  CHECK(!implied_volatility(OptionType::call, 1, 100, 120, 0.95, 0));
  CHECK(!implied_volatility(OptionType::call, 1, 100, 0, 0.95, 1));
}

TEST_CASE("A geometric average has the mean and variance that its fixings' covariance gives") {
  const double spot = 90;
  const std::vector<double> drift{0.01, 0.005, 0.04}, variance{0.02, 0.05, 0.11}, past{80, 100};
  const std::vector<double> weights(3, 0.2);
  std::vector<double> means, covariance;
  for (int i = 0; i < 3; ++i) {
    means.push_back(std::log(spot) + drift[i] - 0.5 * variance[i]);
    for (int j = 0; j < 3; ++j) covariance.push_back(variance[std::min(i, j)]);
  }
  LogNormal expected = geometric_average(weights, means, covariance);
  const LogNormal got = geometric_average(spot, drift, variance, past);
  CHECK(near(got.log_mean, expected.log_mean + 0.2 * std::log(80.0 * 100.0), 1e-14));
  CHECK(near(got.log_variance, expected.log_variance, 1e-16));

  const std::vector<double> uneven{0.1, 0.3, 0.6};
  expected = geometric_average(uneven, means, covariance);
  CHECK(near(geometric_average(spot, drift, variance, {}, uneven).log_variance, expected.log_variance, 1e-16));

  // Of a single fixing at maturity the average is the price; of past fixings alone it is known.
  CHECK(near(geometric_average(spot, {0.03}, {0.04}).forward(), spot * std::exp(0.03), 1e-12));
  const LogNormal known = geometric_average(spot, {}, {}, past);
  CHECK(known.log_variance == 0);
  CHECK(near(lognormal_option(OptionType::call, known, 85, 0.9), 0.9 * (std::sqrt(8000.0) - 85), 1e-12));
}

TEST_CASE("Trapezoid weights on a fine grid give the continuous geometric average") {
  const int n = 4000;
  const double carry = 0.03, volatility = 0.3, maturity = 2;
  std::vector<double> drift, variance, weights;
  for (int i = 1; i <= n; ++i) {
    drift.push_back(carry * maturity * i / n);
    variance.push_back(volatility * volatility * maturity * i / n);
    weights.push_back((i == n ? 0.5 : 1.0) / n);
  }
  LogNormal discrete = geometric_average(100, drift, variance, {}, weights);
  discrete.log_mean += std::log(100.0) * 0.5 / n;  // the spot itself has half a weight
  const LogNormal continuous = geometric_average_continuous(100, carry, volatility, maturity);
  CHECK(near(discrete.log_mean, continuous.log_mean, 1e-12));
  CHECK(near(discrete.log_variance, continuous.log_variance, 1e-7));
}

TEST_CASE("A floating strike Asian of one fixing at maturity is worth nothing, of one at the start a vanilla") {
  const LogNormal end = geometric_average(100, {0.05}, {0.09});
  const double covariance = covariance_with_terminal({0.09});
  CHECK(near(floating_strike_geometric_asian(OptionType::call, end, 100 * std::exp(0.05), 0.09, covariance, 0.9), 0,
             1e-12));
  const LogNormal start = geometric_average(100, {}, {}, {100});
  CHECK(near(floating_strike_geometric_asian(OptionType::put, start, 105, 0.09, 0, 0.9),
             black_scholes(OptionType::put, 105, 100, 0.9, 0.09), 1e-12));
  // Two assets say the same of any average.
  const std::vector<double> drift{0.01, 0.04}, variance{0.03, 0.09};
  const LogNormal g = geometric_average(100, drift, variance);
  const TwoAssets assets{104, g.forward(), 0.09, g.log_variance, covariance_with_terminal(variance)};
  CHECK(near(floating_strike_geometric_asian(OptionType::call, g, 104, 0.09, covariance_with_terminal(variance), 0.9),
             linear_combination(OptionType::call, 1, -1, assets, 0, 0.9), 1e-10));
}

TEST_CASE("Options on the best and the worst of two agree with the integral of their distribution") {
  for (const double rho : {-0.7, 0.0, 0.9}) {
    const TwoAssets a{105, 90, 0.06, 0.14, rho * std::sqrt(0.06 * 0.14)};
    const double s1 = std::sqrt(a.variance_1), s2 = std::sqrt(a.variance_2);
    for (const double strike : {50.0, 100.0, 130.0}) {
      const auto below = [&](double level, double f, double s) { return (std::log(level / f) + 0.5 * s * s) / s; };
      const auto both_above = [&](double x) {
        return bivariate_normal_cdf(-below(x, 105, s1), -below(x, 90, s2), rho);
      };
      const auto any_above = [&](double x) {
        return 1 - bivariate_normal_cdf(below(x, 105, s1), below(x, 90, s2), rho);
      };
      const auto none_above = [&](double x) { return x > 0 ? 1 - any_above(x) : 0.0; };
      const auto one_below = [&](double x) { return x > 0 ? 1 - both_above(x) : 0.0; };
      CHECK(near(best_or_worst(OptionType::call, Select::minimum, a, strike, 0.9),
                 0.9 * integrate(both_above, strike, 2000, 1e-10), 1e-7));
      CHECK(near(best_or_worst(OptionType::call, Select::maximum, a, strike, 0.9),
                 0.9 * integrate(any_above, strike, 2000, 1e-10), 1e-7));
      CHECK(near(best_or_worst(OptionType::put, Select::maximum, a, strike, 0.9),
                 0.9 * integrate(none_above, 0, strike, 1e-10), 1e-7));
      CHECK(near(best_or_worst(OptionType::put, Select::minimum, a, strike, 0.9),
                 0.9 * integrate(one_below, 0, strike, 1e-10), 1e-7));
    }
  }
}

TEST_CASE("Best and worst of two have their limits: no variance, full correlation, strike 0") {
  const auto value = [](const TwoAssets& a, Select select, OptionType type, double strike) {
    return best_or_worst(type, select, a, strike, 1);
  };
  for (const auto select : {Select::maximum, Select::minimum}) {
    for (const auto type : types) {
      for (const double strike : {0.0, 80.0, 110.0}) {
        const double tiny = 1e-12;
        for (const TwoAssets& a :
             {TwoAssets{100, 95, 0, 0.04, 0}, TwoAssets{100, 95, 0.04, 0, 0}, TwoAssets{100, 95, 0, 0, 0}}) {
          TwoAssets near_it = a;
          near_it.variance_1 += tiny;
          near_it.variance_2 += tiny;
          CHECK(near(value(a, select, type, strike), value(near_it, select, type, strike), 2e-4));
        }
        const TwoAssets same{100, 95, 0.04, 0.04, 0.04};
        const double picked = select == Select::maximum ? 100 : 95;
        CHECK(near(value(same, select, type, strike), black_scholes(type, picked, strike, 1, 0.04), 1e-11));
      }
    }
  }
  const TwoAssets a{100, 95, 0.04, 0.09, 0.01};
  CHECK(near(value(a, Select::maximum, OptionType::call, 0), 95 + exchange(a, 1), 1e-11));
  CHECK(near(value(a, Select::minimum, OptionType::call, 0), 100 - exchange(a, 1), 1e-11));
}

TEST_CASE("Spreads and baskets of two reduce to the exchange option, the vanilla and the identical pair") {
  const TwoAssets a{100, 95, 0.04, 0.09, 0.03};
  CHECK(near(linear_combination(OptionType::call, 1, -1, a, 0, 0.9), exchange(a, 0.9), 1e-10));
  CHECK(near(linear_combination(OptionType::call, 2, 0, a, 150, 0.9),
             black_scholes(OptionType::call, 200, 150, 0.9, 0.04), 1e-10));
  CHECK(near(linear_combination(OptionType::put, 0, 2, a, 150, 0.9),
             black_scholes(OptionType::put, 190, 150, 0.9, 0.09), 1e-10));
  const TwoAssets same{100, 100, 0.04, 0.04, 0.04};
  CHECK(near(linear_combination(OptionType::call, 0.5, 0.5, same, 90, 0.9),
             black_scholes(OptionType::call, 100, 90, 0.9, 0.04), 1e-10));
  CHECK(near(linear_combination(OptionType::put, -0.5, -0.5, same, -90, 0.9),
             black_scholes(OptionType::call, 100, 90, 0.9, 0.04), 1e-10));
  for (const double strike : {-10.0, 0.0, 7.0}) {
    const double call = linear_combination(OptionType::call, 1, -1.5, a, strike, 0.9);
    const double put = linear_combination(OptionType::put, 1, -1.5, a, strike, 0.9);
    CHECK(near(call - put, 0.9 * (100 - 1.5 * 95 - strike), 1e-9));
    CHECK(near(call, linear_combination(OptionType::put, -1, 1.5, a, -strike, 0.9), 1e-9));
  }
  CHECK(linear_combination(OptionType::call, 1, -1, {100, 95, 0, 0, 0}, 3, 0.9) == Catch::Approx(0.9 * 2));
}

TEST_CASE("A cliquet without bounds pays the sum of returns, with equal bounds the bound") {
  const std::vector<double> growth{1.01, 0.99, 1.03}, variance{0.01, 0.02, 0.0};
  CHECK(near(cliquet(10, growth, variance, {}, {}, 0.9), 9 * 0.03, 1e-14));
  CHECK(near(cliquet(10, growth, variance, 0.02, 0.02, 0.9), 9 * 0.06, 1e-14));
  CHECK(near(cliquet(1, {1.05}, {0.04}, 0.0, {}, 1), black_scholes(OptionType::call, 1.05, 1, 1, 0.04), 1e-15));
  CHECK(near(cliquet(1, {1.05}, {0.04}, -2.0, {}, 1), 0.05, 1e-14));  // a floor below ruin does not bind
  CHECK(near(forward_start(OptionType::call, 1.1, 100, 105, 0.9, 0), 0, 1e-15));
  CHECK(near(forward_start(OptionType::put, 1.1, 100, 105, 0.9, 0), 0.9 * 5, 1e-12));
}
