// Jumps, stochastic variance and CEV: other formulas, other contours, brute-force integrals, reductions and limits.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "sim/options/closed_forms/black.hpp"
#include "sim/options/closed_forms/cev.hpp"
#include "sim/options/closed_forms/jumps.hpp"
#include "sim/options/closed_forms/normal.hpp"
#include "sim/options/closed_forms/quadrature.hpp"
#include "sim/options/closed_forms/transform.hpp"
#include "sim/options/closed_forms/variance.hpp"

using namespace ergode::sim::options;
using namespace ergode::sim::options::closed_forms;

namespace {

constexpr auto types = {OptionType::call, OptionType::put};

bool near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance;
}

HestonModel heston(double v0, double kappa, double theta, double sigma_v, double rho) {
  HestonModel m;
  m.v0 = v0;
  m.kappa = kappa;
  m.theta = theta;
  m.sigma_v = sigma_v;
  m.rho = rho;
  return m;
}

KouJumpModel kou(double intensity, double up, double eta_up, double eta_down) {
  KouJumpModel m;
  m.jump_intensity = intensity;
  m.jump_up_prob = up;
  m.eta_up = eta_up;
  m.eta_down = eta_down;
  return m;
}

/// P(ln S_T/F > -k) along the real axis (Gil-Pelaez), by the midpoint rule: another contour, another quadrature.
double probability_on_real_axis(const CharacteristicFunction& c, double k, double step, int count) {
  double sum = 0;
  for (int j = 0; j < count; ++j) {
    const double u = (j + 0.5) * step;
    sum += (std::exp(std::complex<double>(0, u * k)) * c.phi(u)).imag() / u;
  }
  return 0.5 + sum * step / std::numbers::pi;
}

}  // namespace

TEST_CASE("The transform of the normal distribution is Black's formula") {
  for (const double variance : {1e-6, 1e-3, 0.04, 2.0}) {
    const double s = std::sqrt(variance);
    for (const double strike : {100.0, 100 * std::exp(-3 * s), 100 * std::exp(2 * s), 300.0}) {
      const TransformValues v = transform(gbm_characteristic(variance), 100, strike);
      CHECK(near(v.call, black_scholes(OptionType::call, 100, strike, 1, variance), 2e-11));
      CHECK(near(v.put, black_scholes(OptionType::put, 100, strike, 1, variance), 2e-11));
      CHECK(near(v.probability_above, digital(OptionType::call, Payout::cash, 1, 100, strike, 1, variance), 1e-11));
      CHECK(near(v.asset_above, digital(OptionType::call, Payout::asset, 1, 100, strike, 1, variance), 1e-9));
      const double d1 = std::log(100 / strike) / s + 0.5 * s;
      CHECK(near(v.call_delta, normal_cdf(d1), 1e-11));
      CHECK(near(v.gamma, normal_density(d1) / (100 * s), 1e-11));
    }
  }
  const TransformValues still = transform(gbm_characteristic(0), 100, 90);
  CHECK(near(still.call, 10, 1e-13));
  CHECK(still.put == 0);
  CHECK(still.probability_above == 1);
  const TransformValues all = transform(gbm_characteristic(0.04), 100, 0);
  CHECK(all.call == 100);
  CHECK(all.put == 0);
}

TEST_CASE("Heston without variance of variance is Black with the mean variance, and is approached smoothly") {
  for (const double kappa : {0.0, 1.5}) {
    const HestonModel still = heston(0.04, kappa, 0.09, 0, -0.6);
    const double w = heston_integrated_variance(still, 2);
    for (const double strike : {70.0, 100.0, 130.0}) {
      const double black = black_scholes(OptionType::call, 100, strike, 1, w);
      CHECK(near(transform_european(OptionType::call, heston_characteristic(still, 2), 100, strike, 1), black, 1e-10));
      for (const double sigma_v : {1e-10, 1e-8, 1e-6}) {
        HestonModel almost = still;
        almost.sigma_v = sigma_v;
        CHECK(near(transform_european(OptionType::call, heston_characteristic(almost, 2), 100, strike, 1), black,
                   1e-10 + 100 * sigma_v));
      }
    }
  }
}

