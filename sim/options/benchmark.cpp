#include "sim/options/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <variant>

#include "kernels/options/chunk.hpp"
#include "sim/options/path_work.hpp"

namespace ergode::sim::options {
namespace {

namespace k = kernels::options;

constexpr std::uint32_t seed = 42;
constexpr std::int64_t asian_fixings = 252, early_dates = 50;
/// Small enough to be measured anywhere, and like larger ones of their kind: what those take is told by these.
constexpr std::int64_t few_early_paths = 10'000, few_options = 100;

/// The least instructions of a path step. Philox4x32-10 with Box-Muller takes 69 for four normals, by the count of its
/// integer multiplications, additions and exclusive ors, and of a logarithm, root, sine and cosine of one instruction
/// each; the step of gbm with its exponential and the sum of an average 5 more. The quadratic-exponential step of
/// Heston's variance, two normals among it, takes 114.
constexpr double gbm_slots = 69.0 / 4 + 5, heston_slots = 114;
/// On the special function unit: of two normals a logarithm, a root, a sine and a cosine; an exponential.
constexpr double gbm_functions = 3, heston_functions = 5;

UnderlyingSettings underlying(const std::string& name, Model model) {
  UnderlyingSettings u;
  u.name = name;
  u.spot = 100;
  u.dividend_yield = TermStructure(0.01);
  u.model = std::move(model);
  return u;
}

GbmModel gbm(double volatility) {
  GbmModel m;
  m.volatility = TermStructure(volatility);
  return m;
}

HestonModel heston(double v0) {
  HestonModel m;
  m.v0 = v0;
  m.theta = 0.04;
  m.kappa = 2;
  m.sigma_v = 0.4;
  m.rho = -0.7;
  return m;
}

Instrument option(const std::string& id, const std::string& on, Product product) {
  Instrument o;
  o.id = id;
  o.product = std::move(product);
  o.underlyings = {on};
  o.maturity = 1;
  return o;
}

Settings one_option(Model model, Product product, std::vector<std::string> greeks = {}) {
  Settings s;
  s.monte_carlo.antithetic = false;
  s.monte_carlo.control_variate = ControlVariate::none;
  s.market.rate = TermStructure(0.03);
  s.market.underlyings = {underlying("A", std::move(model))};
  s.options = {option("option", "A", std::move(product))};
  s.options[0].greeks = std::move(greeks);
  return s;
}

Asian asian(double strike, std::int64_t fixings) {
  Asian a;
  a.strike = strike;
  a.fixings = fixings;
  return a;
}

/// Twenty options on each underlying, every fifth of which is of heston and the others of gbm.
Settings batch(std::int64_t options, std::int64_t paths) {
  Settings s;
  s.monte_carlo.paths = paths;
  s.market.rate = TermStructure(0.03);
  for (std::int64_t u = 0; 20 * u < options; ++u) {
    const std::string name = "U" + std::to_string(u);
    const bool stochastic = u % 5 == 4;
    const auto moved = static_cast<double>(u % 50);
    s.market.underlyings.push_back(stochastic ? underlying(name, heston(0.03 + 0.0005 * moved))
                                              : underlying(name, gbm(0.15 + 0.003 * moved)));
    for (std::int64_t i = 0; i < std::min<std::int64_t>(20, options - 20 * u); ++i) {
      const double strike = static_cast<double>(80 + 2 * i);
      const OptionType type = i % 2 == 0 ? OptionType::call : OptionType::put;
      Product product = European{type, strike};
      if (i % 5 == 1) {
        Digital d;
        d.type = type;
        d.strike = strike;
        product = d;
      } else if (i % 5 == 2) {
        product = asian(strike, 12);
      } else if (i % 5 == 3) {
        Barrier b;
        b.type = type;
        b.strike = strike;
        b.barrier = 75;
        product = b;
      } else if (i % 5 == 4) {
        Lookback l;
        l.type = type;
        l.monitoring = Monitoring::discrete;
        l.fixings = 52;
        product = l;
      }
      s.options.push_back(option(name + "-" + std::to_string(i), name, std::move(product)));
      s.options.back().maturity = i < 10 ? 0.5 : 1;
    }
  }
  return s;
}

Settings early_exercise_put(std::int64_t paths) {
  Bermudan b;
  b.exercise.type = OptionType::put;
  b.exercise.strike = 40;
  b.exercise.lsm.training_paths = paths;
  b.exercise_dates = early_dates;
  Settings s;
  s.monte_carlo.paths = paths;
  s.market.rate = TermStructure(0.06);
  s.market.underlyings = {underlying("A", gbm(0.2))};
  s.market.underlyings[0].spot = 36;
  s.market.underlyings[0].dividend_yield = TermStructure(0);
  s.options = {option("put", "A", b)};
  return s;
}

/// Path steps of a group, by its model.
void add_work(PathRate& rate, const Group& group, double path_steps) {
  const bool stochastic = std::holds_alternative<HestonModel>(group.market.assets.front().model);
  rate.path_steps += path_steps;
  rate.need.slots += path_steps * (stochastic ? heston_slots : gbm_slots);
  rate.need.functions += path_steps * (stochastic ? heston_functions : gbm_functions);
}

/// One option without end, whose chunks are done one after the other.
class EndlessPaths {
 public:
  EndlessPaths(k::PathEngine& engine, Settings settings, bool greeks)
      : engine_(engine), task_(make_task(settings, greeks)), number_(engine.add(task_.plan())) {}
  ~EndlessPaths() { engine_.remove(number_); }

