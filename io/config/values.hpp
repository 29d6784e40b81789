#pragma once

// Values as text: reading with limits, and writing so that reading gives the same value.

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/config/document.hpp"

namespace ergode::io {

/// `15 min`, `2 h`, `30 s`, `1:30:00`, or `10 steps` (then `steps` is set).
struct Interval {
  double seconds = 0;
  std::int64_t steps = 0;
};

/// `12 GiB`.
struct MemorySize {
  std::int64_t bytes = 0;
};

struct Limits {
  std::optional<double> at_least, greater_than, at_most, less_than, warn_above;
  std::optional<std::size_t> length;
  std::string warning;
  bool or_date = false;      ///< a number of years, for which a date may stand
  std::string text() const;  ///< "at least 1, less than 2", or ""
};

struct Problem {
  Position at;
  std::string message;
};
struct Problems {
  std::vector<Problem> errors, warnings;
  std::filesystem::path folder;  ///< that relative paths of the document start at
  /// The years that a date such as 2027-06-30 stands for; nothing, and why, where it stands for none.
  std::function<std::optional<double>(const std::string& date, std::string& why)> years;
};

/// Numbers: read without the locale. An integer may be written 1e6; a quoted number is a string and refused.
#define ERGODE_VALUE(T)                                       \
  void read_value(const Node&, T&, const Limits&, Problems&); \
  std::string write_value(const T&);                          \
  std::string type_name(const T&);
ERGODE_VALUE(bool)
ERGODE_VALUE(int)
ERGODE_VALUE(std::int64_t)
ERGODE_VALUE(std::uint32_t)
ERGODE_VALUE(std::uint64_t)
ERGODE_VALUE(double)
ERGODE_VALUE(std::string)
ERGODE_VALUE(std::filesystem::path)
ERGODE_VALUE(Interval)
ERGODE_VALUE(MemorySize)
using Triple = std::array<double, 3>;
ERGODE_VALUE(Triple)
ERGODE_VALUE(std::vector<double>)
ERGODE_VALUE(std::vector<std::int64_t>)
ERGODE_VALUE(std::vector<std::string>)
using Rows = std::vector<std::vector<double>>;  ///< of a matrix; their lengths are the caller's to check
ERGODE_VALUE(Rows)
#undef ERGODE_VALUE

template <class T>
void read_value(const Node& node, std::optional<T>& target, const Limits& limits, Problems& problems) {
  if (node.kind == Node::Kind::null) return target.reset();
  T value{};
  read_value(node, value, limits, problems);
  target = value;
}
template <class T>
std::string write_value(const std::optional<T>& value) {
  return value ? write_value(*value) : "";
}
template <class T>
std::string type_name(const std::optional<T>&) {
  return type_name(T{});
}

/// Of the form YYYY-MM-DD, whether or not there is such a day.
bool is_date(const std::string& text);

std::string shown(const Node& node);  ///< a value as messages show it

}  // namespace ergode::io
