#include "sim/cli/commands.hpp"
#include "sim/runner/common_config.hpp"

namespace ergode::sim {
namespace {

constexpr const char* introduction =
    "# Configuration\n\n"
    "A run is described by one YAML file. Below stands each key of it, by the type of simulation, with its type, unit, "
    "range and default; a key marked \"may change on resume\" can differ when `ergode run --resume` goes on with a "
    "run, any "
    "other is refused. Unknown and repeated keys, values of another type and values out of range are refused with "
    "their line "
    "before anything runs, and `config.used.yaml` in the run directory has every default written out. This page is the "
    "output of `ergode schema --markdown`.\n";

}  // namespace

io::ExitCode show_schema(const std::optional<std::string>& type, bool markdown,
                         const std::vector<SimulationType>& types, io::Log& log) {
  std::vector<const SimulationType*> shown;
  if (type) shown.push_back(&find_type(*type, types));
  if (!type)
    for (const SimulationType& each : types) shown.push_back(&each);
  if (markdown) log.result(introduction);
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
