#include "sim/options/assemble_results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "io/error.hpp"
#include "kernels/options/chunk.hpp"
#include "sim/options/closed_forms/black.hpp"
#include "sim/options/reference.hpp"

namespace ergode::sim::options {
namespace {

namespace k = kernels::options;

constexpr std::int64_t histogram_samples = 16384, precision_samples = 4096;
constexpr int histogram_bins = 64;

const char* model_name(const Model& model) {
  return std::visit([](const auto& m) { return m.tag; }, model);
}

std::string scheme_name(const Model& model) {
  if (const HestonModel* heston = heston_part(model))
    return heston->scheme == HestonScheme::quadratic_exponential ? "quadratic_exponential" : "full_truncation";
  if (std::holds_alternative<CevModel>(model)) return "euler";
  if (std::holds_alternative<LocalVolatilityModel>(model)) return "log_euler";
  return "exact";
}

/// The same for all, or "mixed".
template <class Name>
std::string common(const MarketState& market, const Name& name) {
  const std::string first = name(market.assets.front().model);
  for (const auto& a : market.assets)
    if (name(a.model) != first) return "mixed";
  return first;
}

struct TypeAndStrike {
  std::string type;
  double strike = std::nan("");
};
TypeAndStrike type_and_strike(const Product& product) {
  return std::visit(
      [](const auto& o) {
        TypeAndStrike out;
        auto set = [&](const auto& x) {
          if constexpr (requires { x.type; }) out.type = x.type == OptionType::call ? "call" : "put";
          if constexpr (requires { x.strike.has_value(); }) {
            if (x.strike) out.strike = *x.strike;
          } else if constexpr (requires { x.strike; }) {
            out.strike = x.strike;
          }
        };
        if constexpr (requires { o.exercise; })
          set(o.exercise);
        else
          set(o);
        if constexpr (requires { o.strike_type; })
          if (o.strike_type == StrikeType::floating) out.strike = std::nan("");
        return out;
      },
      product);
}

std::string event_name(const Product& product) {
  if (std::holds_alternative<Barrier>(product) || std::holds_alternative<DoubleBarrier>(product)) return "knocked";
  if (std::holds_alternative<Autocallable>(product)) return "called early";
  return "exercised early";
}

const char* units_of(const std::string& greek) {
  if (greek == "delta") return "per unit of spot";
  if (greek == "gamma") return "per squared unit of spot";
  if (greek == "vega") return "per 1.00 of volatility";
  if (greek == "rho") return "per 1.00 of rate";
  if (greek == "theta") return "per year";
  return "per unit of the parameter";
}

std::string reduction_name(const Task& task, std::size_t item) {
  std::string text = task.group.choices.antithetic ? "antithetic" : "";
  static constexpr const char* names[] = {"", "spot", "portfolio", "european", "geometric_average", "geometric_basket"};
  const Control control = task.group.items[item].control;
  if (control != Control::none)
    text += (text.empty() ? "" : ", ") + std::string("control variate: ") + names[static_cast<int>(control)];
  if (task.group.items[item].as_put) text += (text.empty() ? "" : ", ") + std::string("put-call parity");
  return text.empty() ? "none" : text;
}

Histogram histogram_of(const std::vector<double>& values) {
  Histogram h;
  if (values.empty()) return h;
  h.low = *std::min_element(values.begin(), values.end());
  h.high = *std::max_element(values.begin(), values.end());
  if (!(h.high > h.low)) h.high = h.low + std::max(1.0, std::abs(h.low));
  h.counts.assign(histogram_bins, 0);
  for (const double v : values) {
    const auto bin = static_cast<std::int64_t>((v - h.low) / (h.high - h.low) * histogram_bins);
    ++h.counts[static_cast<std::size_t>(std::clamp<std::int64_t>(bin, 0, histogram_bins - 1))];
  }
  return h;
}

/// Whether the payoff has an upper bound, however high the spots rise.
struct Bounded {
  static bool put(OptionType type) { return type == OptionType::put; }
  static bool positive(const std::vector<double>& weights) {
    return std::none_of(weights.begin(), weights.end(), [](double w) { return w < 0; });
  }
  bool operator()(const European& o) const { return put(o.type); }
  bool operator()(const Digital& o) const { return o.payout == Payout::cash || put(o.type); }
  bool operator()(const Asian& o) const { return put(o.type) && o.strike_type == StrikeType::fixed; }
  bool operator()(const Lookback& o) const { return put(o.type) && o.strike_type == StrikeType::fixed; }
  bool operator()(const Barrier& o) const { return put(o.type) || o.barrier_type == BarrierType::up_out; }
  bool operator()(const DoubleBarrier& o) const {
    return put(o.type) || o.barrier_type == DoubleBarrierType::knock_out;
  }
  bool operator()(const Basket& o) const { return put(o.type) && positive(o.weights); }
  bool operator()(const Rainbow& o) const { return put(o.type); }
  bool operator()(const Bermudan& o) const { return early(o.exercise); }
  bool operator()(const American& o) const { return early(o.exercise); }
  static bool early(const EarlyExercise& o) { return put(o.type) && positive(o.weights); }
  bool operator()(const Cliquet& o) const { return o.local_cap.has_value() || o.global_cap.has_value(); }
  bool operator()(const Autocallable&) const { return true; }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

/// Whether the error of the price means little.
bool unreliable_error(const MarketState& market, const Instrument& option) {
  return !std::visit(Bounded{}, option.product) &&
         std::any_of(market.assets.begin(), market.assets.end(),
                     [&](const auto& a) { return heavy_tailed(a.model, option.maturity); });
}

void add_message(InstrumentResult& r, const std::string& text) {
  r.message += (r.message.empty() ? "" : "; ") + text;
}

/// Mean of independent values, and its error; 0 of a single one.
MeanError mean_of(std::span<const double> values) {
  double sum = 0, square = 0;
  for (const double x : values) {
    sum += x;
    square += x * x;
  }
  MeanError out;
  const auto n = static_cast<double>(values.size());
  out.mean = sum / n;
  out.standard_error = n > 1 ? std::sqrt(std::max(square / n - out.mean * out.mean, 0.0) / (n - 1)) : 0;
  return out;
}

/// A bias that its own noise could explain (less than three standard errors) is stated as 0, with its standard error
/// beside it.
double significant(const MeanError& bias) {
  return std::abs(bias.mean) > 3 * bias.standard_error ? bias.mean : 0;
}

/// Results of one option of a task, but for what needs more paths.
InstrumentResult instrument_result(const Task& t, std::size_t item) {
  const Group& g = t.group;
  const Instrument& option = g.items[item].option;
  InstrumentResult r;
  r.id = option.id;
  r.product = std::visit([](const auto& o) { return std::string(o.tag); }, option.product);
  r.model = common(g.market, [](const Model& m) { return std::string(model_name(m)); });
  r.scheme = common(g.market, scheme_name);
  const TypeAndStrike ts = type_and_strike(option.product);
  r.type = ts.type;
  r.strike = ts.strike;
  r.underlyings = option.underlyings;
  r.quantity = option.quantity;
  r.maturity = option.maturity;
  r.steps = g.grid.steps();
  r.rng = g.choices.replications > 0 ? "sobol" : "philox";
  r.precision = g.choices.double_precision ? "double" : "float";
  r.variance_reduction = reduction_name(t, item);
  r.convergence = t.options[item].convergence;
  r.status = t.options[item].missed ? "tolerance missed" : "done";

  double bias = 0, bias_variance = 0;
  for (std::size_t e = 0; e < g.estimators.size(); ++e) {
    const Estimator& estimator = g.estimators[e];
    if (estimator.item != item) continue;
    const MeanError m = t.estimate(e);
    switch (estimator.role) {
      case Estimator::Role::price:
        r.price = m.mean;
        r.standard_error = m.standard_error;
        r.paths = g.paths_of(t.accumulators[e].samples());
        break;
      case Estimator::Role::event:
        r.event = event_name(option.product);
        r.event_probability = m.mean;
        r.event_probability_standard_error = m.standard_error;
        break;
      case Estimator::Role::bias:
        bias += m.mean;
        bias_variance += m.standard_error * m.standard_error;
        r.bias_of = std::holds_alternative<American>(option.product) ? "dates and steps" : "steps";
        break;
      case Estimator::Role::greek:
      case Estimator::Role::parameter_greek: {
        const bool parameter = estimator.role == Estimator::Role::parameter_greek;
        auto found = std::find_if(r.greeks.begin(), r.greeks.end(),
                                  [&](const Greek& x) { return x.name == estimator.name && x.parameter == parameter; });
        if (found == r.greeks.end()) {
          Greek fresh;
          fresh.name = estimator.name;
          fresh.units = parameter ? "per unit of the parameter" : units_of(estimator.name);
          fresh.parameter = parameter;
          r.greeks.push_back(std::move(fresh));
          found = r.greeks.end() - 1;
        }
        if (estimator.of_asset) found->of.push_back(g.market.assets[estimator.asset].name);
        found->estimates.push_back({m.mean, m.standard_error, estimator.method});
        break;
      }
    }
  }
  if (!r.bias_of.empty()) {
    r.bias_standard_error = std::sqrt(bias_variance);
    r.bias = significant({bias, *r.bias_standard_error});
  }
  const auto& tolerance = t.tolerance(item);
  r.confidence = tolerance ? tolerance->confidence : 0.95;
  const double half = t.quantile(item) * r.standard_error;
  r.confidence_low = r.price - half;
  r.confidence_high = r.price + half;

  if (const auto* european = std::get_if<European>(&option.product)) {
    const double gross = g.market.forward(0, option.maturity);
    double forward = gross;
    for (const CashDividend& d : g.market.assets[0].cash_dividends)
      if (d.time > 0 && d.time <= option.maturity) forward -= d.amount * gross / g.market.forward(0, d.time);
    const double discount = g.market.discount(option.maturity);
    const auto sigma =
        closed_forms::implied_volatility(european->type, r.price, forward, european->strike, discount, option.maturity);
    // No smile is stated where the error of the price reaches the bound of no arbitrage.
    if (sigma && *sigma > 0) {
      const double w = *sigma * *sigma * option.maturity, root = std::sqrt(w);
      const double d1 = std::log(forward / european->strike) / root + 0.5 * root;
      const double vega =
          discount * forward * std::exp(-0.5 * d1 * d1) / std::sqrt(2 * M_PI) * std::sqrt(option.maturity);
      if (vega > 0 && r.standard_error < 0.2 * *sigma * vega) {
        r.implied_volatility = *sigma;
        r.implied_volatility_standard_error = r.standard_error / vega;
      }
    }
  }
  if (g.items[item].as_put)
    add_message(r,
                "its variance is infinite or huge: valued as the put and the forward; values and histogram are the "
                "put's");
  else if (unreliable_error(g.market, option))
    add_message(r, "the variance of the underlying is infinite or huge: the error bar cannot be relied on");
  if (t.options[item].late) add_message(r, "stopped by the time limit");
  if (const auto reference = reference_value(option, g.market)) {
    r.reference_value = *reference;
    if (r.standard_error > 0) r.z_score = (r.price - *reference) / r.standard_error;
  }
  if (r.standard_error == 0) {
    double rounding = r.reference_value ? std::abs(*r.reference_value) : 0;
    for (const auto& a : g.market.assets) rounding += a.spot;
    const bool contradicted = r.reference_value && std::abs(r.price - *r.reference_value) > 1e-6 * rounding;
    if (contradicted || r.price == 0)
      add_message(r, std::string(r.price == 0 ? "no path paid anything" : "all paths paid the same") +
                         (contradicted ? ", and the closed form differs: the error bar says nothing" : ""));
  }
  if (early_exercise(option) != nullptr) {
    r.lower_bound = r.price;
    r.lower_bound_standard_error = r.standard_error;
    r.exercise = t.exercise.dates;
    if (t.exercise.exercise_now) add_message(r, "exercised now: holding on is estimated to be worth less");
    if (!t.upper_bounds.empty()) {
      const MeanError bound = mean_of(t.upper_bounds);
      r.upper_bound = bound.mean;
      r.upper_bound_standard_error = bound.standard_error;
    }
  }
  return r;
}

/// Antithetic paths, control variate and Sobol points together, against as many single paths.
void add_reduction_factor(InstrumentResult& r, std::span<const double> payoffs) {
  const auto plain = mean_of(payoffs);
  const double share = static_cast<double>(payoffs.size()) / static_cast<double>(r.paths);
  if (plain.standard_error > 0 && r.standard_error > 0)
    r.variance_reduction_factor = std::pow(plain.standard_error / r.standard_error, 2) * share;
}

/// Histogram, raw values, and what float costs: some of the paths again.
void add_values(const Settings& settings, Task& t, k::PathEngine& engine, std::vector<InstrumentResult*>& results) {
  // What single paths pay: neither mirrored nor shifted.
  k::GroupPlan plan = t.plan();
  plan.antithetic = false;
  plan.samples = t.group.paths_of(t.group.samples);
  const std::int64_t wanted = std::min(std::max(histogram_samples, settings.output.save_values), plan.samples);
  plan.variations.resize(1);
  const auto values_of = [&](std::int64_t samples) {
    const int number = engine.add(plan);
    auto found = engine.values(number, samples);
    engine.remove(number);
    return found;
  };
  const std::vector<double> values = values_of(wanted);
  std::vector<double> real;
  const std::int64_t compared = std::min(precision_samples, wanted);
  if (!t.group.choices.double_precision) {
    plan.double_precision = true;
    real = values_of(compared);
  }
  for (std::size_t item = 0; item < t.group.items.size(); ++item) {
    InstrumentResult& r = *results[item];
    const std::size_t e = t.price_estimator(item);
    const double* x = values.data() + e * static_cast<std::size_t>(wanted);
    r.histogram = histogram_of({x, x + std::min(wanted, histogram_samples)});
    if (settings.output.save_values > 0) r.values.assign(x, x + std::min(wanted, settings.output.save_values));
    if (!t.group.items[item].as_put) add_reduction_factor(r, {x, static_cast<std::size_t>(wanted)});
    if (real.empty()) continue;
    std::vector<double> rounding(x, x + compared);
    for (std::size_t i = 0; i < rounding.size(); ++i) rounding[i] -= real[e * static_cast<std::size_t>(compared) + i];
    const MeanError d = mean_of(rounding);
    r.bias = r.bias.value_or(0) + significant(d);
    r.bias_standard_error = std::hypot(r.bias_standard_error.value_or(0), d.standard_error);
    r.bias_of += r.bias_of.empty() ? "precision" : ", precision";
  }
}

SamplePaths sample_paths(const Task& t, k::PathEngine& engine, std::int64_t paths, std::size_t number) {
  SamplePaths out;
  out.group = "paths_" + std::to_string(number);
  out.times.push_back(0);
  std::vector<int> slots;
  for (const double time : t.group.grid.times) {
    slots.push_back(static_cast<int>(slots.size()) + 1);
    out.times.push_back(time);
  }
  for (const auto& a : t.group.market.assets) out.underlyings.push_back(a.name);
  out.paths = std::min(paths, t.group.paths_of(t.group.samples));
  k::Recording<float> single;
  k::Recording<double> real;
  const int group = engine.add(plan_recording(t.group, slots, 0, out.paths));
  engine.record(group, out.paths, static_cast<int>(slots.size()), false, single, real);
  engine.remove(group);
  const std::size_t assets = out.underlyings.size(), n = slots.size(), count = static_cast<std::size_t>(out.paths);
  out.spot.resize(count * (n + 1) * assets);
  for (std::size_t p = 0; p < count; ++p)
    for (std::size_t a = 0; a < assets; ++a) {
      out.spot[p * (n + 1) * assets + a] = t.group.market.assets[a].spot;
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t from = (i * assets + a) * count + p;
        out.spot[(p * (n + 1) + i + 1) * assets + a] =
            single.spot.empty() ? real.spot[from] : static_cast<double>(single.spot[from]);
      }
    }
  return out;
}

}  // namespace

std::vector<Scenario> scenarios_of(const ScenarioSettings& s) {
  std::vector<Scenario> all;
  for (const double spot : s.spot)
    for (const double volatility : s.volatility)
      for (const double rate : s.rate) all.push_back({spot, volatility, rate});
  return all;
}

Results assemble_results(const Settings& settings, std::vector<Task>& tasks, k::PathEngine& engine,
                         const std::function<int(std::size_t)>& number_of) {
  Results out;
  const std::size_t options = settings.options.size();
  out.instruments.resize(options);
  std::size_t at = 0;
  for (std::size_t seen = 0; at < tasks.size() && tasks[at].extras; ++at) {
    Task& t = tasks[at];
    number_of(at);  // a restored task has its estimators with its plan
    std::vector<InstrumentResult*> results;
    for (std::size_t item = 0; item < t.group.items.size(); ++item) {
      InstrumentResult& r = out.instruments[t.group.instruments[item]];
      r = instrument_result(t, item);
      results.push_back(&r);
    }
    add_values(settings, t, engine, results);
    if (settings.output.save_paths > 0)
      out.sample_paths.push_back(sample_paths(t, engine, settings.output.save_paths, seen++));
  }
  if (settings.scenarios) {
    ScenarioCube cube;
    cube.spot = settings.scenarios->spot;
    cube.volatility = settings.scenarios->volatility;
    cube.rate = settings.scenarios->rate;
    const std::size_t cells = cube.spot.size() * cube.volatility.size() * cube.rate.size();
    cube.price.assign(cells * options, std::nan(""));
    cube.standard_error = cube.price;
    std::size_t cell = 0, filled = 0;
    for (; at < tasks.size(); ++at) {
      const Task& t = tasks[at];
      number_of(at);  // a restored task has its estimators with its plan
      for (std::size_t item = 0; item < t.group.items.size(); ++item) {
        const MeanError m = t.estimate(t.price_estimator(item));
        cube.price[cell * options + t.group.instruments[item]] = m.mean;
        cube.standard_error[cell * options + t.group.instruments[item]] = m.standard_error;
      }
      filled += t.group.items.size();
      if (filled == options) {
        ++cell;
        filled = 0;
      }
    }
    out.scenarios = std::move(cube);
  }
  return out;
}

void refuse_not_finite(Task& t, k::PathEngine& engine, std::int64_t chunk) {
  auto plan = t.plan();
  const auto range = k::chunk_range(chunk, plan.samples, plan.points(), plan.replications);
  std::string where = "in chunk " + std::to_string(chunk);
  std::size_t item = 0;
  if (plan.replications == 0) {
    plan.first_sample += static_cast<std::uint64_t>(range.first);
    plan.samples = range.count;
    const int number = engine.add(plan);
    const auto values = engine.values(number, range.count);
    engine.remove(number);
    const auto bad = std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
    if (bad != values.end()) {
      const auto index = static_cast<std::int64_t>(bad - values.begin());
      item = t.group.estimators[static_cast<std::size_t>(index / range.count)].item;
      const std::int64_t sample = range.first + index % range.count;
      where = (plan.antithetic ? "pair of paths " : "path ") + std::to_string(sample);
      std::vector<int> slots;
      for (std::size_t i = 0; i < t.group.grid.times.size(); ++i) slots.push_back(static_cast<int>(i) + 1);
      k::Recording<float> single;
      k::Recording<double> real;
      const int recorder = engine.add(plan_recording(t.group, slots, static_cast<std::uint64_t>(sample), 1));
      engine.record(recorder, 1, static_cast<int>(slots.size()), false, single, real);
      engine.remove(recorder);
      const std::size_t assets = t.group.market.assets.size();
      for (std::size_t i = 0; i < slots.size() * assets; ++i)
        if (!std::isfinite(single.spot.empty() ? real.spot[i] : static_cast<double>(single.spot[i]))) {
          where += ", step " + std::to_string(i / assets + 1);
          break;
        }
    }
  }
  throw io::Error(io::ExitCode::numerical,
                  "option " + t.group.items[item].option.id + ": a value is not finite, first " + where);
}

}  // namespace ergode::sim::options
