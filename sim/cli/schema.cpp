#include "sim/cli/commands.hpp"
#include "sim/runner/common_config.hpp"

namespace ergode::sim {

io::ExitCode show_schema(const std::optional<std::string>& type, bool markdown,
                         const std::vector<SimulationType>& types, io::Log& log) {
  std::vector<const SimulationType*> shown;
  if (type) shown.push_back(&find_type(*type, types));
  if (!type)
    for (const SimulationType& each : types) shown.push_back(&each);
  for (const SimulationType* each : shown) {
    CommonConfig common;
    common.simulation = each->name;
    const auto config = each->make_config({});
    const auto schema = io::describe([&](io::Section& root) {
      common.declare(root);
      config->declare(root);
    });
    log.result((markdown ? "## " : "# ") + each->name + ": " + each->meaning + "\n");
    log.result(markdown ? io::schema_markdown(*schema) : io::schema_text(*schema));
  }
  return io::ExitCode::done;
}

io::ExitCode show_example(const std::string& type, const std::vector<SimulationType>& types, io::Log& log) {
  std::string text = find_type(type, types).example;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  log.result(text);
  return io::ExitCode::done;
}

}  // namespace ergode::sim
