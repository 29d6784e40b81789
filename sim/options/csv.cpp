#include "sim/options/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "io/error.hpp"

namespace ergode::sim::options {
namespace {

constexpr std::string_view blanks = " \t\r";

/// Takes the cell that begins at `at`, and moves `at` behind its comma, or beyond the end. False where a quote is
/// wrong.
bool take_cell(std::string_view line, std::size_t& at, CsvCell& cell) {
  at = std::min(line.find_first_not_of(blanks, at), line.size());
  cell.column = static_cast<int>(at) + 1;
  std::size_t end = at;
  if (at < line.size() && line[at] == '"') {
    for (end = at + 1;; ++end) {
      if (end >= line.size()) return false;
      if (line[end] == '"' && (end + 1 >= line.size() || line[end + 1] != '"')) break;
      if (line[end] == '"') ++end;
      cell.text += line[end];
    }
    end = std::min(line.find_first_not_of(blanks, end + 1), line.size());
    if (end < line.size() && line[end] != ',') return false;
  } else {
    end = std::min(line.find(',', at), line.size());
    const std::string_view text = line.substr(at, end - at);
    const std::size_t last = text.find_last_not_of(blanks);
    cell.text = last == std::string_view::npos ? "" : text.substr(0, last + 1);
  }
  at = end + 1;
  return true;
}

}  // namespace

std::vector<CsvRow> read_csv_rows(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& why) {
    throw io::Error(io::ExitCode::input_file, fmt::format("{}{}", path.string(), why));
  };
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    refuse(std::filesystem::exists(path, ignored) ? ": not a regular file"
                                                  : ": no such file; give the path of a CSV file");
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(": cannot be opened; check its permissions");
  std::vector<CsvRow> rows;
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) {
    std::string_view line = text;
    if (number == 1 && line.starts_with("\xEF\xBB\xBF"))
      line.remove_prefix(3);  // a byte-order mark, as spreadsheets write
    const std::size_t first = line.find_first_not_of(blanks);
    if (first == std::string_view::npos || line[first] == '#') continue;
    if (line.find('\0') != std::string_view::npos)
      refuse(fmt::format(":{}: found a zero byte; is this a CSV file?", number));
    CsvRow row{number, {}};
    for (std::size_t at = 0; at <= line.size();) {
      CsvCell cell;
      if (!take_cell(line, at, cell))
        refuse(
            fmt::format(":{}:{}: the quote that opens here is not closed before the next comma", number, cell.column));
      row.cells.push_back(std::move(cell));
    }
    rows.push_back(std::move(row));
  }
  if (in.bad()) refuse(": cannot be read");
  return rows;
}

}  // namespace ergode::sim::options
