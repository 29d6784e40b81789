#include <fmt/format.h>

#include "io/fs/file.hpp"
#include "io/run/build_info.hpp"
#include "io/run/json.hpp"
#include "io/run/provenance.hpp"
#include "sim/cli/commands.hpp"
#include "sim/device/choose.hpp"
#include "sim/nbody/benchmark.hpp"
#include "sim/options/benchmark.hpp"

namespace ergode::sim {
namespace {

void say_device(const kernels::Device& device, int threads, io::Log& log) {
  log.result(describe(device) + (device.backend == kernels::Backend::cpu ? fmt::format(", {} threads", threads) : ""));
}

void write_json(const std::string& path, const char* benchmark, const kernels::Device& device, int threads,
                const std::vector<io::JsonObject>& rates) {
  if (path.empty()) return;
  io::JsonObject out;
  const io::BuildInfo build = io::build_info();
  out.set("benchmark", benchmark).set("device", describe(device)).set("threads", threads);
  out.set("version", build.version).set("commit", build.commit).set("compiler", build.compiler).set("rates", rates);
  io::fs::replace_file(path, out.text() + "\n");
}

}  // namespace

io::ExitCode bench_gravity(const kernels::Device& device, int threads, const std::vector<std::int64_t>& sizes,
                           const std::string& json_path, io::Log& log) {
  say_device(device, threads, log);
  log.result(fmt::format("{:>9} {:>7} {:>13} {:>15} {:>24}", "bodies", "forces", "step", "interactions/s",
                         "fastest - slowest step"));
  std::vector<io::JsonObject> rates;
  for (const auto precision : {kernels::Precision::mixed, kernels::Precision::float64})
    for (const std::int64_t bodies : sizes) {
      const nbody::GravityRate r = nbody::measure_gravity(device, threads, bodies, precision, 2.0);
      const char* name = precision == kernels::Precision::mixed ? "mixed" : "double";
      log.result(fmt::format("{:>9} {:>7} {:>10.2f} us {:>15.4g} {:>10.2f} - {:>9.2f} us", r.bodies, name,
                             1e6 * r.seconds_per_step, r.interactions_per_second(), 1e6 * r.fastest, 1e6 * r.slowest));
      io::JsonObject row;
      row.set("bodies", r.bodies).set("precision", name).set("steps", r.steps).set("samples", r.samples);
      row.set("seconds_per_step", r.seconds_per_step).set("fastest", r.fastest).set("slowest", r.slowest);
      row.set("interactions_per_second", r.interactions_per_second());
      rates.push_back(row);
    }
  write_json(json_path, "nbody", device, threads, rates);
  return io::ExitCode::done;
}

io::ExitCode bench_options(const kernels::Device& device, int threads, const std::string& json_path, io::Log& log) {
  say_device(device, threads, log);
  log.result(
      "path steps are paths x steps, whatever is taken from a path; paths in float; times are the engine's alone");
  log.result(fmt::format("{:<46} {:>10} {:>6} {:>13} {:>13} {:>24}", "", "paths", "steps", "time", "path steps/s",
                         "fastest - slowest"));
  options::BenchmarkSize size;
  if (device.backend == kernels::Backend::cpu) {
    size.batch_paths = 2'000;
    size.early_paths = 100'000;
  }
  std::vector<io::JsonObject> rates;
  options::measure_paths(device, threads, size, [&](const options::PathRate& r) {
    log.result(fmt::format("{:<46} {:>10.4g} {:>6} {:>10.3f} ms {:>13.4g} {:>10.3f} - {:>8.3f} ms", r.what,
                           static_cast<double>(r.paths), r.steps, 1e3 * r.seconds, r.path_steps_per_second(),
                           1e3 * r.fastest, 1e3 * r.slowest));
    io::JsonObject row;
    row.set("name", r.name)
        .set("what", r.what)
        .set("precision", "float")
        .set("options", r.options)
        .set("groups", r.groups);
    row.set("paths", r.paths).set("steps", r.steps).set("path_steps", r.path_steps).set("samples", r.samples);
    row.set("seconds", r.seconds).set("fastest", r.fastest).set("slowest", r.slowest);
    row.set("path_steps_per_second", r.path_steps_per_second());
    rates.push_back(row);
  });
  write_json(json_path, "options", device, threads, rates);
  return io::ExitCode::done;
}

}  // namespace ergode::sim
