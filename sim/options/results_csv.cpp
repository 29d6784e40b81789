#include <charconv>
#include <cmath>
#include <string_view>

#include "sim/options/results_columns.hpp"
#include "sim/options/results_file.hpp"

namespace ergode::sim::options {
namespace {

template <class T>
std::string shortest(T value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string field(double value) {
  return std::isnan(value) ? std::string() : shortest(value);
}
std::string field(std::int64_t value) {
  return shortest(value);
}
/// RFC 4180, section 2.5 to 2.7.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string results_csv(const Results& results) {
  auto columns = result_columns(results);
  const auto more = columns_by_underlying(results);
  columns.insert(columns.end(), more.begin(), more.end());
  std::string text;
  const auto line = [&](auto cell) {
    for (std::size_t c = 0; c < columns.size(); ++c) text += (c > 0 ? "," : "") + cell(columns[c]);
    text += '\n';
  };
  line([](const ResultColumn& column) { return field(column.name); });
  for (std::size_t i = 0; i < results.instruments.size(); ++i)
    line([i](const ResultColumn& column) {
      return std::visit([i](const auto& values) { return field(values[i]); }, column.values);
    });
  return text;
}

}  // namespace ergode::sim::options
