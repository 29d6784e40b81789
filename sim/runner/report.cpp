#include "sim/runner/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "io/run/json.hpp"
#include "io/run/progress.hpp"
#include "io/run/provenance.hpp"
#include "io/run/text_file.hpp"
#include "kernels/device/profile.hpp"
#include "sim/cli/bytes.hpp"

namespace ergode::sim {
namespace {

double rate(const RunReport& r, double seconds) {
  return seconds > 0 ? static_cast<double>(r.progress.unit - r.started_at) / seconds : 0;
}

io::JsonObject results(const Summary& summary) {
  io::JsonObject out;
  for (const SummaryItem& item : summary) {
    io::JsonObject entry;
    std::visit([&](const auto& value) { entry.set("value", value); }, item.value);
    if (!item.units.empty()) entry.set("units", item.units);
    if (item.timing) entry.set("timing", true);
    out.set(item.name, entry);
  }
  return out;
}

std::array<std::pair<const char*, double>, 5> named(const Phases& p) {
  return {{{"initialise", p.initialise},
           {"advance", p.advance},
           {"observe", p.observe},
           {"checkpoint", p.checkpoint},
           {"finish", p.finish}}};
}

std::string text(const std::variant<std::int64_t, double, std::string>& value) {
  if (const auto* count = std::get_if<std::int64_t>(&value)) return std::to_string(*count);
  if (const auto* number = std::get_if<double>(&value))
    return std::isnan(*number) ? "nan" : fmt::format("{:.7g}", *number);  // without the sign that it may have
  return std::get<std::string>(value);
}

}  // namespace

void write_report(const std::filesystem::path& directory, const RunReport& r) {
  const kernels::Scope scope(kernels::Phase::files, "summary.json");
  io::JsonObject out;
  out.set("simulation", r.simulation).set("name", r.name).set("state", r.state);
  if (!r.identity.empty()) out.set("identity", r.identity);
  out.set("exit_code", static_cast<int>(r.exit_code)).set("message", r.message);
  out.set("unit", r.progress.unit).set("total", r.progress.total).set("unit_name", r.progress.unit_name);
  out.set("resumes", r.resumes);
  out.set("wall_seconds", r.wall_seconds).set("wall_seconds_total", r.earlier_seconds + r.wall_seconds);
  out.set("units_per_second", rate(r, r.wall_seconds));
  out.set("units_per_second_advancing", rate(r, r.phases.advance));
  out.set("checkpoint_unit", r.checkpoint_unit).set("checkpoint_bytes", r.checkpoint_bytes);
  out.set("results", results(r.summary));
  io::JsonObject phases;
  for (const auto& [name, seconds] : named(r.phases)) phases.set(name, seconds);
  out.set("seconds_by_phase", phases);
  io::JsonObject memory;
  if (r.host_memory_peak > 0) memory.set("host_peak_bytes", r.host_memory_peak);
  if (r.device_memory_peak >= 0) memory.set("device_peak_bytes", r.device_memory_peak);
  out.set("memory", memory);
  out.set("provenance", io::json(r.provenance));
  io::write_text(directory / "summary.json", out.text() + "\n");
}

void print_report(io::Log& log, const RunReport& r, const std::filesystem::path& directory) {
  std::size_t width = 4;
  for (const SummaryItem& item : r.summary) width = std::max(width, item.name.size());
  for (const SummaryItem& item : r.summary)
    log.info(fmt::format("  {:<{}}  {}{}{}", item.name, width, text(item.value),
                         item.units.empty() || item.units == "1" ? "" : " ", item.units == "1" ? "" : item.units));
  if (r.host_memory_peak > 0)
    log.info(fmt::format("most memory in use: {}{}", bytes_text(r.host_memory_peak),
                         r.device_memory_peak < 0 ? "" : ", of the GPU's " + bytes_text(r.device_memory_peak)));
  log.info(fmt::format("{}: {} {} in {} ({} {}s/s in all, {} while advancing); {} in {}", r.state, r.progress.unit_name,
                       r.progress.unit, io::duration_text(r.wall_seconds), io::short_number(rate(r, r.wall_seconds)),
                       r.progress.unit_name, io::short_number(rate(r, r.phases.advance)),
                       r.exit_code == io::ExitCode::done ? "results" : "checkpoint", directory.string()));
}

EarlierRuns read_earlier_runs(const std::filesystem::path& directory) {
  EarlierRuns earlier;
  const auto text = io::read_text(directory / "summary.json");
  if (!text) return earlier;
  const std::string resumes = io::json_field(*text, "resumes").value_or("");
  const std::string seconds = io::json_field(*text, "wall_seconds_total").value_or("");
  std::from_chars(resumes.data(), resumes.data() + resumes.size(), earlier.resumes);
  std::from_chars(seconds.data(), seconds.data() + seconds.size(), earlier.seconds);
  return earlier;
}

}  // namespace ergode::sim
