#include <fmt/format.h>

#include <cstdlib>

#include "io/run/progress.hpp"
#include "sim/cli/bytes.hpp"
#include "sim/cli/commands.hpp"
#include "sim/device/choose.hpp"
#include "sim/runner/common_config.hpp"

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

}  // namespace

io::ExitCode validate(const RunOptions& options, const std::vector<SimulationType>& types, io::Log& log) {
  const LoadedConfig config = load_config(options.config, options.overrides, types);
  for (const std::string& warning : config.warnings) log.warning(warning);
  const char* wanted = std::getenv("ERGODE_DEVICE");
  const auto cpu = [&] { return kernels::cpu_device(choose_isa(options.isa, "")); };
  const DeviceChoice choice = choose_device(
      {options.device, config.common.device, wanted != nullptr ? std::optional<std::string>(wanted) : std::nullopt},
      [] { return kernels::cuda_inventory(); }, cpu);
  const kernels::Device host = cpu();
  const bool on_cpu = choice.device.backend == kernels::Backend::cpu;
  const Estimate need = config.simulation->estimate(choice.device);

  log.result(fmt::format("{}: valid: {} `{}`", options.config.string(), config.common.simulation, config.common.name));
  log.result("device          " + describe(choice.device) +
             (choice.fallback.empty() ? "" : "; no GPU is used: " + choice.fallback));
  log.result("output          " + config.common.output.directory.string());
  bool fits = report(log, "host memory", need.host_bytes, host.memory_free);
  if (!on_cpu) fits = report(log, "device memory", need.device_bytes, choice.device.memory_free) && fits;
  const bool disk_fits = report(log, "disk", need.disk_bytes, disk_free(config.common.output.directory).value_or(0));
  if (need.work > 0) log.result(fmt::format("work            {} {}", io::short_number(need.work), need.work_unit));
  for (const auto& [name, bytes] : need.largest_arrays) log.result(fmt::format("  {:<24} {}", name, bytes_text(bytes)));
  if (!disk_fits) log.warning("the output needs more space than the disk has free");
  if (fits) return io::ExitCode::done;
  log.error("the run does not fit in memory: use fewer bodies or paths, or a device with more");
  return io::ExitCode::out_of_memory;
}

}  // namespace ergode::sim