TEST_CASE("Heston's probabilities agree with the integral along the real axis, in hard cases too") {
  struct Case {
    HestonModel model;
    double maturity, step;
    int count;
  };
  for (const Case& c :
       {Case{heston(0.04, 0.3, 0.04, 0.9, -0.5), 15, 1e-3, 400000},
        Case{heston(0.04, 0.5, 0.04, 1, -0.9), 10, 1e-3, 400000},
        Case{heston(0.16, 1, 0.16, 2, -0.8), 10, 1e-3, 200000},
        Case{heston(0.05, 2.5, 0.06, 0.4, -0.6), 0.05, 1e-2, 200000},
        Case{heston(0.09, 2, 0.09, 1, 0.95), 5, 2e-3, 500000}, Case{heston(0.0, 1, 0.05, 0.5, 0.0), 1, 1e-2, 400000}}) {
    const auto phi = heston_characteristic(c.model, c.maturity);
    for (const double strike : {60.0, 100.0, 140.0}) {
      const TransformValues v = transform(phi, 100, strike);
      CHECK(near(v.probability_above, probability_on_real_axis(phi, std::log(100 / strike), c.step, c.count), 1e-6));
      CHECK(near(v.call - v.put, 100 - strike, 1e-10));
      const auto call = [&](double k) { return transform(phi, 100, k).call; };
      const double h = 0.02;
      const double slope =
          (8 * (call(strike + h) - call(strike - h)) - call(strike + 2 * h) + call(strike - 2 * h)) / (12 * h);
      CHECK(near(v.probability_above, -slope, 1e-7));
      const auto moved = [&](double forward) { return transform(phi, forward, strike); };
      CHECK(near(v.call_delta, (moved(100 + h).call - moved(100 - h).call) / (2 * h), 2e-6));
      CHECK(near(v.gamma, (moved(100 + h).call_delta - moved(100 - h).call_delta) / (2 * h), 2e-6));
      const double cash = transform_digital(OptionType::put, Payout::cash, 2, phi, 100, strike, 0.9);
      CHECK(near(cash, 1.8 * (1 - v.probability_above), 1e-13));
      const double asset = transform_digital(OptionType::put, Payout::asset, 2, phi, 100, strike, 0.9);
      CHECK(near(0.9 * v.put, 0.9 * strike * (1 - v.probability_above) - asset, 1e-10));
    }
  }
}

TEST_CASE("A characteristic function is 1 at 0 and at -i, the martingale, for every model") {
  const MertonJump jump{0.7, -0.1, 0.2};
  const HestonModel m = heston(0.04, 1, 0.06, 0.8, -0.7);
  for (const auto& c : {gbm_characteristic(0.08), heston_characteristic(m, 3), bates_characteristic({m, jump}, 3),
                        merton_characteristic(0.08, jump, 3), kou_characteristic(0.08, kou(0.7, 0.3, 8, 4), 3)}) {
    CHECK(std::abs(c.phi(0.0) - 1.0) < 1e-14);
    CHECK(std::abs(c.phi({0, -1}) - 1.0) < 1e-12);
    CHECK(std::abs(c.phi({3, -0.5})) < std::abs(c.phi({0, -0.5})));
  }
}

TEST_CASE("Bates without jumps is Heston, without variance of variance Merton") {
  const HestonModel m = heston(0.04, 1, 0.06, 0.8, -0.7);
  const MertonJump jump{0.7, -0.1, 0.2};
  const auto put = [](const CharacteristicFunction& c, double strike) {
    return transform_european(OptionType::put, c, 100, strike, 0.95);
  };
  for (const double strike : {80.0, 100.0, 125.0}) {
    CHECK(put(bates_characteristic({m, {}}, 2), strike) == put(heston_characteristic(m, 2), strike));
    CHECK(near(put(bates_characteristic({m, {5, 0, 0}}, 2), strike), put(heston_characteristic(m, 2), strike), 1e-10));
    HestonModel still = heston(0.04, 1, 0.04, 0, 0);
    CHECK(near(put(bates_characteristic({still, jump}, 2), strike),
               merton_european(OptionType::put, 100, strike, 0.95, 0.08, jump, 2), 1e-10));
    CHECK(put(bates_characteristic({m, jump}, 2), strike) > put(heston_characteristic(m, 2), strike));
  }
}

