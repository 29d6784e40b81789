// Barriers and lookbacks: independent formulas against each other, integrals of first-passage probabilities, limits.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numbers>

#include "sim/options/closed_forms/barrier.hpp"
#include "sim/options/closed_forms/lookback.hpp"
#include "sim/options/closed_forms/normal.hpp"
#include "sim/options/closed_forms/quadrature.hpp"

using namespace ergode::sim::options;
using namespace ergode::sim::options::closed_forms;

namespace {

constexpr auto types = {OptionType::call, OptionType::put};
constexpr double maturity = 0.7;

bool near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance;
}

double vanilla(OptionType type, const GbmConstants& m, double strike) {
  return black_scholes(type, m.forward(maturity), strike, m.discount(maturity), m.variance(maturity));
}

/// Knock-out by the eigenfunctions of the density between two barriers, integrated by Simpson's rule.
double double_knock_out_by_sines(OptionType type, const GbmConstants& m, double strike, double lower, double upper) {
  const double low = std::log(lower / m.spot), width = std::log(upper / lower);
  const double v = m.volatility * m.volatility, drift = m.rate - m.dividend_yield - 0.5 * v;
  const double sign = type == OptionType::call ? 1 : -1;
  const double kink = std::clamp(std::log(strike / m.spot), low, low + width);
  const auto density = [&](double x) {
    double sum = 0;
    for (int k = 1; k <= 400; ++k) {
      const double wave = k * std::numbers::pi / width;
      sum += std::sin(-wave * low) * std::sin(wave * (x - low)) * std::exp(-0.5 * wave * wave * v * maturity);
    }
    return 2 / width * sum * std::exp(drift * x / v - 0.5 * drift * drift * maturity / v);
  };
  const double from = sign > 0 ? kink : low, to = sign > 0 ? low + width : kink;
  const int n = 2000;
  double sum = 0;
  for (int i = 0; i <= n; ++i) {
    const double x = from + (to - from) * i / n, weight = i == 0 || i == n ? 1 : i % 2 ? 4 : 2;
    sum += weight * density(x) * sign * (m.spot * std::exp(x) - strike);
  }
  return m.discount(maturity) * sum * (to - from) / n / 3;
}

}  // namespace

TEST_CASE("A double barrier with one side far away is the single barrier") {
  // Two formulas: Reiner and Rubinstein's cases, and the image series.
  for (const double rate : {0.05, 0.0, -0.08}) {
    const GbmConstants m{100, rate, 0.02, 0.25};
    for (const auto type : types) {
      for (const double strike : {0.0, 80.0, 92.0, 100.0, 108.0, 120.0}) {
        for (const auto at : {RebateTime::automatic, RebateTime::at_maturity, RebateTime::at_hit}) {
          for (const bool in : {false, true}) {
            const auto both = in ? DoubleBarrierType::knock_in : DoubleBarrierType::knock_out;
            const auto down = in ? BarrierType::down_in : BarrierType::down_out;
            const auto up = in ? BarrierType::up_in : BarrierType::up_out;
            INFO(rate << " " << strike << " " << in);
            CHECK(near(barrier(type, down, m, strike, 92, 3, maturity, at),
                       double_barrier(type, both, m, strike, 92, 1e5, 3, maturity, at), 1e-9));
            CHECK(near(barrier(type, up, m, strike, 108, 3, maturity, at),
                       double_barrier(type, both, m, strike, 0.1, 108, 3, maturity, at), 1e-9));
          }
        }
      }
    }
  }
}

