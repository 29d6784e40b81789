#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "kernels/options/path_loops.hpp"
#include "sim/options/simulation.hpp"
#include "tests/gpu/device.hpp"
#include "tests/gpu/option_groups.hpp"

// Paths of options on CUDA against the same on the CPU. The random words are the same bits; what is made of them
// differs by rounding, so estimates are held to fractions of their standard errors.

using namespace ergode;
using namespace ergode::testing;
using namespace ergode::kernels::options;
using ergode::kernels::test::usable_device;
using sim::options::MeanError;
using Role = sim::options::Estimator::Role;

namespace {

std::unique_ptr<PathEngine> on(const kernels::Device& device, std::int64_t memory_limit = 0) {
  return make_path_engine(device, all_threads(), memory_limit);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// What the groups together are to reach: the five kernels, and of those with a form of its own that without tangents.
void check_all_kernels(const std::vector<ReadyGroup>& groups) {
  std::set<PathKernel> kernels, plain;
  for (const ReadyGroup& g : groups) {
    const bool tangents = std::any_of(g.plan.variations.begin(), g.plan.variations.end(),
                                      [](const Variation& v) { return v.spec.tangent != 0; });
    (tangents ? kernels : plain).insert(path_kernel(g.plan.grids[0]));
  }
  CHECK(kernels.size() == 5);
  CHECK(plain.count(PathKernel::gbm) + plain.count(PathKernel::heston) == 2);
}

/// Estimates of two backends, in standard errors. An estimator without one (nothing happened) has to agree by itself.
void check_agreement(const ReadyGroup& g, const std::vector<double>& a, const std::vector<double>& b, double of_prices,
                     double of_others) {
  const auto x = g.estimates(a), y = g.estimates(b);
  for (std::size_t e = 0; e < x.size(); ++e) {
    const Role role = g.task.group.estimators[e].role;
    const double bound = role == Role::price || role == Role::event ? of_prices : of_others;
    INFO(g.name(e) << ": " << x[e].mean << " and " << y[e].mean << " +- " << x[e].standard_error);
    REQUIRE(std::isfinite(x[e].mean));
    REQUIRE(std::isfinite(y[e].mean));
    // A control variate can leave an error that is less than the rounding of a path in float.
    const double allowed = std::max(bound * x[e].standard_error, 1e-6 * std::fabs(x[e].mean));
    CHECK(std::fabs(x[e].mean - y[e].mean) <= allowed);
  }
}

/// Sizes with an incomplete last chunk.
const std::vector<std::string> small_runs{"paths: 5000", "rng: sobol, replications: 4, paths: 2000"};

std::string in(const std::string& precision) {
  return ", precision: " + precision;
}

}  // namespace

TEST_CASE("CUDA paths agree with the CPU's in every kernel, both precisions, Philox and Sobol, with tangents",
          "[small]") {
  const auto device = usable_device();
  const auto cpu = cpu_engine(), cuda = on(device);
  for (const std::string& run : small_runs)
    for (const std::string precision : {"float", "double"}) {
      CAPTURE(run, precision);
      const auto groups = ready_groups(every_kernel(run + in(precision)));
      check_all_kernels(groups);
      // Rounding alone; differences of prices over small shifts amplify it.
      const bool single = precision == "float";
      for (const ReadyGroup& g : groups)
        check_agreement(g, g.run(*cpu), g.run(*cuda), single ? 0.02 : 1e-6, single ? 0.2 : 1e-3);
    }
}

TEST_CASE("CUDA sums have the same bits however chunks are divided, launched, repeated and in company", "[small]") {
  const auto device = usable_device();
  for (const std::string& run : small_runs)
    for (const std::string precision : {"float", "double"}) {
      CAPTURE(run, precision);
      const auto groups = ready_groups(every_kernel(run + in(precision)));
      const auto cuda = on(device), tight = on(device, 1);  // `tight` stores the normals of one block at a time
      std::vector<double> alone;
      std::vector<Work> all;
      for (const ReadyGroup& g : groups) {
        INFO(g.name(0));
        const auto whole = g.run(*cuda);
        REQUIRE(whole.size() == static_cast<std::size_t>(g.plan.chunks() * g.plan.estimators * moments));
        CHECK(same_bits(g.run(*cuda), whole));
        CHECK(same_bits(g.run(*cuda, 1), whole));
        CHECK(same_bits(g.run(*cuda, 2), whole));
        CHECK(same_bits(g.run(*tight), whole));
        alone.insert(alone.end(), whole.begin(), whole.end());
        all.push_back({cuda->add(g.plan), 0, g.plan.chunks()});
      }
      CHECK(same_bits(cuda->run(all), alone));
    }
}

TEST_CASE("CUDA adds up the chunks of a block in their order, those that take part", "[small]") {
  const auto device = usable_device();
  const auto cuda = on(device);
  const Folding folding = fold(*cuda, ready_groups(book_to_fold()));
  CHECK(same_bits(folding.found, folding.expected));
}

TEST_CASE("CUDA values of single samples belong to the sums, and fewer are the first of more", "[small]") {
  const auto device = usable_device();
  const auto cuda = on(device);
  for (const std::string& run : small_runs)
    for (const ReadyGroup& g : ready_groups(every_kernel(run + in("double")))) {
      INFO(run << ": " << g.name(0));
      const std::int64_t n = std::min<std::int64_t>(g.plan.points(), chunk_samples);
      const int number = cuda->add(g.plan);
      const auto values = cuda->values(number, n), fewer = cuda->values(number, 100);
      const auto sums = g.run(*cuda, 1);
      REQUIRE(values.size() == static_cast<std::size_t>(g.plan.estimators * n));
      for (int e = 0; e < g.plan.estimators; ++e) {
        const double* x = values.data() + e * n;
        double sum = 0, size = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += x[i], size += std::fabs(x[i]);
        INFO(g.name(static_cast<std::size_t>(e)));
        CHECK(std::fabs(sum - sums[static_cast<std::size_t>(e * moments)]) <= 1e-12 * size);
        CHECK(std::memcmp(fewer.data() + e * 100, x, 100 * sizeof(double)) == 0);
      }
      cuda->remove(number);
    }
}

TEST_CASE("CUDA recordings in pieces are those at once bit for bit, and the CPU's to rounding", "[small]") {
  const auto device = usable_device();
  constexpr std::int64_t paths = 3000;  // pieces hold 1,024 at least
  for (const std::string precision : {"float", "double"})
    for (const std::string names : {"G", "H", "C, K, M", "G, S", "H, B, L", "D1, D2, D3, D4, D5, D6, D7, D8, D9, H"}) {
      CAPTURE(precision, names);
      const bool several = names.size() > 1;
      const auto settings = read_settings(
          head("precision: " + precision) +
          "  - {id: o, product: bermudan, type: put, strike: 100, maturity: 1, exercise_dates: 4, " +
          (several ? "payoff: max, underlyings: [" : "underlying: ") + names + (several ? "]" : "") + "}\n");
      const auto groups = sim::options::make_groups(settings.settings, 7);
      const auto steps = groups[0].grid.times.size();
      std::vector<int> slots(steps, 0);
      for (std::size_t i = 0; i < 4; ++i) slots[(i + 1) * steps / 4 - 1] = static_cast<int>(i) + 1;
      const auto plan = sim::options::plan_recording(groups[0], slots, std::uint64_t{1} << 40, paths);
      const bool variance = names.find_first_of("HB") != std::string::npos;
      const auto record = [&](PathEngine& engine) {
        Recording<float> single;
        Recording<double> real;
        engine.record(engine.add(plan), paths, 4, variance, single, real);
        REQUIRE(
            (precision == "float" ? real.spot : std::vector<double>(single.spot.begin(), single.spot.end())).empty());
        std::vector<double> out(single.spot.begin(), single.spot.end());
        for (const auto& more :
             {real.spot, std::vector<double>(single.variance.begin(), single.variance.end()), real.variance})
          out.insert(out.end(), more.begin(), more.end());
        REQUIRE(out.size() == std::size_t{4} * groups[0].market.assets.size() * paths * (variance ? 2 : 1));
        return out;
      };
      const auto whole = record(*on(device)), pieces = record(*on(device, 1)), cpu = record(*cpu_engine());
      CHECK(same_bits(pieces, whole));
      // A path near a switch of a scheme may take its other side on the other backend.
      const double bound = precision == "float" ? 2e-4 : 1e-10;
      std::size_t apart = 0;
      for (std::size_t i = 0; i < cpu.size(); ++i)
        apart += !(std::fabs(whole[i] - cpu[i]) <= bound * (std::fabs(cpu[i]) + 1e-3));
      CHECK(apart <= cpu.size() / 1000);
    }
}

TEST_CASE("CUDA dual upper bounds agree with the CPU's and repeat bit for bit, for one, few and many assets",
          "[small]") {
  const auto device = usable_device();
  const auto cpu = cpu_engine(), cuda = on(device);
  for (const std::string precision : {"float", "double"}) {
    std::string text = head("paths: 2000" + in(precision));
    for (const std::string names : {"G", "H", "G, S", "D1, D2, D3, D4, D5, D6, D7, D8, D9"}) {
      const bool several = names.size() > 1;
      text +=
          "  - {id: \"" + names +
          "\", product: bermudan, type: " + (several ? "call, payoff: max, underlyings: [" : "put, underlying: ") +
          names + (several ? "]" : "") +
          ", strike: 100, maturity: 1, exercise_dates: 3, lsm: {training_paths: 4096, order: 2, upper_bound: true}}\n";
    }
    for (const ReadyGroup& g : ready_groups(text)) {
      UpperBoundPlan plan;
      plan.outer = 300;
      plan.count = 300;
      plan.inner = 16;
      plan.first_sample = std::uint64_t{1} << 41;
      const auto bounds = [&](PathEngine& engine) { return engine.upper_bound(engine.add(g.plan), plan); };
      const auto a = bounds(*cpu), b = bounds(*cuda);
      INFO(g.name(0) << " in " << precision);
      CHECK(same_bits(b, bounds(*cuda)));
      REQUIRE(a.size() == 300);
      REQUIRE(b.size() == 300);
      const auto mean = [](const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0) / 300; };
      double square = 0;
      for (const double x : a) square += (x - mean(a)) * (x - mean(a));
      const double error = std::sqrt(square / (300.0 * 299));
      CHECK(error > 0);
      CHECK(std::fabs(mean(a) - mean(b)) <= (precision == "float" ? 0.1 : 1e-3) * error);
    }
  }
}

