#include "io/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "io/error.hpp"

namespace ergode::io {
namespace {

/// A value and where it begins, from 1.
struct Cell {
  std::string_view text;
  std::size_t column = 1;
};

std::vector<Cell> split(std::string_view line) {
  std::vector<Cell> cells;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    std::size_t first = begin, last = end;
    while (first < last && (line[first] == ' ' || line[first] == '\t')) ++first;
    while (last > first && (line[last - 1] == ' ' || line[last - 1] == '\t')) --last;
    cells.push_back({line.substr(first, last - first), first + 1});
    if (end == line.size()) return cells;
    begin = end + 1;
  }
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

struct Reader {
  const std::filesystem::path& path;
  const CsvColumns& columns;
  std::int64_t line = 0;
  std::vector<std::string> names{};
  CsvTable table{};

  [[noreturn]] void refuse(std::size_t column, const std::string& what) const {
    throw Error(ExitCode::input_file, fmt::format("{}:{}:{}: {}", path.string(), line, column, what));
  }

  void header(const std::vector<Cell>& cells) {
    const std::string known =
        fmt::format("{}{}{}", fmt::join(columns.required, ", "),
                    columns.optional.empty() ? "" : "; optional: ", fmt::join(columns.optional, ", "));
    for (const auto& cell : cells) {
      if (!contains(columns.required, cell.text) && !contains(columns.optional, cell.text))
        refuse(cell.column, fmt::format("unknown column '{}'; the columns are {}", cell.text.substr(0, 60), known));
      if (contains(names, cell.text)) refuse(cell.column, fmt::format("column '{}' is there twice", cell.text));
      names.emplace_back(cell.text);
    }
    for (const auto& name : columns.required)
      if (!contains(names, name)) refuse(1, fmt::format("column '{}' is missing; the columns are {}", name, known));
  }

  template <class T>
  T number(const Cell& cell, const std::string& name, const char* expected) const {
    // from_chars takes no plus sign, people write one
    std::string_view text = cell.text;
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error == std::errc::invalid_argument || end != text.data() + text.size())
      refuse(cell.column, fmt::format("column '{}': found '{}', expected {}", name, cell.text.substr(0, 60), expected));
    if (error == std::errc::result_out_of_range)
      refuse(cell.column, fmt::format("column '{}': '{}' is out of range", name, cell.text.substr(0, 60)));
    return value;
  }

  void row(const std::vector<Cell>& cells) {
    if (cells.size() > names.size())
      refuse(cells[names.size()].column, fmt::format("{} values, but {} columns", cells.size(), names.size()));
    if (cells.size() < names.size())
      refuse(cells.back().column, fmt::format("{} values, but {} columns", cells.size(), names.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (contains(columns.integers, names[i])) {
        table.integers[names[i]].push_back(number<std::uint64_t>(cells[i], names[i], "an integer from 0 on"));
        continue;
      }
      const double value = number<double>(cells[i], names[i], "a number");
      if (!std::isfinite(value))
        refuse(cells[i].column,
               fmt::format("column '{}': found '{}', expected a finite number", names[i], cells[i].text));
      table.reals[names[i]].push_back(value);
    }
    table.lines.push_back(line);
    ++table.rows;
  }
};

}  // namespace

CsvTable read_csv(const std::filesystem::path& path, const CsvColumns& columns) {
  std::error_code ignored;
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path, ignored))
    throw Error(ExitCode::input_file,
                "cannot open '" + path.string() + "': there is no such file, or it cannot be read");
  Reader reader{path, columns};
  for (std::string text; std::getline(in, text);) {
    ++reader.line;
    std::string_view line = text;
    if (reader.line == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);  // the mark some editors put there
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || line[first] == '#') continue;
    if (reader.names.empty())
      reader.header(split(line));
    else
      reader.row(split(line));
  }
  if (reader.names.empty()) reader.refuse(1, "the file is empty: expected a line with the columns' names");
  if (reader.table.rows == 0) reader.refuse(1, "no rows after the header line");
  return std::move(reader.table);
}

}  // namespace ergode::io
