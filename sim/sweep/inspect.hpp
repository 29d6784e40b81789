#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "io/diff.hpp"
#include "io/run/log.hpp"
#include "io/verify.hpp"
#include "sim/runner/simulation.hpp"

namespace ergode::sim {

/// Whether `path` is the directory of a sweep.
bool is_sweep(const std::filesystem::path& path);

/// What is compared of `path`: of a run directory its files, of a sweep its tables and every member's files, of
/// SWEEP/members/member_000012 that member's, whether it is a directory or packed. nullopt: none of these.
std::optional<io::RunFiles> find_run_files(const std::filesystem::path& path, const std::vector<SimulationType>& types);

/// The same of a packed member alone.
std::optional<io::RunFiles> find_packed_member(const std::filesystem::path& path,
                                               const std::vector<SimulationType>& types);

/// How far a sweep is, its axes, failed members and live tasks; makes its index anew where that is not up to date.
void describe_sweep(const std::filesystem::path& sweep, const std::vector<SimulationType>& types, io::Log& log);

/// The checks of io::verify(), and of a run directory whose run is finished whether its results are there.
std::vector<io::Verified> verify_run(const std::filesystem::path& path, const std::vector<SimulationType>& types);

/// The same for the sweep and the run directories of its members, and whether what its index names is
/// there.
std::vector<io::Verified> verify_sweep(const std::filesystem::path& sweep, const std::vector<SimulationType>& types);

}  // namespace ergode::sim
