#include "sim/runner/lost_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "io/checkpoint.hpp"
#include "io/hdf5/reader.hpp"
#include "io/run/json.hpp"
#include "io/run/text_file.hpp"
#include "io/verify.hpp"

namespace ergode::sim {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

bool is_whole(const fs::path& file) {
  if (!is_there(file)) return false;
  const bool readable = file.extension() == ".h5";
  return !readable || io::verify(file).front().state != io::Verified::State::damaged;
}

/// The simulation of a run that is finished; empty of any other.
std::string finished_simulation(const fs::path& directory) {
  const std::string summary = io::read_text(directory / "summary.json").value_or("");
  if (io::json_field(summary, "state") == "finished") return io::json_field(summary, "simulation").value_or("");
  try {
    const io::Attributes root = io::FileReader(io::checkpoint_path(directory, 0)).attributes("/");
    const auto finished = root.find("finished"), simulation = root.find("simulation");
    if (finished == root.end() || simulation == root.end()) return {};
    return std::get<std::int64_t>(finished->second) != 0 ? std::get<std::string>(simulation->second) : "";
  } catch (const io::Error&) {
    return {};
  }
}

}  // namespace

std::string LostResults::text() const {
  std::vector<std::string> all = gone;
  all.insert(all.end(), mendable.begin(), mendable.end());
  return fmt::format("{}", fmt::join(all, ", "));
}

LostResults find_lost_results(const fs::path& directory, const SimulationType& type) {
  LostResults lost;
  for (const std::string& name : type.final_files)
    if (!is_whole(directory / name)) lost.mendable.push_back(name);
  for (const std::string& name : type.grown_files)
    if (!is_whole(directory / name)) lost.gone.push_back(name);
  for (const io::Verified& gap : io::missing_snapshots(directory))
    lost.gone.push_back(fs::path(gap.path).lexically_relative(directory).string());
  return lost;
}

std::vector<std::string> missing_so_far(const fs::path& directory, const SimulationType& type) {
  std::vector<std::string> missing;
  for (const std::string& name : type.grown_files)
    if (!is_there(directory / name)) missing.push_back(name);
  for (const io::Verified& gap : io::missing_snapshots(directory))
    missing.push_back(fs::path(gap.path).lexically_relative(directory).string());
  return missing;
}

std::vector<fs::path> missing_results(const fs::path& directory, const std::vector<SimulationType>& types) {
  std::vector<fs::path> missing;
  const std::string simulation = finished_simulation(directory);
  for (const SimulationType& type : types) {
    if (type.name != simulation) continue;
    for (const auto* names : {&type.grown_files, &type.final_files})
      for (const std::string& name : *names)
        if (!is_there(directory / name)) missing.push_back(directory / name);
  }
  return missing;
}

}  // namespace ergode::sim
