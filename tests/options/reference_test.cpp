// Reference values of instruments in markets: published numbers, a simulation of this file's own where curves enter,
// exact limits, and what has no closed form. The forms themselves are tested in closed_forms_*_test.cpp.
#include "sim/options/reference.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "tests/options/market_of.hpp"

using namespace ergode::sim::options;
using namespace ergode::testing;

namespace {

const auto call = OptionType::call, put = OptionType::put;
const auto fixed = StrikeType::fixed, floating = StrikeType::floating;
const auto discrete = Monitoring::discrete, continuous = Monitoring::continuous;

std::optional<double> value(const Product& product, double maturity, const MarketState& market) {
  return reference_value(option_of(product, maturity), market);
}

void near(const std::optional<double>& got, double expected, double tolerance = 1e-9) {
  REQUIRE(got);
  INFO(*got << " against " << expected);
  CHECK(std::abs(*got - expected) <= tolerance);
}

MarketState pair_of(double spot_1, double yield_1, double volatility_1, double spot_2, double yield_2,
                    double volatility_2, double rate, double correlation) {
  return market_of({asset_of("A", spot_1, TermStructure(rate), TermStructure(yield_1), gbm(volatility_1)),
                    asset_of("B", spot_2, TermStructure(rate), TermStructure(yield_2), gbm(volatility_2))},
                   correlation);
}

/// Two assets whose every curve bends, with correlation 0.4.
MarketState curved_pair() {
  GbmModel first, second;
  first.volatility = curve({0.5, 1.0}, {0.45, 0.33});
  second.volatility = curve({0.25, 1.5}, {0.1, 0.3});
  return market_of({asset_of("A", 100, curve({0.5, 1.5}, {0.02, 0.05}), curve({0.3, 2}, {0, 0.03}), first),
                    asset_of("B", 90, curve({0.5, 1.5}, {0.02, 0.05}), TermStructure(0.01), second)},
                   0.4);
}

MarketState curved() {
  MarketState m = curved_pair();
  m.assets.pop_back();
  m.correlation = {1};
  return m;
}

double positive(double x) {
  return x > 0 ? x : 0;
}

/// The payoff of prices path[time][asset] (path[0]: now), in steps of at most 0.05 years so that volatilities that bend
/// together are resolved at the nodes; discounted by the first asset's curve. Within four standard errors: false alarms
/// 6e-5 a comparison; the seed is fixed.
void simulated(const Product& product, double maturity, const MarketState& m, const std::vector<double>& looks,
               const std::function<double(const std::vector<std::vector<double>>&)>& payoff) {
  const auto exact = value(product, maturity, m);
  REQUIRE(exact);
  std::mt19937_64 bits(7);
  std::normal_distribution<double> normal;
  const std::size_t d = m.assets.size();
  const double rho = d > 1 ? m.correlation[1] : 0;
  struct Step {
    double drift[2], deviation[2];
    bool look;
  };
  std::vector<Step> steps;
  double last = 0;
  for (const double look : looks) {
    const int parts = static_cast<int>(std::lround((look - last) / 0.05));
    REQUIRE(std::abs(last + 0.05 * parts - look) < 1e-12);
    for (int k = 0; k < parts; ++k) {
      const double from = last + 0.05 * k, to = from + 0.05;
      Step s{};
      for (std::size_t a = 0; a < d; ++a) {
        const auto& asset = m.assets[a];
        const auto& sigma = std::get<GbmModel>(asset.model).volatility;
        const double w = sigma.variance_integral(to) - sigma.variance_integral(from);
        s.drift[a] = asset.rate->rate_integral(to) - asset.rate->rate_integral(from) -
                     asset.dividend_yield.rate_integral(to) + asset.dividend_yield.rate_integral(from) - 0.5 * w;
        s.deviation[a] = std::sqrt(w);
      }
      s.look = k + 1 == parts;
      steps.push_back(s);
    }
    last = look;
  }
  const double discount = std::exp(-m.assets[0].rate->rate_integral(maturity));
  constexpr int paths = 60000;
  double sum = 0, squares = 0;
  for (int p = 0; p < paths; ++p) {
    std::vector<double> now;
    for (const auto& a : m.assets) now.push_back(a.spot);
    std::vector<std::vector<double>> path{now};
    for (const Step& s : steps) {
      const double first = normal(bits);
      now[0] *= std::exp(s.drift[0] + s.deviation[0] * first);
      if (d > 1)
        now[1] *= std::exp(s.drift[1] + s.deviation[1] * (rho * first + std::sqrt(1 - rho * rho) * normal(bits)));
      if (s.look) path.push_back(now);
    }
    const double x = discount * payoff(path);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / paths, error = std::sqrt((squares / paths - mean * mean) / paths);
  INFO(*exact << " against " << mean << " +- " << error);
  CHECK(error > 0);
  CHECK(std::abs(*exact - mean) < 4 * error);
}

}  // namespace

TEST_CASE("Reference values under gbm are the published ones") {
  const MarketState usual = market_of(100, 0.05, 0, gbm(0.2));
  near(value(European{call, 100}, 1, usual), 10.4505835722);
  near(value(Digital{put, 100, Payout::cash, 10}, 1, usual), 4.18904609047);
  near(value(Digital{call, 80, Payout::asset, 1}, 0.75, market_of(100, 0.06, 0.06, gbm(0.35))), 77.6899906029);

  Asian asian{put, Average::geometric, fixed, 85, continuous, {}, {}};
  near(value(asian, 0.25, market_of(80, 0.05, -0.03, gbm(0.2))), 4.69222131225);
  asian = {call, Average::geometric, fixed, 100, discrete, 52, {}};
  near(value(asian, 1, market_of(100, 0.05, 0, gbm(0.3))), 7.61759769716);

  const MarketState haug = market_of(100, 0.08, 0.04, gbm(0.25));
  Barrier barrier{call, 90, 95, 3, BarrierType::down_out, RebateTime::automatic, continuous, {}};
  near(value(barrier, 0.5, haug), 9.02456769497);
  barrier.strike = 110;
  near(value(barrier, 0.5, haug), 4.87585774015);
  near(value(Lookback{call, fixed, 95, 100.0, continuous, {}}, 0.5, market_of(100, 0.1, 0, gbm(0.1))), 13.2687223611);
  near(value(Lookback{call, floating, 0, {}, continuous, {}}, 0.2, market_of(100, 0.05, 0, gbm(0.3))), 10.7190183641);
  near(value(Lookback{put, floating, 0, {}, continuous, {}}, 0.5, market_of(100, 0.1, 0, gbm(0.3))), 15.3525554679);

  near(value(ForwardStart{call, 0.25, 1.1}, 1, market_of(60, 0.08, 0.04, gbm(0.3))), 4.40645433937);
  Cliquet cliquet;
  cliquet.resets = 12;
  cliquet.local_floor = -0.02;
  cliquet.local_cap = 0.03;
  near(value(cliquet, 1, market_of(100, 0.03, 0.01, gbm(0.2))), 0.0391780739778);
  near(value(VarianceSwap{{}, 1, discrete, 252}, 1, usual), 0.0400035714286);
}

TEST_CASE("Reference values of several underlyings are the published ones") {
  near(value(Exchange{}, 0.1, pair_of(22, 0.06, 0.2, 20, 0.04, 0.15, 0.1, -0.5)), 2.12506199871);
  const MarketState stulz = pair_of(100, 0, 0.3, 100, 0, 0.3, 0.05, 0.9);
  near(value(Rainbow{call, Select::maximum, 100}, 1, stulz), 17.5651541704, 1e-8);
  near(value(Rainbow{call, Select::minimum, 100}, 1, stulz), 10.8973554015, 1e-8);
  near(value(Spread{call, 3}, 0.1, pair_of(122, 0.1, 0.2, 120, 0.1, 0.2, 0.1, -0.5)), 4.75281487073);
  near(value(Basket{call, Average::arithmetic, {}, 100}, 1, pair_of(100, 0, 0.3, 100, 0.02, 0.3, 0.05, 0.5)),
       12.1123253943);
  near(value(Basket{call, Average::arithmetic, {0.7, 0.3}, 90}, 2, pair_of(100, 0, 0.25, 100, 0.02, 0.35, 0.05, 0.8)),
       23.8293117186);
  std::vector<UnderlyingSettings> five;
  for (const double volatility : {0.2, 0.25, 0.3, 0.35, 0.4})
    five.push_back(asset_of("A", 100, TermStructure(0.05), TermStructure(0), gbm(volatility)));
  near(value(Basket{call, Average::geometric, {}, 100}, 1, market_of(five, 0.5)), 10.4811940037);
  CHECK_FALSE(value(Basket{call, Average::arithmetic, {}, 100}, 1, market_of(five, 0.5)));
}

TEST_CASE("Reference values under other models are the published ones") {
  near(value(European{call, 60}, 15, market_of(100, 0, 0, heston(0.04, 0.3, 0.04, 0.9, -0.5))), 45.28686397);
  MertonJumpModel merton;
  merton.volatility = TermStructure(0.2);
  merton.jump = {0.5, -0.1, 0.15};
  near(value(European{call, 100}, 1, market_of(100, 0.05, 0, merton)), 11.6616747875);
  near(value(VarianceSwap{{}, 1, continuous, {}}, 1, market_of(100, 0, 0, heston(0.04, 4, 0.25, 0.3, -0.5))),
       0.198461571042);
  // Of no volatility of variance and of no jumps there is gbm.
  const auto black = [&](const Product& product) { return *value(product, 1, market_of(100, 0.05, 0.01, gbm(0.2))); };
  for (const Product& product : {Product(European{put, 95}), Product(Digital{call, 95, Payout::cash, 2}),
                                 Product(Digital{put, 95, Payout::asset, 1})}) {
    near(value(product, 1, market_of(100, 0.05, 0.01, heston(0.04, 1, 0.04, 0, 0))), black(product));
    near(value(product, 1, market_of(100, 0.05, 0.01, BatesModel{heston(0.04, 1, 0.04, 0, 0), {}})), black(product));
    KouJumpModel kou;
    kou.volatility = TermStructure(0.2);
    kou.eta_up = 10;
    kou.eta_down = 5;
    near(value(product, 1, market_of(100, 0.05, 0.01, kou)), black(product));
    MertonJumpModel none;
    none.volatility = TermStructure(0.2);
    near(value(product, 1, market_of(100, 0.05, 0.01, none)), black(product));
  }
  near(value(European{put, 95}, 1, market_of(100, 0.05, 0.01, CevModel{0.2, 1})), black(European{put, 95}));
  // The fair variance and the value of a swap on it.
  const MarketState m = market_of(100, 0.05, 0, heston(0.04, 4, 0.25, 0.3, -0.5));
  const double fair = *value(VarianceSwap{{}, 50, discrete, 12}, 2, m);
  near(value(VarianceSwap{0.1, 50, discrete, 12}, 2, m), 50 * std::exp(-0.1) * (fair - 0.1));
}

TEST_CASE("Reference values follow curves of rates, yields and volatilities") {
  const MarketState one = curved(), both = curved_pair();
  simulated(European{put, 105}, 1.2, one, {1.2}, [](const auto& p) { return positive(105 - p.back()[0]); });
  simulated(Digital{call, 105, Payout::asset, 1}, 1.2, one, {1.2},
            [](const auto& p) { return p.back()[0] > 105 ? p.back()[0] : 0; });
  const auto geometric = [](const auto& p) {
    double product = 95 * 120;
    for (std::size_t i = 1; i < p.size(); ++i) product *= p[i][0];
    return std::pow(product, 0.2);
  };
  simulated(Asian{call, Average::geometric, fixed, 100, discrete, 5, {95, 120}}, 1.2, one, {0.4, 0.8, 1.2},
            [&](const auto& p) { return positive(geometric(p) - 100); });
  simulated(Asian{put, Average::geometric, floating, 0, discrete, 5, {95, 120}}, 1.2, one, {0.4, 0.8, 1.2},
            [&](const auto& p) { return positive(geometric(p) - p.back()[0]); });
  simulated(Asian{call, Average::arithmetic, fixed, 100, discrete, 3, {95, 120}}, 1.2, one, {1.2},
            [](const auto& p) { return positive((95 + 120 + p.back()[0]) / 3 - 100); });
  simulated(ForwardStart{put, 0.4, 1.1}, 1.2, one, {0.4, 1.2},
            [](const auto& p) { return positive(1.1 * p[1][0] - p[2][0]); });
  Cliquet cliquet;
  cliquet.notional = 100;
  cliquet.resets = 3;
  cliquet.local_cap = 0.1;
  simulated(cliquet, 1.2, one, {0.4, 0.8, 1.2}, [](const auto& p) {
    double sum = 0;
    for (std::size_t i = 1; i < p.size(); ++i) sum += std::min(p[i][0] / p[i - 1][0] - 1, 0.1);
    return 100 * sum;
  });
  simulated(VarianceSwap{0.1, 1000, discrete, 3}, 1.2, one, {0.4, 0.8, 1.2}, [](const auto& p) {
    double sum = 0;
    for (std::size_t i = 1; i < p.size(); ++i) sum += std::pow(std::log(p[i][0] / p[i - 1][0]), 2);
    return 1000 * (sum / 1.2 - 0.1);
  });
  simulated(Spread{call, 5}, 1.2, both, {1.2}, [](const auto& p) { return positive(p[1][0] - p[1][1] - 5); });
  simulated(Exchange{}, 1.2, both, {1.2}, [](const auto& p) { return positive(p[1][0] - p[1][1]); });
  simulated(Rainbow{put, Select::minimum, 95}, 1.2, both, {1.2},
            [](const auto& p) { return positive(95 - std::min(p[1][0], p[1][1])); });
  simulated(Basket{call, Average::arithmetic, {1.5, -0.5}, 100}, 1.2, both, {1.2},
            [](const auto& p) { return positive(1.5 * p[1][0] - 0.5 * p[1][1] - 100); });
  simulated(Basket{put, Average::geometric, {0.3, 0.7}, 100}, 1.2, both, {1.2},
            [](const auto& p) { return positive(100 - std::pow(p[1][0], 0.3) * std::pow(p[1][1], 0.7)); });
}

TEST_CASE("A forward start under jumps is the vanilla of the later return") {
  MertonJumpModel merton;
  merton.volatility = TermStructure(0.2);
  merton.jump = {0.5, -0.1, 0.15};
  const MarketState m = market_of(100, 0.05, 0, merton);
  // Without dividends the spot at the start is worth the spot now, and homogeneity does the rest.
  near(value(ForwardStart{call, 0.5, 1}, 1.5, m), *value(European{call, 100}, 1, m));
  CHECK_FALSE(value(ForwardStart{call, 0.5, 1}, 1.5, market_of(100, 0.05, 0, heston(0.04, 1, 0.04, 0.3, -0.5))));
  // From now on it is a vanilla under any model.
  const MarketState h = market_of(100, 0.05, 0, heston(0.04, 1, 0.04, 0.3, -0.5));
  near(value(ForwardStart{call, 0, 1.1}, 1, h), *value(European{call, 110}, 1, h), 1e-11);
}

TEST_CASE("The integral of two volatilities is that of their forward values") {
  const TermStructure a = curve({0.5, 1.0}, {0.45, 0.33}), b = curve({0.25, 1.5}, {0.1, 0.3});
  const auto forward = [](const TermStructure& c, double t) {
    return std::sqrt((c.variance_integral(t + 1e-6) - c.variance_integral(t - 1e-6)) / 2e-6);
  };
  double sum = 0;
  constexpr int n = 1700;  // midpoints, none on a node
  for (int i = 0; i < n; ++i) {
    const double t = 0.1 + 1.7 * (i + 0.5) / n;
    sum += forward(a, t) * forward(b, t) * 1.7 / n;
  }
  CHECK(std::abs(volatility_product_integral(a, b, 0.1, 1.8) - sum) < 1e-6);
  CHECK(std::abs(volatility_product_integral(a, a, 0, 2) - a.variance_integral(2)) < 1e-14);
}

TEST_CASE("Degenerate inputs give the exact limit") {
  const MarketState still = market_of(100, 0.05, 0.02, gbm(0)), usual = market_of(100, 0.05, 0.02, gbm(0.2));
  const double forward = 100 * std::exp(0.03), discount = std::exp(-0.05);
  // No volatility.
  near(value(European{call, 90}, 1, still), discount * (forward - 90), 1e-12);
  near(value(Digital{call, 103, Payout::cash, 2}, 1, still), 2 * discount, 1e-12);
  near(value(Asian{call, Average::geometric, fixed, 90, discrete, 2, {}}, 1, still),
       discount * (100 * std::exp(0.0225) - 90), 1e-12);
  near(value(Lookback{call, floating, 0, {}, continuous, {}}, 1, still), discount * (forward - 100), 1e-12);
  Barrier barrier{call, 90, 102, 0, BarrierType::up_out, RebateTime::automatic, continuous, {}};
  near(value(barrier, 1, still), 0, 0);
  near(value(Spread{call, 3}, 1, pair_of(100, 0, 0, 90, 0, 0, 0.05, 0.5)), 10 - 3 * discount, 1e-10);
  near(value(Rainbow{call, Select::maximum, 80}, 1, pair_of(100, 0, 0, 90, 0, 0, 0.05, 0.5)), 100 - 80 * discount,
       1e-10);
  near(value(European{call, 90}, 1, market_of(100, 0.05, 0.02, heston(0, 1, 0, 0.3, -0.5))), discount * (forward - 90),
       1e-12);
  near(value(European{call, 90}, 1, market_of(100, 0.05, 0.02, CevModel{0, 0.5})), discount * (forward - 90), 1e-12);

  // Maturity now: intrinsic, under every model.
  for (const Model& model :
       {Model(gbm(0.2)), Model(heston(0.04, 1, 0.04, 0.3, -0.5)),
        Model(BatesModel{heston(0.04, 1, 0.04, 0.3, -0.5), {1, 0.1, 0.1}}), Model(CevModel{2, 0.5}),
        Model(LocalVolatilityModel{}), Model(MertonJumpModel{{}, {1, 0.1, 0.1}})}) {
    const MarketState m = market_of(100, 0.05, 0.02, model);
    near(value(European{put, 110}, 0, m), 10, 1e-12);
    near(value(Digital{call, 100, Payout::cash, 1}, 0, m), 0, 0);  // strictly
    near(value(Digital{put, 100, Payout::cash, 1}, 0, m), 0, 0);
  }
  near(value(Asian{call, Average::geometric, fixed, 90, continuous, {}, {}}, 0, usual), 10, 1e-12);
  near(value(Asian{call, Average::geometric, fixed, 90, discrete, 3, {}}, 0, usual), 10, 1e-12);
  near(value(Lookback{call, fixed, 90, 105.0, continuous, {}}, 0, usual), 15, 1e-12);
  barrier.barrier = 120;
  near(value(barrier, 0, usual), 10, 1e-12);
  near(value(DoubleBarrier{call, 90, 80, 120, 0, DoubleBarrierType::knock_out, RebateTime::automatic, continuous, {}},
             0, usual),
       10, 1e-12);
  near(value(Exchange{}, 0, pair_of(100, 0, 0.2, 90, 0, 0.2, 0.05, 0.5)), 10, 1e-12);

  // Strike 0.
  for (const Model& model : {Model(gbm(0.2)), Model(heston(0.04, 1, 0.04, 0.3, -0.5)), Model(CevModel{2, 0.5})}) {
    const MarketState m = market_of(100, 0.05, 0.02, model);
    near(value(European{call, 0}, 1, m), discount * forward, 1e-10);
    near(value(European{put, 0}, 1, m), 0, 0);
  }
  barrier.strike = 0;
  CHECK(value(barrier, 1, usual));

  // A barrier that is crossed, and all fixings past.
  barrier = {call, 90, 100, 3, BarrierType::down_out, RebateTime::automatic, continuous, {}};
  near(value(barrier, 1, usual), 3, 0);
  barrier.barrier_type = BarrierType::down_in;
  near(value(barrier, 1, usual), *value(European{call, 90}, 1, usual), 1e-12);
  DoubleBarrier corridor{call, 90, 100, 120, 3, DoubleBarrierType::knock_out, RebateTime::at_maturity, continuous, {}};
  near(value(corridor, 1, usual), 3 * discount, 1e-12);
  near(value(Asian{call, Average::arithmetic, fixed, 100, discrete, 2, {110, 100}}, 1, usual), 5 * discount, 1e-12);
  near(value(Asian{call, Average::geometric, fixed, 100, discrete, 2, {121, 100}}, 1, usual), 10 * discount, 1e-12);
}

TEST_CASE("There is no reference value where no form is exact") {
  const MarketState usual = market_of(100, 0.05, 0.02, gbm(0.2)),
                    h = market_of(100, 0, 0, heston(0.04, 1, 0.04, 0.3, 0));
  const European european{call, 100};
  const Barrier barrier{call, 100, 90, 0, BarrierType::down_out, RebateTime::automatic, continuous, {}};
  REQUIRE(value(european, 1, usual));
  REQUIRE(value(barrier, 1, usual));
  CHECK_FALSE(value(barrier, 1, h));
  CHECK_FALSE(value(barrier, 1, curved()));
  CHECK_FALSE(value(Lookback{}, 1, curved()));
  Barrier watched = barrier;
  watched.monitoring = discrete;
  watched.fixings = 12;
  CHECK_FALSE(value(watched, 1, usual));
  CHECK_FALSE(value(Asian{call, Average::arithmetic, fixed, 100, discrete, 12, {}}, 1, usual));
  CHECK_FALSE(value(Asian{call, Average::geometric, fixed, 100, discrete, 12, {}}, 1, h));
  CHECK_FALSE(value(European{call, 100}, 1, market_of(100, 0, 0, LocalVolatilityModel{})));
  CHECK_FALSE(value(Digital{call, 100, Payout::cash, 1}, 1, market_of(100, 0, 0, CevModel{2, 0.5})));
  Cliquet cliquet;
  cliquet.resets = 4;
  REQUIRE(value(cliquet, 1, usual));
  cliquet.global_floor = 0;
  CHECK_FALSE(value(cliquet, 1, usual));
  BatesModel bates{heston(0.04, 1, 0.04, 0.3, -0.5), {1, 0.1, 0.1}};
  CHECK_FALSE(value(VarianceSwap{{}, 1, continuous, {}}, 1, market_of(100, 0, 0, bates)));
  REQUIRE(value(VarianceSwap{{}, 1, discrete, 12}, 1, market_of(100, 0, 0, bates)));
  Bermudan bermudan;
  bermudan.exercise.strike = 100;
  bermudan.exercise_dates = 2;
  CHECK_FALSE(value(bermudan, 1, usual));
  bermudan.exercise_dates = 1;
  near(value(bermudan, 1, usual), *value(European{put, 100}, 1, usual), 0);

  // Almost a point: no transform of it is to be trusted.
  CHECK_FALSE(value(european, 1e-9, market_of(100, 0, 0, heston(0.04, 1, 0.04, 0.3, -0.5))));
  CHECK(value(european, 1e-5, market_of(100, 0, 0, heston(0.04, 1, 0.04, 0.3, -0.5))));
  CHECK_FALSE(value(european, 1, market_of(100, 0, 0, CevModel{1e-5, 0.5})));
  CHECK(value(european, 1, market_of(100, 0, 0, CevModel{0.1, 0.5})));

  MarketState m = usual;
  m.assets[0].cash_dividends = {{0.5, 2}};
  CHECK_FALSE(value(european, 1, m));
  m = usual;
  m.valuation_time = 0.1;
  CHECK_FALSE(value(european, 1, m));
}

TEST_CASE("The second moment of Heston's price explodes when its Riccati equation does") {
  // The time to infinity of B' = sigma_v^2 B^2 / 2 + (2 rho sigma_v - kappa) B + 1 from 0, B = x / (1 - x), by
  // midpoints.
  const auto time = [](const HestonModel& m) {
    const long double c = 2 * m.rho * m.sigma_v - m.kappa, square = m.sigma_v * m.sigma_v / 2;
    constexpr int n = 200000;
    long double sum = 0;
    for (int i = 0; i < n; ++i) {
      const long double x = (i + 0.5L) / n, y = 1 - x;
      sum += 1 / (square * x * x + c * x * y + y * y) / n;
    }
    return static_cast<double>(sum);
  };
  const double andersen = time(heston(0.04, 0.3, 0.04, 0.9, -0.5));
  CHECK(std::abs(andersen - 13.2) < 0.05);
  for (const HestonModel& m :
       {heston(0.04, 0.3, 0.04, 0.9, -0.5), heston(0.04, 0.5, 0.04, 1, 0.3), heston(0.09, 0.1, 0.09, 0.5, 0.9),
        heston(0.04, 1, 0, 0.8, 0.9), heston(0.04, 0, 0.04, 0.5, std::sqrt(0.5))}) {
    const double t = time(m);
    INFO("kappa " << m.kappa << ", sigma_v " << m.sigma_v << ", rho " << m.rho << ": " << t);
    CHECK_FALSE(second_moment_explodes(m, t * (1 - 1e-6)));
    CHECK(second_moment_explodes(m, t * (1 + 1e-6)));
  }
  CHECK_FALSE(second_moment_explodes(heston(0.04, 2, 0.04, 0.4, -0.7), 1e6));
  CHECK_FALSE(second_moment_explodes(heston(0.04, 0.3, 0.04, 0, -0.5), 1e6));
  CHECK_FALSE(second_moment_explodes(heston(0, 0.3, 0, 0.9, -0.5), 1e6));
}

TEST_CASE("A spot is heavy-tailed where its second moment says so") {
  const auto lognormal = [](double sigma) { return Model{GbmModel{TermStructure(sigma)}}; };
  CHECK_FALSE(heavy_tailed(lognormal(0.5), 30));
  CHECK(heavy_tailed(lognormal(0.5), 37));
  CHECK(heavy_tailed(lognormal(5), 1));
  CHECK_FALSE(heavy_tailed(lognormal(5), 0));
  // A lognormal jump of deviation 1.5 and mean log 0: E[(J-1)^2] = e^4.5 - 2 e^1.125 + 1 = 84.9.
  MertonJumpModel merton{TermStructure(0.2), {1, 0, 1.5}};
  CHECK(heavy_tailed(merton, 0.11));
  CHECK_FALSE(heavy_tailed(merton, 0.1));
  KouJumpModel kou;
  kou.volatility = TermStructure(0.2);
  kou.jump_intensity = 1;
  kou.jump_up_prob = 0.5;
  kou.eta_down = 10;
  kou.eta_up = 2;
  CHECK(heavy_tailed(kou, 0.01));
  CHECK_FALSE(heavy_tailed(kou, 0));
  kou.eta_up = 2.01;  // 0.5 * 2.01 / 0.01 = 100.5
  CHECK(heavy_tailed(kou, 0.1));
  kou.eta_up = 10;
  CHECK_FALSE(heavy_tailed(kou, 10));
}
