#include "sim/options/control_variate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/options/closed_forms/average.hpp"
#include "sim/options/closed_forms/black.hpp"
#include "sim/options/correlation.hpp"
#include "sim/options/reference.hpp"

namespace ergode::sim::options {
namespace {

namespace cf = closed_forms;

bool gbm(const UnderlyingSettings& asset) {
  return std::holds_alternative<GbmModel>(asset.model);
}

/// Whether the mean of the terminal price is known and the price has a variance.
bool controllable(const UnderlyingSettings& asset, double maturity) {
  return asset.cash_dividends.empty() && !std::holds_alternative<CevModel>(asset.model) &&
         !heavy_tailed(asset.model, maturity);
}

/// What the product offers. `itself`: the payoff is the control, or affine in terminal prices, on every path.
struct Choice {
  Control control = Control::spot;
  bool itself = false;
};

/// A vanilla on the terminal price: strike 0 leaves the price, or nothing.
Choice vanilla(double strike) {
  return {Control::spot, strike <= 0};
}

/// A product that is the vanilla of its own strike in `same`, else may use it as its control.
Choice beside_vanilla(double strike, OptionType type, bool same) {
  if (same) return vanilla(strike);
  // A put of strike 0 never pays: neither does what is inside it.
  return {Control::european, strike <= 0 && type == OptionType::put};
}

class Chooser {
 public:
  Chooser(const Instrument& option, const MarketState& market) : option_(option), market_(market) {}

  Choice operator()(const European& o) const { return vanilla(o.strike); }
  Choice operator()(const Digital& o) const { return {Control::european, o.strike <= 0}; }
  Choice operator()(const Asian& o) const;
  Choice operator()(const Barrier& o) const;
  Choice operator()(const DoubleBarrier& o) const;
  Choice operator()(const Lookback& o) const;
  Choice operator()(const Basket& o) const;
  Choice operator()(const Rainbow& o) const { return {Control::portfolio, one() && o.strike <= 0}; }
  Choice operator()(const Spread&) const { return {Control::portfolio}; }
  Choice operator()(const Exchange&) const { return {Control::portfolio}; }
  Choice operator()(const ForwardStart& o) const { return vanilla(o.moneyness); }
  Choice operator()(const Cliquet& o) const {
    const bool clipped = o.local_floor || o.local_cap || o.global_floor || o.global_cap;
    return {Control::spot, o.resets == 1 && !clipped};
  }
  Choice operator()(const VarianceSwap&) const { return {Control::none}; }
  Choice operator()(const Autocallable&) const { return {one() ? Control::spot : Control::portfolio}; }
  Choice operator()(const Bermudan& o) const { return exercise(o.exercise, o.exercise_dates == 1); }
  Choice operator()(const American& o) const { return exercise(o.exercise, false); }

 private:
  bool one() const { return market_.assets.size() == 1; }
  double spot() const { return market_.assets.front().spot; }
  Choice exercise(const EarlyExercise& o, bool at_maturity_alone) const {
    if (!one()) return {Control::portfolio};
    if (o.strike <= 0) return {Control::none};  // held to the end or never worth anything
    return beside_vanilla(o.strike, o.type, at_maturity_alone);
  }

