#include "sim/options/group.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "io/error.hpp"
#include "kernels/core/dual.hpp"
#include "sim/options/control_variate.hpp"
#include "sim/options/correlation.hpp"
#include "sim/options/reference.hpp"
#include "sim/options/settings_values.hpp"
#include "sim/options/spot_difference.hpp"

namespace ergode::sim::options {
namespace {

namespace k = kernels::options;
using k::Component;

/// Chunks that take part in estimating a bias: one in this many.
constexpr std::int32_t bias_stride = 2;

/// Central differences of fourth order: offsets -2 ... 2 in units of h.
constexpr double first_derivative[5] = {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12};
/// The same order from one side, offsets 0 ... 4.
constexpr double one_sided_derivative[5] = {-25.0 / 12, 4, -3, 4.0 / 3, -1.0 / 4};
constexpr double second_derivative[5] = {-1.0 / 12, 16.0 / 12, -30.0 / 12, 16.0 / 12, -1.0 / 12};

/// The size of the shift by which a constant's derivative is found: the constants are smooth and known to rounding.
double tangent_step(const MarketState& m, const Direction& d, const TimeGrid& grid) {
  if (d.kind == Direction::Kind::spot) return 1e-5 * m.assets[d.asset].spot;
  if (d.kind == Direction::Kind::time) return grid.times.empty() ? 0 : std::min(1e-5, 1e-3 * grid.times.front());
  return 1e-5;
}

bool all_of_model(const MarketState& m, bool (*is)(const UnderlyingSettings&)) {
  return std::all_of(m.assets.begin(), m.assets.end(), is);
}
bool is_gbm(const UnderlyingSettings& a) {
  return std::holds_alternative<GbmModel>(a.model) && a.cash_dividends.empty();
}

/// Whether the payoff has no jumps as a function of the path.
bool continuous_payoff(const Instrument& o) {
  if (std::holds_alternative<Digital>(o.product) || std::holds_alternative<Autocallable>(o.product)) return false;
  if (const auto* b = std::get_if<Barrier>(&o.product)) return b->monitoring == Monitoring::continuous;
  if (const auto* b = std::get_if<DoubleBarrier>(&o.product)) return b->monitoring == Monitoring::continuous;
  // Under a fixed policy the payment jumps where exercise begins, unless the policy is perfect.
  return early_exercise(o) == nullptr;
}

/// Whether the model's paths are smooth functions of what `d` moves. Heston's scheme switches between two laws, and
/// jumps come and go with the time at hand; neither depends on the spot or the rate.
bool smooth_paths(const MarketState& m, const Direction& d) {
  if (d.kind == Direction::Kind::spot || d.kind == Direction::Kind::rate) return true;
  if (d.kind == Direction::Kind::parameter) return false;
  return all_of_model(m,
                      [](const UnderlyingSettings& a) {
                        return std::holds_alternative<GbmModel>(a.model) || std::holds_alternative<CevModel>(a.model) ||
                               std::holds_alternative<LocalVolatilityModel>(a.model);
                      }) ||
         (d.kind == Direction::Kind::volatility && all_of_model(m, [](const UnderlyingSettings& a) {
            return std::holds_alternative<GbmModel>(a.model) || std::holds_alternative<MertonJumpModel>(a.model) ||
                   std::holds_alternative<KouJumpModel>(a.model);
          }));
}

/// Likelihood ratios need normal increments with a deviation that is not 0, and a payoff of fixings alone.
bool likelihood_ratio_applies(const Group& g, const Instrument& o) {
  if (g.market.assets.size() != 1 || !is_gbm(g.market.assets[0])) return false;
  if (const auto* b = std::get_if<Barrier>(&o.product)) {
    // The score's variance grows with the number of fixings; a rebate at the hit is discounted from there.
    constexpr std::int64_t most_fixings = 8;
    if (b->monitoring == Monitoring::continuous || *b->fixings > most_fixings || b->rebate != 0) return false;
  } else if (!std::holds_alternative<Digital>(o.product)) {
    return false;
  }
  const auto& volatility = std::get<GbmModel>(g.market.assets[0].model).volatility;
  double last = 0;
  for (const double t : g.grid.times) {
    const double v = volatility.variance_integral(t) - volatility.variance_integral(last);
    if (!(v > 1e-10)) return false;
    last = t;
  }
  return !g.grid.times.empty();
}

class Planner {
 public:
  Planner(Group& group, const std::vector<double>& policies) : g_(group), policies_(policies) {
    g_.estimators.clear();
    base_ = variation(g_.market, "base", false, 1);
  }

