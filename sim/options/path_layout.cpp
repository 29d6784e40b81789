#include "sim/options/path_layout.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "io/error.hpp"
#include "sim/options/closed_forms/jumps.hpp"
#include "sim/options/correlation.hpp"

namespace ergode::sim::options {
namespace {

namespace k = kernels::options;
using k::ObserverKind;
using k::PayoffKind;

constexpr double unbounded = 1e30;

int sign_of(OptionType type) {
  return type == OptionType::call ? 1 : -1;
}

class Builder {
 public:
  Builder(const MarketState& market, const TimeGrid& grid, bool coarse)
      : market_(market), grid_(coarse ? grid.coarse() : grid), coarse_(coarse) {}

  void assets(std::uint32_t seed);
  void item(const GroupItem& item);
  void record(const std::vector<int>& slots);
  PathLayout take() {
    align();
    layout_.spec.constants = static_cast<std::int32_t>(layout_.constants.size());
    return std::move(layout_);
  }

 private:
  using Table = std::vector<double>;

  int put(double x) {
    layout_.constants.push_back(x);
    return static_cast<int>(layout_.constants.size()) - 1;
  }
  int put(const std::vector<double>& xs) {
    const int at = static_cast<int>(layout_.constants.size());
    layout_.constants.insert(layout_.constants.end(), xs.begin(), xs.end());
    return at;
  }
  /// The next offset is a multiple of four, for loads of four numbers.
  void align() {
    while (layout_.constants.size() % 4 != 0) put(0);
  }
  double begin_of(std::size_t step) const { return step == 0 ? market_.valuation_time : grid_.times[step - 1]; }
  std::size_t steps() const { return grid_.times.size(); }
  Table table() const { return Table(steps(), 0.0); }

  void model(std::size_t a, k::AssetSpec& spec);
  void gbm_steps(std::size_t a, k::AssetSpec& spec, const TermStructure& volatility, double jump_drift);
  void heston(std::size_t a, k::AssetSpec& spec, const HestonModel& m, double jump_drift, const MertonJump* jump);

  int observer(const std::string& signature, ObserverKind kind, std::size_t asset, const Table& marks,
               const std::vector<double>& constants, int flags = 0, int policy = 0);
  int payoff(PayoffKind kind, int sign, int observer, const std::vector<double>& constants);
  int control(const GroupItem& item);
  int average_observer(const Asian& o, Average average);

  Table marks_at(const std::vector<double>& times, double weight) const {
    Table t = table();
    for (const double at : times) t[static_cast<std::size_t>(grid_.step_at(at))] += weight;
    return t;
  }
  Table discounts_at(const std::vector<double>& times) const {
    Table t = table();
    for (const double at : times) t[static_cast<std::size_t>(grid_.step_at(at))] = market_.discount(at);
    return t;
  }

  int product(const GroupItem& item, const European& o);
  int product(const GroupItem& item, const Digital& o);
  int product(const GroupItem& item, const Asian& o);
  int product(const GroupItem& item, const Barrier& o);
  int product(const GroupItem& item, const DoubleBarrier& o);
  int product(const GroupItem& item, const Lookback& o);
  int product(const GroupItem& item, const Basket& o);
  int product(const GroupItem& item, const Rainbow& o);
  int product(const GroupItem& item, const Spread& o);
  int product(const GroupItem& item, const Exchange& o);
  int product(const GroupItem& item, const ForwardStart& o);
  int product(const GroupItem& item, const Cliquet& o);
  int product(const GroupItem& item, const VarianceSwap& o);
  int product(const GroupItem& item, const Autocallable& o);
  int product(const GroupItem& item, const Bermudan& o) { return exercise(item, o.exercise); }
  int product(const GroupItem& item, const American& o) { return exercise(item, o.exercise); }
  int exercise(const GroupItem& item, const EarlyExercise& o);

  double maturity() const { return grid_.times.empty() ? 0 : grid_.times.back(); }
  double discount() const { return market_.discount(maturity()); }

