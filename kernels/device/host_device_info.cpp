#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "kernels/device/device.hpp"
#include "kernels/device/memory_use.hpp"

namespace ergode::kernels {

namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown processor";
}

/// A field of a file like /proc/meminfo in bytes, 0 when it is not there.
std::int64_t memory_field(const std::string& field, const char* path = "/proc/meminfo") {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    std::int64_t kib = 0;
    if (words >> key >> kib && key == field + ":") return kib * 1024;
  }
  return 0;
}

/// A number in a control-group file; the largest number where it says "max" or is absent.
std::int64_t group_number(const char* path) {
  std::ifstream file(path);
  std::int64_t bytes = 0;
  return file >> bytes ? bytes : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

std::string_view name(Backend backend) {
  return backend == Backend::cpu ? "cpu" : "cuda";
}

std::string_view name(Isa isa) {
  switch (isa) {
    case Isa::avx512:
      return "avx512";
    case Isa::avx2:
      return "avx2";
    case Isa::baseline:
      break;
  }
  return "baseline";
}

bool isa_supported(Isa isa) {
  switch (isa) {
    // The whole x86-64-v4 and v3 sets, as the builds assume them.
    case Isa::avx512:
      return isa_supported(Isa::avx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
    case Isa::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
             __builtin_cpu_supports("bmi2");
    case Isa::baseline:
      break;
  }
  return true;
}

Isa best_isa() {
  if (isa_supported(Isa::avx512)) return Isa::avx512;
  return isa_supported(Isa::avx2) ? Isa::avx2 : Isa::baseline;
}

// getrusage's figure would be that of the program before, where this one was started by exec.
std::int64_t host_memory_peak() {
  return memory_field("VmHWM", "/proc/self/status");
}

Device cpu_device(Isa isa) {
  Device device;
  device.backend = Backend::cpu;
  device.isa = isa;
  device.name = processor_name();
  device.architecture = std::string(name(isa));
  const std::int64_t limit = group_number("/sys/fs/cgroup/memory.max");
  device.memory_total = std::min(memory_field("MemTotal"), limit);
  device.memory_free = memory_field("MemAvailable");
  if (limit != std::numeric_limits<std::int64_t>::max()) {
    const std::int64_t used = group_number("/sys/fs/cgroup/memory.current");
    device.memory_free = std::min(device.memory_free, std::max<std::int64_t>(0, limit - std::min(used, limit)));
  }
  device.usable = isa_supported(isa);
  if (!device.usable)
    device.reason =
        "this processor has no " + device.architecture + "; it supports up to " + std::string(name(best_isa()));
  return device;
}

}  // namespace ergode::kernels
