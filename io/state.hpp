#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/array.hpp"

namespace ergode::io {

/// A checkpoint's file is whole and its state is not one that this program saves. The message names the data set or
/// attribute, what it is and what is expected; not the file, which the state does not know.
class StateError : public Error {
 public:
  explicit StateError(const std::string& message) : Error(ExitCode::input_file, message) {}
};

/// Attributes and arrays of a state. What is missing, of another type or of another length is a StateError.
std::int64_t integer(const State& state, const std::string& name);
std::int64_t integer(const State& state, const std::string& name, std::int64_t least, std::int64_t most);
double real(const State& state, const std::string& name);

/// `T` is one of the types of Array.
template <class T>
std::span<const T> numbers(const State& state, const std::string& name);
template <class T>
std::span<const T> numbers(const State& state, const std::string& name, std::int64_t length);

/// `x` of an array of doubles that keeps a whole number from `least` to `most`.
std::int64_t whole_number(const std::string& name, double x, std::int64_t least, std::int64_t most);

/// `'/state/NAME' has FOUND numbers, expected EXPECTED`
[[noreturn]] void refuse_length(const std::string& name, std::size_t found, const std::string& expected);
/// `'/state/NAME': WHAT`
[[noreturn]] void refuse_array(const std::string& name, const std::string& what);

}  // namespace ergode::io
