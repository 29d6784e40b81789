#include "sim/runner/resume.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>

namespace ergode::sim {

bool of_the_runner(std::string_view path) {
  return path == "device" || path == "threads" || path == "output.directory" || path == "sweep.packed" ||
         path.starts_with("checkpoint");
}

ResumePlan check_resumable(const io::Checkpoint& checkpoint, const LoadedConfig& config,
                           const std::vector<SimulationType>& types) {
  const std::string& name = config.common.simulation;
  if (checkpoint.simulation != name)
    throw io::Error(io::ExitCode::config,
                    fmt::format("the checkpoint is of a simulation `{}`, the config asks for `{}`: start a new run in "
                                "another directory (-o DIR)",
                                checkpoint.simulation, name));
  // The stored config is read by the same declarations: a key that has a default since then counts as having it.
  const LoadedConfig stored = read_document(io::Document::parse(checkpoint.config, "the checkpoint's config"),
                                            config.path, find_type(name, types));
  const std::vector<std::string> differing = io::differing_keys(stored.flat, config.flat);
  if (!differing.empty()) {
    std::string text = "the config differs from that of the checkpoint in what may not change on a resume:";
    for (const std::string& key : differing) text += "\n  " + key;
    throw io::Error(io::ExitCode::config,
                    text + "\nrestore these values, or start a new run in another directory (-o DIR)");
  }
  const auto values = [](const std::vector<io::FlatKey>& keys) {
    std::map<std::string_view, std::string_view> out;
    for (const io::FlatKey& key : keys)
      if (!of_the_runner(key.path)) out[key.path] = key.value;
    return out;
  };
  const auto then = values(stored.flat), now = values(config.flat);
  ResumePlan plan;
  for (const auto& [path, value] : now) {
    const auto old = then.find(path);
    if (old == then.end() || old->second != value)
      plan.changed.push_back(
          fmt::format("{}: stored {}, now {}", path, old == then.end() ? "nothing" : old->second, value));
  }
  for (const auto& [path, value] : then)
    if (!now.contains(path)) plan.changed.push_back(fmt::format("{}: stored {}, now nothing", path, value));
  return plan;
}

}  // namespace ergode::sim
