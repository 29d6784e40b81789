#pragma once

#include "io/checkpoint.hpp"
#include "sim/runner/common_config.hpp"

namespace ergode::sim {

/// Throws io::Error(config) naming each key that differs from the checkpoint's config and may not.
void check_resumable(const io::Checkpoint& checkpoint, const LoadedConfig& config);

/// Whether a finished run's config asks for nothing new: no key differs but those of the runner itself (device, threads,
/// directory, checkpoint), which cannot make a finished run longer.
bool nothing_to_add(const io::Checkpoint& checkpoint, const LoadedConfig& config);

}  // namespace ergode::sim