TEST_CASE("Merton's series and the transform agree, without diffusion and with many jumps too") {
  for (const double variance : {0.0, 0.02}) {
    for (const MertonJump& jump : {MertonJump{0.4, -0.1, 0.25}, MertonJump{60, 0.002, 0.03}, MertonJump{3, 0.2, 0.4}}) {
      const auto c = merton_characteristic(variance, jump, 1.5);
      for (const double strike : {60.0, 100.0, 140.0}) {
        const double tolerance = variance == 0 ? 1e-9 : 1e-10;
        for (const auto type : types) {
          CHECK(near(merton_european(type, 100, strike, 1, variance, jump, 1.5),
                     transform_european(type, c, 100, strike, 1), tolerance));
          for (const auto payout : {Payout::cash, Payout::asset}) {
            CHECK(near(merton_digital(type, payout, 100, 100, strike, 1, variance, jump, 1.5),
                       transform_digital(type, payout, 100, c, 100, strike, 1), 1e-7));
          }
        }
      }
    }
  }
  CHECK(near(merton_european(OptionType::call, 100, 100, 1, 0.04, {0, -0.1, 0.2}, 1),
             black_scholes(OptionType::call, 100, 100, 1, 0.04), 1e-13));
  CHECK(near(merton_european(OptionType::call, 100, 90, 1, 0, {2, -0.1, 0.2}, 0), 10, 1e-13));
  CHECK(near(merton_european(OptionType::call, 100, 0, 1, 0.04, {2, -0.1, 0.2}, 1), 100, 1e-11));
}

TEST_CASE("Kou's upward jumps alone are a mixture of gamma distributions") {
  const double intensity = 0.8, eta = 9, maturity = 1.2, volatility = 0.2;
  const KouJumpModel m = kou(intensity, 1, eta, 5);
  const double compensator = 1 / (eta - 1);
  CHECK(near(jump_moments(m).compensator, compensator, 1e-15));
  for (const double variance : {volatility * volatility * maturity, 0.0}) {
    for (const double strike : {85.0, 100.0, 125.0}) {
      const double start = 100 * std::exp(-intensity * maturity * compensator);
      double weight = std::exp(-intensity * maturity);
      double expected = weight * black_scholes(OptionType::put, start, strike, 1, variance);
      for (int n = 1; n < 20; ++n) {
        weight *= intensity * maturity / n;
        const auto given = [&](double x) {
          const double density = eta * std::exp((n - 1) * std::log(eta * x) - eta * x - std::lgamma(n));
          return density * black_scholes(OptionType::put, start * std::exp(x), strike, 1, variance);
        };
        expected += weight * integrate(given, 1e-300, 15.0, 1e-11, 16);
      }
      const double got = transform_european(OptionType::put, kou_characteristic(variance, m, maturity), 100, strike, 1);
      CHECK(near(got, expected, variance > 0 ? 1e-9 : 2e-7));
    }
  }
  CHECK(near(transform_european(OptionType::call, kou_characteristic(0.04, kou(0, 0.5, 9, 5), 1), 100, 95, 1),
             black_scholes(OptionType::call, 100, 95, 1, 0.04), 1e-10));
}

TEST_CASE("The noncentral chi-square distribution with odd degrees of freedom is a normal one") {
  // One degree: (Z + sqrt(lambda))^2. Three: one more term, by the recursion in the degrees.
  for (const double lambda : {0.0, 0.3, 12.0, 400.0, 3e4, 1e6}) {
    const double root = std::sqrt(lambda);
    for (const double shift : {-4.0, -1.0, 0.0, 0.5, 3.0}) {
      const double x = (root + shift) * (root + shift), sx = std::sqrt(x);
      if (root + shift <= 0) continue;
      const double one = normal_cdf(sx - root) - normal_cdf(-sx - root);
      CHECK(near(noncentral_chi_square_cdf(x, 1, lambda), one, 1e-12));
      if (lambda > 0) {
        const double three = one - (normal_density(sx - root) - normal_density(sx + root)) / root;
        CHECK(near(noncentral_chi_square_cdf(x, 3, lambda), three, 1e-12));
      }
    }
  }
  CHECK(noncentral_chi_square_cdf(0, 2, 3) == 0);
  CHECK(near(noncentral_chi_square_cdf(1e9, 2, 3), 1, 1e-15));
  CHECK(near(noncentral_chi_square_cdf(3, 2, 0), 1 - std::exp(-1.5), 1e-15));
}

