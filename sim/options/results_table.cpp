#include "sim/options/results_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sim/options/results_columns.hpp"

namespace ergode::sim::options {
namespace {

constexpr std::size_t most_rows = 30;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct TableColumn {
  std::string title;
  std::vector<std::string> cells;  ///< one a shown row
  int rank = 0;                    ///< 0 is always there, then the lowest first as long as there is width
  bool left = false;               ///< aligned to the left
  std::size_t width() const {
    std::size_t w = title.size();
    for (const auto& cell : cells) w = std::max(w, cell.size());
    return w;
  }
  bool empty() const {
    return std::all_of(cells.begin(), cells.end(), [](const auto& c) { return c.empty(); });
  }
};

bool missed(const InstrumentResult& i) {
  return i.status == "tolerance missed";
}

/// The decimal exponent of `x` > 0 rounded to `digits` digits: 0.00996 to two is 0.010, exponent -2.
int exponent_of(double x, int digits) {
  const std::string text = fmt::format("{:.{}e}", x, digits - 1);
  return std::stoi(text.substr(text.find('e') + 1));
}

std::string optional_cell(const std::optional<double>& value, const std::optional<double>& error) {
  return value ? with_error(*value, error.value_or(nan)) : std::string();
}

std::string greek_cell(const Greek* greek) {
  if (greek == nullptr || greek->estimates.empty()) return "";
  if (greek->estimates.size() > 1) return fmt::format("({} values)", greek->estimates.size());
  return with_error(greek->estimates.front().value, greek->estimates.front().standard_error);
}

std::vector<TableColumn> all_columns(const Results& results, std::size_t rows) {
  std::vector<TableColumn> table;
  const auto add = [&](std::string title, int rank, bool left, auto cell) {
    TableColumn column{std::move(title), {}, rank, left};
    for (std::size_t i = 0; i < rows; ++i) column.cells.push_back(cell(results.instruments[i]));
    if (rank == 0 || !column.empty()) table.push_back(std::move(column));
  };
  using R = const InstrumentResult&;
  add("id", 0, true, [](R i) { return i.id; });
  add("", 0, true, [](R i) { return std::string(missed(i) ? "!" : ""); });
  add("product", 1, true, [](R i) { return i.type.empty() ? i.product : i.product + " " + i.type; });
  add("price", 0, false, [](R i) { return with_error(i.price, i.standard_error); });
  add("bias", 2, false, [](R i) { return i.bias ? fmt::format("{:.2g}", *i.bias) : std::string(); });
  add("implied vol", 200, false,
      [](R i) { return optional_cell(i.implied_volatility, i.implied_volatility_standard_error); });
  int rank = 10;  // delta before gamma before vega ...
  for (const auto& name : greek_columns(results))
    add(name, rank++, false, [&](R i) { return greek_cell(find_greek(i, name)); });
  add("lower", 150, false, [](R i) { return optional_cell(i.lower_bound, i.lower_bound_standard_error); });
  add("upper", 151, false, [](R i) { return optional_cell(i.upper_bound, i.upper_bound_standard_error); });
  add("z", 3, false, [](R i) { return i.z_score ? fmt::format("{:+.2f}", *i.z_score) : std::string(); });
  return table;
}

std::size_t total_width(const std::vector<TableColumn>& table) {
  std::size_t width = 0;
  for (const auto& column : table)
    if (const std::size_t w = column.width(); w > 0) width += (width > 0 ? 2 : 0) + w;
  return width;
}

/// Keeps of the columns, the most important first, those that still fit in `width`, and at last cuts the ids.
void fit(std::vector<TableColumn>& table, std::size_t width) {
  std::vector<int> ranks;
  for (const auto& column : table) ranks.push_back(column.rank);
  std::sort(ranks.begin(), ranks.end());
  std::vector<TableColumn> kept;
  for (const auto& column : table)
    if (column.rank == 0) kept.push_back(column);
  for (const int rank : ranks) {
    if (rank == 0) continue;
    std::vector<TableColumn> more;
    for (const auto& column : table) {
      const bool there = std::any_of(kept.begin(), kept.end(), [&](const auto& k) { return k.title == column.title; });
      if (there || column.rank == rank) more.push_back(column);
    }
    if (total_width(more) <= width) kept = std::move(more);
  }
  table = std::move(kept);
  const std::size_t too_much = total_width(table) > width ? total_width(table) - width : 0;
  TableColumn& id = table.front();
  const std::size_t shortest = 4, now = id.width();
  const std::size_t allowed = std::max(shortest, now > too_much ? now - too_much : 0);
  for (auto& cell : id.cells)
    if (cell.size() > allowed) cell = cell.substr(0, allowed - 1) + "~";
}

std::string line(const std::vector<TableColumn>& table, auto cell_of) {
  std::string text;
  bool first = true;
  for (const auto& column : table) {
    const std::size_t width = column.width();
    if (width == 0) continue;
    const std::string& cell = cell_of(column);
    const std::string padding(width - std::min(width, cell.size()), ' ');
    text += (first ? "" : "  ") + (column.left ? cell + padding : padding + cell);
    first = false;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

std::string with_error(double value, double standard_error) {
  if (std::isnan(value)) return "-";
  if (!std::isfinite(value) || !std::isfinite(standard_error) || !(standard_error > 0))
    return fmt::format("{:.8g}", value);
  const int last = exponent_of(standard_error, 2) - 1;  // the error's second digit is that many powers of ten
  if (last >= -10) {
    const int decimals = std::max(0, -last);
    return fmt::format("{:.{}f} +- {:.{}f}", value, decimals, standard_error, decimals);
  }
  const int digits = value == 0 ? 0 : std::clamp(exponent_of(std::abs(value), 2) - last, 0, 16);
  return fmt::format("{:.{}e} +- {:.1e}", value, digits, standard_error);
}

std::vector<std::string> results_table(const Results& results, int columns) {
  const std::size_t all = results.instruments.size(), rows = std::min(all, most_rows);
  if (all == 0) return {"no instruments"};
  std::vector<TableColumn> table = all_columns(results, rows);
  std::string left_out;
  if (columns > 0) {
    const std::vector<TableColumn> all_of_them = table;
    fit(table, static_cast<std::size_t>(columns));
    for (const auto& column : all_of_them)
      if (std::none_of(table.begin(), table.end(), [&](const auto& kept) { return kept.title == column.title; }))
        left_out += (left_out.empty() ? "" : ", ") + column.title;
  }
  std::vector<std::string> lines{line(table, [](const TableColumn& c) -> const std::string& { return c.title; })};
  for (std::size_t i = 0; i < rows; ++i)
    lines.push_back(line(table, [i](const TableColumn& c) -> const std::string& { return c.cells[i]; }));
  if (all > rows) lines.push_back(fmt::format("... and {} more in results.csv", all - rows));
  if (!left_out.empty()) {
    std::string also = "also in results.csv: " + left_out;
    if (also.size() > static_cast<std::size_t>(columns))
      also = also.substr(0, static_cast<std::size_t>(columns) - 3) + "...";
    lines.push_back(std::move(also));
  }
  if (const auto n = std::count_if(results.instruments.begin(), results.instruments.end(), missed); n > 0)
    lines.push_back(fmt::format("! tolerance missed: {} of {}", n, all));
  return lines;
}

}  // namespace ergode::sim::options