  void chunks(std::int64_t count) {
    while (count > 0) {
      const std::int64_t now = std::min(count, most_chunks);
      std::vector<k::Work> work;
      append_work(work, task_, number_, next_, now);
      engine_.run(work);
      next_ += now;
      count -= now;
    }
  }

  /// What `count` chunks are.
  PathRate work_of(std::int64_t count) const {
    PathRate rate;
    rate.options = rate.groups = 1;
    rate.steps = task_.group.grid.steps();
    rate.paths = task_.group.paths_of(count * k::chunk_samples);
    add_work(rate, task_.group, static_cast<double>(rate.paths) * static_cast<double>(rate.steps));
    return rate;
  }

 private:
  static Task make_task(Settings& settings, bool greeks) {
    settings.monte_carlo.paths = std::int64_t{1} << 50;
    auto groups = make_groups(settings, seed);
    return {std::move(groups.front()), settings.monte_carlo, greeks};
  }

  k::PathEngine& engine_;
  Task task_;
  int number_;
  std::int64_t next_ = 0;
};

/// As many chunks as fill a sample's share of the time.
PathRate single(k::PathEngine& engine, const std::string& name, const std::string& what, const Settings& settings,
                bool greeks, const Pace& pace) {
  EndlessPaths paths(engine, settings, greeks);
  const Timing of_chunk = time_passes([&](std::int64_t count) { paths.chunks(count); }, pace, std::int64_t{1} << 32);
  PathRate rate = paths.work_of(of_chunk.passes);
  rate.name = name;
  rate.what = what;
  rate.timing = of_chunk.by_sample();
  return rate;
}

/// A given number of paths of one option, rounded up to whole chunks.
PathRate counted(k::PathEngine& engine, std::int64_t wanted, const Settings& settings, const Pace& pace) {
  const std::int64_t chunks = (wanted + k::chunk_samples - 1) / k::chunk_samples;
  EndlessPaths paths(engine, settings, false);
  PathRate rate = paths.work_of(chunks);
  rate.name = "asian_paths";
  rate.what = fmt::format("Asian of 252 steps, {:.3g} paths", static_cast<double>(rate.paths));
  const auto all = [&](std::int64_t count) {
    for (; count > 0; --count) paths.chunks(chunks);
  };
  rate.timing = time_passes(all, pace, 1 << 20);
  return rate;
}

/// What the groups of a batch take alone, each on endless paths. Of those that differ in strikes or an underlying's
/// numbers one is measured for all.
class GroupsAlone {
 public:
  GroupsAlone(k::PathEngine& engine, const Pace& pace)
      : engine_(engine), pace_{pace.seconds / part_of_the_pace, pace.longest} {}

  /// Of as many paths as each has, one after the other.
  double seconds(const Settings& batch) {
    double sum = 0;
    for (const Group& group : make_groups(batch, seed)) {
      const UnderlyingSettings& on = group.market.assets.front();
      const Instrument& first = group.items.front().option;
      const auto [found, fresh] =
          of_a_path_.try_emplace({on.model.index(), first.product.index(), first.maturity, group.items.size()});
      if (fresh) {
        Settings alone = batch;
        alone.market.underlyings = {on};
        alone.options.clear();
        for (const std::size_t i : group.instruments) alone.options.push_back(batch.options[i]);
        const PathRate rate = single(engine_, "", "", alone, false, pace_);
        found->second = rate.timing.median / static_cast<double>(rate.paths);
      }
      sum += static_cast<double>(group.paths_of(group.samples)) * found->second;
    }
    return sum;
  }

 private:
  /// They are many, and each is summed with others.
  static constexpr double part_of_the_pace = 8;

