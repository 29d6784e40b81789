#pragma once

#include <filesystem>
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

/// `series.h5`: appended to under SWMR while the run goes on, sealed at its end.
class SeriesWriter {
 public:
  /// A new file at `path`.
  SeriesWriter(const std::filesystem::path& path, const SeriesLayout& layout);
  /// Continues `path` with its first `rows` rows (a file after a kill is read for SWMR, copied, renamed).
  SeriesWriter(const std::filesystem::path& path, const SeriesLayout& layout, std::int64_t rows);
  ~SeriesWriter();
  SeriesWriter(SeriesWriter&&) noexcept;

  /// From now on each write first makes sure that there is space for it, and waits for some as `retry` says: HDF5
  /// itself cannot go on after a failed write.
  void retry_on_full_disk(const DiskRetry& retry);
  /// One row: all values in the order scale, then columns, each column's components consecutive (integers given as
  /// doubles).
  void append(const std::vector<double>& row);
  /// Flushed to disk so that a reader of the live file sees it; append() does so by itself every few seconds.
  void flush();
  std::int64_t rows() const;
  /// Replaces the live file by a sealed copy in the earliest format.
  void seal();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ergode::io