TEST_CASE("CUDA prices of a million paths are within a tenth of a standard error of the CPU's, in every family") {
  const auto device = usable_device();
  const auto cpu = cpu_engine(), cuda = on(device);
  for (const std::string precision : {"float", "double"})
    for (const ReadyGroup& g : ready_groups(every_kernel("paths: 1e6" + in(precision)))) {
      CAPTURE(precision);
      check_agreement(g, g.run(*cpu), g.run(*cuda), 0.1, 0.5);
    }
}

TEST_CASE("CUDA prices in float are within a tenth of a standard error of those in double at 1e8 paths, or say so") {
  sim::RunContext context;
  context.device = usable_device();
  context.threads = all_threads();
  context.seed = 20;
  context.info = context.warning = [](const std::string&) {};
  for (const std::string control : {"none", "auto"}) {
    const auto price = [&](const std::string& precision) {
      const std::string text =
          "monte_carlo: {steps_per_year: 100, paths: 1e8, control_variate: " + control + in(precision) + "}\n" +
          markets_of_all_models() +
          "options:\n"
          "  - {id: asian, product: asian, average: arithmetic, type: call, underlying: G, strike: 100, "
          "fixings: 12, maturity: 1}\n"
          "  - {id: heston, product: european, type: call, underlying: H, strike: 100, maturity: 1}\n";
      return sim::options::price_book(read_settings(text).settings, context).instruments;
    };
    const auto single = price("float"), real = price("double");
    for (std::size_t i = 0; i < single.size(); ++i) {
      const double bias = single[i].bias.value_or(0) - real[i].bias.value_or(0);  // what is of the precision
      INFO(single[i].id << ", control variate " << control << ": " << single[i].price << " and " << real[i].price
                        << " +- " << real[i].standard_error << ", bias " << bias);
      CHECK(single[i].paths == 100000000);
      CHECK(real[i].standard_error > 0);
      CHECK(std::fabs(single[i].price - real[i].price) <= 0.1 * real[i].standard_error + std::fabs(bias));
      CHECK(single[i].price != real[i].price);  // shown to be able to differ
    }
  }
}
