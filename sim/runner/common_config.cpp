#include "sim/runner/common_config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/config/document.hpp"
#include "sim/device/choose.hpp"

namespace ergode::sim {

void OutputConfig::declare(io::Section& section) {
  section.key("directory", directory, "the run directory; runs/NAME when left out").may_change_on_resume();
}

void CheckpointConfig::declare(io::Section& section) {
  section.key("every", every, "time or steps between two checkpoints (`15 min`, `10 steps`)").may_change_on_resume();
  section.key("keep", keep, "how many checkpoints are kept").at_least(1).at_most(1000).may_change_on_resume();
}

void CommonConfig::declare(io::Section& root) {
  root.key("simulation", simulation, "what is simulated").required();
  root.key("name", name, "name of the run; that of the file when left out");
  root.key("seed", seed, "of all random numbers (32 bits)");
  root.key("device", device, "auto, cpu, cuda or cuda:N").may_change_on_resume();
  root.key("threads", threads, "CPU threads; 0: as many as the process may use")
      .at_least(0)
      .at_most(65536)
      .may_change_on_resume();
  root.section("output", output, "where the results go");
  root.section("checkpoint", checkpoint, "from what a run can be resumed");
  root.section("sweep", sweep, "makes an ensemble of runs, its members");
  root.check([this](const auto& complain) {
    if (!is_device_name(device))
      complain("device", fmt::format("`{}` is no device; allowed are auto, cpu, cuda and cuda:N", device));
    const bool plain =
        std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '/'; });
    if (name.empty() || !plain || name == "." || name == "..")
      complain("name", "a name must be usable as that of a folder: not empty, without `/` and control characters");
  });
}

std::string type_names(const std::vector<SimulationType>& types) {
  std::string names;
  for (const SimulationType& type : types) names += (names.empty() ? "" : ", ") + type.name;
  return names;
}

const SimulationType& find_type(const std::string& name, const std::vector<SimulationType>& types) {
  for (const SimulationType& type : types)
    if (type.name == name) return type;
  throw io::Error(io::ExitCode::command_line,
                  fmt::format("`{}` is no simulation type; there are: {}", name, type_names(types)));
}

LoadedConfig read_document(const io::Document& document, const std::filesystem::path& path,
                           const SimulationType& type) {
  LoadedConfig config;
  config.path = path;
  const std::string name = io::peek(document, "name");
  config.common.name = name.empty() ? path.stem().string() : name;
  config.common.output.directory = std::filesystem::path("runs") / config.common.name;
  config.simulation = type.make_config(path.parent_path());
  io::ReadResult result = io::read_config(document, [&](io::Section& root) {
    config.common.declare(root);
    config.simulation->declare(root);
  });
  config.used_yaml = std::move(result.used_yaml);
  config.warnings = std::move(result.warnings);
  config.flat = std::move(result.flat);
  return config;
}

const SimulationType& type_of(const io::Document& document, const std::vector<SimulationType>& types) {
  const std::string name = io::peek(document, "simulation");
  for (const SimulationType& type : types)
    if (type.name == name) return type;
  const io::Node* node = document.root().find("simulation");
  const std::string where = document.describe(node != nullptr ? node->at : document.root().at);
  if (name.empty())
    throw io::Error(io::ExitCode::config,
                    fmt::format("{}: the key `simulation` is missing: it says what is simulated, one of: {}", where,
                                type_names(types)));
  throw io::Error(io::ExitCode::config,
                  fmt::format("{}: `simulation: {}` is not known; allowed are: {}", where, name, type_names(types)));
}

io::Document load_document(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  io::Document document = io::Document::load(path);
  for (const std::string& assignment : overrides) document.set(assignment);
  return document;
}

LoadedConfig load_config(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                         const std::vector<SimulationType>& types) {
  const io::Document document = load_document(path, overrides);
  return read_document(document, path, type_of(document, types));
}

}  // namespace ergode::sim
