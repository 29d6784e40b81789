// The choice of control variates, and their means against Monte Carlo of this file's own: paths of lognormal steps from
// std::mt19937_64, payoffs written out. Tolerance four standard errors: about 6e-5 of false alarms a comparison, under
// 1 % over all of them; the seeds are fixed.
#include "sim/options/control_variate.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "tests/options/market_of.hpp"

using namespace ergode::sim::options;
using namespace ergode::testing;

namespace {

/// Prices of all assets at the grid's times: path[step][asset], path[0] those of now.
using Path = std::vector<std::vector<double>>;

struct Estimate {
  double mean = 0, error = 0;
};

/// Under gbm, for up to two assets, from the curves themselves.
Estimate simulate(const MarketState& m, const TimeGrid& grid, const std::function<double(const Path&)>& payoff,
                  int paths = 150000) {
  std::mt19937_64 bits(20240607);
  std::normal_distribution<double> normal;
  const std::size_t d = m.assets.size();
  REQUIRE(d <= 2);
  const double rho = d == 2 ? m.correlation[1] : 0;
  Path path(grid.times.size() + 1, std::vector<double>(d));
  double sum = 0, squares = 0;
  for (int p = 0; p < paths; ++p) {
    for (std::size_t a = 0; a < d; ++a) path[0][a] = m.assets[a].spot;
    double last = m.valuation_time;
    for (std::size_t i = 0; i < grid.times.size(); ++i) {
      const double t = grid.times[i], first = normal(bits);
      for (std::size_t a = 0; a < d; ++a) {
        const auto& volatility = std::get<GbmModel>(m.assets[a].model).volatility;
        const double w = variance_integral(volatility, t) - variance_integral(volatility, last);
        const double r = rate_integral(*m.assets[a].rate, t) - rate_integral(*m.assets[a].rate, last);
        const double q = rate_integral(m.assets[a].dividend_yield, t) - rate_integral(m.assets[a].dividend_yield, last);
        const double z = a == 0 ? first : rho * first + std::sqrt(1 - rho * rho) * normal(bits);
        path[i + 1][a] = path[i][a] * std::exp(r - q - 0.5 * w + std::sqrt(w) * z);
      }
      last = t;
    }
    const double x = payoff(path);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / paths;
  return {mean, std::sqrt(std::max(0.0, squares / paths - mean * mean) / paths)};
}

double positive(double x) {
  return x > 0 ? x : 0;
}

/// The market itself, and as Greeks move it.
std::vector<MarketState> moved_markets(const MarketState& m) {
  using Kind = Direction::Kind;
  std::vector<MarketState> all{m, moved(m, {Kind::spot, 0, ""}, 7), moved(m, {Kind::volatility, 0, ""}, 0.05),
                               moved(m, {Kind::rate, 0, ""}, 0.02), moved(m, {Kind::time, 0, ""}, 0.06)};
  if (m.assets.size() > 1) {
    all.push_back(moved(m, {Kind::spot, 1, ""}, -5));
    all.push_back(moved(m, {Kind::volatility, 1, ""}, -0.04));
    all.push_back(moved(m, {Kind::parameter, 0, "correlation"}, 0.1));
  }
  return all;
}

/// control_mean against the payoff under every moved market, and a mean that the moves do move.
void compare(const Instrument& option, const MarketState& market, const TimeGrid& grid, Control control,
             const std::function<double(const MarketState&, const Path&)>& payoff) {
  GroupItem item;
  item.option = option;
  item.control = control;
  const double unmoved = control_mean(item, market, grid);
  int which = 0;
  for (const MarketState& m : moved_markets(market)) {
    const Estimate e = simulate(m, grid, [&](const Path& path) { return payoff(m, path); });
    const double mean = control_mean(item, m, grid);
    INFO("market " << which << ": " << mean << " against " << e.mean << " +- " << e.error);
    CHECK(e.error > 0);
    CHECK(std::abs(mean - e.mean) < 4 * e.error);
    if (which > 0) CHECK(std::abs(mean - unmoved) > 1e-5 * std::abs(unmoved));
    ++which;
  }
}

MarketState one_with_curves() {
  GbmModel model;
  model.volatility = curve({0.4, 1.0}, {0.3, 0.22});
  MarketState m;
  m.assets = {asset_of("A", 100, curve({0.5, 1.5}, {0.02, 0.05}), TermStructure(0.01), model)};
  m.correlation = {1};
  return m;
}

MarketState two() {
  return market_of({asset_of("A", 100, TermStructure(0.03), TermStructure(0.01), gbm(0.3)),
                    asset_of("B", 80, TermStructure(0.03), TermStructure(0), gbm(0.2))},
                   0.4);
}

Asian asian(Average average, StrikeType strike_type, Monitoring monitoring, int fixings,
            std::vector<double> past = {}) {
  Asian o;
  o.average = average;
  o.strike_type = strike_type;
  o.strike = strike_type == StrikeType::fixed ? 100 : 0;
  o.monitoring = monitoring;
  if (fixings > 0) o.fixings = fixings;
  o.past_fixings = std::move(past);
  return o;
}

Control chosen(const Product& product, const MarketState& m, double maturity = 1) {
  return choose_control(option_of(product, maturity), m, true);
}

European european(double strike, OptionType type = OptionType::call) {
  European o;
  o.type = type;
  o.strike = strike;
  return o;
}

Barrier barrier(BarrierType barrier_type, OptionType type, double strike, double level, double rebate = 0) {
  Barrier o;
  o.barrier_type = barrier_type;
  o.type = type;
  o.strike = strike;
  o.barrier = level;
  o.rebate = rebate;
  return o;
}

Basket basket(Average average, std::vector<double> weights, double strike) {
  Basket o;
  o.average = average;
  o.weights = std::move(weights);
  o.strike = strike;
  return o;
}

}  // namespace

TEST_CASE("The mean of the terminal spot is its discounted forward under moved markets") {
  const Instrument option = option_of(european(100), 1.2);
  const MarketState m = one_with_curves();
  GroupItem item;
  item.option = option;
  item.control = Control::spot;
  const TimeGrid grid = time_grid(option, m, 252);
  // Of an asset without dividends it is the spot; here the yield of 1 % is taken from it.
  CHECK(std::abs(control_mean(item, m, grid) - 100 * std::exp(-0.012)) < 1e-12);
  const Estimate e = simulate(m, grid, [&](const Path& p) { return m.discount(1.2) * p.back()[0]; });
  CHECK(std::abs(control_mean(item, m, grid) - e.mean) < 4 * e.error);
  CHECK(std::abs(control_mean(item, moved(m, {Direction::Kind::spot, 0, ""}, 10), grid) - 110 * std::exp(-0.012)) <
        1e-12);
  CHECK(std::abs(control_mean(item, moved(m, {Direction::Kind::time, 0, ""}, 0.2), grid) - 100 * std::exp(-0.01)) <
        1e-12);
}

TEST_CASE("The mean of the vanilla beside a barrier holds under moved markets") {
  const Instrument option = option_of(barrier(BarrierType::up_out, OptionType::put, 105, 140), 1.2);
  const MarketState m = one_with_curves();
  compare(option, m, time_grid(option, m, 252), Control::european, [](const MarketState& market, const Path& p) {
    return std::exp(-(rate_integral(market.rate(), 1.2) - rate_integral(market.rate(), market.valuation_time))) *
           positive(105 - p.back()[0]);
  });
}

TEST_CASE("The mean of the geometric average of fixings holds with past ones and under moved markets") {
  const Instrument option =
      option_of(asian(Average::arithmetic, StrikeType::fixed, Monitoring::discrete, 6, {90, 104}), 1.2);
  const MarketState m = one_with_curves();
  const TimeGrid grid = time_grid(option, m, 252);
  REQUIRE(grid.steps() == 4);
  compare(option, m, grid, Control::geometric_average, [](const MarketState& market, const Path& p) {
    double product = 90 * 104.0;
    for (std::size_t i = 1; i < p.size(); ++i) product *= p[i][0];
    return market.discount(1.2) * positive(std::pow(product, 1.0 / 6) - 100);
  });
}

TEST_CASE("The mean of the continuous geometric average is that of the trapezoid on the grid, fine or coarse") {
  const Instrument option = option_of(asian(Average::arithmetic, StrikeType::fixed, Monitoring::continuous, 0), 0.6);
  const MarketState m = one_with_curves();
  const TimeGrid fine = time_grid(option, m, 8);
  for (const TimeGrid& grid : {fine, fine.coarse()}) {
    compare(option, m, grid, Control::geometric_average, [&](const MarketState& market, const Path& p) {
      double sum = 0, last = market.valuation_time;
      for (std::size_t i = 0; i < grid.times.size(); ++i) {
        sum += 0.5 * (grid.times[i] - last) * (std::log(p[i][0]) + std::log(p[i + 1][0]));
        last = grid.times[i];
      }
      return market.discount(0.6) * positive(std::exp(sum / 0.6) - 100);
    });
  }
  // They are not the same control.
  GroupItem item;
  item.option = option;
  item.control = Control::geometric_average;
  CHECK(std::abs(control_mean(item, m, fine) - control_mean(item, m, fine.coarse())) > 1e-3);
}

TEST_CASE("The mean of the geometric basket holds for weights that do not sum to 1 and under moved markets") {
  const Instrument option = option_of(basket(Average::arithmetic, {0.9, 0.6}, 130), 1);
  const MarketState m = two();
  compare(option, m, time_grid(option, m, 252), Control::geometric_basket,
          [](const MarketState& market, const Path& p) {
            const double geometric = std::pow(p.back()[0], 0.9 / 1.5) * std::pow(p.back()[1], 0.6 / 1.5);
            return market.discount(1) * positive(1.5 * geometric - 130);
          });
}

TEST_CASE("The geometric basket has the covariance of the grid's steps where volatilities are curves") {
  const Instrument option = option_of(basket(Average::arithmetic, {0.5, 0.5}, 90), 1);
  MarketState m = two();
  std::get<GbmModel>(m.assets[0].model).volatility = curve({0.5, 1.0}, {0.5, 0.37});
  const TimeGrid steps{{0.5, 1.0}, false}, single{{1.0}, false};
  for (const TimeGrid& grid : {steps, single})
    compare(option, m, grid, Control::geometric_basket, [](const MarketState& market, const Path& p) {
      return market.discount(1) * positive(std::sqrt(p.back()[0] * p.back()[1]) - 90);
    });
}

TEST_CASE("The mean of a portfolio holds with the weights of each product") {
  const MarketState m = two();
  const auto weighted = [](double a, double b) {
    return [=](const MarketState& market, const Path& p) {
      return market.discount(1) * (a * p.back()[0] + b * p.back()[1]);
    };
  };
  const auto check = [&](const Product& product, double a, double b) {
    const Instrument option = option_of(product, 1);
    GroupItem item;
    item.option = option;
    item.control = Control::portfolio;
    const TimeGrid grid = time_grid(option, m, 252);
    for (const MarketState& market : moved_markets(m)) {
      const Estimate e = simulate(market, grid, [&](const Path& p) { return weighted(a, b)(market, p); });
      CHECK(std::abs(control_mean(item, market, grid) - e.mean) < 4 * e.error);
    }
    CHECK(std::abs(control_mean(item, m, grid) - (a * 100 * std::exp(-0.01) + b * 80)) < 1e-12);
  };
  check(Spread{}, 1, -1);
  check(Exchange{}, 1, -1);
  check(Rainbow{}, 0.5, 0.5);
  check(basket(Average::arithmetic, {2, -0.5}, 100), 2, -0.5);
}

TEST_CASE("A volatility or time without length gives the mean's limit, not NaN") {
  MarketState m = market_of(100, 0.05, 0, gbm(0));
  GroupItem item;
  item.option = option_of(asian(Average::arithmetic, StrikeType::fixed, Monitoring::discrete, 2), 1);
  item.control = Control::geometric_average;
  const TimeGrid grid = time_grid(item.option, m, 252);
  CHECK(std::abs(control_mean(item, m, grid) - std::exp(-0.05) * (100 * std::exp(0.0375) - 100)) < 1e-12);
  item.control = Control::none;
  CHECK(control_mean(item, m, grid) == 0);
}

TEST_CASE("A mean that is not known for the model is refused") {
  const MarketState m = market_of(100, 0.05, 0, heston(0.04, 1, 0.04, 0.3, -0.5));
  GroupItem item;
  item.option = option_of(barrier(BarrierType::up_out, OptionType::put, 105, 140), 1);
  item.control = Control::european;
  CHECK_THROWS_AS(control_mean(item, m, TimeGrid{{1.0}, false}), std::logic_error);
}

TEST_CASE("Each product under gbm has its control variate") {
  const MarketState m = market_of(100, 0.05, 0.02, gbm(0.2)), pair = two();
  const auto fixed = StrikeType::fixed, floating = StrikeType::floating;
  const auto discrete = Monitoring::discrete, continuous = Monitoring::continuous;
  CHECK(chosen(european(100), m) == Control::spot);
  CHECK(chosen(asian(Average::arithmetic, fixed, discrete, 12), m) == Control::geometric_average);
  CHECK(chosen(asian(Average::arithmetic, fixed, discrete, 12, {99, 98}), m) == Control::geometric_average);
  CHECK(chosen(asian(Average::arithmetic, fixed, continuous, 0), m) == Control::geometric_average);
  CHECK(chosen(asian(Average::arithmetic, floating, discrete, 12), m) == Control::spot);
  CHECK(chosen(asian(Average::geometric, fixed, discrete, 12), m) == Control::spot);
  CHECK(chosen(barrier(BarrierType::down_out, OptionType::call, 100, 90), m) == Control::european);
  CHECK(chosen(barrier(BarrierType::down_in, OptionType::call, 100, 90), m) == Control::european);
  Digital digital;
  digital.strike = 100;
  CHECK(chosen(digital, m) == Control::european);
  Lookback lookback;
  CHECK(chosen(lookback, m) == Control::spot);
  lookback.strike_type = fixed;
  lookback.strike = 100;
  CHECK(chosen(lookback, m) == Control::european);
  Bermudan bermudan;
  bermudan.exercise.strike = 100;
  bermudan.exercise_dates = 10;
  CHECK(chosen(bermudan, m) == Control::european);
  American american;
  american.exercise.strike = 100;
  CHECK(chosen(american, m) == Control::european);
  CHECK(chosen(ForwardStart{}, m) == Control::spot);
  Cliquet cliquet;
  cliquet.resets = 4;
  CHECK(chosen(cliquet, m) == Control::spot);
  Autocallable autocallable;
  autocallable.observations = 4;
  CHECK(chosen(autocallable, m) == Control::spot);
  CHECK(chosen(autocallable, pair) == Control::portfolio);

  CHECK(chosen(basket(Average::arithmetic, {}, 90), pair) == Control::geometric_basket);
  CHECK(chosen(basket(Average::arithmetic, {1, -1}, 90), pair) == Control::portfolio);
  CHECK(chosen(basket(Average::arithmetic, {1, 0}, 90), pair) == Control::portfolio);
  CHECK(chosen(basket(Average::arithmetic, {}, 90), m) == Control::portfolio);
  CHECK(chosen(basket(Average::geometric, {}, 90), pair) == Control::portfolio);
  CHECK(chosen(Rainbow{}, pair) == Control::portfolio);
  CHECK(chosen(Spread{}, pair) == Control::portfolio);
  CHECK(chosen(Exchange{}, pair) == Control::portfolio);
  bermudan.exercise.payoff = BasketPayoff::maximum;
  CHECK(chosen(bermudan, pair) == Control::portfolio);
}

TEST_CASE("Other models have the spot or the portfolio, and what has no known mean has none") {
  const HestonModel usual = heston(0.04, 2, 0.04, 0.4, -0.7), wild = heston(0.04, 0.3, 0.04, 0.9, -0.5);
  const Barrier option = barrier(BarrierType::down_out, OptionType::call, 100, 90);
  const auto under = [&](const Model& model, double maturity) {
    return chosen(option, market_of(100, 0.05, 0.02, model), maturity);
  };
  CHECK(under(usual, 15) == Control::spot);
  CHECK(under(BatesModel{usual, {}}, 15) == Control::spot);
  CHECK(under(MertonJumpModel{}, 1) == Control::spot);
  CHECK(under(KouJumpModel{}, 1) == Control::spot);
  CHECK(under(LocalVolatilityModel{}, 1) == Control::spot);
  CHECK(under(CevModel{0.2, 1}, 1) == Control::none);
  CHECK(under(wild, 13) == Control::spot);
  CHECK(under(wild, 13.5) == Control::none);
  CHECK(under(BatesModel{wild, {}}, 13.5) == Control::none);

  MarketState mixed = two();
  mixed.assets[1].model = usual;
  CHECK(chosen(basket(Average::arithmetic, {}, 90), mixed) == Control::portfolio);
  mixed.assets[1].model = CevModel{0.2, 1};
  CHECK(chosen(basket(Average::arithmetic, {}, 90), mixed) == Control::none);

  MarketState m = market_of(100, 0.05, 0.02, gbm(0.2));
  CHECK(choose_control(option_of(option, 1), m, false) == Control::none);
  VarianceSwap swap;
  swap.fixings = 12;
  CHECK(chosen(swap, m) == Control::none);
  m.assets[0].cash_dividends = {{0.5, 2}};
  CHECK(chosen(option, m) == Control::none);
}

TEST_CASE("A control variate is never the payoff itself") {
  const MarketState m = market_of(100, 0.05, 0.02, gbm(0.2)), pair = two();
  const auto fixed = StrikeType::fixed;
  const auto discrete = Monitoring::discrete;
  // Strike 0 leaves the terminal price.
  CHECK(chosen(european(0), m) == Control::none);
  CHECK(chosen(basket(Average::arithmetic, {}, 0), pair) == Control::none);
  CHECK(chosen(basket(Average::arithmetic, {}, 0), m) == Control::none);
  ForwardStart forward;
  forward.moneyness = 0;
  CHECK(chosen(forward, m) == Control::none);
  Rainbow rainbow;
  CHECK(chosen(rainbow, m) == Control::none);
  rainbow.strike = 100;
  CHECK(chosen(rainbow, m) == Control::portfolio);
  Digital digital;
  digital.payout = Payout::asset;
  CHECK(chosen(digital, m) == Control::none);
  Cliquet cliquet;
  cliquet.resets = 1;
  CHECK(chosen(cliquet, m) == Control::none);
  cliquet.local_floor = 0;
  CHECK(chosen(cliquet, m) == Control::spot);

  // One fixing is a vanilla, all fixings past are a known payment.
  CHECK(chosen(asian(Average::arithmetic, fixed, discrete, 1), m) == Control::spot);
  CHECK(chosen(asian(Average::geometric, fixed, discrete, 1), m) == Control::spot);
  Asian free = asian(Average::geometric, fixed, discrete, 1);
  free.strike = 0;
  CHECK(chosen(free, m) == Control::none);
  CHECK(chosen(asian(Average::arithmetic, fixed, discrete, 2, {100, 101}), m) == Control::none);
  Lookback lookback;
  lookback.strike_type = fixed;
  lookback.strike = 110;
  lookback.monitoring = discrete;
  lookback.fixings = 1;
  CHECK(chosen(lookback, m) == Control::spot);
  lookback.strike = 90;  // pays at least 10
  CHECK(chosen(lookback, m) == Control::european);
  Bermudan bermudan;
  bermudan.exercise.strike = 100;
  bermudan.exercise_dates = 1;
  CHECK(chosen(bermudan, m) == Control::spot);

  // Knocked in already, or whenever it pays: the vanilla.
  CHECK(chosen(barrier(BarrierType::down_in, OptionType::call, 100, 100), m) == Control::spot);
  CHECK(chosen(barrier(BarrierType::up_in, OptionType::call, 120, 110), m) == Control::spot);
  CHECK(chosen(barrier(BarrierType::up_in, OptionType::call, 120, 110, 3), m) == Control::european);
  CHECK(chosen(barrier(BarrierType::up_in, OptionType::call, 100, 110), m) == Control::european);
  CHECK(chosen(barrier(BarrierType::down_in, OptionType::put, 80, 90), m) == Control::spot);
  CHECK(chosen(barrier(BarrierType::down_out, OptionType::call, 100, 100), m) == Control::none);
  DoubleBarrier corridor;
  corridor.strike = 125;
  corridor.lower_barrier = 80;
  corridor.upper_barrier = 120;
  CHECK(chosen(corridor, m) == Control::european);
  corridor.barrier_type = DoubleBarrierType::knock_in;
  CHECK(chosen(corridor, m) == Control::spot);

  CHECK(chosen(european(100), m, 0) == Control::none);
}
