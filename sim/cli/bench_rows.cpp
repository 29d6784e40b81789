#include <fmt/format.h>

#include <algorithm>

#include "sim/cli/bench.hpp"
#include "sim/nbody/benchmark.hpp"
#include "sim/options/benchmark.hpp"

namespace ergode::sim {
namespace {

using kernels::Precision;

const char* word(Precision precision) {
  return precision == Precision::mixed ? "mixed" : "double";
}

std::vector<std::int64_t> numbers_of_bodies(const BenchOptions& options) {
  if (!options.bodies.empty()) return options.bodies;
  if (options.quick) return {1000, 4096};
  return {1000, 1024, 4096, 16384, 65536, 262144, 1048576, 4000000};
}

Row row_of(const nbody::GravityRate& r) {
  Row row;
  row.label = fmt::format("direct {}, {} bodies, a step", word(r.precision), r.bodies);
  row.facts.set("benchmark", "nbody").set("name", "direct").set("precision", word(r.precision));
  row.facts.set("bodies", r.bodies).set("steps_per_second", 1 / r.timing.median);
  row.work = r.interactions();
  row.unit = "interactions";
  row.need = r.need();
  row.timing = r.timing;
  return row;
}

Row row_of(const options::PathRate& r) {
  Row row;
  row.label = r.what;
  row.facts.set("benchmark", "options").set("name", r.name).set("precision", "float").set("options", r.options);
  row.facts.set("groups", r.groups).set("paths", r.paths).set("steps", r.steps);
  if (r.name == "batch") {
    row.facts.set("preparation_seconds", r.preparation).set("one_by_one_seconds", r.one_by_one);
    row.facts.set("over_one_by_one", r.one_by_one / r.timing.median);
  }
  row.work = r.path_steps;
  row.unit = "path steps";
  row.need = r.need;
  row.timing = r.timing;
  return row;
}

/// Rates of one precision. The last before a size tells how long it would take, or else a size that is small enough to
/// be measured anywhere and large enough to fill the device.
class GravitySizes {
 public:
  GravitySizes(const BenchPlace& place, Precision precision) : place_(place), precision_(precision) {}

  /// None: it would take too long.
  std::optional<nbody::GravityRate> measure(std::int64_t bodies) {
    const std::int64_t few = place_.on_cpu() ? 4096 : 65536;
    if (bodies > few && (!before_ || before_->bodies < few)) before_ = measured(few, {0, place_.pace.longest});
    if (before_ && nbody::too_long(bodies, *before_, place_.pace)) return std::nullopt;
    before_ = measured(bodies, place_.pace);
    return before_;
  }

 private:
  nbody::GravityRate measured(std::int64_t bodies, const Pace& pace) const {
    return nbody::measure_gravity(place_.device, place_.threads, bodies, precision_, pace);
  }

  const BenchPlace& place_;
  Precision precision_;
  std::optional<nbody::GravityRate> before_;
};

void add(Report& report, const nbody::SphereError& e) {
  io::JsonObject facts;
  facts.set("benchmark", "nbody").set("name", "force_error").set("precision", word(e.precision));
  facts.set("bodies", e.bodies).set("sample", e.sample).set("softening", e.softening).set("offset", e.offset);
  facts.set("e2", e.error.e2).set("median", e.error.median);
  facts.set("percentile_99", e.error.percentile_99).set("largest", e.error.largest);
  report.row(facts, fmt::format("{:<52} {:>10.2e} {:>10.2e} {:>10.2e}",
                                fmt::format("{}, {} bodies, softening {}, moved by {}", word(e.precision), e.bodies,
                                            e.softening, e.offset),
                                e.error.e2, e.error.median, e.error.percentile_99));
}

}  // namespace

void bench_gravity(const BenchOptions& options, const BenchPlace& place, Report& report) {
  report.heading("direct summation of a Plummer sphere: whole leapfrog steps");
  std::int64_t of_errors = 0;  // the largest that is not too large for sums in double
  for (const Precision precision : {Precision::mixed, Precision::float64}) {
    GravitySizes sizes(place, precision);
    for (const std::int64_t bodies : numbers_of_bodies(options)) {
      const auto rate = sizes.measure(bodies);
      if (!rate) {
        report.left_out(fmt::format("direct {}, {} bodies: a step would take more than {} s", word(precision), bodies,
                                    place.pace.longest));
        continue;
      }
      report.row(row_of(*rate));
      const bool soon = 4 * rate->timing.median <= place.pace.longest;  // four spheres are summed
      if (precision == Precision::float64 && soon && bodies <= (place.on_cpu() ? 65536 : 262144))
        of_errors = std::max(of_errors, bodies);
    }
  }
  if (of_errors == 0) return report.left_out("force errors: four force passes in double would take too long");
  report.heading(fmt::format("{:<52} {:>10} {:>10} {:>10}", "its force error, relative", "E2", "median", "99 %"));
  for (const nbody::SphereError& e : nbody::measure_force_errors(place.device, place.threads, of_errors))
    add(report, e);
}

void bench_paths(const BenchOptions& options, const BenchPlace& place, Report& report) {
  report.heading("Monte Carlo paths in float: a path step is one step of one path, whatever is taken from it");
  options::BenchmarkSize size;
  if (place.on_cpu()) size.batch_paths = 2'000;
  size.paths = {10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000, 10'000'000'000};
  size.batches = {1, 10, 100, 1000, 10000};
  if (options.quick) {
    size.paths = {10'000, 20'000};
    size.batches = {1, 20, 1000};
    size.batch_paths = 64;
    size.early_paths = 2'000;
  }
  if (!options.paths.empty()) size.paths = options.paths;
  if (!options.batches.empty()) size.batches = options.batches;
  std::sort(size.batches.begin(), size.batches.end());
  options::measure_paths(
      place.device, place.threads, size, place.pace, [&](const options::PathRate& r) { report.row(row_of(r)); },
      [&](const std::string& what) { report.left_out(what); });
}

void bench_threads(const BenchOptions& options, const BenchPlace& place, Report& report) {
  const std::int64_t bodies = options.quick ? 4096 : 32768;
  const std::vector<kernels::Ceiling> multiply_adds{kernels::Ceiling::fma_float};
  for (auto threads = place.scaling.rbegin(); threads != place.scaling.rend(); ++threads) {
    const bool all =
        *threads == place.threads;  // whose ceilings are measured, and the Asian too where it was asked for
    if (!all) report.ceilings(measure_ceilings(place.device, *threads, place.pace, multiply_adds));
    if (options.what != "options")
      report.row(row_of(nbody::measure_gravity(place.device, *threads, bodies, Precision::mixed, place.pace)));
    if (options.what != "nbody" && !all) report.row(row_of(options::measure_asian(place.device, *threads, place.pace)));
  }
}

}  // namespace ergode::sim
