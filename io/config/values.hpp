#pragma once

// Values as text: reading with limits, and writing so that reading gives the same value.

#include <array>
#include <cstdint>
#include <filesystem>
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
  std::string text() const;  ///< "at least 1, less than 2", or ""
};

struct Problem {
  Position at;
  std::string message;
};
struct Problems {
  std::vector<Problem> errors, warnings;
  std::filesystem::path folder;  ///< that relative paths of the document start at
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

std::string shown(const Node& node);  ///< a value as messages show it

}  // namespace ergode::io
