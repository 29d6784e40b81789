#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ergode::sim {

/// What to do with a run that is in the output directory already.
enum class Exists { fail, backup, overwrite };

/// What stands in an output directory.
struct DirectoryContent {
  bool run = false;       ///< files of a run of ours
  bool foreign = false;   ///< anything else
  bool finished = false;  ///< summary.json says so
};
DirectoryContent inspect(const std::filesystem::path& directory);

/// Whether a file or folder of this name in a run directory is ours.
bool is_run_file(const std::string& name);

/// Removes what a run of ours left, and nothing else; `run.log` stays when `keep_log`.
void remove_run(const std::filesystem::path& directory, bool keep_log);

/// `directory` and the folders above it that do not exist, the outermost first.
std::vector<std::filesystem::path> missing_folders(const std::filesystem::path& directory);

/// Moves `directory` to `directory.1`, or the first free number after it, which is returned. Refuses (io::Error(io)) to
/// move the working directory or a folder above it.
std::filesystem::path move_aside(const std::filesystem::path& directory);

}  // namespace ergode::sim
