#include "io/state.hpp"

#include <charconv>
#include <cmath>

#include "io/hdf5/handle.hpp"

namespace ergode::io {
namespace {

template <class T>
const T& attribute(const State& state, const std::string& name, const char* expected) {
  const auto found = state.attributes.find(name);
  const std::string what = "attribute '" + name + "' of '/state' ";
  if (found == state.attributes.end()) throw StateError(what + "is missing");
  const auto* value = std::get_if<T>(&found->second);
  if (value == nullptr) throw StateError(what + "has another type than expected: " + expected);
  return *value;
}

}  // namespace

std::int64_t integer(const State& state, const std::string& name) {
  return attribute<std::int64_t>(state, name, "int64");
}

std::int64_t integer(const State& state, const std::string& name, std::int64_t least, std::int64_t most) {
  const std::int64_t value = integer(state, name);
  if (value < least || value > most)
    throw StateError("attribute '" + name + "' of '/state' is " + std::to_string(value) + ", expected " +
                     std::to_string(least) + " to " + std::to_string(most));
  return value;
}

double real(const State& state, const std::string& name) {
  return attribute<double>(state, name, "float64");
}

template <class T>
std::span<const T> numbers(const State& state, const std::string& name) {
  const auto found = state.arrays.find(name);
  if (found == state.arrays.end()) throw StateError("data set '/state/" + name + "' is missing");
  const Array& array = found->second;
  if (array.type != TypeOf<T>::value)
    throw StateError("data set '/state/" + name + "' holds " + hdf5::type_name(array.type) + ", expected " +
                     hdf5::type_name(TypeOf<T>::value));
  return array.as<T>();
}

template <class T>
std::span<const T> numbers(const State& state, const std::string& name, std::int64_t length) {
  const auto values = numbers<T>(state, name);
  if (std::ssize(values) != length) refuse_length(name, values.size(), std::to_string(length));
  return values;
}

std::int64_t whole_number(const std::string& name, double x, std::int64_t least, std::int64_t most) {
  if (x >= static_cast<double>(least) && x <= static_cast<double>(most) && x == std::floor(x))
    return static_cast<std::int64_t>(x);
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x).ptr;
  refuse_array(name, "it holds " + std::string(text, end) + ", expected a whole number from " + std::to_string(least) +
                         " to " + std::to_string(most));
}

void refuse_length(const std::string& name, std::size_t found, const std::string& expected) {
  throw StateError("data set '/state/" + name + "' has " + std::to_string(found) + " numbers, expected " + expected);
}

void refuse_array(const std::string& name, const std::string& what) {
  throw StateError("data set '/state/" + name + "': " + what);
}

template std::span<const double> numbers(const State&, const std::string&);
template std::span<const double> numbers(const State&, const std::string&, std::int64_t);
template std::span<const std::int64_t> numbers(const State&, const std::string&);
template std::span<const std::int64_t> numbers(const State&, const std::string&, std::int64_t);
template std::span<const std::uint64_t> numbers(const State&, const std::string&);
template std::span<const std::uint64_t> numbers(const State&, const std::string&, std::int64_t);

}  // namespace ergode::io