TEST_CASE("Knock-ins are the terms of Reiner and Rubinstein's table, not only the rest of the vanilla") {
  // Haug 1998, p. 72, to the four digits printed there: S 100, r 8 %, q 4 %, sigma 25 %, T 0.5, rebate 3.
  const GbmConstants m{100, 0.08, 0.04, 0.25};
  CHECK(near(barrier(OptionType::call, BarrierType::down_in, m, 90, 95, 3, 0.5), 7.7627, 5e-5));
  CHECK(near(barrier(OptionType::call, BarrierType::up_in, m, 90, 105, 3, 0.5), 14.1112, 5e-5));
  CHECK(near(barrier(OptionType::put, BarrierType::down_in, m, 110, 95, 3, 0.5), 11.9752, 5e-5));
  const double discount = m.discount(maturity);
  for (const auto type : types) {
    for (const double strike : {80.0, 100.0, 120.0}) {
      for (const double level : {95.0, 108.0}) {
        const bool upper = level > m.spot;
        const double in =
            barrier(type, upper ? BarrierType::up_in : BarrierType::down_in, m, strike, level, 0, maturity);
        // Where the option is in the money beyond the barrier only, the knock-in is the vanilla.
        if (upper == (type == OptionType::call) && (type == OptionType::call ? strike >= level : strike <= level)) {
          CHECK(near(in, vanilla(type, m, strike), 1e-12));
        }
        // Otherwise: at the hit a vanilla is received, so that it is the integral over the time of the hit.
        const auto survival = [&](double t) { return survival_probability(m, level, upper, t); };
        const auto worth = [&](double t) {  // at t, with the spot on the barrier
          const double rest = maturity - t;
          return std::exp(-m.rate * t) * black_scholes(type, level * std::exp((m.rate - m.dividend_yield) * rest),
                                                       strike, m.discount(rest), m.variance(rest));
        };
        const int n = 4000;
        double sum = 0;
        for (int i = 0; i < n; ++i) {
          // Equal steps in sqrt of the time left: the vanilla has a root there.
          const auto time = [&](double x) { return maturity * (1 - (1 - x / n) * (1 - x / n)); };
          sum += (survival(time(i)) - survival(time(i + 1))) * worth(time(i + 0.5));
        }
        CHECK(near(in, sum, 2e-5));
        CHECK(near(barrier(type, upper ? BarrierType::up_in : BarrierType::down_in, m, strike, level, 2, maturity) - in,
                   2 * discount * survival(maturity), 1e-12));
      }
    }
  }
}

TEST_CASE("Double barriers agree with the eigenfunctions of the strip, narrow and wide") {
  const GbmConstants m{100, 0.03, 0.01, 0.3};
  for (const auto type : types) {
    for (const double strike : {85.0, 100.0, 112.0}) {
      for (const double half : {8.0, 20.0, 45.0}) {
        const double lower = 100 - half, upper = 100 + 1.2 * half;
        const double out = double_barrier(type, DoubleBarrierType::knock_out, m, strike, lower, upper, 0, maturity);
        CHECK(near(out, double_knock_out_by_sines(type, m, strike, lower, upper), 1e-8));
      }
    }
  }
  // A strip of a thousandth of the path's spread leaves nothing.
  CHECK(near(double_barrier(OptionType::call, DoubleBarrierType::knock_out, m, 99, 99.99, 100.01, 0, 1), 0, 1e-12));
  CHECK(near(double_barrier(OptionType::call, DoubleBarrierType::knock_out, m, 99, 99.99, 100.01, 5, 1), 5, 1e-6));
}

TEST_CASE("Barriers that are crossed, without volatility or without time have their exact values") {
  const GbmConstants m{100, 0.05, 0.01, 0.2};
  CHECK(barrier(OptionType::call, BarrierType::down_out, m, 90, 100, 3, 1) == 3);
  CHECK(barrier(OptionType::call, BarrierType::up_out, m, 90, 95, 3, 1, RebateTime::at_maturity) ==
        3 * std::exp(-0.05));
  CHECK(near(barrier(OptionType::put, BarrierType::up_in, m, 110, 95, 3, maturity), vanilla(OptionType::put, m, 110),
             1e-15));
  CHECK(double_barrier(OptionType::call, DoubleBarrierType::knock_out, m, 90, 100, 120, 3, 1) == 3);
  CHECK(near(double_barrier(OptionType::call, DoubleBarrierType::knock_in, m, 90, 80, 99, 3, maturity),
             vanilla(OptionType::call, m, 90), 1e-15));
  for (const auto type : types) {
    for (const auto kind : {BarrierType::down_in, BarrierType::down_out, BarrierType::up_in, BarrierType::up_out}) {
      for (const double carry : {0.08, -0.08}) {
        const bool upper = kind == BarrierType::up_in || kind == BarrierType::up_out;
        const double level = upper ? 103 : 97;
        const auto at = [&](double volatility) {
          return barrier(type, kind, GbmConstants{100, 0.05, 0.05 - carry, volatility}, 101, level, 3, maturity);
        };
        CHECK(near(at(0), at(1e-4), 1e-3));
        CHECK(near(at(1e-4), at(1e-5), 1e-3));
        const double now = barrier(type, kind, m, 101, level, 3, 0);
        const bool in = kind == BarrierType::down_in || kind == BarrierType::up_in;
        CHECK(now == (in ? 3.0 : type == OptionType::call ? 0.0 : 1.0));
      }
    }
  }
}

