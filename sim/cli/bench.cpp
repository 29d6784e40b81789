#include "sim/cli/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "sim/device/choose.hpp"

namespace ergode::sim {
namespace {

/// Larger than any cache.
constexpr std::int64_t copy_bytes = 1 << 30, quick_copy_bytes = 1 << 26;

/// 1, 2, 4 ..., one a core, and all; of --quick the ends alone.
std::vector<int> thread_counts(int threads, bool quick) {
  std::set<int> counts{1, threads};
  if (quick) return {counts.begin(), counts.end()};
  for (int count = 2; count < threads; count *= 2) counts.insert(count);
  counts.insert(std::min(threads, cores_of(allowed_processors())));
  return {counts.begin(), counts.end()};
}

/// A size that nothing would read is a slip of who asks.
void check_sizes(const BenchOptions& options) {
  const auto check = [&](const char* flag, const std::vector<std::int64_t>& sizes, const char* of) {
    if (sizes.empty() || options.what.empty() || options.what == of) return;
    throw io::Error(io::ExitCode::command_line,
                    fmt::format("{0} is for the benchmark `{1}`, and `{2}` is asked for: leave out {0}, or `{2}` to "
                                "measure both",
                                flag, of, options.what));
  };
  check("--bodies", options.bodies, "nbody");
  check("--paths", options.paths, "options");
  check("--batch", options.batches, "options");
}

BenchPlace place_of(const BenchOptions& options) {
  DeviceRequest request;
  request.flag = options.device;
  if (const char* wanted = std::getenv("ERGODE_DEVICE")) request.environment = wanted;
  const auto cpu = [&] { return kernels::cpu_device(choose_isa(options.isa, "")); };
  BenchPlace place;
  place.device = choose_device(request, kernels::cuda_inventory, cpu).device;
  place.threads = options.threads.value_or(available_threads());
  place.pace.seconds = options.seconds.value_or(options.quick ? 0.02 : 2);
  place.pace.longest = options.longest.value_or(options.quick ? 1 : 4);
  if (place.on_cpu()) place.scaling = thread_counts(place.threads, options.quick);
  return place;
}

}  // namespace

io::ExitCode bench(const BenchOptions& options, io::Log& log) {
  check_sizes(options);
  const BenchPlace place = place_of(options);
  Report report(place.device, place.threads, {options.json, options.quick}, log);
  report.ceilings(measure_ceilings(place.device, place.threads, place.pace, kernels::all_ceilings,
                                   options.quick ? quick_copy_bytes : copy_bytes));
  if (options.what != "options") bench_gravity(options, place, report);
  if (options.what != "nbody") bench_paths(options, place, report);
  if (place.scaling.size() > 1) bench_threads(options, place, report);
  report.finish();
  return io::ExitCode::done;
}

}  // namespace ergode::sim
