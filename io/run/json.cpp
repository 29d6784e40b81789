#include "io/run/json.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace ergode::io {
namespace {

/// Length of the well-formed UTF-8 sequence at the start of `s`, 0 when there is none (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view s) {
  auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  auto tail = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  const unsigned b = byte(0);
  if (b < 0x80) return 1;
  if (b >= 0xC2 && b <= 0xDF) return tail(1) ? 2 : 0;
  if (b >= 0xE0 && b <= 0xEF) {
    const unsigned low = b == 0xE0 ? 0xA0 : 0x80, high = b == 0xED ? 0x9F : 0xBF;
    return byte(1) >= low && byte(1) <= high && tail(2) ? 3 : 0;
  }
  if (b >= 0xF0 && b <= 0xF4) {
    const unsigned low = b == 0xF0 ? 0x90 : 0x80, high = b == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= low && byte(1) <= high && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = utf8_length(text);
    if (n == 0 || static_cast<unsigned char>(text[0]) < 0x20 || text[0] == 0x7f) return false;
    text.remove_prefix(n);
  }
  return true;
}

std::string json_quote(std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i++];
    } else if (c == '\n') {
      out += "\\n", ++i;
    } else if (c == '\t') {
      out += "\\t", ++i;
    } else if (c < 0x20 || c == 0x7F) {
      out += "\\u00";
      out += hex[c >> 4];
      out += hex[c & 15];
      ++i;
    } else if (const std::size_t n = utf8_length(text.substr(i)); n > 0) {
      out += text.substr(i, n);
      i += n;
    } else {
      out += "\\ufffd", ++i;
    }
  }
  return out + "\"";
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end.ptr);
}

JsonObject& JsonObject::add(std::string_view key, std::string scalar) {
  members_.push_back({std::string(key), std::move(scalar), {}, Member::Kind::scalar});
  return *this;
}
JsonObject& JsonObject::set(std::string_view key, std::string_view value) {
  return add(key, json_quote(value));
}
JsonObject& JsonObject::set(std::string_view key, double value) {
  return add(key, json_number(value));
}
JsonObject& JsonObject::set(std::string_view key, std::int64_t value) {
  return add(key, std::to_string(value));
}
JsonObject& JsonObject::set(std::string_view key, bool value) {
  return add(key, value ? "true" : "false");
}
JsonObject& JsonObject::set(std::string_view key, const JsonObject& value) {
  members_.push_back({std::string(key), {}, {value}, Member::Kind::object});
  return *this;
}
JsonObject& JsonObject::set(std::string_view key, const std::vector<JsonObject>& values) {
  members_.push_back({std::string(key), {}, values, Member::Kind::array});
  return *this;
}

std::string JsonObject::text(int level) const {
  if (members_.empty()) return "{}";
  const std::string indent(static_cast<std::size_t>(2 * level + 2), ' ');
  std::string out = "{\n";
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& m = members_[i];
    out += indent + json_quote(m.key) + ": ";
    if (m.kind == Member::Kind::scalar) {
      out += m.scalar;
    } else if (m.kind == Member::Kind::object) {
      out += m.objects.front().text(level + 1);
    } else if (m.objects.empty()) {
      out += "[]";
    } else {
      out += "[\n";
      for (std::size_t j = 0; j < m.objects.size(); ++j)
        out += indent + "  " + m.objects[j].text(level + 2) + (j + 1 < m.objects.size() ? ",\n" : "\n");
      out += indent + "]";
    }
    out += i + 1 < members_.size() ? ",\n" : "\n";
  }
  return out + indent.substr(2) + "}";
}

std::optional<std::string> json_field(std::string_view text, std::string_view key) {
  const std::string marker = json_quote(key) + ": ";
  const std::size_t at = text.find(marker);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + marker.size());
  if (rest.empty()) return std::nullopt;
  if (rest.front() != '"') {
    const std::size_t end = rest.find_first_of(",}\n");
    if (end == std::string_view::npos) return std::nullopt;  // cut off in the middle
    return std::string(rest.substr(0, end));
  }
  std::string value;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') return value;
    if (rest[i] != '\\') {
      value += rest[i];
      continue;
    }
    if (++i >= rest.size()) break;
    if (rest[i] == 'n') {
      value += '\n';
    } else if (rest[i] == 't') {
      value += '\t';
    } else if (rest[i] == 'u') {
      unsigned code = 0;
      if (i + 4 >= rest.size()) break;
      std::from_chars(rest.data() + i + 1, rest.data() + i + 5, code, 16);
      value += code < 0x80 ? static_cast<char>(code) : '?';
      i += 4;
    } else {
      value += rest[i];
    }
  }
  return std::nullopt;
}

}  // namespace ergode::io
