#pragma once

#include <optional>
#include <string>

namespace ergode::sim {

/// Seconds of `H:MM:SS`, `MM:SS`, `D-H:MM:SS` or a plain number of seconds; nullopt for anything else or nothing
/// positive.
std::optional<double> parse_walltime(const std::string& text);

/// `text` as a YAML scalar in single quotes, for a path or name given by a flag.
std::string yaml_quote(const std::string& text);

/// The command line as a shell would take it.
std::string join_command(int argc, const char* const* argv);

}  // namespace ergode::sim
