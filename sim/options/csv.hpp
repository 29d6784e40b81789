#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ergode::sim::options {

struct CsvCell {
  std::string text;  ///< without the spaces around it and the quotes
  int column = 1;    ///< of its first character in the line
};

struct CsvRow {
  int line = 1;
  std::vector<CsvCell> cells;
};

/// The rows of comma-separated text (RFC 4180; no line breaks within quotes), the header among them. Blank lines and
/// lines that begin with # are left out. Throws io::Error(input_file) with the line.
std::vector<CsvRow> read_csv_rows(const std::filesystem::path& path);

}  // namespace ergode::sim::options
