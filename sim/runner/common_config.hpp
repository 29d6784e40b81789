#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/config/document.hpp"
#include "sim/runner/simulation.hpp"
#include "sim/sweep/settings.hpp"

namespace ergode::sim {

/// `output:`, of which each simulation declares more keys.
struct OutputConfig {
  std::filesystem::path directory;
  void declare(io::Section& section);
};

/// `checkpoint: {every: 15 min, keep: 2}`
struct CheckpointConfig {
  io::Interval every{900, 0};
  int keep = 2;
  void declare(io::Section& section);
};

/// The keys that every simulation has.
struct CommonConfig {
  std::string simulation;
  std::string name;
  std::uint32_t seed = 0;
  std::string device = "auto";
  int threads = 0;  ///< 0: as many as the process may use
  OutputConfig output;
  CheckpointConfig checkpoint;
  std::optional<SweepSettings> sweep;
  void declare(io::Section& root);
};

/// A config that was read and checked.
struct LoadedConfig {
  std::filesystem::path path;
  CommonConfig common;
  std::unique_ptr<SimulationConfig> simulation;
  std::string used_yaml;  ///< with every default; can be run as it is
  std::vector<io::FlatKey> flat;
  std::vector<std::string> warnings;
};

/// Reads `path` with `overrides` ("key.path=value"). Throws io::Error(config) with every problem,
/// io::Error(command_line) for a bad override.
LoadedConfig load_config(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                         const std::vector<SimulationType>& types);

/// The same for a document that was read already; `path` gives the default of `name` and the folder of input files.
LoadedConfig read_document(const io::Document& document, const std::filesystem::path& path, const SimulationType& type);

/// The config at `path`, changed by `--set`.
io::Document load_document(const std::filesystem::path& path, const std::vector<std::string>& overrides);

/// The type that the document names; throws io::Error(config) when it names none.
const SimulationType& type_of(const io::Document& document, const std::vector<SimulationType>& types);

/// The type of that name; throws io::Error(command_line) listing those there are.
const SimulationType& find_type(const std::string& name, const std::vector<SimulationType>& types);

/// "nbody, option_pricing"
std::string type_names(const std::vector<SimulationType>& types);

}  // namespace ergode::sim