  const Instrument& option_;
  const MarketState& market_;
};

Choice Chooser::operator()(const Asian& o) const {
  const bool fixed = o.strike_type == StrikeType::fixed;
  if (o.monitoring == Monitoring::discrete) {
    const std::int64_t left = *o.fixings - static_cast<std::int64_t>(o.past_fixings.size());
    if (fixed && left == 0) return {Control::none};
    // The average of a single fixing is the price: a vanilla, whatever the kind of average.
    if (fixed && *o.fixings == 1) return vanilla(o.strike);
  }
  if (!fixed || o.average == Average::geometric) return {Control::spot};
  return {Control::geometric_average};
}

Choice Chooser::operator()(const Barrier& o) const {
  const bool up = o.barrier_type == BarrierType::up_in || o.barrier_type == BarrierType::up_out;
  const bool in = o.barrier_type == BarrierType::up_in || o.barrier_type == BarrierType::down_in;
  const bool crossed = o.monitoring == Monitoring::continuous && (up ? spot() >= o.barrier : spot() <= o.barrier);
  if (crossed && !in) return {Control::none};  // its rebate, for sure
  // It can end in the money beyond the barrier alone, and so knocks in whenever it pays.
  const bool call = o.type == OptionType::call;
  const bool pays_beyond = o.rebate == 0 && up == call && (up ? o.strike >= o.barrier : o.strike <= o.barrier);
  return beside_vanilla(o.strike, o.type, in && (crossed || pays_beyond));
}

Choice Chooser::operator()(const DoubleBarrier& o) const {
  const bool in = o.barrier_type == DoubleBarrierType::knock_in;
  const bool crossed =
      o.monitoring == Monitoring::continuous && (spot() <= o.lower_barrier || spot() >= o.upper_barrier);
  if (crossed && !in) return {Control::none};
  const bool call = o.type == OptionType::call;
  const bool pays_beyond = o.rebate == 0 && (call ? o.strike >= o.upper_barrier : o.strike <= o.lower_barrier);
  return beside_vanilla(o.strike, o.type, in && (crossed || pays_beyond));
}

Choice Chooser::operator()(const Lookback& o) const {
  if (o.strike_type == StrikeType::floating) return {Control::spot};
  // One fixing, at maturity, and an extreme so far that is out of the money: the vanilla.
  const double extreme = o.running_extreme.value_or(spot());
  const bool worthless = o.type == OptionType::call ? extreme <= o.strike : extreme >= o.strike;
  const bool last_alone = o.monitoring == Monitoring::discrete && *o.fixings == 1;
  return beside_vanilla(o.strike, o.type, last_alone && worthless);
}

Choice Chooser::operator()(const Basket& o) const {
  const auto w = basket_weights(o.weights, market_.assets.size());
  const bool positive = std::all_of(w.begin(), w.end(), [](double x) { return x > 0; });
  const bool several = std::count_if(w.begin(), w.end(), [](double x) { return x != 0; }) > 1;
  const bool itself = o.strike <= 0 && (o.average == Average::arithmetic || !several);
  if (o.average == Average::arithmetic && positive && several) return {Control::geometric_basket, itself};
  return {Control::portfolio, itself};
}

/// The mean and covariance of log prices under gbm as the paths have them: a grid's steps one by one, in which a
/// variance that a moved market makes fall is 0, and whose correlation is that of the factor that the paths use.
class GbmPaths {
 public:
  GbmPaths(const MarketState& market, const TimeGrid& grid) : market_(market), grid_(grid) {}

  double maturity() const { return grid_.times.empty() ? 0 : grid_.times.back(); }
  double discount() const { return market_.discount(maturity()); }
  double forward(std::size_t asset) const { return market_.forward(asset, maturity()); }

  /// Of each step.
  std::vector<double> step_variances(std::size_t asset) const {
    const auto* model = std::get_if<GbmModel>(&market_.assets[asset].model);
    if (model == nullptr) throw std::logic_error("the mean of this control variate is known under gbm alone");
    std::vector<double> all;
    double last = market_.valuation_time;
    for (const double t : grid_.times) {
      all.push_back(
          std::max(variance_integral(model->volatility, t) - variance_integral(model->volatility, last), 0.0));
      last = t;
    }
    return all;
  }
  double variance(std::size_t asset) const {
    double sum = 0;
    for (const double v : step_variances(asset)) sum += v;
    return sum;
  }
  cf::LogNormal geometric_average(const Asian& o) const;
  cf::LogNormal geometric_basket(const std::vector<double>& weights) const;

