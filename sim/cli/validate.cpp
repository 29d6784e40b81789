#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "io/run/progress.hpp"
#include "sim/cli/bytes.hpp"
#include "sim/cli/commands.hpp"
#include "sim/device/choose.hpp"
#include "sim/runner/common_config.hpp"
#include "sim/runner/environment.hpp"
#include "sim/sweep/plan.hpp"
#include "sim/sweep/run_sweep.hpp"

namespace ergode::sim {
namespace {

namespace fs = std::filesystem;

/// Free bytes where `directory` is or would be; nullopt when it cannot be told.
std::optional<std::int64_t> disk_free(const fs::path& directory) {
  std::error_code problem;
  fs::path there = fs::absolute(directory, problem);
  while (!there.empty() && !fs::exists(there, problem) && there != there.root_path()) there = there.parent_path();
  const fs::space_info space = fs::space(there, problem);
  if (problem) return std::nullopt;
  return static_cast<std::int64_t>(space.available);
}

/// One line "need of free", and whether it fits; an unknown amount (0) of free memory fits.
bool report(io::Log& log, const char* what, std::int64_t need, std::int64_t free) {
  const bool fits = free <= 0 || need <= free;
  log.result(fmt::format("{:<15} {}{}{}", what, bytes_text(need), free > 0 ? " of " + bytes_text(free) + " free" : "",
                         fits ? "" : ": does not fit"));
  return fits;
}

/// Device and output, then what is needed of what there is. Whether it fits in memory.
io::ExitCode report_need(io::Log& log, const Estimate& need, const DeviceChoice& choice, const fs::path& output) {
  const bool on_cpu = choice.device.backend == kernels::Backend::cpu;
  const kernels::Device host = on_cpu ? choice.device : kernels::cpu_device(kernels::best_isa());
  log.result("device          " + describe(choice.device) +
             (choice.fallback.empty() ? "" : "; no GPU is used: " + choice.fallback));
  log.result("output          " + output.string());
  bool fits = report(log, "host memory", need.host_bytes, host.memory_free);
  if (!on_cpu) fits = report(log, "device memory", need.device_bytes, choice.device.memory_free) && fits;
  const bool disk_fits = report(log, "disk", need.disk_bytes, disk_free(output).value_or(0));
  if (need.work > 0) log.result(fmt::format("work            {} {}", io::short_number(need.work), need.work_unit));
  for (const auto& [name, bytes] : need.largest_arrays) log.result(fmt::format("  {:<24} {}", name, bytes_text(bytes)));
  if (!disk_fits) log.warning("the output needs more space than the disk has free");
  if (fits) return io::ExitCode::done;
  log.error("the run does not fit in memory: use fewer bodies or paths, or a device with more");
  return io::ExitCode::out_of_memory;
}

DeviceChoice device_of(const RunOptions& options, const CommonConfig& config) {
  RunDevice device = pick_device(options, config);
  settle_instruction_set(device, options.isa, "");
  return device.choice;
}

}  // namespace

io::ExitCode validate(const RunOptions& options, const std::vector<SimulationType>& types, io::Log& log) {
  const LoadedConfig config = load_config(options.config, options.overrides, types);
  for (const std::string& warning : config.warnings) log.warning(warning);
  const DeviceChoice choice = device_of(options, config.common);
  const Estimate need = config.simulation->estimate(choice.device);
  log.result(fmt::format("{}: valid: {} `{}`", options.config.string(), config.common.simulation, config.common.name));
  return report_need(log, need, choice, config.common.output.directory);
}

io::ExitCode validate_sweep(const RunOptions& options, const std::vector<SimulationType>& types, io::Log& log) {
  const SweepPlan plan(options.config, options.overrides, types);
  for (const std::string& warning : plan.config().warnings) log.warning(warning);
  for (const std::string& warning : plan.check().warnings) log.warning(warning);
  const DeviceChoice choice = device_of(options, plan.config().common);
  // Members run one after the other: their work and files add up, their memory does not.
  Estimate all;
  std::int64_t largest = 0, small = 0;
  for (std::int64_t m = 0; m < plan.members(); ++m) {
    Estimate need = plan.load_member(m).simulation->estimate(choice.device);
    small += is_small(need) ? 1 : 0;
    all.disk_bytes += need.disk_bytes;
    all.work += need.work;
    all.device_bytes = std::max(all.device_bytes, need.device_bytes);
    if (m > 0 && need.host_bytes <= all.host_bytes) continue;
    largest = m;
    all.host_bytes = need.host_bytes;
    all.work_unit = need.work_unit;
    all.largest_arrays = std::move(need.largest_arrays);
  }
  log.result(fmt::format("{}: valid: {} `{}`, a sweep of {} members, {} of them small", options.config.string(),
                         plan.config().common.simulation, plan.config().common.name, plan.members(), small));
  log.result("the largest is  " + plan.describe(largest));
  return report_need(log, all, choice, plan.directory());
}

}  // namespace ergode::sim
