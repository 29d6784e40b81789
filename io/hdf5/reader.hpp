#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/array.hpp"

namespace ergode::io {

/// What a dataset is, without its values.
struct DatasetInfo {
  std::vector<std::int64_t> shape;
  std::optional<Type> type;  ///< as read_dataset() returns it; empty: a string
  bool supported = true;     ///< false: a compound, reference or other type that we do not read
};

/// The objects of a file, under the first path (in alphabetical order) that leads to each.
struct FileObjects {
  std::vector<std::string> groups;
  std::map<std::string, DatasetInfo> datasets;
  std::map<std::string, std::string> links;  ///< further hard links: path -> path of the dataset
};

/// An HDF5 file open for reading: of ours or of another code, sealed, live, or left by a killed process (those two are
/// opened as SWMR files). Every failure is an Error(input_file) with path and object.
class FileReader {
 public:
  /// With a `group` ("/member_000003/series") that group is the root of all paths, as if it were a file of its own.
  explicit FileReader(const std::filesystem::path& path, std::string group = "/");
  ~FileReader();
  FileReader(FileReader&&) noexcept;

  FileObjects objects() const;
  bool has(const std::string& object) const;
  DatasetInfo info(const std::string& dataset) const;
  /// All values, or the first `rows` of the first axis. Converted to `as` (float64: from any number; uint64: from any
  /// integer, refused when negative); else in the stored type, 16-bit integers widened.
  Array dataset(const std::string& dataset, std::optional<Type> as = {}, std::optional<std::int64_t> rows = {}) const;
  /// The first `rows` rows of a dataset that was appended to when its writer died, all of them flushed before. A
  /// rewrite of the chunk with the last of them may have been torn: then its checksum is wrong, but each byte of these
  /// rows is the same before and after that rewrite, so the values are good. The chunks before it must pass their
  /// checksums.
  Array first_rows(const std::string& dataset, std::optional<Type> as, std::int64_t rows) const;
  std::vector<std::string> strings(const std::string& dataset) const;
  /// Of a group or dataset. Scalars of any integer or float type come as int64 and double; those of the dimension-scale
  /// API, and of types that we do not read, are left out.
  Attributes attributes(const std::string& object) const;
  /// The scale of each axis, empty where there is none.
  std::vector<std::string> scales(const std::string& dataset) const;
  FileContent content() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One look into a file; see FileReader.
bool has(const std::filesystem::path& path, const std::string& object);
Array read_dataset(const std::filesystem::path& path, const std::string& dataset, std::optional<Type> as = {});

}  // namespace ergode::io
