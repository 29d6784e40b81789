#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "io/error.hpp"

namespace ergode::io {

enum class Type { int8, int32, int64, uint8, uint32, uint64, float32, float64 };

template <class T>
struct TypeOf;
template <>
struct TypeOf<std::int8_t> {
  static constexpr Type value = Type::int8;
};
template <>
struct TypeOf<std::int32_t> {
  static constexpr Type value = Type::int32;
};
template <>
struct TypeOf<std::int64_t> {
  static constexpr Type value = Type::int64;
};
template <>
struct TypeOf<std::uint8_t> {
  static constexpr Type value = Type::uint8;
};
template <>
struct TypeOf<std::uint32_t> {
  static constexpr Type value = Type::uint32;
};
template <>
struct TypeOf<std::uint64_t> {
  static constexpr Type value = Type::uint64;
};
template <>
struct TypeOf<float> {
  static constexpr Type value = Type::float32;
};
template <>
struct TypeOf<double> {
  static constexpr Type value = Type::float64;
};

/// A named array's content: element type, shape (row-major; empty shape: a scalar) and bytes.
struct Array {
  Type type = Type::float64;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  Array() = default;
  /// Copies `count` elements of `shape` from trivially copyable `data` (an array of structs of doubles is fine: T names
  /// the element).
  template <class T>
  static Array from(const void* data, std::vector<std::int64_t> shape) {
    Array a;
    a.type = TypeOf<T>::value;
    a.shape = std::move(shape);
    a.bytes.resize(static_cast<std::size_t>(a.count()) * sizeof(T));
    if (!a.bytes.empty()) std::memcpy(a.bytes.data(), data, a.bytes.size());
    return a;
  }
  template <class T>
  static Array from(const std::vector<T>& values) {
    return from<T>(values.data(), {static_cast<std::int64_t>(values.size())});
  }
  std::int64_t count() const {
    std::int64_t n = 1;
    for (auto s : shape) n *= s;
    return n;
  }
  /// The elements; throws Error(internal) when T is not the stored type.
  template <class T>
  std::span<const T> as() const {
    if (TypeOf<T>::value != type) throw Error(ExitCode::internal, "array read as another type than it has");
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  bool operator==(const Array&) const = default;
};

/// An attribute: a number, a fixed-length ASCII string, or a small array.
using Attribute = std::variant<std::int64_t, double, std::string, Array>;
using Attributes = std::map<std::string, Attribute>;

struct Dataset {
  Array data;
  Attributes attributes;
  bool compress = false;  ///< deflate level 1 after shuffle; FileContent::compress does so for all
};

/// What a sealed HDF5 file holds. Paths are absolute ("/PartType1/Coordinates"); groups on the way are made.
struct FileContent {
  std::map<std::string, Attributes> groups;  ///< "/" is the root
  std::map<std::string, Dataset> datasets;
  std::map<std::string, std::vector<std::string>> strings;  ///< one-dimensional datasets of fixed-length strings
  std::map<std::string, std::string> links;                 ///< hard links: new path -> path of an existing dataset
  bool compress = false;                                    ///< all datasets: deflate level 1 after shuffle
  /// Very many small datasets: laid out without chunks, in groups of the format of HDF5 1.8, which costs a fifth of the
  /// space and time. What guards them is the seal of the file.
  bool many_small = false;
  /// Dimension scales: dataset -> for each of its axes the dataset (or one of `strings`) that is its scale; "" for
  /// none.
  std::map<std::string, std::vector<std::string>> scales;
  std::map<std::string, Attributes> string_attributes;  ///< of the datasets in `strings`
};

/// Where a result comes from, and a second view of a snapshot's particles for ParaView: no content of their own.
/// Comparisons leave both out, and so do files that many runs share.
inline bool is_content(const std::string& path) {
  const auto within = [&](const std::string& group) { return path == group || path.starts_with(group + "/"); };
  return !within("/provenance") && !within("/VTKHDF");
}

/// A simulation's state for a checkpoint: named arrays and attributes, nothing else.
using State = struct CheckpointState {
  std::map<std::string, Array> arrays;
  Attributes attributes;
};

}  // namespace ergode::io