TEST_CASE("Lookbacks are integrals of the probability that the path reaches a level") {
  for (const double yield : {0.0, 0.05, 0.05 - 1e-9, 0.049, 0.12}) {
    const GbmConstants m{100, 0.05, yield, 0.3};
    const double discount = m.discount(maturity);
    const auto reach = [&](double level, bool upper) { return 1 - survival_probability(m, level, upper, maturity); };
    const auto above = [&](double from) {
      const auto f = [&](double y) { return std::exp(y) * reach(std::exp(y), true); };
      return integrate(f, std::log(from), std::log(5000.0), 1e-11, 32);
    };
    const auto below = [&](double from) {
      const auto f = [&](double y) { return std::exp(y) * reach(std::exp(y), false); };
      return integrate(f, std::log(1.0), std::log(from), 1e-11, 32);
    };
    for (const double level : {100.0, 104.0, 130.0})
      CHECK(near(excess_of_maximum(m, level, maturity), discount * above(level), 1e-8));
    for (const double level : {100.0, 97.0, 70.0})
      CHECK(near(excess_of_minimum(m, level, maturity), discount * below(level), 1e-8));
    // Contracts: what has passed, and what may come.
    CHECK(near(lookback_fixed(OptionType::call, m, 95, 104, maturity), discount * (104 - 95 + above(104)), 1e-8));
    CHECK(near(lookback_fixed(OptionType::call, m, 110, 104, maturity), discount * above(110), 1e-8));
    CHECK(near(lookback_fixed(OptionType::put, m, 95, 97, maturity), discount * below(95), 1e-8));
    CHECK(near(lookback_fixed(OptionType::put, m, 110, 97, maturity), discount * (110 - 97 + below(97)), 1e-8));
    CHECK(near(lookback_floating(OptionType::put, m, 104, maturity),
               discount * (104 + above(104) - m.forward(maturity)), 1e-8));
    CHECK(near(lookback_floating(OptionType::call, m, 97, maturity), discount * (m.forward(maturity) - 97 + below(97)),
               1e-8));
  }
}

TEST_CASE("Lookbacks pass smoothly through r = q, where they are known") {
  const double volatility = 0.3, s = volatility * std::sqrt(maturity), d = 0.5 * s,
               discount = std::exp(-0.05 * maturity);
  // The limit of Goldman, Sosin and Gatto's put at the spot.
  const double limit = discount * 100 * (normal_cdf(d) - normal_cdf(-d) + s * (normal_density(d) + d * normal_cdf(d)));
  const auto put = [&](double carry) {
    return lookback_floating(OptionType::put, GbmConstants{100, 0.05, 0.05 - carry, volatility}, 100, maturity);
  };
  CHECK(near(put(0), limit, 1e-11));
  // Both branches meet: the slope on either side of the switch is the same.
  const double edge = 0.5e-3 * volatility * volatility, h = 1e-3 * edge;
  CHECK(near((put(edge + h) - put(edge)) / h, (put(edge) - put(edge - h)) / h, 1e-2));
  CHECK(near(put(edge * (1 + 1e-9)), put(edge * (1 - 1e-9)), 1e-9));
}

TEST_CASE("Lookbacks without volatility or time follow the monotone path") {
  for (const double carry : {0.1, -0.1, 0.0}) {
    const GbmConstants still{100, 0.05, 0.05 - carry, 0}, calm{100, 0.05, 0.05 - carry, 1e-5};
    const double discount = still.discount(maturity), forward = still.forward(maturity);
    CHECK(near(lookback_floating(OptionType::call, still, 100, maturity), discount * std::max(forward - 100, 0.0),
               1e-12));
    CHECK(
        near(lookback_floating(OptionType::put, still, 100, maturity), discount * std::max(100 - forward, 0.0), 1e-12));
    for (const auto type : types) {
      CHECK(
          near(lookback_fixed(type, still, 101, 100, maturity), lookback_fixed(type, calm, 101, 100, maturity), 2e-3));
      CHECK(near(lookback_floating(type, still, 100, maturity), lookback_floating(type, calm, 100, maturity), 2e-3));
      CHECK(near(lookback_fixed(type, still, 101, 100, 0), type == OptionType::put ? 1 : 0, 1e-13));
    }
  }
  const GbmConstants m{100, 0.05, 0.02, 0.3};
  CHECK(lookback_fixed(OptionType::put, m, 0, 100, maturity) == 0);
  CHECK(near(lookback_fixed(OptionType::call, m, 0, 100, maturity),
             m.discount(maturity) * 100 + excess_of_maximum(m, 100, maturity), 1e-12));
}
