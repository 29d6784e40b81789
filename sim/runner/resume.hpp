#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/checkpoint.hpp"
#include "sim/runner/common_config.hpp"

namespace ergode::sim {

/// Keys that cannot make a finished run longer or another one.
bool of_the_runner(std::string_view path);

/// What a checkpoint's config and the present one say about a resume.
struct ResumePlan {
  /// `path: stored 1, now 2` for each key that differs, and may, but for the runner's own. Empty: a finished run stays
  /// as it is.
  std::vector<std::string> changed;
};

/// Throws io::Error(config) naming each key that differs from the checkpoint's config and may not.
ResumePlan check_resumable(const io::Checkpoint& checkpoint, const LoadedConfig& config,
                           const std::vector<SimulationType>& types);

}  // namespace ergode::sim