  void option(std::size_t item, bool extras);
  k::GroupPlan take();

 private:
  struct Market {
    MarketState state;
    std::string where;                ///< name of the state
    std::vector<Direction> tangents;  ///< at most kernels::tangent_directions
    bool coarse = false;
    std::int32_t stride = 1;
  };
  /// A variation, and of those of derivatives the direction.
  struct Place {
    std::size_t variation;
    std::int32_t direction = 0;
  };
  struct Wanted {
    Place place;
    std::size_t estimator;
    std::size_t item;
    Component component;
    double coefficient;
  };

  Place variation(const MarketState& m, const std::string& name, bool coarse, std::int32_t stride) {
    const auto found = places_.find(name);
    if (found != places_.end()) return found->second;
    markets_.push_back({m, name, {}, coarse, stride});
    return places_[name] = {markets_.size() - 1};
  }
  static std::string text(const Direction& d) {
    return std::to_string(static_cast<int>(d.kind)) + ":" + std::to_string(d.asset) + ":" + d.parameter;
  }
  Place shifted(const Direction& d, double size) {
    return size == 0 ? base_ : variation(moved(g_.market, d, size), text(d) + "+" + io::write_value(size), false, 1);
  }
  /// Derivatives of one state share its paths, as many as a number carries.
  Place with_tangent(const MarketState& m, const std::string& where, const Direction& d) {
    const std::string name = where + "'" + text(d);
    const auto found = places_.find(name);
    if (found != places_.end()) return found->second;
    std::size_t v = 0;
    while (v < markets_.size() && !(markets_[v].where == where && !markets_[v].tangents.empty() &&
                                    markets_[v].tangents.size() < kernels::tangent_directions))
      ++v;
    if (v == markets_.size()) markets_.push_back({m, where, {}, false, 1});
    markets_[v].tangents.push_back(d);
    if (where == "base" && !base_with_tangent_) base_with_tangent_ = v;
    return places_[name] = {v, static_cast<std::int32_t>(markets_[v].tangents.size() - 1)};
  }

  std::size_t estimator(Estimator e) {
    g_.estimators.push_back(std::move(e));
    return g_.estimators.size() - 1;
  }
  void term(std::size_t estimator, const Place& place, Component component, double coefficient) {
    const std::size_t item = g_.estimators[estimator].item;
    wanted_.push_back({place, estimator, item, component, coefficient});
  }

  void greek(std::size_t item, const std::string& name, const Direction& d, bool of_asset, double sign);
  void gamma(std::size_t item, const Direction& d);
  void differences(std::size_t e, const Direction& d, const double (&stencil)[5], int order, double sign);

  /// Exact mean under the market of a variation, or its derivative.
  double exact(const std::function<double(const MarketState&)>& mean, const Place& place, Component component) const {
    const Market& m = markets_[place.variation];
    if (component == Component::value) return mean(m.state);
    const Direction& d = m.tangents[static_cast<std::size_t>(place.direction)];
    const double e = tangent_step(m.state, d, g_.grid);
    return e > 0 ? (mean(moved(m.state, d, e)) - mean(moved(m.state, d, -e))) / (2 * e) : 0;
  }
  void set_means(std::size_t e);

