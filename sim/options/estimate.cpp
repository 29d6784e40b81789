#include <algorithm>

#include "kernels/options/chunk.hpp"
#include "kernels/options/path_loops.hpp"
#include "sim/options/simulation.hpp"
#include "sim/options/task.hpp"

// What a book costs, said before anything is computed.

namespace ergode::sim::options {

namespace k = kernels::options;

namespace {

/// What a device keeps for the stacks of a kernel: for each thread that a large device can hold at once (270,336 on an
/// H200), as many bytes as the assembler reports for the largest kernel of the kind (CUDA 13.0, sm_90).
std::int64_t stacks(std::size_t assets, bool double_precision, bool upper_bound) {
  constexpr std::int64_t threads = 300'000;
  if (assets == 1) return 7'400 * threads;
  if (assets <= std::size_t{k::few_assets}) return 9'400 * threads;
  return (!double_precision ? 28'000 : upper_bound ? 68'000 : 51'000) * threads;
}

}  // namespace

sim::Estimate estimate(const Settings& settings, const kernels::Device& device) {
  constexpr std::size_t usual_estimators = 8;  // of an option: price, bias, Greeks
  // Of a CUDA engine: context, code and tables, and what it keeps at most of stored normals.
  constexpr std::int64_t fixed = std::int64_t{768} << 20, most_normals = std::int64_t{4} << 30;
  sim::Estimate e;
  std::int64_t training = 0, fit = 0, stack = 0, normals = 0, chunks = 0, row = 0;
  for (const Task& t : make_tasks(settings, 0)) {
    const auto steps = static_cast<double>(t.group.grid.steps()),
               assets = static_cast<double>(t.group.market.assets.size());
    const auto paths = static_cast<double>(t.group.paths_of(t.group.samples));
    const bool real = t.group.choices.double_precision;
    const std::int64_t number = real ? 8 : 4;
    e.work += paths * steps * assets;
    stack = std::max(stack, stacks(t.group.market.assets.size(), real, t.wants_upper_bound()));
    chunks += t.chunks();
    row = std::max(row, static_cast<std::int64_t>(t.options.size() * usual_estimators * k::moments * sizeof(double)));
    if (t.group.choices.replications > 0)
      normals = std::max(normals, static_cast<std::int64_t>(std::min(2 * number * paths * steps * assets, 1e15)));
    if (!t.needs_training()) continue;
    const auto& lsm = early_exercise(t.group.items.front().option)->lsm;
    const auto dates = static_cast<std::int64_t>(exercise_times(t.group.items.front().option, t.group.grid).size());
    training = std::max(training, 2 * dates * static_cast<std::int64_t>(assets) * lsm.training_paths * number);
    // Values, dates of exercise, dispersed spots, a bit a date, and triangles of the regression.
    fit = std::max(fit, lsm.training_paths * (32 + static_cast<std::int64_t>(assets) * number + dates / 8));
    e.work += static_cast<double>(lsm.training_paths) * steps * assets;
  }
  const auto options = static_cast<std::int64_t>(settings.options.size());
  const std::int64_t kept = options * (settings.output.save_values * 8 + 4096);
  e.host_bytes = training + kept + (std::int64_t{64} << 20);
  // A device trains by itself in half of its memory; what needs more is fetched in pieces.
  e.device_bytes = fixed + stack + std::min(chunks, most_chunks) * row + std::min(normals, most_normals) +
                   std::min(training + fit, device.memory_total / 2) + settings.output.save_values * (row / k::moments);
  e.disk_bytes = 2 * kept + 65536;
  e.largest_arrays = {{"training paths of early exercise", training}, {"results", kept}};
  e.work_unit = "path steps";
  return e;
}

}  // namespace ergode::sim::options