 private:
  const MarketState& market_;
  const TimeGrid& grid_;
};

cf::LogNormal GbmPaths::geometric_average(const Asian& o) const {
  // Weights of the price now and at the end of each step.
  std::vector<double> weights(grid_.times.size() + 1, 0.0), drift{0}, variance{0};
  double past = 0;
  if (o.monitoring == Monitoring::continuous) {
    weights = trapezoid_weights(grid_, market_.valuation_time, maturity());
  } else {
    const double one = 1 / static_cast<double>(*o.fixings);
    for (const double s : o.past_fixings) past += one * std::log(s);
    for (const double t : fixing_times(maturity(), *o.fixings - static_cast<std::int64_t>(o.past_fixings.size())))
      weights[static_cast<std::size_t>(grid_.step_at(t)) + 1] += one;
  }
  const auto steps = step_variances(0);
  for (std::size_t i = 0; i < grid_.times.size(); ++i) {
    drift.push_back(market_.carry_integral(0, market_.valuation_time, grid_.times[i]));
    variance.push_back(variance.back() + steps[i]);
  }
  cf::LogNormal average = cf::geometric_average(market_.assets[0].spot, drift, variance, {}, weights);
  average.log_mean += past;
  return average;
}

cf::LogNormal GbmPaths::geometric_basket(const std::vector<double>& weights) const {
  const std::size_t d = market_.assets.size();
  const auto factor = d > 1 ? cholesky_of_semidefinite(market_.correlation, d) : std::vector<double>{1};
  std::vector<std::vector<double>> steps;
  std::vector<double> mean, covariance(d * d, 0.0);
  for (std::size_t i = 0; i < d; ++i) {
    steps.push_back(step_variances(i));
    mean.push_back(std::log(forward(i)) - 0.5 * variance(i));
    for (std::size_t j = 0; j <= i; ++j) {
      double correlation = 0, sum = 0;
      for (std::size_t k = 0; k <= j; ++k) correlation += factor[i * d + k] * factor[j * d + k];
      for (std::size_t s = 0; s < grid_.times.size(); ++s) sum += std::sqrt(steps[i][s]) * std::sqrt(steps[j][s]);
      covariance[i * d + j] = covariance[j * d + i] = correlation * sum;
    }
  }
  return cf::geometric_average(weights, mean, covariance);
}

/// Strike and type of the vanilla beside an option of one underlying.
std::pair<double, OptionType> vanilla_beside(const Instrument& option) {
  if (const auto* b = std::get_if<Barrier>(&option.product)) return {b->strike, b->type};
  if (const auto* d = std::get_if<DoubleBarrier>(&option.product)) return {d->strike, d->type};
  if (const auto* d = std::get_if<Digital>(&option.product)) return {d->strike, d->type};
  if (const auto* l = std::get_if<Lookback>(&option.product)) return {l->strike, l->type};
  if (const auto* e = early_exercise(option)) return {e->strike, e->type};
  throw std::logic_error("this product has no vanilla as its control variate");
}

/// Coefficients of the terminal prices.
std::vector<double> portfolio_weights(const Instrument& option, std::size_t d) {
  if (std::holds_alternative<Spread>(option.product) || std::holds_alternative<Exchange>(option.product))
    return {1, -1};
  if (const auto* b = std::get_if<Basket>(&option.product)) return basket_weights(b->weights, d);
  return basket_weights({}, d);
}

}  // namespace

Control choose_control(const Instrument& option, const MarketState& market, bool automatic) {
  if (!automatic || market.assets.empty() || !(option.maturity > 0)) return Control::none;
  for (const auto& a : market.assets)
    if (!controllable(a, option.maturity)) return Control::none;
  const Choice choice = std::visit(Chooser(option, market), option.product);
  if (choice.control == Control::none || choice.itself) return Control::none;
  if (std::all_of(market.assets.begin(), market.assets.end(), gbm)) return choice.control;
  return market.assets.size() == 1 ? Control::spot : Control::portfolio;
}

double control_mean(const GroupItem& item, const MarketState& market, const TimeGrid& grid) {
  const GbmPaths paths(market, grid);
  switch (item.control) {
    case Control::none:
      return 0;
    case Control::spot:
      return paths.discount() * paths.forward(0);
    case Control::portfolio: {
      const auto weights = portfolio_weights(item.option, market.assets.size());
      double sum = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * paths.forward(i);
      return paths.discount() * sum;
    }
    case Control::european: {
      const auto [strike, type] = vanilla_beside(item.option);
      return cf::black_scholes(type, paths.forward(0), strike, paths.discount(), paths.variance(0));
    }
    case Control::geometric_average: {
      const auto& o = std::get<Asian>(item.option.product);
      return cf::lognormal_option(o.type, paths.geometric_average(o), o.strike, paths.discount());
    }
    case Control::geometric_basket: {
      const auto& o = std::get<Basket>(item.option.product);
      auto weights = basket_weights(o.weights, market.assets.size());
      double sum = 0;
      for (const double w : weights) sum += w;
      for (double& w : weights) w /= sum;
      return cf::lognormal_option(o.type, paths.geometric_basket(weights), o.strike / sum, sum * paths.discount());
    }
  }
  return 0;
}

}  // namespace ergode::sim::options