  Group& g_;
  const std::vector<double>& policies_;
  std::vector<Market> markets_;
  std::map<std::string, Place> places_;
  std::vector<Wanted> wanted_;
  Place base_{0};
  std::optional<std::size_t> base_with_tangent_;  ///< the first that has the base's paths, and a derivative along them
};

void Planner::differences(std::size_t e, const Direction& d, const double (&stencil)[5], int order, double sign) {
  double h = difference_step(g_.market, d, g_.grid);
  if (!(h > 0)) return;
  if (d.kind == Direction::Kind::parameter && d.parameter == "correlation") {
    // Within what is still a correlation matrix.
    const auto valid = [&](double move) {
      return is_semidefinite(moved(g_.market, d, move).correlation, g_.market.assets.size());
    };
    while (h > 1e-6 && !(valid(2 * h) && valid(-2 * h))) h /= 2;
    if (!(valid(2 * h) && valid(-2 * h)))
      throw io::Error(io::ExitCode::config,
                      "option " + g_.items[g_.estimators[e].item].option.id +
                          ": the correlation matrix is singular, and has no derivative in all correlations");
  }
  const Domain domain = domain_of(g_.market, d);
  if (order == 1 && (-2 * h < domain.low || 2 * h > domain.high)) {
    const double side = -2 * h < domain.low ? 1 : -1;
    for (int i = 0; i < 5; ++i)
      term(e, shifted(d, side * i * h), Component::value, sign * side * one_sided_derivative[i] / h);
    return;
  }
  for (int i = 0; i < 5; ++i)
    if (stencil[i] != 0) term(e, shifted(d, (i - 2) * h), Component::value, sign * stencil[i] / std::pow(h, order));
}

void Planner::greek(std::size_t item, const std::string& name, const Direction& d, bool of_asset, double sign) {
  Estimator e;
  e.role = d.kind == Direction::Kind::parameter ? Estimator::Role::parameter_greek : Estimator::Role::greek;
  e.item = item;
  e.name = name;
  e.asset = d.asset;
  e.of_asset = of_asset;
  const Instrument& option = g_.items[item].option;
  const bool smooth = smooth_paths(g_.market, d);
  if (smooth && continuous_payoff(option)) {
    e.method = "pathwise";
    const std::size_t number = estimator(e);
    term(number, with_tangent(g_.market, "base", d), Component::tangent, sign);
  } else if (smooth && likelihood_ratio_applies(g_, option)) {
    e.method = "likelihood_ratio";
    const std::size_t number = estimator(e);
    term(number, with_tangent(g_.market, "base", d), Component::score, sign);
  } else {
    e.method = "difference";
    differences(estimator(e), d, first_derivative, 1, sign);
  }
}

void Planner::gamma(std::size_t item, const Direction& d) {
  Estimator e;
  e.role = Estimator::Role::greek;
  e.item = item;
  e.name = "gamma";
  e.asset = d.asset;
  e.of_asset = true;
  const Instrument& option = g_.items[item].option;
  const bool one_step =
      g_.market.assets.size() == 1 && is_gbm(g_.market.assets[0]) && g_.grid.steps() == 1 &&
      std::get<GbmModel>(g_.market.assets[0].model).volatility.variance_integral(g_.grid.times.back()) > 1e-10;
  if (std::holds_alternative<European>(option.product) && one_step) {
    e.method = "pathwise_likelihood_ratio";
    const std::size_t number = estimator(e);
    term(number, with_tangent(g_.market, "base", d), Component::tangent_score, 1);
  } else if (!continuous_payoff(option) && likelihood_ratio_applies(g_, option)) {
    e.method = "likelihood_ratio";
    const std::size_t number = estimator(e);
    term(number, with_tangent(g_.market, "base", d), Component::second_score, 1);
  } else if (continuous_payoff(option)) {
    // The pathwise delta jumps at the strike; its difference over a small shift of the spot does not.
    e.method = "difference_of_pathwise";
    const std::size_t number = estimator(e);
    const double spot = g_.market.assets[d.asset].spot;
    for (const auto& [move, coefficient] : spot_derivative(option, spot, difference_step(g_.market, d, g_.grid))) {
      const Place place = move == 0 ? with_tangent(g_.market, "base", d)
                                    : with_tangent(moved(g_.market, d, move), text(d) + "+" + io::write_value(move), d);
      term(number, place, Component::tangent, coefficient);
    }
  } else {
    e.method = "difference";
    differences(estimator(e), d, second_derivative, 2, 1);
  }
}

void Planner::option(std::size_t item, bool extras) {
  const Instrument& option = g_.items[item].option;
  Estimator price;
  price.item = item;
  term(estimator(price), base_, Component::value, 1);

  const bool has_event = std::holds_alternative<Barrier>(option.product) ||
                         std::holds_alternative<DoubleBarrier>(option.product) ||
                         std::holds_alternative<Autocallable>(option.product) || early_exercise(option) != nullptr;
  if (has_event) {
    Estimator e;
    e.role = Estimator::Role::event;
    e.item = item;
    term(estimator(e), base_, Component::event, 1);
  }
  if (!extras) return;
  if (g_.grid.pairs) {
    Estimator e;
    e.role = Estimator::Role::bias;
    e.item = item;
    e.stride = bias_stride;
    const std::size_t number = estimator(e);
    term(number, variation(g_.market, "coarse", true, bias_stride), Component::value, 1);
    term(number, base_, Component::value, -1);
  }
  using Kind = Direction::Kind;
  for (const std::string& name : option.greeks) {
    if (name == "rho") greek(item, name, {Kind::rate, 0, ""}, false, 1);
    if (name == "theta") greek(item, name, {Kind::time, 0, ""}, false, 1);
    for (std::size_t a = 0; a < g_.market.assets.size(); ++a) {
      if (name == "delta") greek(item, name, {Kind::spot, a, ""}, true, 1);
      if (name == "gamma") gamma(item, {Kind::spot, a, ""});
      if (name == "vega") greek(item, name, {Kind::volatility, a, ""}, true, 1);
    }
  }
  for (const std::string& name : option.parameter_greeks) {
    if (name == "correlation") {
      greek(item, name, {Kind::parameter, 0, name}, false, 1);
      continue;
    }
    for (std::size_t a = 0; a < g_.market.assets.size(); ++a) {
      const auto names = parameter_names(g_.market.assets[a].model);
      if (std::find(names.begin(), names.end(), name) != names.end())
        greek(item, name, {Kind::parameter, a, name}, true, 1);
    }
  }
}

void Planner::set_means(std::size_t e) {
  Estimator& estimator = g_.estimators[e];
  const GroupItem& item = g_.items[estimator.item];
  bool plain = true;
  for (const Wanted& w : wanted_)
    if (w.estimator == e) plain = plain && (w.component == Component::value || w.component == Component::tangent);
  // D S_T is linear in the spot and does not depend on the rate: its gamma and rho are rounding alone, no control.
  const bool linear = item.control == Control::spot || item.control == Control::portfolio;
  const bool flat =
      linear && estimator.role == Estimator::Role::greek && (estimator.name == "gamma" || estimator.name == "rho");
  estimator.controlled = plain && !flat && item.control != Control::none && estimator.role != Estimator::Role::bias;
  for (const Wanted& w : wanted_) {
    if (w.estimator != e || !plain) continue;
    if (estimator.controlled)
      estimator.control_mean +=
          w.coefficient *
          exact([&](const MarketState& m) { return control_mean(item, m, g_.grid); }, w.place, w.component);
    if (item.as_put)
      estimator.offset += w.coefficient * exact(
                                              [&](const MarketState& m) {
                                                const double t = g_.grid.times.back();
                                                return m.discount(t) * (m.forward(0, t) -
                                                                        std::get<European>(item.option.product).strike);
                                              },
                                              w.place, w.component);
  }
}

k::GroupPlan Planner::take() {
  const auto with_values = base_with_tangent_;
  if (with_values)
    for (Wanted& w : wanted_)
      if (w.place.variation == base_.variation) w.place.variation = *with_values;
  k::GroupPlan plan;
  plan.policies = policies_;
  plan.double_precision = g_.choices.double_precision;
  plan.antithetic = g_.choices.antithetic;
  plan.replications = g_.choices.replications;
  plan.samples = g_.samples;
  for (const double t : g_.grid.times) {
    // The bridge needs times that ascend; steps of no length have no weight.
    const double floor = plan.times.empty() ? 1e-12 : plan.times.back() * (1 + 1e-12) + 1e-12;
    plan.times.push_back(std::max(t, floor));
  }
  plan.estimators = static_cast<int>(g_.estimators.size());
  for (std::size_t e = 0; e < g_.estimators.size(); ++e) set_means(e);

  const auto seed = g_.choices.seed;
  const PathLayout fine = lay_out(g_.items, g_.market, g_.grid, false, seed);
  const bool any_coarse = std::any_of(markets_.begin(), markets_.end(), [](const Market& m) { return m.coarse; });
  plan.grids.push_back(fine.spec);
  plan.grids.push_back(any_coarse ? lay_out(g_.items, g_.market, g_.grid, true, seed).spec : fine.spec);
  const auto of_score = [](const Wanted& w) {
    return w.component == Component::score || w.component == Component::second_score ||
           w.component == Component::tangent_score;
  };
  for (k::PathSpec& grid : plan.grids) grid.scores = std::any_of(wanted_.begin(), wanted_.end(), of_score) ? 1 : 0;
  // First comes the one with the base's values.
  std::vector<std::size_t> order;
  if (with_values) order.push_back(*with_values);
  for (std::size_t v = 0; v < markets_.size(); ++v)
    if (!with_values || (v != base_.variation && v != *with_values)) order.push_back(v);
  for (const std::size_t v : order) {
    const Market& m = markets_[v];
    k::Variation out;
    out.spec.grid = m.coarse ? 1 : 0;
    out.spec.tangent = m.tangents.empty() ? 0 : 1;
    out.spec.stride = m.stride;
    auto constants = [&](const MarketState& state) {
      return lay_out(g_.items, state, g_.grid, m.coarse, seed).constants;
    };
    out.constants = constants(m.state);
    if (!m.tangents.empty()) out.tangents.assign(kernels::tangent_directions * out.constants.size(), 0.0);
    for (std::size_t d = 0; d < m.tangents.size(); ++d) {
      const double e = tangent_step(m.state, m.tangents[d], g_.grid);
      if (!(e > 0)) continue;
      const auto up = constants(moved(m.state, m.tangents[d], e)), down = constants(moved(m.state, m.tangents[d], -e));
      double* const tangents = out.tangents.data() + d * up.size();
      for (std::size_t i = 0; i < up.size(); ++i) tangents[i] = (up[i] - down[i]) / (2 * e);
    }
    out.spec.first = static_cast<std::int32_t>(plan.terms.size());
    std::vector<std::pair<k::Term, k::TermTarget>> terms;
    for (const Wanted& w : wanted_) {
      if (w.place.variation != v) continue;
      const auto to = static_cast<std::int32_t>(w.estimator);
      const std::int32_t direction = w.place.direction;
      terms.push_back({{fine.payoff[w.item], w.component, w.coefficient, direction}, {to, 0}});
      if (g_.estimators[w.estimator].controlled)
        terms.push_back({{fine.control[w.item], w.component, w.coefficient, direction}, {to, 1}});
    }
    // A payoff is computed once for terms that follow each other.
    std::stable_sort(terms.begin(), terms.end(),
                     [](const auto& a, const auto& b) { return a.first.payoff < b.first.payoff; });
    for (const auto& [term, target] : terms) {
      plan.terms.push_back(term);
      plan.targets.push_back(target);
    }
    out.spec.last = static_cast<std::int32_t>(plan.terms.size());
    plan.variations.push_back(std::move(out));
  }
  return plan;
}

/// How many estimators, payoffs and observers an option brings: what a launch can hold is bounded.
int observers_of(const GroupItem& item) {
  const Product& p = item.option.product;
  if (std::holds_alternative<European>(p) || std::holds_alternative<Digital>(p) || std::holds_alternative<Basket>(p) ||
      std::holds_alternative<Rainbow>(p) || std::holds_alternative<Spread>(p) || std::holds_alternative<Exchange>(p))
    return 0;
  return item.control == Control::geometric_average ? 2 : 1;
}

std::string group_key(const Settings& settings, const Instrument& option, const MarketState& market,
                      const TimeGrid& grid) {
  std::string key;
  for (const auto& a : market.assets) key += a.name + "\n";
  for (const double r : market.correlation) key += io::write_value(r) + " ";
  for (const double t : grid.times) key += io::write_value(t) + " ";
  key += grid.pairs ? "pairs " : "";
  key += watches_continuously(option) ? "continuous " : "";
  key += std::to_string(option.paths.value_or(settings.monte_carlo.paths));
  const auto& tolerance = option.tolerance ? option.tolerance : settings.monte_carlo.tolerance;
  if (tolerance) key += " to " + std::to_string(tolerance->max_paths);
  // An exercise policy is an option's own.
  if (early_exercise(option) != nullptr) key += " " + option.id;
  return key;
}

}  // namespace

double difference_step(const MarketState& m, const Direction& d, const TimeGrid& grid) {
  const double maturity = grid.times.empty() ? 0 : grid.times.back();
  switch (d.kind) {
    case Direction::Kind::spot: {
      const double deviation = rough_volatility(m.assets[d.asset], maturity) * std::sqrt(maturity);
      return m.assets[d.asset].spot * std::clamp(0.15 * deviation, 0.002, 0.04);
    }
    case Direction::Kind::volatility: {
      const double sigma = rough_volatility(m.assets[d.asset], maturity);
      double least = sigma;
      if (const HestonModel* h = heston_part(m.assets[d.asset].model)) least = std::sqrt(h->v0);
      return std::clamp(0.2 * least, 1e-4, 0.01);
    }
    case Direction::Kind::rate:
      return 5e-3;
    case Direction::Kind::time:
      return grid.times.empty() ? 0 : std::min(4e-3, 0.25 * grid.times.front());
    case Direction::Kind::parameter: {
      const double x = std::abs(parameter_value(m, d));
      return d.parameter == "rho" || d.parameter == "correlation" ? 0.2 * std::clamp(1 - x, 1e-3, 0.05)
                                                                  : std::max(0.02 * x, 1e-4);
    }
  }
  return 0;
}

MarketState market_of(const Settings& settings, const Instrument& option, const Scenario& scenario) {
  MarketState m;
  for (const std::string& name : option.underlyings) {
    const auto& all = settings.market.underlyings;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const UnderlyingSettings& u) { return u.name == name; });
    if (found == all.end())
      throw io::Error(io::ExitCode::config, "option " + option.id + ": no underlying '" + name + "'");
    m.assets.push_back(*found);
    if (!m.assets.back().rate) m.assets.back().rate = settings.market.rate;
  }
  m.correlation = correlation_matrix(settings, option);
  for (std::size_t a = 0; a < m.assets.size(); ++a) {
    if (scenario.spot != 1) m = moved(m, {Direction::Kind::spot, a, ""}, (scenario.spot - 1) * m.assets[a].spot);
    if (scenario.volatility < domain_of(m, {Direction::Kind::volatility, a, ""}).low)
      throw io::Error(io::ExitCode::config, "scenarios: the volatility shift " + io::write_value(scenario.volatility) +
                                                " makes the volatility of " + m.assets[a].name + " negative");
    if (scenario.volatility != 0) m = moved(m, {Direction::Kind::volatility, a, ""}, scenario.volatility);
  }
  if (scenario.rate != 0) m = moved(m, {Direction::Kind::rate, 0, ""}, scenario.rate);
  return m;
}

