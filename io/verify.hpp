#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ergode::io {

/// What became of one file.
struct Verified {
  enum class State {
    intact,    ///< its SHA-256 is that of its seal
    readable,  ///< no seal (a live series, a file of another code), but every dataset passes its checksums
    damaged
  };
  std::filesystem::path path;
  State state = State::damaged;
  std::string message;  ///< one complete line
};

/// Checks a file, or every HDF5 file of a run directory, where a snapshot that is missing (a gap in the numbers, or
/// fewer than the checkpoint counts) is `damaged` too. Throws Error(input_file) when `path` is not there.
std::vector<Verified> verify(const std::filesystem::path& path);

/// Snapshots of a run directory that are missing, as verify() says them.
std::vector<Verified> missing_snapshots(const std::filesystem::path& directory);

/// What a file is (snapshot, checkpoint, series, results, Gadget snapshot of another code, ...), how far it got and
/// from which config: lines of plain text, without a newline at the end. Throws Error(input_file) when it is not there.
std::string describe_file(const std::filesystem::path& path);

}  // namespace ergode::io
