#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/run/log.hpp"
#include "kernels/device/profile.hpp"

namespace ergode::sim {

/// The table of a stopped profile: for each phase, and each part of one, calls, seconds, their share of the wall time,
/// and the rate where the amount of work is known. Then the same of a device's kernels, by its own clock.
std::vector<std::string> profile_table(const kernels::Profile& profile);

/// A stopped profile in the Trace Event Format, which Perfetto and chrome://tracing open: the scopes as pairs of begin
/// and end, the host's on track 0, the device's on track 1; the table's numbers are in `otherData`.
std::string profile_json(const kernels::Profile& profile);

/// Stops the profile of this thread, prints its table and writes profile.json; that it cannot be written is a warning.
void report_profile(io::Log& log, const std::filesystem::path& directory);

}  // namespace ergode::sim
