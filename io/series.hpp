#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/array.hpp"
#include "io/disk_retry.hpp"

namespace ergode::io {

/// A column of a time series: one value, or one small vector, a row.
struct SeriesColumn {
  std::string name;       ///< "momentum"
  Type type;              ///< float64 or int64
  std::string dimension;  ///< second axis ("component"), empty for a scalar column
  std::string units;
  std::string long_name;
};

/// A second axis with its scale: "mass_fraction" = {0.01, 0.1, ...}, or labels "component" = {x, y, z}.
struct SeriesDimension {
  std::string name;
  std::vector<double> values;
  std::vector<std::string> labels;  ///< instead of `values`
  std::string units;
  std::string long_name;
};

struct SeriesLayout {
  SeriesColumn scale;  ///< "time": the first axis
  std::vector<SeriesDimension> dimensions;
  std::vector<SeriesColumn> columns;
  Attributes attributes;  ///< of the root group
  Attributes provenance;  ///< of /provenance
};

/// A time series in the making.
class Series {
 public:
  virtual ~Series() = default;
  /// One row: all values in the order scale, then columns, each column's components consecutive (integers given as
  /// doubles).
  virtual void append(const std::vector<double>& row) = 0;
  /// To be called before a checkpoint that counts the rows.
  virtual void flush() = 0;
  /// Ends it: no row comes any more.
  virtual void seal() = 0;
};

/// A column with the rows that wait to be written.
struct SeriesColumnRows {
  SeriesColumn about;
  std::size_t width = 1;
  std::vector<double> reals;
  std::vector<std::int64_t> integers;

  const void* values() const {
    return about.type == Type::int64 ? static_cast<const void*>(integers.data()) : reals.data();
  }
  void clear() { reals.clear(), integers.clear(); }
};

/// The scale and the columns of a layout, without rows; throws Error(internal) where the layout cannot be.
std::vector<SeriesColumnRows> series_columns(const SeriesLayout& layout);
/// Adds one row, see Series::append(); throws Error(internal) for a row of another length.
void append_row(std::vector<SeriesColumnRows>& columns, const std::vector<double>& row);
/// The attributes of the root and the scales of the second axes: what a series is made with.
FileContent series_frame(const SeriesLayout& layout);
/// A finished series with these values, one array a column, the scale's first.
FileContent series_content(const SeriesLayout& layout, std::vector<Array> values);

/// Keeps its rows in memory; seal() gives them away.
class MemorySeries final : public Series {
 public:
  MemorySeries(SeriesLayout layout, std::function<void(FileContent)> done);
  void append(const std::vector<double>& row) override;
  void flush() override {}
  void seal() override;

 private:
  SeriesLayout layout_;
  std::vector<SeriesColumnRows> columns_;
  std::int64_t rows_ = 0;
  std::function<void(FileContent)> done_;
};

/// `series.h5`: appended to under SWMR while the run goes on, sealed at its end.
class SeriesWriter final : public Series {
 public:
  /// A new file at `path`.
  SeriesWriter(const std::filesystem::path& path, const SeriesLayout& layout);
  /// Continues `path` with its first `rows` rows (a file after a kill is read for SWMR, copied, renamed).
  SeriesWriter(const std::filesystem::path& path, const SeriesLayout& layout, std::int64_t rows);
  ~SeriesWriter() override;
  SeriesWriter(SeriesWriter&&) noexcept;

  /// From now on each write first makes sure that there is space for it, and waits for some as `retry` says: HDF5
  /// itself cannot go on after a failed write.
  void retry_on_full_disk(const DiskRetry& retry);
  void append(const std::vector<double>& row) override;
  /// Flushed to disk so that a reader of the live file sees it; append() does so by itself every few seconds.
  void flush() override;
  std::int64_t rows() const;
  /// Replaces the live file by a sealed copy in the earliest format.
  void seal() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ergode::io
