#include "sim/sweep/task.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "io/error.hpp"

namespace ergode::sim {
namespace {

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<SweepTask> parse_task(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto index = integer(std::string_view(text).substr(0, slash)),
             count = integer(std::string_view(text).substr(slash + 1));
  if (!index || !count || *index >= *count) return std::nullopt;
  return SweepTask{*index, *count, "--task"};
}

SweepTask find_task(const std::optional<SweepTask>& flag, const std::function<const char*(const char*)>& environment) {
  if (flag) return *flag;
  const auto variable = [&](const char* name) -> std::optional<std::int64_t> {
    const char* text = environment(name);
    return text != nullptr ? integer(text) : std::nullopt;
  };
  const auto id = variable("SLURM_ARRAY_TASK_ID"), count = variable("SLURM_ARRAY_TASK_COUNT");
  if (!id || !count) return {};
  const std::int64_t first = variable("SLURM_ARRAY_TASK_MIN").value_or(0);
  const std::int64_t last = variable("SLURM_ARRAY_TASK_MAX").value_or(first + *count - 1);
  // Slurm says a step even where the ids are a list; the ends and the count must agree with it.
  const std::int64_t step = *count > 1 ? (last - first) / (*count - 1) : 1;
  const std::int64_t index = step > 0 ? (*id - first) / step : -1;
  const bool regular =
      step > 0 && first + step * (*count - 1) == last && *id >= first && index < *count && first + step * index == *id;
  if (!regular)
    throw io::Error(io::ExitCode::command_line,
                    fmt::format("the job array's ids (this one is {}, {} of them from {} to {}) have no regular step: "
                                "submit it as --array=0-{}, or give --task I/N",
                                *id, *count, first, last, *count - 1));
  return {index, *count, fmt::format("SLURM_ARRAY_TASK_ID={} of {} tasks", *id, *count)};
}

}  // namespace ergode::sim