  const MarketState& market_;
  TimeGrid grid_;
  bool coarse_;
  PathLayout layout_;
  std::map<std::string, int> observers_;
};

void Builder::assets(std::uint32_t seed) {
  k::PathSpec& spec = layout_.spec;
  spec.steps = static_cast<std::int32_t>(steps());
  spec.assets = static_cast<std::int32_t>(market_.assets.size());
  if (market_.assets.size() > k::max_assets)
    throw io::Error(io::ExitCode::config,
                    "an option can have at most " + std::to_string(k::max_assets) + " underlyings");
  for (std::size_t a = 0; a < market_.assets.size(); ++a) {
    k::AssetSpec& asset = spec.asset[a];
    asset.key = {seed, stream_of(market_.assets[a].name)};
    asset.spot = put(market_.assets[a].spot);
    model(a, asset);
    asset.first_normal = spec.normals;
    spec.normals += asset.normals;
  }
  spec.correlation = -1;
  if (market_.assets.size() > 1)
    spec.correlation = put(cholesky_of_semidefinite(market_.correlation, market_.assets.size()));
}

void Builder::gbm_steps(std::size_t a, k::AssetSpec& spec, const TermStructure& volatility, double jump_drift) {
  spec.normals = 1;
  const UnderlyingSettings& asset = market_.assets[a];
  const bool jumps = spec.model != k::ModelKind::gbm;
  spec.stride = jumps ? 8 : 4;
  align();
  spec.steps = static_cast<std::int32_t>(layout_.constants.size());
  for (std::size_t i = 0; i < steps(); ++i) {
    const double from = begin_of(i), to = grid_.times[i];
    const double variance = std::max(variance_integral(volatility, to) - variance_integral(volatility, from), 0.0);
    double dividend = 0;
    for (const CashDividend& d : asset.cash_dividends)
      if (d.time > 0 && grid_.step_at(d.time) == static_cast<int>(i) && d.time <= maturity()) dividend += d.amount;
    const double carry = market_.carry_integral(a, from, to), of_jumps = jump_drift * (to - from);
    const double drift = carry - 0.5 * variance - of_jumps;
    // What is left where the parts cancel is rounding of the times, and would make equal steps differ.
    const bool cancels = std::abs(drift) < 1e-12 * (std::abs(carry) + 0.5 * variance + std::abs(of_jumps));
    put(cancels ? 0 : drift);
    put(std::sqrt(variance));
    put(dividend);
    if (dividend != 0) spec.pays_cash = 1;
    // The forward variance over the step; a step of no length has the spot volatility.
    const double sigma = volatility.volatility_at(0);
    put(to > from ? variance / (to - from) : sigma * sigma);
    if (jumps) put({to - from, 0, 0, 0});
  }
}

void Builder::heston(std::size_t a, k::AssetSpec& spec, const HestonModel& m, double jump_drift,
                     const MertonJump* jump) {
  spec.normals = 2;
  spec.constants = put({m.v0, m.sigma_v, m.rho, std::sqrt(std::max(0.0, 1 - m.rho * m.rho)),
                        m.scheme == HestonScheme::full_truncation ? 1.0 : 0.0, m.theta, m.kappa});
  if (jump != nullptr) put({jump->jump_intensity, jump->jump_mean, jump->jump_stddev});
  spec.stride = 9;
  spec.steps = static_cast<std::int32_t>(layout_.constants.size());
  for (std::size_t i = 0; i < steps(); ++i) {
    const double from = begin_of(i), dt = grid_.times[i] - from;
    const double kdt = m.kappa * dt, e = -std::expm1(-kdt);
    // kappa -> 0: h1 = dt, h2 = theta kappa dt^2 / 2.
    const double h1 = m.kappa > 0 ? std::exp(-kdt) * e / m.kappa : dt;
    const double h2 = m.kappa > 0 ? m.theta * e * e / (2 * m.kappa) : 0;
    const double r = m.rho * (1 + 0.5 * kdt);
    put({market_.carry_integral(a, from, grid_.times[i]) - jump_drift * dt, dt, e, h1, h2, r,
         r - 0.25 * m.rho * m.rho * dt * m.sigma_v, std::sqrt(std::max(dt, 0.0)),
         m.sigma_v > 0 ? m.rho * (e * (1 + 0.5 * kdt) - kdt) / m.sigma_v : 0});
  }
}

void Builder::model(std::size_t a, k::AssetSpec& spec) {
  const UnderlyingSettings& asset = market_.assets[a];
  if (const auto* m = std::get_if<GbmModel>(&asset.model)) {
    spec.model = k::ModelKind::gbm;
    return gbm_steps(a, spec, m->volatility, 0);
  }
  if (const auto* m = std::get_if<MertonJumpModel>(&asset.model)) {
    spec.model = k::ModelKind::merton_jump;
    spec.constants = put({m->jump.jump_intensity, m->jump.jump_mean, m->jump.jump_stddev});
    return gbm_steps(a, spec, m->volatility, m->jump.jump_intensity * closed_forms::jump_moments(m->jump).compensator);
  }
  if (const auto* m = std::get_if<KouJumpModel>(&asset.model)) {
    spec.model = k::ModelKind::kou_jump;
    spec.constants = put({m->jump_intensity, m->jump_up_prob, m->eta_up, m->eta_down});
    return gbm_steps(a, spec, m->volatility, m->jump_intensity * closed_forms::jump_moments(*m).compensator);
  }
  if (const auto* m = std::get_if<HestonModel>(&asset.model)) {
    spec.model = k::ModelKind::heston;
    return heston(a, spec, *m, 0, nullptr);
  }
  if (const auto* m = std::get_if<BatesModel>(&asset.model)) {
    spec.model = k::ModelKind::bates;
    return heston(a, spec, m->heston, m->jump.jump_intensity * closed_forms::jump_moments(m->jump).compensator,
                  &m->jump);
  }
  spec.normals = 1;
  if (const auto* m = std::get_if<CevModel>(&asset.model)) {
    spec.model = k::ModelKind::cev;
    spec.constants = put({m->cev_sigma * std::pow(asset.spot, m->cev_beta - 1), m->cev_beta});
    spec.stride = 2;
    spec.steps = static_cast<std::int32_t>(layout_.constants.size());
    for (std::size_t i = 0; i < steps(); ++i) {
      const double from = begin_of(i);
      put({std::exp(market_.carry_integral(a, from, grid_.times[i])), std::sqrt(std::max(grid_.times[i] - from, 0.0))});
    }
    return;
  }
  const auto& m = std::get<LocalVolatilityModel>(asset.model);
  const std::size_t n = m.strikes.size();
  spec.model = k::ModelKind::local_volatility;
  spec.constants = put(static_cast<double>(n));
  for (const double strike : m.strikes) put(std::log(strike / asset.spot));
  spec.stride = static_cast<std::int32_t>(3 + n);
  spec.steps = static_cast<std::int32_t>(layout_.constants.size());
  for (std::size_t i = 0; i < steps(); ++i) {
    const double from = begin_of(i), dt = grid_.times[i] - from;
    put({market_.carry_integral(a, from, grid_.times[i]), dt, std::sqrt(std::max(dt, 0.0))});
    // The row at the step's beginning, linear between maturities and flat outside.
    const auto after = std::lower_bound(m.maturities.begin(), m.maturities.end(), from);
    const auto row = static_cast<std::size_t>(after - m.maturities.begin());
    for (std::size_t j = 0; j < n; ++j) {
      if (row == 0 || row == m.maturities.size()) {
        put(m.local_volatility[row == 0 ? 0 : row - 1][j]);
      } else {
        const double w = (from - m.maturities[row - 1]) / (m.maturities[row] - m.maturities[row - 1]);
        put(std::lerp(m.local_volatility[row - 1][j], m.local_volatility[row][j], w));
      }
    }
  }
}

int Builder::observer(const std::string& signature, ObserverKind kind, std::size_t asset, const Table& marks,
                      const std::vector<double>& constants, int flags, int policy) {
  const auto found = observers_.find(signature);
  if (found != observers_.end()) return found->second;
  k::PathSpec& spec = layout_.spec;
  const int number = spec.observers++;
  k::ObserverSpec& o = spec.observer[number];
  o.kind = kind;
  o.asset = static_cast<std::int32_t>(asset);
  o.table = put(marks);
  o.constants = put(constants);
  o.flags = flags;
  o.policy = policy;
  const bool extreme = kind == ObserverKind::maximum_continuous || kind == ObserverKind::minimum_continuous;
  if (extreme) spec.bridge_draws = 1;
  if (extreme || kind == ObserverKind::barrier_continuous || kind == ObserverKind::double_barrier_continuous)
    spec.continuous = 1;
  observers_[signature] = number;
  return number;
}

int Builder::payoff(PayoffKind kind, int sign, int observer, const std::vector<double>& constants) {
  k::PathSpec& spec = layout_.spec;
  const int number = spec.payoffs++;
  spec.payoff[number] = {kind, 0, observer, put(constants), sign};
  return number;
}

int Builder::product(const GroupItem& item, const European& o) {
  return payoff(PayoffKind::european, item.as_put ? -1 : sign_of(o.type), -1, {discount(), o.strike});
}

int Builder::product(const GroupItem&, const Digital& o) {
  return payoff(o.payout == Payout::cash ? PayoffKind::digital_cash : PayoffKind::digital_asset, sign_of(o.type), -1,
                {discount(), o.strike, o.cash});
}

int Builder::average_observer(const Asian& o, Average average) {
  const bool geometric = average == Average::geometric;
  const double log_spot = std::log(market_.assets[0].spot);
  Table marks = table();
  double start = 0, weights = 0;
  std::string signature = geometric ? "geometric" : "arithmetic";
  if (o.monitoring == Monitoring::continuous) {
    const auto w = trapezoid_weights(grid_, market_.valuation_time, maturity());
    marks.assign(w.begin() + 1, w.end());
    start = w[0] * (geometric ? log_spot : market_.assets[0].spot);
    for (std::size_t i = 1; i < w.size(); ++i) weights += w[i];
    signature += " continuous";
  } else {
    const auto n = static_cast<double>(*o.fixings);
    const std::int64_t left = *o.fixings - static_cast<std::int64_t>(o.past_fixings.size());
    marks = marks_at(fixing_times(maturity(), left), 1 / n);
    for (const double s : o.past_fixings) {
      start += (geometric ? std::log(s) : s) / n;
      signature += " " + io::write_value(s);
    }
    weights = static_cast<double>(left) / n;
    signature += " " + std::to_string(*o.fixings);
  }
  if (geometric) start += weights * log_spot;
  return observer(signature, geometric ? ObserverKind::geometric_average : ObserverKind::arithmetic_average, 0, marks,
                  {start});
}

int Builder::product(const GroupItem&, const Asian& o) {
  return payoff(o.strike_type == StrikeType::fixed ? PayoffKind::average_price : PayoffKind::average_strike,
                sign_of(o.type), average_observer(o, o.average), {discount(), o.strike});
}

int Builder::product(const GroupItem&, const Barrier& o) {
  const bool up = o.barrier_type == BarrierType::up_in || o.barrier_type == BarrierType::up_out;
  const bool in = o.barrier_type == BarrierType::down_in || o.barrier_type == BarrierType::up_in;
  const bool continuous = o.monitoring == Monitoring::continuous;
  Table marks;
  if (continuous) {
    // Within a step the hit is taken to be in its middle.
    for (std::size_t i = 0; i < steps(); ++i) marks.push_back(market_.discount(0.5 * (begin_of(i) + grid_.times[i])));
  } else {
    marks = discounts_at(fixing_times(maturity(), *o.fixings));
  }
  const int watcher = observer("barrier " + io::write_value(o.barrier) + (up ? " up " : " down ") +
                                   (continuous ? "continuous" : std::to_string(*o.fixings)),
                               continuous ? ObserverKind::barrier_continuous : ObserverKind::barrier_fixing, 0, marks,
                               {std::log(o.barrier / market_.assets[0].spot)}, up ? 1 : 0);
  return payoff(PayoffKind::barrier, sign_of(o.type), watcher,
                {discount(), o.strike, o.rebate, in ? 1.0 : 0.0, o.rebate_at == RebateTime::at_maturity ? 0.0 : 1.0});
}

int Builder::product(const GroupItem&, const DoubleBarrier& o) {
  const bool continuous = o.monitoring == Monitoring::continuous;
  Table marks;
  if (continuous) {
    for (std::size_t i = 0; i < steps(); ++i) marks.push_back(market_.discount(0.5 * (begin_of(i) + grid_.times[i])));
  } else {
    marks = discounts_at(fixing_times(maturity(), *o.fixings));
  }
  const double spot = market_.assets[0].spot;
  const int watcher =
      observer("double barrier " + io::write_value(o.lower_barrier) + " " + io::write_value(o.upper_barrier) + " " +
                   (continuous ? "continuous" : std::to_string(*o.fixings)),
               continuous ? ObserverKind::double_barrier_continuous : ObserverKind::double_barrier_fixing, 0, marks,
               {std::log(o.lower_barrier / spot), std::log(o.upper_barrier / spot)});
  return payoff(PayoffKind::barrier, sign_of(o.type), watcher,
                {discount(), o.strike, o.rebate, o.barrier_type == DoubleBarrierType::knock_in ? 1.0 : 0.0,
                 o.rebate_at == RebateTime::at_maturity ? 0.0 : 1.0});
}

int Builder::product(const GroupItem&, const Lookback& o) {
  const bool fixed = o.strike_type == StrikeType::fixed;
  const bool maximum = fixed == (o.type == OptionType::call);
  const bool continuous = o.monitoring == Monitoring::continuous;
  const double spot = market_.assets[0].spot;
  const double extreme = o.running_extreme ? std::log(*o.running_extreme / spot) : 0;
  const ObserverKind kind = continuous ? (maximum ? ObserverKind::maximum_continuous : ObserverKind::minimum_continuous)
                                       : (maximum ? ObserverKind::maximum_fixing : ObserverKind::minimum_fixing);
  const int watcher =
      observer(std::string(maximum ? "maximum " : "minimum ") + io::write_value(o.running_extreme) + " " +
                   (continuous ? "continuous" : std::to_string(*o.fixings)),
               kind, 0, continuous ? table() : marks_at(fixing_times(maturity(), *o.fixings), 1), {extreme});
  return payoff(fixed ? PayoffKind::extreme_price : PayoffKind::extreme_strike, sign_of(o.type), watcher,
                {discount(), o.strike});
}

int Builder::product(const GroupItem& item, const Basket& o) {
  std::vector<double> c{discount(), o.strike};
  const auto w = basket_weights(o.weights, item.option.underlyings.size());
  c.insert(c.end(), w.begin(), w.end());
  return payoff(o.average == Average::arithmetic ? PayoffKind::basket_arithmetic : PayoffKind::basket_geometric,
                sign_of(o.type), -1, c);
}

int Builder::product(const GroupItem&, const Rainbow& o) {
  return payoff(o.select == Select::maximum ? PayoffKind::best_of : PayoffKind::worst_of, sign_of(o.type), -1,
                {discount(), o.strike});
}

int Builder::product(const GroupItem&, const Spread& o) {
  return payoff(PayoffKind::spread, sign_of(o.type), -1, {discount(), o.strike});
}

int Builder::product(const GroupItem&, const Exchange&) {
  return payoff(PayoffKind::spread, 1, -1, {discount(), 0});
}

int Builder::product(const GroupItem&, const ForwardStart& o) {
  Table marks = table();
  if (o.start > 0) marks[static_cast<std::size_t>(grid_.step_at(o.start))] = 1;
  const int watcher =
      observer("spot at " + io::write_value(o.start), ObserverKind::spot_fixing, 0, marks, {market_.assets[0].spot});
  return payoff(PayoffKind::forward_start, sign_of(o.type), watcher, {discount(), 0, o.moneyness});
}

int Builder::product(const GroupItem&, const Cliquet& o) {
  const int watcher = observer(
      "cliquet " + std::to_string(o.resets) + " " + io::write_value(o.local_floor) + " " + io::write_value(o.local_cap),
      ObserverKind::cliquet, 0, marks_at(fixing_times(maturity(), o.resets), 1),
      {o.local_floor.value_or(-unbounded), o.local_cap.value_or(unbounded)});
  return payoff(PayoffKind::cliquet, 1, watcher,
                {discount() * o.notional, 0, o.global_floor.value_or(-unbounded), o.global_cap.value_or(unbounded)});
}

int Builder::product(const GroupItem&, const VarianceSwap& o) {
  int watcher;
  const double a_year = maturity() > 0 ? 1 / maturity() : 0;
  if (o.monitoring == Monitoring::continuous) {
    const auto w = trapezoid_weights(grid_, market_.valuation_time, maturity());
    watcher =
        observer("variance continuous", ObserverKind::variance_continuous, 0, Table(w.begin() + 1, w.end()), {w[0]});
  } else {
    watcher = observer("variance " + std::to_string(*o.fixings), ObserverKind::variance_fixing, 0,
                       marks_at(fixing_times(maturity(), *o.fixings), a_year), {0});
  }
  return payoff(PayoffKind::variance_swap, 1, watcher,
                {o.strike ? discount() * o.notional : 1.0, o.strike.value_or(0)});
}

int Builder::product(const GroupItem& item, const Autocallable& o) {
  const bool continuous = o.knock_in_barrier && o.knock_in_monitoring == Monitoring::continuous;
  // Without a knock-in barrier the note is never at risk.
  const double knock_in = o.knock_in_barrier ? std::log(*o.knock_in_barrier) : -unbounded;
  std::vector<double> c{o.autocall_level,
                        o.coupon,
                        o.memory ? 1.0 : 0.0,
                        knock_in,
                        o.notional,
                        maturity() > 0 ? static_cast<double>(o.observations) : 1.0,
                        continuous ? 0.0 : 1.0};
  for (std::size_t a = 0; a < market_.assets.size(); ++a)
    c.push_back(o.initial_spots.empty() ? 0 : std::log(market_.assets[a].spot / o.initial_spots[a]));
  const int watcher = observer("autocall " + item.option.id, ObserverKind::autocall, 0,
                               discounts_at(fixing_times(maturity(), o.observations)), c);
  if (continuous) layout_.spec.continuous = 1;
  return payoff(PayoffKind::observed, 1, watcher, {1});
}

int Builder::exercise(const GroupItem& item, const EarlyExercise& o) {
  std::vector<double> times = exercise_times(item.option, grid_);
  const int stride = coarse_ && std::holds_alternative<American>(item.option.product) ? 2 : 1;
  const int watcher = observer(
      "exercise " + item.option.id, ObserverKind::exercise, 0, discounts_at(times),
      {o.strike, item.exercise_now ? 1.0 : 0.0, static_cast<double>(item.exercise_dates), static_cast<double>(stride)},
      std::holds_alternative<American>(item.option.product) ? 1 : 0, item.policy);
  return payoff(PayoffKind::observed, 1, watcher, {1});
}

int Builder::control(const GroupItem& item) {
  const Instrument& option = item.option;
  const auto strike_and_type = [&]() -> std::pair<double, OptionType> {
    if (const auto* b = std::get_if<Barrier>(&option.product)) return {b->strike, b->type};
    if (const auto* d = std::get_if<DoubleBarrier>(&option.product)) return {d->strike, d->type};
    if (const auto* d = std::get_if<Digital>(&option.product)) return {d->strike, d->type};
    if (const auto* l = std::get_if<Lookback>(&option.product)) return {l->strike, l->type};
    if (const auto* e = early_exercise(option)) return {e->strike, e->type};
    return {0, OptionType::call};
  };
  switch (item.control) {
    case Control::none:
      return -1;
    case Control::spot:
      return payoff(PayoffKind::terminal_spot, 1, -1, {discount()});
    case Control::portfolio: {
      const std::size_t d = market_.assets.size();
      std::vector<double> c{discount(), 0};
      if (std::holds_alternative<Spread>(option.product) || std::holds_alternative<Exchange>(option.product)) {
        c.insert(c.end(), {1, -1});
      } else if (const auto* b = std::get_if<Basket>(&option.product)) {
        const auto w = basket_weights(b->weights, d);
        c.insert(c.end(), w.begin(), w.end());
      } else {
        c.insert(c.end(), d, 1 / static_cast<double>(d));
      }
      return payoff(PayoffKind::portfolio, 1, -1, c);
    }
    case Control::european: {
      const auto [strike, type] = strike_and_type();
      return payoff(PayoffKind::european, sign_of(type), -1, {discount(), strike});
    }
    case Control::geometric_average: {
      const auto& o = std::get<Asian>(option.product);
      return payoff(PayoffKind::average_price, sign_of(o.type), average_observer(o, Average::geometric),
                    {discount(), o.strike});
    }
    case Control::geometric_basket: {
      const auto& o = std::get<Basket>(option.product);
      // Weights are made to sum to 1, and the strike with them.
      auto w = basket_weights(o.weights, market_.assets.size());
      double sum = 0;
      for (const double x : w) sum += x;
      std::vector<double> c{discount() * sum, o.strike / sum};
      for (const double x : w) c.push_back(x / sum);
      return payoff(PayoffKind::basket_geometric, sign_of(o.type), -1, c);
    }
  }
  return -1;
}

void Builder::item(const GroupItem& item) {
  layout_.payoff.push_back(std::visit([&](const auto& o) { return product(item, o); }, item.option.product));
  layout_.control.push_back(control(item));
}

void Builder::record(const std::vector<int>& slots) {
  Table marks;
  for (const int s : slots) marks.push_back(s);
  observer("record", ObserverKind::record, 0, marks, {0});
}

}  // namespace

PathLayout lay_out(const std::vector<GroupItem>& items, const MarketState& market, const TimeGrid& grid, bool coarse,
                   std::uint32_t seed, const std::vector<int>* record) {
  Builder builder(market, grid, coarse);
  builder.assets(seed);
  if (record != nullptr)
    builder.record(*record);
  else
    for (const GroupItem& item : items) builder.item(item);
  return builder.take();
}

std::uint32_t stream_of(const std::string& name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 16777619u;
  }
  return hash;
}

