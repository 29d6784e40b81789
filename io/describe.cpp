#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "io/hdf5/reader.hpp"
#include "io/hdf5/seal.hpp"
#include "io/verify.hpp"

namespace ergode::io {
namespace {

std::string text_of(const Attributes& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return {};
  if (const auto* text = std::get_if<std::string>(&found->second)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&found->second)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&found->second)) return fmt::format("{}", *real);
  return {};
}

/// The value of the top-level key `name:` in a config's text, as it stands there.
std::string config_value(const std::string& config, const std::string& name) {
  for (std::size_t at = 0; at < config.size();) {
    const std::size_t end = std::min(config.find('\n', at), config.size());
    const std::string line = config.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(name + ":")) continue;
    const auto begin = line.find_first_not_of(' ', name.size() + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

std::string particles(const FileReader& file, const Attributes& header) {
  const auto found = header.find("NumPart_ThisFile");
  if (found == header.end() || !std::holds_alternative<Array>(found->second)) return {};
  std::string text;
  for (int type = 0; type < 16; ++type) {
    const std::string group = fmt::format("/PartType{}", type);
    if (!file.has(group + "/Coordinates")) continue;
    text +=
        fmt::format("{}{} of type {}", text.empty() ? "" : ", ", file.info(group + "/Coordinates").shape.at(0), type);
  }
  return text;
}

std::string rows_line(const FileReader& file, const std::string& scale) {
  const auto shape = file.info(scale).shape;
  const std::int64_t rows = shape.empty() ? 0 : shape[0];
  std::string text = fmt::format("\nrows: {}", rows);
  if (rows == 0 || scale != "/time") return text;
  const Array time = file.first_rows(scale, Type::float64, rows);
  return text + fmt::format("\nlast time: {} {}", time.as<double>().back(), text_of(file.attributes(scale), "units"));
}

}  // namespace

std::string describe_file(const std::filesystem::path& path) {
  std::string text = path.string() + ": ";
  try {
    const FileReader file(path);
    const Attributes root = file.attributes("/");
    const Attributes provenance = file.has("/provenance") ? file.attributes("/provenance") : Attributes{};
    const std::string kind = text_of(root, "ergode_file");
    if (kind == "checkpoint") {
      text += fmt::format("checkpoint, format {}", text_of(root, "format"));
      const auto config = file.strings("/config");
      if (!config.empty()) text += "\nname: " + config_value(config[0], "name");
      text += "\nsimulation: " + text_of(root, "simulation") + "\nunits of work done: " + text_of(root, "unit");
      text += "\nfinished: " + std::string(text_of(root, "finished") == "1" ? "yes" : "no");
      text += "\nbackend: " + text_of(root, "backend") + " " + text_of(root, "isa");
    } else if (kind == "series" || (file.has("/time") && file.has("/step"))) {
      text += "time series" + rows_line(file, "/time");
    } else if (file.has("/instrument") && file.has("/price")) {
      text += "table of results" + rows_line(file, "/price");
    } else if (file.has("/Header") && !file.attributes("/Header").empty()) {
      const Attributes header = file.attributes("/Header");
      text += file.has("/provenance") ? "N-body snapshot" : "Gadget-HDF5 snapshot of another code";
      text += "\nparticles: " + particles(file, header) + "\ntime: " + text_of(header, "Time");
    } else {
      text += "HDF5 file of another kind";
    }
    for (const char* key : {"name", "simulation", "version", "device", "started", "date"})
      if (const auto value = text_of(provenance, key); !value.empty()) text += fmt::format("\n{}: {}", key, value);
    const SealState seal = check_seal(path);
    text += seal == SealState::intact    ? "\nseal: intact"
            : seal == SealState::damaged ? "\nseal: DAMAGED"
                                         : "\nseal: none";
  } catch (const Error& error) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) throw;
    text += std::string("not readable: ") + error.what();
  }
  return text;
}

}  // namespace ergode::io
