#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ergode::sim {

/// One of `count` processes, counted from 0, that share the members of a sweep: member m is of the task m mod count, so
/// that members whose cost grows along an axis are spread evenly.
struct SweepTask {
  std::int64_t index = 0;
  std::int64_t count = 1;
  std::string source;  ///< where it was said, for the log; empty: nowhere

  bool has(std::int64_t member) const { return member % count == index; }
  /// How many of `members` are its.
  std::int64_t share(std::int64_t members) const { return (members - index + count - 1) / count; }
};

/// `I/N`; nullopt for anything but 0 <= I < N.
std::optional<SweepTask> parse_task(const std::string& text);

/// What `--task` says, else what Slurm's job array says through `environment` (a variable's value, or nullptr), else
/// the only task. Array ids may start anywhere and have a step, as `--array=1-10` or `--array=0-30:10`; throws
/// io::Error(command_line) where they have no regular step or are no numbers.
SweepTask find_task(const std::optional<SweepTask>& flag, const std::function<const char*(const char*)>& environment);

}  // namespace ergode::sim
