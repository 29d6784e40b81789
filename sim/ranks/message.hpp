#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "io/error.hpp"

// What ranks of one program say to each other: plain data, one after the other. They are the same program on the same
// kind of machine, so no format is needed.

namespace ergode::sim {

using Bytes = std::vector<std::byte>;

class Writer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T> Writer& put(const T& value) { return append(&value, sizeof value); }
  template <class T>
  requires std::is_trivially_copyable_v<T> Writer& put(const std::vector<T>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    return append(values.data(), values.size() * sizeof(T));
  }
  Writer& put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    return append(text.data(), text.size());
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  Writer& append(const void* data, std::size_t size) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    if (size > 0) std::memcpy(bytes_.data() + at, data, size);
    return *this;
  }
  Bytes bytes_;
};

class Reader {
 public:
  explicit Reader(const Bytes& bytes) : left_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    take(&value, sizeof value);
    return value;
  }
  template <class T>
  void get(std::vector<T>& values) {
    values.resize(get<std::uint64_t>());
    take(values.data(), values.size() * sizeof(T));
  }
  void get(std::string& text) {
    text.resize(get<std::uint64_t>());
    take(text.data(), text.size());
  }

 private:
  void take(void* data, std::size_t size) {
    if (size > left_.size()) throw io::Error(io::ExitCode::internal, "a message between ranks is too short");
    if (size > 0) std::memcpy(data, left_.data(), size);
    left_ = left_.subspan(size);
  }
  std::span<const std::byte> left_;
};

/// Bounds of the ranks' pieces as MPI has them, which counts in int. Throws io::Error(command_line) where they are
/// beyond.
inline std::vector<int> int_bounds(std::span<const std::int64_t> bounds) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (!bounds.empty() && bounds.back() > most)
    throw io::Error(io::ExitCode::command_line, "ranks can exchange at most " + std::to_string(most) +
                                                    " numbers at a time, and this run has " +
                                                    std::to_string(bounds.back()) +
                                                    " (3 for a body): start it without mpirun, or with fewer bodies");
  return {bounds.begin(), bounds.end()};
}

}  // namespace ergode::sim
