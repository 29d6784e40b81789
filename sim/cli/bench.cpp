#include <fmt/format.h>

#include "io/fs/file.hpp"
#include "io/run/build_info.hpp"
#include "io/run/json.hpp"
#include "io/run/provenance.hpp"
#include "sim/cli/commands.hpp"
#include "sim/device/choose.hpp"
#include "sim/nbody/benchmark.hpp"

namespace ergode::sim {

io::ExitCode bench_gravity(const kernels::Device& device, int threads, const std::vector<std::int64_t>& sizes,
                           const std::string& json_path, io::Log& log) {
  log.result(describe(device) + (device.backend == kernels::Backend::cpu ? fmt::format(", {} threads", threads) : ""));
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
  if (!json_path.empty()) {
    io::JsonObject out;
    const io::BuildInfo build = io::build_info();
    out.set("benchmark", "nbody").set("device", describe(device)).set("threads", threads);
    out.set("version", build.version).set("commit", build.commit).set("compiler", build.compiler).set("rates", rates);
    io::fs::replace_file(json_path, out.text() + "\n");
  }
  return io::ExitCode::done;
}

}  // namespace ergode::sim
