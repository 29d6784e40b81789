#include "sim/options/time_grid.hpp"

#include <algorithm>
#include <cmath>

#include "sim/options/reference.hpp"

namespace ergode::sim::options {
namespace {

/// Times that differ by rounding alone are one.
constexpr double same_time = 1e-12;

/// An American option is exercised at so many dates at least, however short its life: few dates cost value.
constexpr double least_american_dates = 128;

template <class T>
const T* as(const Instrument& option) {
  return std::get_if<T>(&option.product);
}

bool stepped(const Model& model) {
  return std::holds_alternative<CevModel>(model) || std::holds_alternative<LocalVolatilityModel>(model) ||
         std::holds_alternative<HestonModel>(model) || std::holds_alternative<BatesModel>(model);
}

/// The option's own statistic is on the step grid.
bool needs_steps(const Instrument& option) {
  if (const auto* o = as<Asian>(option)) return o->monitoring == Monitoring::continuous;
  if (const auto* o = as<VarianceSwap>(option)) return o->monitoring == Monitoring::continuous;
  if (as<American>(option) != nullptr) return true;
  if (const auto* o = as<Barrier>(option))
    return o->monitoring == Monitoring::continuous && o->rebate != 0 && o->rebate_at != RebateTime::at_maturity &&
           (o->barrier_type == BarrierType::down_out || o->barrier_type == BarrierType::up_out);
  if (const auto* o = as<DoubleBarrier>(option))
    return o->monitoring == Monitoring::continuous && o->rebate != 0 && o->rebate_at != RebateTime::at_maturity &&
           o->barrier_type == DoubleBarrierType::knock_out;
  if (const auto* o = as<Autocallable>(option))
    return o->knock_in_barrier && o->knock_in_monitoring == Monitoring::continuous && option.underlyings.size() > 1;
  return false;
}

void add_nodes(std::vector<double>& times, const TermStructure& curve, double maturity) {
  for (const double t : curve.times)
    if (t > 0 && t < maturity) times.push_back(t);
}

}  // namespace

std::vector<double> fixing_times(double maturity, std::int64_t count) {
  std::vector<double> times;
  for (std::int64_t i = 1; i <= count; ++i)
    times.push_back(maturity * static_cast<double>(i) / static_cast<double>(count));
  return times;
}

bool watches_continuously(const Instrument& option) {
  if (const auto* o = as<Barrier>(option)) return o->monitoring == Monitoring::continuous;
  if (const auto* o = as<DoubleBarrier>(option)) return o->monitoring == Monitoring::continuous;
  if (const auto* o = as<Lookback>(option)) return o->monitoring == Monitoring::continuous;
  if (const auto* o = as<Autocallable>(option))
    return o->knock_in_barrier && o->knock_in_monitoring == Monitoring::continuous;
  return false;
}

std::vector<double> event_times(const Instrument& option) {
  const double maturity = option.maturity;
  std::vector<double> times{maturity};
  auto fixings = [&](std::int64_t count) {
    const auto at = fixing_times(maturity, count);
    times.insert(times.end(), at.begin(), at.end());
  };
  if (const auto* o = as<Asian>(option)) {
    if (o->monitoring == Monitoring::discrete) {
      // Past fixings are the first ones of n; those still to come keep their places i T / m.
      const std::int64_t left = *o->fixings - static_cast<std::int64_t>(o->past_fixings.size());
      if (left > 0) fixings(left);
    }
  } else if (const auto* b = as<Barrier>(option)) {
    if (b->monitoring == Monitoring::discrete) fixings(*b->fixings);
  } else if (const auto* d = as<DoubleBarrier>(option)) {
    if (d->monitoring == Monitoring::discrete) fixings(*d->fixings);
  } else if (const auto* l = as<Lookback>(option)) {
    if (l->monitoring == Monitoring::discrete) fixings(*l->fixings);
  } else if (const auto* v = as<VarianceSwap>(option)) {
    if (v->monitoring == Monitoring::discrete) fixings(*v->fixings);
  } else if (const auto* f = as<ForwardStart>(option)) {
    if (f->start > 0) times.push_back(f->start);
  } else if (const auto* c = as<Cliquet>(option)) {
    fixings(c->resets);
  } else if (const auto* a = as<Autocallable>(option)) {
    fixings(a->observations);
  } else if (const auto* e = as<Bermudan>(option)) {
    fixings(e->exercise_dates);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end(), [](double a, double b) { return b - a < same_time; }),
              times.end());
  return times;
}

TimeGrid time_grid(const Instrument& option, const MarketState& market, int steps_per_year) {
  std::vector<double> events = event_times(option);
  bool fine = needs_steps(option);
  for (const auto& a : market.assets) fine = fine || stepped(a.model);
  // Between its nodes a Brownian motion has constant coefficients: only then is the law of its extremes known, and that
  // of several together.
  const bool nodes = fine || watches_continuously(option) || market.assets.size() > 1;
  for (const auto& a : market.assets) {
    for (const auto& dividend : a.cash_dividends)
      if (dividend.time > 0 && dividend.time <= option.maturity) events.push_back(dividend.time);
    if (!nodes) continue;
    add_nodes(events, *a.rate, option.maturity);
    add_nodes(events, a.dividend_yield, option.maturity);
    if (const TermStructure* volatility = black_volatility(a.model)) add_nodes(events, *volatility, option.maturity);
  }
  double a_year = steps_per_year;
  if (as<American>(option) != nullptr && option.maturity > 0)
    a_year = std::max(a_year, least_american_dates / option.maturity);
  std::sort(events.begin(), events.end());
  fine = fine && option.maturity > 0;  // over no time there is nothing to divide
  TimeGrid grid;
  grid.pairs = fine;
  double last = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!grid.times.empty() && events[i] - last < same_time) continue;
    const double length = events[i] - last;
    std::int64_t steps = 1;
    if (fine) steps = 2 * std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(length * a_year / 2 - 1e-6)));
    for (std::int64_t k = 1; k <= steps; ++k)
      grid.times.push_back(k == steps ? events[i]
                                      : last + length * static_cast<double>(k) / static_cast<double>(steps));
    last = events[i];
  }
  return grid;
}

int TimeGrid::step_at(double t) const {
  const auto after = std::lower_bound(times.begin(), times.end(), t - same_time);
  return static_cast<int>(
      std::min<std::ptrdiff_t>(after - times.begin(), static_cast<std::ptrdiff_t>(times.size()) - 1));
}

TimeGrid TimeGrid::coarse() const {
  TimeGrid grid;
  for (std::size_t i = 1; i < times.size(); i += 2) grid.times.push_back(times[i]);
  return grid;
}

}  // namespace ergode::sim::options
