#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "io/run/log.hpp"
#include "sim/runner/run.hpp"
#include "sim/runner/simulation.hpp"

// One function a command. All throw on trouble; command_line() says it and returns the exit class.
namespace ergode::sim {

/// Parses and checks everything, estimates memory, disk and work; writes nothing. `out_of_memory` when it does not fit.
io::ExitCode validate(const RunOptions& options, const std::vector<SimulationType>& types, io::Log& log);

/// The same of a sweep: every member's config is checked, and what they need together.
io::ExitCode validate_sweep(const RunOptions& options, const std::vector<SimulationType>& types, io::Log& log);

io::ExitCode list_devices(bool json, io::Log& log);

io::ExitCode show_info(const std::filesystem::path& path, const std::vector<SimulationType>& types, io::Log& log);

io::ExitCode verify_checksums(const std::filesystem::path& path, const std::vector<SimulationType>& types,
                              io::Log& log);

io::ExitCode show_difference(const std::filesystem::path& a, const std::filesystem::path& b, double rtol,
                             const std::vector<SimulationType>& types, io::Log& log);

io::ExitCode show_schema(const std::optional<std::string>& type, bool markdown,
                         const std::vector<SimulationType>& types, io::Log& log);

io::ExitCode show_example(const std::string& type, const std::vector<SimulationType>& types, io::Log& log);

}  // namespace ergode::sim
