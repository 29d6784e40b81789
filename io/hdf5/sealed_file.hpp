#pragma once

#include <filesystem>

#include "io/array.hpp"

namespace ergode::io {

/// Writes `content` as one sealed HDF5 file (earliest format bound): image in memory, SHA-256 trailer after the HDF5
/// end of file, temporary file, fsync, rename, fsync of the directory. Throws Error(io); nothing is left behind then,
/// and what was at `path` before is untouched.
void write_sealed(const std::filesystem::path& path, const FileContent& content);

/// Reads everything of a file; `/provenance` too. Throws Error(input_file) with path and object.
FileContent read_file(const std::filesystem::path& path);

/// What the trailer says.
enum class SealState { intact, damaged, no_seal };
SealState check_seal(const std::filesystem::path& path);

}  // namespace ergode::io