  k::PathEngine& engine_;
  Pace pace_;
  /// Seconds, by model, product of the first option, maturity and number of options.
  std::map<std::tuple<std::size_t, std::size_t, double, std::size_t>, double> of_a_path_;
};

/// A book, from its settings to the sums of all its options.
PathRate many(k::PathEngine& engine, std::int64_t options, std::int64_t paths, const Pace& pace, GroupsAlone& alone) {
  const Settings settings = batch(options, paths);
  PathRate rate;
  rate.name = "batch";
  rate.what = fmt::format("{} mixed options, {} paths each, prices", options, paths);
  rate.options = options;
  std::vector<int> numbers;
  std::vector<k::Work> work;
  rate.preparation = seconds_of([&] {
    for (Group& group : make_groups(settings, seed)) {
      Task task(std::move(group), settings.monte_carlo, false);
      numbers.push_back(engine.add(task.plan()));
      append_work(work, task, numbers.back(), 0, task.chunks());
      const std::int64_t each = task.group.paths_of(task.group.samples), steps = task.group.grid.steps();
      rate.paths += each;
      rate.steps = std::max(rate.steps, steps);
      add_work(rate, task.group, static_cast<double>(each) * static_cast<double>(steps));
    }
  });
  rate.groups = static_cast<std::int64_t>(numbers.size());
  const auto all = [&](std::int64_t count) {
    for (; count > 0; --count) engine.run(work);
  };
  rate.timing = time_passes(all, pace, 1 << 20);
  for (const int number : numbers) engine.remove(number);
  rate.one_by_one = alone.seconds(settings);
  return rate;
}

PathRate early(k::PathEngine& engine, int threads, std::int64_t paths, const Pace& pace) {
  const Settings settings = early_exercise_put(paths);
  PathRate rate;
  rate.name = "early_exercise";
  rate.what = fmt::format("put on 50 dates, {0:.2g} training and {0:.2g} paths", static_cast<double>(paths));
  rate.options = rate.groups = 1;
  const auto price = [&] {
    auto groups = make_groups(settings, seed);
    Task task(std::move(groups.front()), settings.monte_carlo, false);
    task.exercise = train(task.group, engine, threads);
    const int number = engine.add(task.plan());
    std::vector<k::Work> work;
    append_work(work, task, number, 0, task.chunks());
    engine.run(work);
    engine.remove(number);
  };
  const Group group = make_groups(settings, seed).front();
  rate.paths = group.paths_of(group.samples);
  rate.steps = group.grid.steps();
  add_work(rate, group, static_cast<double>(rate.paths + paths) * static_cast<double>(rate.steps));
  const auto all = [&](std::int64_t count) {
    for (; count > 0; --count) price();
  };
  rate.timing = time_passes(all, pace, 1 << 20);
  return rate;
}

Settings plain_asian() {
  return one_option(gbm(0.2), asian(100, asian_fixings));
}

}  // namespace

PathRate measure_asian(const kernels::Device& device, int threads, const Pace& pace) {
  const auto engine = k::make_path_engine(device, threads);
  return single(*engine, "asian", "arithmetic Asian, gbm, 252 steps", plain_asian(), false, pace);
}

void measure_paths(const kernels::Device& device, int threads, const BenchmarkSize& size, const Pace& pace,
                   const std::function<void(const PathRate&)>& done,
                   const std::function<void(const std::string&)>& left_out) {
  const auto engine = k::make_path_engine(device, threads);
  const European call{OptionType::call, 100};
  const auto one = [&](const char* name, const char* what, const Settings& settings, bool greeks = false) {
    const PathRate rate = single(*engine, name, what, settings, greeks, pace);
    done(rate);
    return rate;
  };
  one("european", "European call, gbm, at its end", one_option(gbm(0.2), call));
  one("european_greeks", "the same with delta, gamma, vega", one_option(gbm(0.2), call, {"delta", "gamma", "vega"}),
      true);
  const PathRate of_asian = one("asian", "arithmetic Asian, gbm, 252 steps", plain_asian());
  Settings controlled = plain_asian();
  controlled.monte_carlo.control_variate = ControlVariate::automatic;
  one("asian_controlled", "the same with its control variate", controlled);
  one("heston", "European call, heston (QE), 252 steps", one_option(heston(0.04), call));

  // What comes next may be longer than is allowed, to go by what was measured.
  const auto too_long = [&](double seconds, const std::string& what) {
    if (seconds <= pace.longest) return false;
    left_out(fmt::format("{}: about {:.0f} s", what, seconds));
    return true;
  };
  const Pace at_once{0, pace.longest};
  const PathRate few = early(*engine, threads, std::min(few_early_paths, size.early_paths), at_once);
  const double times = static_cast<double>(size.early_paths) / static_cast<double>(few.paths);
  if (!too_long(times * few.timing.median, fmt::format("put with early exercise, {} paths", size.early_paths)))
    done(early(*engine, threads, size.early_paths, pace));
  for (const std::int64_t paths : size.paths) {
    const double path_steps = static_cast<double>(paths) * static_cast<double>(asian_fixings);
    if (too_long(path_steps / of_asian.path_steps_per_second(), fmt::format("Asian, {} paths", paths))) continue;
    done(counted(*engine, paths, plain_asian(), pace));
  }
  std::optional<PathRate> before;
  GroupsAlone alone(*engine, pace);
  for (const std::int64_t options : size.batches) {
    if (options > few_options && (!before || before->options < few_options))
      before = many(*engine, few_options, size.batch_paths, at_once, alone);
    const double growth = before ? static_cast<double>(options) / static_cast<double>(before->options) : 0;
    const double each = before ? before->preparation + before->timing.median : 0;
    if (too_long(growth * each, fmt::format("batch of {} options", options))) continue;
    before = many(*engine, options, size.batch_paths, pace, alone);
    done(*before);
  }
}

}  // namespace ergode::sim::options
