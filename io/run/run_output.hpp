#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "io/array.hpp"
#include "io/disk_retry.hpp"
#include "io/series.hpp"

namespace ergode::io {

/// Where a run puts its files, by their names in a run directory.
class RunOutput {
 public:
  virtual ~RunOutput() = default;
  /// A series that begins with the first `rows` rows of the one of that name, which was left by an earlier process.
  virtual std::unique_ptr<Series> series(const std::string& name, const SeriesLayout& layout, std::int64_t rows) = 0;
  /// A sealed HDF5 file, "snapshots/snapshot_0000.hdf5".
  virtual void write(const std::string& name, FileContent content) = 0;
  virtual void write_text(const std::string& name, std::string_view text) = 0;
};

/// Files of a run directory. A full disk is waited for as `retry` says.
class DirectoryOutput final : public RunOutput {
 public:
  DirectoryOutput(std::filesystem::path directory, DiskRetry retry)
      : directory_(std::move(directory)), retry_(std::move(retry)) {}
  std::unique_ptr<Series> series(const std::string& name, const SeriesLayout& layout, std::int64_t rows) override;
  void write(const std::string& name, FileContent content) override;
  void write_text(const std::string& name, std::string_view text) override;

 private:
  std::filesystem::path directory_;
  DiskRetry retry_;
};

/// Keeps what would be files, for a run so small that a file with many others in it is a better place. Text is not
/// kept: it repeats what the HDF5 files say.
class MemoryOutput final : public RunOutput {
 public:
  std::unique_ptr<Series> series(const std::string& name, const SeriesLayout& layout, std::int64_t rows) override;
  void write(const std::string& name, FileContent content) override;
  void write_text(const std::string&, std::string_view) override {}

  std::map<std::string, FileContent>& files() { return files_; }

 private:
  std::map<std::string, FileContent> files_;
};

/// The group that stands for a file of a packed run: its name without the extension.
std::string packed_group(const std::string& file);

/// Adds the files of one run to `shared` as groups below `group`, whose attributes are `attributes` and `files`, their
/// names. Of what is no content (is_content()) the shared file has one /provenance for all.
void pack(FileContent& shared, const std::string& group, Attributes attributes,
          std::map<std::string, FileContent> files);

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

/// The names that pack() put into `files`.
std::vector<std::string> packed_files(const Attributes& attributes);

}  // namespace ergode::io
