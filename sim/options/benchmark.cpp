#include "sim/options/benchmark.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "kernels/options/chunk.hpp"
#include "sim/options/task.hpp"

namespace ergode::sim::options {
namespace {

namespace k = kernels::options;

constexpr std::uint32_t seed = 42;
constexpr int repeats = 7, repeats_of_slow = 3;
constexpr std::int64_t chunks_a_call = 1 << 16;  // as in a run, to bound the memory for sums

double seconds_of(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// `first`: what a sample took that does not count, because it warmed up.
void time_samples(PathRate& rate, double first, const std::function<void()>& sample) {
  std::vector<double> times;
  rate.samples = first > 1 ? repeats_of_slow : repeats;
  for (int i = 0; i < rate.samples; ++i) times.push_back(seconds_of(sample));
  std::sort(times.begin(), times.end());
  rate.fastest = times.front();
  rate.seconds = times[times.size() / 2];
  rate.slowest = times.back();
}

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

/// Twenty options on each of 40 underlyings of gbm and 10 of heston.
Settings batch(std::int64_t paths) {
  Settings s;
  s.monte_carlo.paths = paths;
  s.market.rate = TermStructure(0.03);
  for (int u = 0; u < 50; ++u) {
    const std::string name = "U" + std::to_string(u);
    const bool stochastic = u % 5 == 4;
    s.market.underlyings.push_back(stochastic ? underlying(name, heston(0.03 + 0.0005 * u))
                                              : underlying(name, gbm(0.15 + 0.003 * u)));
    for (int i = 0; i < 20; ++i) {
      const double strike = 80 + 2 * i;
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
  b.exercise_dates = 50;
  Settings s;
  s.monte_carlo.paths = paths;
  s.market.rate = TermStructure(0.06);
  s.market.underlyings = {underlying("A", gbm(0.2))};
  s.market.underlyings[0].spot = 36;
  s.market.underlyings[0].dividend_yield = TermStructure(0);
  s.options = {option("put", "A", b)};
  return s;
}

/// One option without end: a sample has as many chunks as fill its share of the time.
PathRate single(k::PathEngine& engine, const std::string& name, const std::string& what, Settings settings, bool greeks,
                double seconds) {
  settings.monte_carlo.paths = std::int64_t{1} << 50;
  auto groups = make_groups(settings, seed);
  Task task(std::move(groups.front()), settings.monte_carlo, greeks);
  const int number = engine.add(task.plan());
  std::int64_t next = 0;
  const auto chunks = [&](std::int64_t count) {
    while (count > 0) {
      const k::Work work{number, next, std::min(count, chunks_a_call)};
      engine.run({&work, 1});
      next += work.count;
      count -= work.count;
    }
  };
  std::int64_t count = 4;
  chunks(count);
  double time = seconds_of([&] { chunks(count); });
  const double wanted = seconds / (repeats + 2);
  while (time < wanted / 4) {
    count *= 4;
    time = seconds_of([&] { chunks(count); });
  }
  count = std::max<std::int64_t>(1, std::llround(static_cast<double>(count) * wanted / time));

  PathRate rate;
  rate.name = name;
  rate.what = what;
  rate.options = rate.groups = 1;
  rate.steps = task.group.grid.steps();
  rate.paths = task.group.paths_of(count * k::chunk_samples);
  rate.path_steps = static_cast<double>(rate.paths) * static_cast<double>(rate.steps);
  time_samples(rate, wanted, [&] { chunks(count); });
  engine.remove(number);
  return rate;
}

PathRate many(k::PathEngine& engine, std::int64_t paths) {
  const Settings settings = batch(paths);
  PathRate rate;
  rate.name = "batch";
  rate.what = "1,000 mixed options on 50 underlyings, prices";
  rate.options = static_cast<std::int64_t>(settings.options.size());
  std::vector<int> numbers;
  std::vector<k::Work> work;
  for (Group& group : make_groups(settings, seed)) {
    Task task(std::move(group), settings.monte_carlo, false);
    numbers.push_back(engine.add(task.plan()));
    work.push_back({numbers.back(), 0, task.chunks()});
    const std::int64_t each = task.group.paths_of(task.group.samples), steps = task.group.grid.steps();
    rate.paths += each;
    rate.steps = std::max(rate.steps, steps);
    rate.path_steps += static_cast<double>(each) * static_cast<double>(steps);
  }
  rate.groups = static_cast<std::int64_t>(numbers.size());
  const auto run = [&] { engine.run(work); };
  time_samples(rate, seconds_of(run), run);
  for (const int number : numbers) engine.remove(number);
  return rate;
}

PathRate early(k::PathEngine& engine, int threads, std::int64_t paths) {
  const Settings settings = early_exercise_put(paths);
  PathRate rate;
  rate.name = "early_exercise";
  rate.what = "put on 50 dates: training, regression, price";
  rate.options = rate.groups = 1;
  const auto price = [&] {
    auto groups = make_groups(settings, seed);
    Task task(std::move(groups.front()), settings.monte_carlo, false);
    task.exercise = train(task.group, engine, threads);
    const int number = engine.add(task.plan());
    const k::Work work{number, 0, task.chunks()};
    engine.run({&work, 1});
    engine.remove(number);
    rate.paths = task.group.paths_of(task.group.samples);
    rate.steps = task.group.grid.steps();
  };
  const double first = seconds_of(price);
  rate.path_steps = static_cast<double>(rate.paths + paths) * static_cast<double>(rate.steps);
  time_samples(rate, first, price);
  return rate;
}

}  // namespace

void measure_paths(const kernels::Device& device, int threads, const BenchmarkSize& size,
                   const std::function<void(const PathRate&)>& done) {
  const auto engine = k::make_path_engine(device, threads);
  const European call{OptionType::call, 100};
  const auto one = [&](const char* name, const char* what, const Settings& settings, bool greeks = false) {
    done(single(*engine, name, what, settings, greeks, size.seconds));
  };
  one("european", "European call, gbm, at its end", one_option(gbm(0.2), call));
  one("european_greeks", "the same with delta, gamma, vega", one_option(gbm(0.2), call, {"delta", "gamma", "vega"}),
      true);
  one("asian", "arithmetic Asian, gbm, 252 steps", one_option(gbm(0.2), asian(100, 252)));
  Settings controlled = one_option(gbm(0.2), asian(100, 252));
  controlled.monte_carlo.control_variate = ControlVariate::automatic;
  one("asian_controlled", "the same with its control variate", controlled);
  one("heston", "European call, heston (QE), 252 steps", one_option(heston(0.04), call));
  done(many(*engine, size.batch_paths));
  done(early(*engine, threads, size.early_paths));
}

}  // namespace ergode::sim::options
