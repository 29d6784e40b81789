#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <string_view>

#include "io/error.hpp"
#include "sim/nbody/body_input.hpp"

namespace ergode::sim::nbody {
namespace {

std::string_view trimmed(std::string_view s) {
  const auto first = s.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> cells(std::string_view line) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto comma = line.find(',');
    out.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return out;
    line.remove_prefix(comma + 1);
  }
}

struct Reader {
  std::filesystem::path path;
  std::int64_t line = 0;

  [[noreturn]] void refuse(const std::string& what) const {
    throw io::Error(io::ExitCode::input_file, path.string() + ": line " + std::to_string(line) + ": " + what);
  }
  // from_chars: a decimal point in every locale; "nan" and "inf" are read and then refused with the other rows.
  template <class T>
  T number(std::string_view cell, const std::string& column) const {
    T value{};
    if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size())
      refuse("column '" + column + "': '" + std::string(cell) + "' is not a number of its kind");
    return value;
  }
};

}  // namespace

BodySet read_csv(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw io::Error(io::ExitCode::input_file, path.string() + ": cannot be opened");
  Reader reader{path};
  const std::vector<std::string> known = {"x", "y", "z", "vx", "vy", "vz", "mass", "id", "softening"};
  std::map<std::string, std::size_t> column;
  std::vector<std::string> names;
  BodySet b;
  std::vector<std::int64_t> rows;
  for (std::string text; std::getline(in, text);) {
    ++reader.line;
    const auto content = trimmed(text);
    if (content.empty() || content.front() == '#') continue;
    const auto cell = cells(content);
    if (names.empty()) {
      for (std::size_t i = 0; i < cell.size(); ++i) {
        names.emplace_back(cell[i]);
        if (std::find(known.begin(), known.end(), names.back()) == known.end())
          reader.refuse("unknown column '" + names.back() + "'; known: x, y, z, vx, vy, vz, mass, id, softening");
        if (!column.emplace(names.back(), i).second) reader.refuse("column '" + names.back() + "' is there twice");
      }
      for (const auto* name : {"x", "y", "z", "vx", "vy", "vz", "mass"})
        if (!column.contains(name)) reader.refuse(std::string("column '") + name + "' is missing from the header");
      continue;
    }
    if (cell.size() != names.size())
      reader.refuse("has " + std::to_string(cell.size()) + " columns, the header " + std::to_string(names.size()));
    const auto value = [&](const char* name) { return reader.number<double>(cell[column.at(name)], name); };
    b.position.push_back({value("x"), value("y"), value("z")});
    b.velocity.push_back({value("vx"), value("vy"), value("vz")});
    b.mass.push_back(value("mass"));
    if (column.contains("id")) b.id.push_back(reader.number<std::uint64_t>(cell[column.at("id")], "id"));
    if (column.contains("softening")) b.softening.push_back(value("softening"));
    rows.push_back(reader.line);
  }
  if (in.bad()) reader.refuse("cannot be read");
  if (names.empty()) throw io::Error(io::ExitCode::input_file, path.string() + ": empty: a header line is expected");
  if (b.size() == 0) throw io::Error(io::ExitCode::input_file, path.string() + ": has a header and no bodies");
  check_bodies(b, path, rows, "line");
  return b;
}

}  // namespace ergode::sim::nbody
