#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ergode::io {

/// The columns of a table of numbers, by name.
struct CsvTable {
  std::int64_t rows = 0;
  std::map<std::string, std::vector<double>> reals;
  std::map<std::string, std::vector<std::uint64_t>> integers;
  std::vector<std::int64_t> lines;  ///< the line of the file that each row stands in, from 1: for messages
};

/// Which columns a table may have.
struct CsvColumns {
  std::vector<std::string> required;
  std::vector<std::string> optional;
  std::vector<std::string> integers;  ///< those of them that hold integers from 0 on
};

/// Reads a strict CSV file: a header line with the columns' names in any order, then one row a line, separated by
/// commas. Spaces around values, empty lines and lines that begin with '#' are passed over. Throws Error(input_file)
/// with `file:line:column: ...` for a column that is missing, unknown or there twice, a row with too few or too many
/// values, and whatever is no finite number; and for a file without rows.
CsvTable read_csv(const std::filesystem::path& path, const CsvColumns& columns);

}  // namespace ergode::io