TEST_CASE("CEV with beta 0 is Brownian motion absorbed at 0, with beta 2 the inverse of a Bessel process") {
  const double maturity = 1.7;
  for (const double sigma : {15.0, 80.0}) {  // absorption matters in the second
    const double s = sigma * std::sqrt(maturity), spot = 100;
    for (const double strike : {0.0, 60.0, 100.0, 150.0}) {
      const auto bachelier = [&](double from) {
        const double d = (from - strike) / s;
        return (from - strike) * normal_cdf(d) + s * normal_density(d);
      };
      const CevInputs in{spot, 0, sigma, 0};
      const double call = bachelier(spot) - bachelier(-spot);
      CHECK(near(cev_european(OptionType::call, in, strike, 0.9, maturity), 0.9 * call, 1e-9));
      CHECK(near(cev_european(OptionType::put, in, strike, 0.9, maturity), 0.9 * (call - spot + strike), 1e-9));
      const double above = normal_cdf((spot - strike) / s) - normal_cdf((-spot - strike) / s);
      CHECK(near(cev_probability_above(in, strike, maturity), above, 1e-12));
    }
  }
  for (const double sigma : {0.002, 0.008}) {
    // R = 1/(sigma S) is a Bessel process of dimension 3, whose density is elementary.
    const CevInputs in{100, 0, sigma, 2};
    const double start = 1 / (sigma * 100);
    const auto expect = [&](auto payoff) {
      const auto f = [=](double y) {  // outlives `payoff`
        const double minus = std::exp(-(y - start) * (y - start) / (2 * maturity));
        const double plus = std::exp(-(y + start) * (y + start) / (2 * maturity));
        return y > 0 ? y / start * (minus - plus) / std::sqrt(2 * std::numbers::pi * maturity) * payoff(1 / (sigma * y))
                     : 0.0;
      };
      return f;
    };
    const double end = start + 12 * std::sqrt(maturity);
    CHECK(near(cev_expected_spot(in, maturity), 100 * (1 - 2 * normal_cdf(-start / std::sqrt(maturity))), 1e-11));
    for (const double strike : {70.0, 100.0, 160.0}) {
      const double kink = 1 / (sigma * strike);
      const double put = integrate(expect([&](double x) { return strike - x; }), kink, end, 1e-12, 32);
      const double call = integrate(expect([&](double x) { return x - strike; }), 0, kink, 1e-12, 32);
      CHECK(near(cev_european(OptionType::put, in, strike, 0.9, maturity), 0.9 * put, 1e-9));
      CHECK(near(cev_european(OptionType::call, in, strike, 0.9, maturity), 0.9 * call, 1e-9));
      CHECK(near(cev_probability_above(in, strike, maturity),
                 integrate(expect([](double) { return 1.0; }), 0, kink, 1e-13, 32), 1e-11));
      const double parity = cev_european(OptionType::call, in, strike, 0.9, maturity, false) - 0.9 * put;
      CHECK(near(parity, 0.9 * (100 - strike), 1e-9));
    }
  }
}

TEST_CASE("CEV passes through lognormal at beta 1, and has its limits") {
  for (const auto type : types) {
    for (const double strike : {80.0, 100.0, 120.0}) {
      const double black = black_scholes(type, 100 * std::exp(0.06), strike, 0.9, 0.08);
      for (const double beta : {1 - 1e-4, 1 - 1e-9, 1.0, 1 + 1e-9, 1 + 1e-4}) {
        const CevInputs in{100, 0.03, 0.2 * std::pow(100, 1 - beta), beta};
        CHECK(near(cev_european(type, in, strike, 0.9, 2), black, 20 * std::abs(beta - 1) + 1e-10));
      }
    }
    CHECK(near(cev_european(type, {100, 0.05, 0, 0.5}, 101, 0.9, 1),
               0.9 * std::max((type == OptionType::call ? 1 : -1) * (100 * std::exp(0.05) - 101), 0.0), 1e-12));
    CHECK(near(cev_european(type, {100, 0.05, 2, 0.5}, 99, 1, 0), type == OptionType::call ? 1 : 0, 1e-12));
  }
  CHECK(near(cev_european(OptionType::call, {100, 0.05, 2, 0.5}, 0, 0.9, 1), 90 * std::exp(0.05), 1e-10));
  CHECK(cev_european(OptionType::put, {100, 0.05, 2, 0.5}, 0, 0.9, 1) == 0);
  // A drift of either sign: put-call parity through two different distributions.
  for (const double carry : {-0.2, 1e-9, 0.2}) {
    const CevInputs in{100, carry, 3, 0.6};
    const double h = 0.01;
    const auto call = [&](double k) { return cev_european(OptionType::call, in, k, 1, 1); };
    CHECK(near(-(call(95 + h) - call(95 - h)) / (2 * h), cev_probability_above(in, 95, 1), 1e-6));
  }
}

