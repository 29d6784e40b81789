#include "sim/options/path_work.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/options/chunk.hpp"
#include "sim/options/assemble_results.hpp"

namespace ergode::sim::options {

namespace k = kernels::options;

namespace {

/// Blocks that are worth launches of their own.
constexpr std::int64_t least_blocks = 16;

bool finite(const double* numbers, std::size_t count) {
  return std::all_of(numbers, numbers + count, [](double x) { return std::isfinite(x); });
}

std::size_t row_of(const Task& task) {
  return task.group.estimators.size() * k::moments;
}

/// Of chunks whose sum is not finite the first that is not, or the last, if only their sum overflows.
[[noreturn]] void refuse(Task& task, k::Work work, k::PathEngine& engine) {
  work.folded = false;
  const auto sums = engine.run({&work, 1});
  const std::size_t row = row_of(task);
  std::int64_t n = 0;
  while (n + 1 < work.count && finite(sums.data() + static_cast<std::size_t>(n) * row, row)) ++n;
  refuse_not_finite(task, engine, work.first + n);
}

}  // namespace

void append_work(std::vector<k::Work>& work, const Task& task, int number, std::int64_t first, std::int64_t count) {
  const std::int64_t end = first + count;
  const std::int64_t begin = std::max((first + k::fold_chunks - 1) / k::fold_chunks, std::int64_t{1}) * k::fold_chunks;
  const std::int64_t behind = std::min(end, task.chunks() - 1) / k::fold_chunks * k::fold_chunks;
  if (task.group.choices.replications > 0 || behind - begin < least_blocks * k::fold_chunks) {
    work.push_back({number, first, count});
    return;
  }
  if (begin > first) work.push_back({number, first, begin - first});
  work.push_back({number, begin, behind - begin, true});
  if (end > behind) work.push_back({number, behind, end - behind});
}

const double* add_sums(Task& task, const k::Work& work, const double* sums, k::PathEngine& engine) {
  const std::int64_t each = work.chunks_a_row();
  const std::size_t row = row_of(task);
  for (std::int64_t c = work.first; c < work.first + work.count; c += each, sums += row) {
    if (!finite(sums, row)) refuse(task, {work.group, c, each}, engine);
    task.add(c, sums, each);
  }
  return sums;
}

}  // namespace ergode::sim::options
