#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ergode::io {

/// One thing in which two files or run directories differ.
struct Difference {
  enum class Kind { missing_in_a, missing_in_b, type, shape, values, attribute };
  Kind kind = Kind::values;
  std::string file;             ///< relative to the directories; empty when two files were compared
  std::string object;           ///< "/PartType1/Masses", "/Header@Time"; empty: the file itself
  std::int64_t count = 0;       ///< values that differ
  double largest_absolute = 0;  ///< max |a - b|; NaN against a number counts as infinite
  double largest_relative = 0;  ///< max |a - b| / max(|a|, |b|)
  std::string message;          ///< one complete line
};

/// Compares the scientific content: all datasets and attributes but those of is_content(). Of directories, all HDF5
/// files but the checkpoints, which depend on the wall clock. With rtol = 0 values are equal when their bits are; else
/// when |a - b| <= rtol max(|a|, |b|) or both are NaN. Empty: no difference. Throws Error(input_file) for what cannot
/// be read.
std::vector<Difference> diff(const std::filesystem::path& a, const std::filesystem::path& b, double rtol = 0);

/// A file, or a group that holds what a file of its own would.
struct FilePlace {
  std::filesystem::path path;
  std::string group = "/";
};
/// What is compared of a run, by the name of the file.
using RunFiles = std::map<std::string, FilePlace>;
RunFiles run_files(const std::filesystem::path& directory);

/// As diff(), of files wherever they lie.
std::vector<Difference> diff(const RunFiles& a, const RunFiles& b, double rtol = 0);

/// The HDF5 files (.h5, .hdf5) of a run directory, sorted, relative to it; no temporary ones.
std::vector<std::filesystem::path> hdf5_files(const std::filesystem::path& directory);

}  // namespace ergode::io