TEST_CASE("The fair variance under Heston follows from its characteristic function") {
  const HestonModel m = heston(0.09, 1.3, 0.04, 0.7, -0.8);
  const MertonJump jump{0.6, -0.1, 0.2};
  const double end = 0.5, carry = 0.07;
  // One return from 0 to T: moments as derivatives of phi at 0.
  const auto second_moment = [&](const BatesModel& model, double shift) {
    const auto c = bates_characteristic(model, end);
    const auto phi = [&](double u) { return c.phi(u) * std::exp(std::complex<double>(0, u * shift)); };
    const double h = 0.02;
    return -((-phi(2 * h) + 16.0 * phi(h) - 30.0 + 16.0 * phi(-h) - phi(-2 * h)) / (12 * h * h)).real();
  };
  CHECK(near(fair_variance_heston(m, {end}, {carry * end}) * end, second_moment({m, {}}, carry * end), 1e-8));
  CHECK(near(fair_variance_heston(m, {end}, {carry * end}, jump_moments(jump)) * end,
             second_moment({m, jump}, carry * end), 1e-8));

  // Two returns: given v at the first date the second is a single return, quadratic in v.
  const double first = 0.8;
  const auto single = [&](double v) {
    HestonModel from = m;
    from.v0 = v;
    return fair_variance_heston(from, {end}, {carry * end}) * end;
  };
  const double f0 = single(0), f1 = single(1), f2 = single(2);
  const double quadratic = 0.5 * (f2 - 2 * f1 + f0), linear = f1 - f0 - quadratic;
  const double mean = heston_expected_variance(m, first), e = std::exp(-m.kappa * first), s2 = m.sigma_v * m.sigma_v;
  const double spread = m.v0 * s2 / m.kappa * (e - e * e) + m.theta * s2 / (2 * m.kappa) * (1 - e) * (1 - e);
  const double two = fair_variance_heston(m, {first}, {carry * first}) * first + f0 + linear * mean +
                     quadratic * (spread + mean * mean);
  CHECK(near(fair_variance_heston(m, {first, first + end}, {carry * first, carry * (first + end)}) * (first + end), two,
             1e-12));
}

TEST_CASE("Fair variances reduce to each other") {
  const HestonModel still = heston(0.04, 2, 0.04, 0, 0.3);
  std::vector<double> times, drift, variance;
  for (int i = 1; i <= 2000; ++i) {
    times.push_back(1.5 * i / 2000);
    drift.push_back(0.03 * times.back());
    variance.push_back(0.04 * times.back());
  }
  const JumpMoments jumps = jump_moments(MertonJump{0.5, -0.1, 0.15});
  CHECK(
      near(fair_variance_heston(still, times, drift, jumps), fair_variance_gbm(times, drift, variance, jumps), 1e-13));
  // Many fixings approach the continuous contract.
  const HestonModel m = heston(0.09, 1.3, 0.04, 0.7, -0.8);
  CHECK(near(fair_variance_heston(m, times, drift, jumps),
             fair_variance_continuous(heston_integrated_variance(m, 1.5), 1.5, jumps), 2e-5));
  CHECK(near(jumps.variance_rate(), 0.5 * (0.01 + 0.0225), 1e-15));
  const JumpMoments k = jump_moments(kou(2, 0.4, 10, 5));
  CHECK(near(k.mean, 0.4 / 10 - 0.6 / 5, 1e-15));
  CHECK(near(k.variance_rate(), 2 * (0.4 * 2 / 100 + 0.6 * 2 / 25), 1e-15));
  // Without reversion the mean stays; the integral is that of the mean.
  const HestonModel free = heston(0.05, 0, 0.5, 0.3, 0);
  CHECK(near(heston_integrated_variance(free, 3), 0.05 * 3, 1e-15));
  CHECK(near(heston_integrated_variance(m, 3),
             integrate([&](double t) { return heston_expected_variance(m, t); }, 0, 3, 1e-14), 1e-13));
}
