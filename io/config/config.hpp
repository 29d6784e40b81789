#pragma once

// The config layer. A type declares its keys once, in `void declare(Section&)`; the same declaration parses, checks,
// writes `config.used.yaml`, prints `ergode schema` and makes docs/configuration.md.
//
//   struct Plummer {
//     static constexpr const char* tag = "plummer";
//     static constexpr const char* meaning = "isotropic Plummer sphere (Plummer 1911; Aarseth, Henon & Wielen 1974)";
//     std::int64_t particles = 0;
//     double scale_radius = 1;
//     void declare(io::Section& s) {
//       s.key("particles", particles, "number of bodies").required().at_least(1);
//       s.key("scale_radius", scale_radius, "Plummer radius").unit("length").greater_than(0);   // default: the member's value
//     }
//   };

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "io/error.hpp"

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

/// Type-erased part of a key's declaration.
class FieldBase {
 public:
  virtual ~FieldBase() = default;
};

/// Refines a key just declared; every call returns the field.
template <class T>
class Field {
 public:
  Field& required();                               ///< no default: the key must be there
  Field& unit(std::string_view unit);              ///< shown in the schema; "length", "AU", "s" ...
  Field& at_least(double low);                     ///< also for each element of a vector
  Field& greater_than(double low);
  Field& at_most(double high);
  Field& less_than(double high);
  Field& length(std::size_t count);                ///< of a vector
  Field& warn_above(double limit, std::string_view message);
  Field& may_change_on_resume();                   ///< else a resume with another value is refused
 private:
  friend class Section;
  // implementation detail
};

/// One mapping of the document, seen by a declaration. T of key(): bool, int, std::int64_t, std::uint32_t, std::uint64_t, double, std::string,
/// std::filesystem::path, Interval, MemorySize, std::array<double, 3>, std::vector of double / int64 / string, and std::optional of any.
class Section {
 public:
  template <class T>
  Field<T> key(std::string_view name, T& target, std::string_view meaning);

  /// A string key with a fixed set of words, stored as an enum.
  template <class E>
  Field<E> choice(std::string_view name, E& target, std::vector<std::pair<std::string, E>> words, std::string_view meaning);

  /// A nested mapping; T has declare(Section&). std::optional<T>: the section may be absent.
  template <class T>
  void section(std::string_view name, T& target, std::string_view meaning);

  /// A list of mappings; T has declare(Section&). A single mapping is taken as a list of one.
  template <class T>
  void list(std::string_view name, std::vector<T>& target, std::string_view meaning, bool required = false);

  /// In this mapping, the key `tag_key` picks one of the alternatives, whose keys stand in the same mapping. Each T has `tag`,
  /// `meaning`, declare(Section&), and may have `implied_by`: a key whose presence picks T where `tag_key` is left out.
  template <class... T>
  void alternatives(std::string_view tag_key, std::variant<T...>& target);

  /// A check across keys, run after all of this mapping's keys were read without error: call `complain(key, message)` for each
  /// thing wrong; the message gets that key's position.
  void check(std::function<void(const std::function<void(std::string_view key, const std::string& message)>& complain)> test);
};

}  // namespace ergode::io
