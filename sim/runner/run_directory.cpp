#include "sim/runner/run_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/error.hpp"
#include "io/fs/file.hpp"
#include "io/run/json.hpp"
#include "io/run/lock.hpp"
#include "io/run/text_file.hpp"

namespace ergode::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::array run_names{"config.used.yaml", "run.log",     "summary.json", "series.h5",
                               "results.h5",       "results.csv", "snapshots"};

bool is_snapshot(const std::string& name) {
  return name.starts_with("snapshot_") && name.find(".hdf5") != std::string::npos;
}

}  // namespace

bool is_run_file(const std::string& name) {
  if (name.starts_with(io::lock_name)) return true;
  if (name.starts_with("checkpoint") && name.find(".h5") != std::string::npos) return true;
  return std::any_of(run_names.begin(), run_names.end(),
                     [&](const std::string& ours) { return name == ours || name.starts_with(ours + ".tmp."); });
}

DirectoryContent inspect(const fs::path& directory) {
  DirectoryContent content;
  std::error_code problem;
  for (fs::directory_iterator it(directory, problem), end; !problem && it != end; it.increment(problem)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(io::lock_name)) continue;  // a lock alone is no run
    (is_run_file(name) ? content.run : content.foreign) = true;
  }
  if (const auto summary = io::read_text(directory / "summary.json"))
    content.finished = io::json_field(*summary, "state") == "finished";
  return content;
}

void remove_run(const fs::path& directory, bool keep_log) {
  std::vector<fs::path> ours;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (!is_run_file(name) || name == io::lock_name || (keep_log && name == "run.log")) continue;
    ours.push_back(entry.path());
  }
  // Checkpoints first: one without the files that it counts on would be resumed from.
  std::stable_partition(ours.begin(), ours.end(),
                        [](const fs::path& path) { return path.filename().string().starts_with("checkpoint"); });
  for (const fs::path& path : ours) {
    std::error_code problem;
    if (path.filename() == "snapshots" && fs::is_directory(fs::symlink_status(path))) {  // of a link only the link goes
      std::vector<fs::path> snapshots;
      for (const auto& entry : fs::directory_iterator(path))
        if (is_snapshot(entry.path().filename().string())) snapshots.push_back(entry.path());
      for (const fs::path& snapshot : snapshots) fs::remove(snapshot);
      if (fs::is_empty(path)) fs::remove(path, problem);
      continue;
    }
    if (!fs::remove(path, problem) && problem)
      throw io::Error(io::ExitCode::io, fmt::format("{}: cannot be removed: {}", path.string(), problem.message()));
  }
}

std::vector<fs::path> missing_folders(const fs::path& directory) {
  std::vector<fs::path> missing;
  std::error_code problem;
  fs::path folder = fs::absolute(directory).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // a slash at the end
  for (; !fs::exists(fs::symlink_status(folder, problem)) && folder.has_relative_path(); folder = folder.parent_path())
    missing.push_back(folder);
  std::reverse(missing.begin(), missing.end());
  return missing;
}

fs::path move_aside(const fs::path& directory) {
  const fs::path from = fs::canonical(directory);
  const fs::path here = fs::current_path();
  const auto [end, rest] = std::mismatch(from.begin(), from.end(), here.begin(), here.end());
  if (end == from.end())
    throw io::Error(
        io::ExitCode::io,
        fmt::format("{}: holds the working directory and is not moved aside; run from elsewhere, or choose another "
                    "output directory (-o DIR)",
                    from.string()));
  for (int number = 1;; ++number) {
    const fs::path to = from.string() + "." + std::to_string(number);
    if (fs::exists(fs::symlink_status(to))) continue;
    std::error_code problem;
    fs::rename(from, to, problem);
    if (problem)
      throw io::Error(io::ExitCode::io,
                      fmt::format("{}: cannot be moved to {}: {}", from.string(), to.string(), problem.message()));
    if (fs::is_symlink(directory)) io::fs::make_directories(from);  // or the link would lead nowhere
    return to;
  }
}

}  // namespace ergode::sim
