#pragma once

#include <filesystem>
#include <functional>
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

/// Makes room for a new run in `directory`, whose lock the caller holds, as `exists` says: a run in it is refused
/// (io::Error(io)), removed, or moved aside, for which `unlock` gives the lock back and `relock` makes and locks the
/// directory anew. `say` is told where the earlier run went.
void make_room(const std::filesystem::path& directory, Exists exists, const DirectoryContent& content,
               const std::function<void()>& unlock, const std::function<void()>& relock,
               const std::function<void(const std::string&)>& say);

/// Moves `directory` to `directory.1`, or the first free number after it, which is returned. Refuses (io::Error(io)) to
/// move the working directory or a folder above it.
std::filesystem::path move_aside(const std::filesystem::path& directory);

}  // namespace ergode::sim
