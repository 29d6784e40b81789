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

constexpr std::array run_names{"config.used.yaml", "run.log",  "summary.json", "series.h5", "results.h5", "results.csv",
                               "snapshots",        "sweep.h5", "sweep.csv",    "members",   "tasks",      "origin.json",
                               "profile.json"};

bool is_snapshot(const std::string& name) {
  return name.starts_with("snapshot_") && name.find(".hdf5") != std::string::npos;
}

bool has_results(const fs::path& directory) {
  return fs::exists(directory / "series.h5") || fs::exists(directory / "snapshots") ||
         fs::exists(directory / "summary.json") || fs::exists(directory / "members");
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

namespace {

/// Removes what is ours in a folder of a run, and the folder when nothing else is in it.
void remove_folder(const fs::path& folder) {
  std::vector<fs::path> files, runs;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool is_folder = entry.is_directory() && !entry.is_symlink();
    if (is_folder && (name.starts_with("member_") || name.starts_with("task_"))) runs.push_back(entry.path());
    if (is_snapshot(name) || name.starts_with("members_")) files.push_back(entry.path());
  }
  for (const fs::path& file : files) fs::remove(file);
  std::error_code not_empty;
  for (const fs::path& run : runs) {
    remove_run(run, /*keep_log=*/false);
    fs::remove(run / io::lock_name);
    fs::remove(run, not_empty);
  }
  fs::remove(folder, not_empty);
}

}  // namespace

void remove_run(const fs::path& directory, bool keep_log) {
  std::vector<fs::path> ours;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (!is_run_file(name) || name == io::lock_name || (keep_log && name == "run.log")) continue;
    ours.push_back(entry.path());
  }
  // First what a resume would go on from: it must not outlive the files that it counts on, or its config.
  std::stable_partition(ours.begin(), ours.end(), [](const fs::path& path) {
    const std::string name = path.filename().string();
    return name.starts_with("checkpoint") || name == "members";
  });
  for (const fs::path& path : ours) {
    std::error_code problem;
    if (fs::is_directory(fs::symlink_status(path))) {  // of a link only the link goes
      remove_folder(path);
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

void make_room(const fs::path& directory, Exists exists, const DirectoryContent& content,
               const std::function<void()>& unlock, const std::function<void()>& relock,
               const std::function<void(const std::string&)>& say) {
  const std::string name = directory.string();
  if (!content.run) {
    if (content.foreign && exists == Exists::overwrite)
      throw io::Error(io::ExitCode::io,
                      fmt::format("{}: holds files, but no run of ours: it is not overwritten; choose another output "
                                  "directory (-o DIR)",
                                  name));
    return;
  }
  switch (exists) {
    case Exists::fail:
      throw io::Error(
          io::ExitCode::io,
          fmt::format(
              "{}: there is a run in it already; continue it with --resume, keep it with --exists backup (moved to "
              "{}.1), replace it with --exists overwrite, or choose another directory (-o DIR)",
              name, name));
    case Exists::overwrite:
      if (!fs::is_regular_file(directory / "config.used.yaml") && has_results(directory))
        throw io::Error(io::ExitCode::io,
                        fmt::format("{}: holds files with the names of ours, but no config.used.yaml: it is not "
                                    "overwritten; choose another output directory (-o DIR)",
                                    name));
      return remove_run(directory, /*keep_log=*/false);
    case Exists::backup: {
      // The lock goes along, so that nobody can take the directory in between.
      const fs::path aside = move_aside(directory);
      fs::remove(aside / io::lock_name);
      unlock();
      say(fmt::format("the earlier run in {} is now in {}", name, aside.string()));
      relock();
    }
  }
}

}  // namespace ergode::sim
