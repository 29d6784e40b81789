#include <fmt/format.h>

#include "io/run/json.hpp"
#include "sim/cli/bytes.hpp"
#include "sim/cli/commands.hpp"
#include "sim/device/choose.hpp"

namespace ergode::sim {
namespace {

using kernels::Device;

std::string device_name(const Device& device) {
  return device.backend == kernels::Backend::cpu ? "cpu" : fmt::format("cuda:{}", device.index);
}

io::JsonObject as_json(const Device& device) {
  io::JsonObject out;
  out.set("device", device_name(device)).set("name", device.name).set("uuid", device.uuid);
  out.set("architecture", device.architecture);
  out.set("memory_free", device.memory_free).set("memory_total", device.memory_total);
  out.set("usable", device.usable).set("reason", device.reason);
  return out;
}

void print(const kernels::CudaInventory& cuda, const Device& cpu, io::Log& log) {
  auto line = [&](const Device& d) {
    log.result(fmt::format("{:<8} {}{}", device_name(d), d.name, d.uuid.empty() ? "" : "  " + d.uuid));
    log.result(fmt::format("         {}, {} of {} free, {}", d.architecture, bytes_text(d.memory_free),
                           bytes_text(d.memory_total), d.usable ? "usable" : "not usable: " + d.reason));
  };
  line(cpu);
  log.result(fmt::format("         {} threads", available_threads()));
  for (const Device& device : cuda.devices) line(device);
  if (!cuda.built) {
    log.result("cuda     this binary was built without CUDA");
  } else {
    if (!cuda.problem.empty()) log.result("cuda     " + cuda.problem);
    log.result(fmt::format("cuda     driver {}, runtime {}, code for {}",
                           cuda.driver_version.empty() ? "none" : cuda.driver_version, cuda.runtime_version,
                           cuda.architectures));
  }
}

}  // namespace

io::ExitCode list_devices(bool json, io::Log& log) {
  const kernels::CudaInventory cuda = kernels::cuda_inventory();
  Device cpu = kernels::cpu_device(kernels::best_isa());
  if (!json) {
    print(cuda, cpu, log);
    return io::ExitCode::done;
  }
  std::vector<io::JsonObject> devices{as_json(cpu)};
  for (const Device& device : cuda.devices) devices.push_back(as_json(device));
  io::JsonObject side;
  side.set("built", cuda.built).set("problem", cuda.problem).set("architectures", cuda.architectures);
  side.set("driver_version", cuda.driver_version).set("runtime_version", cuda.runtime_version);
  io::JsonObject out;
  out.set("devices", devices).set("threads", available_threads()).set("cuda", side);
  log.result(out.text());
  return io::ExitCode::done;
}

}  // namespace ergode::sim
