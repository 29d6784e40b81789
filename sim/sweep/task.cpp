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

using Environment = std::function<const char*(const char*)>;

std::string text_of(const Environment& environment, const char* name) {
  const char* text = environment(name);
  return text != nullptr ? text : "";
}

/// What Slurm says of its array. To take a share that it does not mean would leave members out, or do all of them in
/// each task, so that anything but a number is refused.
std::int64_t array_number(const Environment& environment, const char* name, std::int64_t least) {
  constexpr std::int64_t most = 1'000'000'000;
  const std::string text = text_of(environment, name);
  const auto number = integer(text);
  if (number && *number >= least && *number <= most) return *number;
  throw io::Error(
      io::ExitCode::command_line,
      fmt::format("this is a task of a job array by SLURM_ARRAY_TASK_ID, but {} is {}, and no number from {} "
                  "on: which members are its own cannot be known; give --task I/N (--task 0/1 for all of "
                  "them)",
                  name, text.empty() ? "not set" : "`" + text + "`", least));
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

SweepTask find_task(const std::optional<SweepTask>& flag, const Environment& environment) {
  if (flag) return *flag;
  const char* const id_name = "SLURM_ARRAY_TASK_ID";
  if (text_of(environment, id_name).empty()) return {};
  const std::int64_t id = array_number(environment, id_name, 0);
  const std::int64_t count = array_number(environment, "SLURM_ARRAY_TASK_COUNT", 1);
  const auto end_or = [&](const char* name, std::int64_t other) {
    return text_of(environment, name).empty() ? other : array_number(environment, name, 0);
  };
  const std::int64_t first = end_or("SLURM_ARRAY_TASK_MIN", 0);
  const std::int64_t last = end_or("SLURM_ARRAY_TASK_MAX", first + count - 1);
  // Slurm says a step even where the ids are a list; the ends and the count must agree with it.
  const std::int64_t step = count > 1 ? (last - first) / (count - 1) : 1;
  const std::int64_t index = step > 0 ? (id - first) / step : -1;
  const bool regular =
      step > 0 && first + step * (count - 1) == last && id >= first && index < count && first + step * index == id;
  if (!regular)
    throw io::Error(io::ExitCode::command_line,
                    fmt::format("the job array's ids (this one is {}, {} of them from {} to {}) have no regular step: "
                                "submit it as --array=0-{}, or give --task I/N",
                                id, count, first, last, count - 1));
  return {index, count, fmt::format("SLURM_ARRAY_TASK_ID={} of {} tasks", id, count)};
}

}  // namespace ergode::sim
