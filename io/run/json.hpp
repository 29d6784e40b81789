#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergode::io {

/// `text` as a JSON string with its quotes; control characters are escaped, bytes that are not UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

/// Well-formed UTF-8 without control characters.
bool is_printable(std::string_view text);

/// The shortest text that reads back as `value`, with a point in every locale; `null` where JSON has no word (NaN,
/// infinity).
std::string json_number(double value);

/// An object written in the order of its set() calls, one key a line.
class JsonObject {
 public:
  JsonObject& set(std::string_view key, std::string_view value);
  JsonObject& set(std::string_view key, const char* value) { return set(key, std::string_view(value)); }
  JsonObject& set(std::string_view key, const std::string& value) { return set(key, std::string_view(value)); }
  JsonObject& set(std::string_view key, double value);
  JsonObject& set(std::string_view key, std::int64_t value);
  JsonObject& set(std::string_view key, int value) { return set(key, std::int64_t{value}); }
  JsonObject& set(std::string_view key, bool value);
  JsonObject& set(std::string_view key, const JsonObject& value);
  JsonObject& set(std::string_view key, const std::vector<JsonObject>& values);

  /// Indented by two spaces a level, without a newline at the end.
  std::string text(int level = 0) const;

 private:
  struct Member {
    std::string key;
    std::string scalar;  ///< a finished JSON value, when `objects` is not what counts
    std::vector<JsonObject> objects;
    enum class Kind { scalar, object, array } kind = Kind::scalar;
  };
  JsonObject& add(std::string_view key, std::string scalar);
  std::vector<Member> members_;
};

/// The value of the first `"key": value` in a file that JsonObject wrote: strings unescaped, numbers and words as they
/// are. It is no JSON parser: it serves to read back our own lock and summary files.
std::optional<std::string> json_field(std::string_view text, std::string_view key);

}  // namespace ergode::io
