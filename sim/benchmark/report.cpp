#include "sim/benchmark/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "io/error.hpp"
#include "io/fs/file.hpp"
#include "io/run/build_info.hpp"
#include "io/run/process.hpp"
#include "sim/device/choose.hpp"

namespace ergode::sim {
namespace {

void set_timing(io::JsonObject& out, const Timing& t) {
  out.set("samples", t.samples).set("passes", t.passes).set("seconds", t.median);
  out.set("fastest", t.fastest).set("slowest", t.slowest).set("deviation", t.deviation);
}

/// "1.23 ms", from nanoseconds to seconds.
std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", 1e6 * seconds);
  return seconds < 1 ? fmt::format("{:.2f} ms", 1e3 * seconds) : fmt::format("{:.3f} s", seconds);
}

std::string row_text(const Row& r, double fraction) {
  return fmt::format("{:<52} {:>10} {:>10.4g} {:<14} {:>6.1f} % {:>10} - {}", r.label, time_text(r.timing.median),
                     r.work / r.timing.median, r.unit + "/s", 100 * fraction, time_text(r.timing.fastest),
                     time_text(r.timing.slowest));
}

/// The kernel module's version, which no CUDA call tells.
std::string nvidia_driver() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  file >> version;
  return version;
}

/// Before any work: to look at CUDA's devices closes them.
io::JsonObject machine(const kernels::Device& device) {
  const kernels::Device cpu = kernels::cpu_device(kernels::best_isa());
  io::JsonObject out;
  const int threads = available_threads();
  out.set("processor", cpu.name).set("threads", threads);
  out.set("cores", std::min(threads, cores_of(allowed_processors()))).set("memory_bytes", cpu.memory_total);
  if (device.backend == kernels::Backend::cpu) return out;
  const kernels::CudaInventory cuda = kernels::cuda_inventory();
  out.set("gpu", device.name).set("gpu_memory_bytes", device.memory_total).set("nvidia_driver", nvidia_driver());
  out.set("cuda_driver", cuda.driver_version).set("cuda_runtime", cuda.runtime_version);
  return out;
}

}  // namespace

Report::Report(const kernels::Device& device, int threads, ReportFile file, io::Log& log)
    : device_(device), threads_(threads), file_(std::move(file)), machine_(machine(device)), log_(log) {
  if (!file_.path.empty()) {
    // A file takes its place by renaming, which must not meet a device or a pipe, nor a link in place of what it names.
    std::error_code none;
    if (const auto named = std::filesystem::canonical(file_.path, none); !none) file_.path = named;
    if (std::filesystem::exists(file_.path) && !std::filesystem::is_regular_file(file_.path))
      throw io::Error(io::ExitCode::io, fmt::format("{}: is no regular file", std::string(file_.path)));
    write();
  }
  const bool cpu = device.backend == kernels::Backend::cpu;
  log_.result(describe(device) + (cpu ? fmt::format(", {} threads", threads) : ""));
}

void Report::ceilings(const Ceilings& ceilings) {
  ceilings_ = ceilings;
  const bool cpu = device_.backend == kernels::Backend::cpu;
  heading(cpu ? fmt::format("ceilings, measured with {} threads", ceilings.threads) : "ceilings, measured");
  for (const MeasuredCeiling& c : ceilings.measured) {
    const std::string unit(kernels::unit(c.which)), name(kernels::name(c.which));
    log_.result(fmt::format("{:<52} {:>10} {:>10.4g} {}/s", name, time_text(c.timing.median), c.rate(), unit));
    io::JsonObject row;
    row.set("name", name);
    if (cpu) row.set("threads", ceilings.threads);
    set_timing(row, c.timing);
    row.set("work", c.work).set("unit", unit).set("rate", c.rate());
    measured_ceilings_.push_back(row);
  }
  write();
}

void Report::heading(const std::string& title) {
  log_.result("");
  log_.result(title);
}

void Report::row(const Row& r) {
  const double fraction = ceilings_.fraction(r.need, r.timing.median);
  log_.result(row_text(r, fraction));
  io::JsonObject out = r.facts;
  if (device_.backend == kernels::Backend::cpu) out.set("threads", ceilings_.threads);
  set_timing(out, r.timing);
  out.set("work", r.work).set("unit", r.unit).set("rate", r.work / r.timing.median);
  out.set("slots", r.need.slots).set("fraction_of_ceiling", fraction);
  rows_.push_back(out);
  write();
}

void Report::row(const io::JsonObject& facts, const std::string& text) {
  log_.result(text);
  rows_.push_back(facts);
  write();
}

void Report::left_out(const std::string& what) {
  log_.result("left out: " + what);
  io::JsonObject out;
  left_out_.push_back(out.set("what", what));
  write();
}

void Report::finish() {
  finished_ = true;
  write();
}

io::JsonObject Report::json() const {
  const io::BuildInfo build = io::build_info();
  io::JsonObject device, out;
  device.set("backend", kernels::name(device_.backend)).set("name", device_.name);
  device.set("architecture", device_.architecture);
  if (device_.backend == kernels::Backend::cpu) device.set("threads", threads_);
  out.set("program", "ergode").set("version", build.version).set("commit", build.commit);
  out.set("compiler", build.compiler).set("cuda_compiler", build.cuda_compiler);
  out.set("date", io::utc_now()).set("quick", file_.quick).set("finished", finished_);
  out.set("machine", machine_).set("device", device);
  out.set("ceilings", measured_ceilings_).set("rows", rows_).set("left_out", left_out_);
  return out;
}

void Report::write() const {
  if (!file_.path.empty()) io::fs::replace_file(file_.path, json().text() + "\n");
}

}  // namespace ergode::sim