std::int64_t rounded_samples(const PathChoices& c) {
  if (c.replications > 0) {
    std::int64_t points = 1;
    while (points * c.replications < c.paths) points *= 2;
    return points * c.replications;
  }
  return c.antithetic ? std::max<std::int64_t>(1, (c.paths + 1) / 2) : c.paths;
}

std::vector<Group> make_groups(const Settings& settings, std::uint32_t seed, const Scenario& scenario) {
  const MonteCarloSettings& mc = settings.monte_carlo;
  std::vector<Group> groups;
  std::map<std::string, std::size_t> open;
  for (std::size_t i = 0; i < settings.options.size(); ++i) {
    const Instrument& option = settings.options[i];
    MarketState market = market_of(settings, option, scenario);
    std::map<std::uint32_t, std::string> streams;
    for (const auto& a : market.assets) {
      const auto [other, fresh] = streams.emplace(stream_of(a.name), a.name);
      if (!fresh)
        throw io::Error(io::ExitCode::config, "the names of the underlyings '" + other->second + "' and '" + a.name +
                                                  "' give the same stream of random numbers: rename one");
    }
    TimeGrid grid = time_grid(option, market, mc.steps_per_year);
    const std::string key = group_key(settings, option, market, grid);
    GroupItem item;
    item.option = option;
    // What was fixed in the past stays what it is when a Greek or a scenario moves the spot.
    const MarketState today = market_of(settings, option);
    if (auto* lookback = std::get_if<Lookback>(&item.option.product))
      if (!lookback->running_extreme) lookback->running_extreme = today.assets[0].spot;
    if (auto* note = std::get_if<Autocallable>(&item.option.product))
      if (note->initial_spots.empty())
        for (const auto& a : today.assets) note->initial_spots.push_back(a.spot);
    item.control = choose_control(option, market, mc.control_variate == ControlVariate::automatic);
    if (const auto* european = std::get_if<European>(&option.product)) {
      item.as_put = european->type == OptionType::call && market.assets[0].cash_dividends.empty() &&
                    heavy_tailed(market.assets[0].model, option.maturity);
    }
    const auto found = open.find(key);
    if (found != open.end()) {
      Group& g = groups[found->second];
      std::size_t estimators = most_estimators(option);
      for (const GroupItem& other : g.items) estimators += most_estimators(other.option);
      int observers = observers_of(item);
      for (const GroupItem& other : g.items) observers += observers_of(other);
      // Each option brings at most two payoffs, control variate included.
      if (estimators <= k::max_estimators && observers <= k::max_observers &&
          2 * (g.items.size() + 1) <= k::max_payoffs) {
        g.instruments.push_back(i);
        g.items.push_back(std::move(item));
        continue;
      }
    }
    Group g;
    g.choices.seed = seed;
    g.choices.double_precision = mc.precision == PathPrecision::float64;
    g.choices.antithetic = mc.antithetic && mc.rng == Rng::philox;
    g.choices.replications = mc.rng == Rng::sobol ? mc.replications : 0;
    const auto& tolerance = option.tolerance ? option.tolerance : mc.tolerance;
    g.choices.paths = tolerance ? tolerance->max_paths : option.paths.value_or(mc.paths);
    g.samples = rounded_samples(g.choices);
    g.market = std::move(market);
    g.grid = std::move(grid);
    g.instruments.push_back(i);
    g.items.push_back(std::move(item));
    open[key] = groups.size();
    groups.push_back(std::move(g));
  }
  return groups;
}

k::GroupPlan plan_group(Group& group, const std::vector<double>& policies, bool extras) {
  Planner planner(group, policies);
  for (std::size_t i = 0; i < group.items.size(); ++i) planner.option(i, extras);
  return planner.take();
}

std::size_t count_estimators(Group group, bool extras) {
  const std::vector<double> policies;
  Planner planner(group, policies);
  for (std::size_t i = 0; i < group.items.size(); ++i) planner.option(i, extras);
  return group.estimators.size();
}

k::GroupPlan plan_recording(const Group& group, const std::vector<int>& slots, std::uint64_t first_sample,
                            std::int64_t paths) {
  k::GroupPlan plan;
  const PathLayout layout = lay_out(group.items, group.market, group.grid, false, group.choices.seed, &slots);
  plan.grids = {layout.spec, layout.spec};
  k::Variation v{};
  v.constants = layout.constants;
  v.spec.stride = 1;
  plan.variations = {v};
  plan.double_precision = group.choices.double_precision;
  plan.first_sample = first_sample;
  plan.samples = paths;
  return plan;
}

}  // namespace ergode::sim::options