const EarlyExercise* early_exercise(const Instrument& option) {
  if (const auto* o = std::get_if<Bermudan>(&option.product)) return &o->exercise;
  if (const auto* o = std::get_if<American>(&option.product)) return &o->exercise;
  return nullptr;
}

std::vector<double> exercise_times(const Instrument& option, const TimeGrid& grid) {
  // Dates that coincide are one, or the policy would wait for those that never come.
  if (const auto* o = std::get_if<Bermudan>(&option.product))
    return fixing_times(option.maturity, option.maturity > 0 ? o->exercise_dates : 1);
  return grid.times;
}

std::vector<double> basket_weights(const std::vector<double>& given, std::size_t underlyings) {
  return given.empty() ? std::vector<double>(underlyings, 1 / static_cast<double>(underlyings)) : given;
}

std::vector<double> trapezoid_weights(const TimeGrid& grid, double valuation_time, double maturity) {
  std::vector<double> w(grid.times.size() + 1, 0.0);
  if (!(maturity > 0)) {
    w.back() = 1;
    return w;
  }
  double from = valuation_time;
  for (std::size_t i = 0; i < grid.times.size(); ++i) {
    const double half = 0.5 * (grid.times[i] - from) / maturity;
    w[i] += half;
    w[i + 1] += half;
    from = grid.times[i];
  }
  return w;
}

}  // namespace ergode::sim::options
