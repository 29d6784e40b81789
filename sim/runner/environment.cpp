#include "sim/runner/environment.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "io/run/process.hpp"
#include "io/run/provenance.hpp"
#include "kernels/device/cuda_look.hpp"
#include "kernels/device/profile.hpp"
#include "sim/ranks/devices.hpp"
#include "sim/runner/run.hpp"

namespace ergode::sim {

namespace {

RunDevice pick_devices_of_ranks(Leader& leader, DeviceChoice choice, int threads, bool share) {
  const RankDevices found = settle_devices(leader, choice.requested, threads, share);
  RunDevice device;
  device.choice = std::move(choice);
  device.choice.device = found.devices.front();
  device.choice.fallback = found.fallback;
  device.threads = found.threads.front();
  device.best_isa = found.best_isa;
  device.ranks = leader.size();
  device.rank_table = found.table;
  if (device.choice.device.backend == kernels::Backend::cuda)
    device.inventory = kernels::look_for_cuda_device(device.choice.device.index);
  return device;
}

}  // namespace

RunDevice pick_device(const RunOptions& options, const CommonConfig& config) {
  const kernels::Scope scope(kernels::Phase::waiting, "for a device");
  RunDevice device;
  const char* wanted = std::getenv("ERGODE_DEVICE");
  const DeviceRequest request{options.device, config.device,
                              wanted != nullptr ? std::optional<std::string>(wanted) : std::nullopt};
  if (options.leader != nullptr)
    return pick_devices_of_ranks(*options.leader, requested_device(request), config.threads, options.share_devices);
  const int index = cuda_index(requested_device(request).requested).value_or(-1);
  device.choice = choose_device(
      request, [&] { return device.inventory = kernels::look_for_cuda_device(index); },
      [] { return kernels::cpu_device(kernels::best_isa()); });
  device.threads = config.threads > 0 ? config.threads : available_threads();
  return device;
}

void settle_instruction_set(RunDevice& device, const std::string& isa, const std::string& kept,
                            const std::string& whose) {
  if (device.choice.device.backend == kernels::Backend::cpu)
    device.choice.device = kernels::cpu_device(choose_isa(isa, kept, device.best_isa, whose));
}

io::Attributes make_provenance(const RunDevice& run, const RunOptions& options) {
  const kernels::Device& device = run.choice.device;
  const bool cpu = device.backend == kernels::Backend::cpu;
  io::Provenance p;
  p.command_line = options.command_line;
  p.config_path = std::filesystem::absolute(options.config).string();
  p.device = device.name;
  p.device_uuid = device.uuid;
  p.backend = kernels::name(device.backend);
  if (cpu) p.isa = kernels::name(device.isa);
  if (!cpu) p.architecture = device.architecture;
  p.device_requested = fmt::format("{} ({})", run.choice.requested, run.choice.source);
  p.device_fallback = run.choice.fallback;
  p.cuda_driver = run.inventory.driver_version;
  p.cuda_runtime = run.inventory.runtime_version;
  p.threads = run.threads;
  p.ranks = run.ranks;
  p.started = io::utc_now();
  return io::attributes(p);
}

std::string device_line(const RunDevice& run) {
  const bool cpu = run.choice.device.backend == kernels::Backend::cpu;
  std::string line = "device: " + describe(run.choice.device);
  if (cpu) line += fmt::format(", {} thread{}", run.threads, run.threads == 1 ? "" : "s");
  if (run.ranks > 1) line += fmt::format(" (rank 0 of {})", run.ranks);
  if (!run.choice.fallback.empty())
    line += fmt::format("; {}: {}", cpu ? "no GPU is used" : "another GPU was passed over", run.choice.fallback);
  return line;
}

}  // namespace ergode::sim
