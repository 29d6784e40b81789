#pragma once

#include "io/checkpoint.hpp"
#include "sim/runner/common_config.hpp"

namespace ergode::sim {

/// What a checkpoint's config and the present one say about a resume.
struct ResumePlan {
  bool nothing_to_add = false;  ///< no key differs but the runner's own, so that a finished run stays as it is
};

/// Throws io::Error(config) naming each key that differs from the checkpoint's config and may not.
ResumePlan check_resumable(const io::Checkpoint& checkpoint, const LoadedConfig& config,
                           const std::vector<SimulationType>& types);

}  // namespace ergode::sim
