#include "io/config/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace ergode::io {
namespace {

std::string number(double x) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr};
}

void refuse(const Node& node, Problems& problems, const std::string& expected) {
  problems.errors.push_back({node.at, "expected " + expected + ", found " + shown(node)});
}

/// A decimal number that fills the whole text; `08`, `0x10`, `nan` and `inf` are none.
std::optional<double> decimal(std::string_view text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(x)) return {};
  const std::string_view digits = text.front() == '-' ? text.substr(1) : text;
  if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') return {};
  return x;
}

bool is_plain(const Node& node) {
  return node.kind == Node::Kind::scalar && !node.quoted;
}

bool within(const Node& node, double x, const Limits& limits, Problems& problems) {
  if ((limits.at_least && x < *limits.at_least) || (limits.greater_than && x <= *limits.greater_than) ||
      (limits.at_most && x > *limits.at_most) || (limits.less_than && x >= *limits.less_than)) {
    problems.errors.push_back({node.at, "found " + shown(node) + ", allowed is " + limits.text()});
    return false;
  }
  if (limits.warn_above && x > *limits.warn_above)
    problems.warnings.push_back({node.at, "found " + shown(node) + ": " + limits.warning});
  return true;
}

template <class T>
void read_integer(const Node& node, T& target, const Limits& limits, Problems& problems) {
  using Range = std::numeric_limits<T>;
  const auto x = is_plain(node) ? decimal(node.text) : std::nullopt;
  if (!x) return refuse(node, problems, "an integer");
  T value = 0;
  const auto [end, error] = std::from_chars(node.text.data(), node.text.data() + node.text.size(), value);
  if (error != std::errc() || end != node.text.data() + node.text.size()) {
    if (std::trunc(*x) != *x) return refuse(node, problems, "an integer");
    // Beyond 2^53 a number such as 1e17 may not be what was written.
    if (std::abs(*x) > 9007199254740992.0 || *x < static_cast<double>(Range::min()) ||
        *x > static_cast<double>(Range::max()))
      return refuse(node, problems,
                    "an integer from " + std::to_string(Range::min()) + " to " + std::to_string(Range::max()) +
                        " (with an exponent, up to 2^53)");
    value = static_cast<T>(*x);
  }
  if (within(node, static_cast<double>(value), limits, problems)) target = value;
}

template <class T>
void read_list(const Node& node, std::vector<T>& target, const Limits& limits, Problems& problems) {
  if (node.kind != Node::Kind::sequence) return refuse(node, problems, "a list [a, b, ...]");
  if (limits.length && node.items.size() != *limits.length)
    return problems.errors.push_back(
        {node.at, "expected " + std::to_string(*limits.length) + " items, found " + std::to_string(node.items.size())});
  target.assign(node.items.size(), T{});
  for (std::size_t i = 0; i < target.size(); ++i) read_value(node.items[i], target[i], limits, problems);
}

template <class T>
std::string write_list(const T& values) {
  std::string text = "[";
  for (const auto& value : values) text += (text.size() > 1 ? ", " : "") + write_value(value);
  return text + "]";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else
      out += c;
  }
  return out + "\"";
}

/// "12 GiB" as 12 and "GiB".
std::pair<std::optional<double>, std::string> amount(const std::string& text) {
  const std::size_t unit = text.find_first_not_of("0123456789.-");
  if (unit == 0 || unit == std::string::npos) return {};
  const std::size_t end = text.find_last_not_of(' ', unit - 1 < text.size() ? unit - 1 : 0);
  const std::size_t begin = text.find_first_not_of(' ', unit);
  if (begin == std::string::npos) return {};
  return {decimal(std::string_view(text).substr(0, end + 1)), text.substr(begin)};
}

std::optional<double> clock(const std::string& text) {
  double total = 0;
  int parts = 0;
  for (std::size_t begin = 0; begin <= text.size(); ++parts) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    int value = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, value);
    if (begin == end || error != std::errc() || stop != text.data() + end || value < 0 || (parts > 0 && value >= 60))
      return {};
    total = total * 60 + value;
    begin = end + 1;
  }
  return parts == 3 ? std::optional(total) : std::nullopt;
}

}  // namespace

std::string shown(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::sequence:
      return "a list";
    case Node::Kind::mapping:
      return "a mapping";
    default:
      break;
  }
  const std::string text = node.text.size() > 60 ? node.text.substr(0, 60) + "..." : node.text;
  return node.quoted ? "the string " + quoted(text) : "'" + text + "'";
}

std::string Limits::text() const {
  std::string out;
  const auto add = [&](const char* words, const std::optional<double>& x) {
    if (x) out += (out.empty() ? "" : ", ") + std::string(words) + number(*x);
  };
  add("at least ", at_least);
  add("greater than ", greater_than);
  add("at most ", at_most);
  add("less than ", less_than);
  return out;
}

void read_value(const Node& n, int& t, const Limits& l, Problems& p) {
  read_integer(n, t, l, p);
}
void read_value(const Node& n, std::int64_t& t, const Limits& l, Problems& p) {
  read_integer(n, t, l, p);
}
void read_value(const Node& n, std::uint32_t& t, const Limits& l, Problems& p) {
  read_integer(n, t, l, p);
}
void read_value(const Node& n, std::uint64_t& t, const Limits& l, Problems& p) {
  read_integer(n, t, l, p);
}

void read_value(const Node& node, bool& target, const Limits&, Problems& problems) {
  if (!is_plain(node) || (node.text != "true" && node.text != "false")) return refuse(node, problems, "true or false");
  target = node.text == "true";
}

bool is_date(const std::string& text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  return true;
}

void read_value(const Node& node, double& target, const Limits& limits, Problems& problems) {
  auto x = is_plain(node) ? decimal(node.text) : std::nullopt;
  if (limits.or_date && node.kind == Node::Kind::scalar && is_date(node.text)) {
    std::string why = "a date has no meaning here";
    if (problems.years) x = problems.years(node.text, why);
    if (!x) return problems.errors.push_back({node.at, "found the date " + node.text + ": " + why});
  }
  if (!x)
    return refuse(node, problems,
                  "a finite number" + (limits.text().empty() ? "" : " " + limits.text()) +
                      (limits.or_date ? ", or a date YYYY-MM-DD" : ""));
  if (within(node, *x, limits, problems)) target = *x;
}

void read_value(const Node& node, std::string& target, const Limits&, Problems& problems) {
  if (node.kind != Node::Kind::scalar) return refuse(node, problems, "text");
  target = node.text;
}

void read_value(const Node& node, std::filesystem::path& target, const Limits&, Problems& problems) {
  if (node.kind != Node::Kind::scalar || node.text.empty()) return refuse(node, problems, "a path");
  target = node.text;
}

void read_value(const Node& node, Interval& target, const Limits& limits, Problems& problems) {
  const auto unknown = [&] { refuse(node, problems, "a duration (90 s, 15 min, 2 h, 1:30:00) or a count (10 steps)"); };
  if (node.kind != Node::Kind::scalar) return unknown();
  Interval value;
  if (const auto time = clock(node.text)) {
    value.seconds = *time;
  } else {
    const auto [x, unit] = amount(node.text);
    if (!x || *x < 0) return unknown();
    if (unit == "steps" || unit == "step") {
      if (std::trunc(*x) != *x || *x < 1 || *x > 9007199254740992.0) return unknown();
      value.steps = static_cast<std::int64_t>(*x);
    } else {
      const double factor = unit == "s" ? 1 : unit == "min" ? 60 : unit == "h" ? 3600 : unit == "d" ? 86400 : 0;
      if (factor == 0) return unknown();
      value.seconds = *x * factor;
    }
  }
  if (within(node, value.steps ? static_cast<double>(value.steps) : value.seconds, limits, problems)) target = value;
}

void read_value(const Node& node, MemorySize& target, const Limits& limits, Problems& problems) {
  const auto unknown = [&] { refuse(node, problems, "a memory size such as 12 GiB (B, KiB, MiB, GiB, TiB)"); };
  if (node.kind != Node::Kind::scalar) return unknown();
  const auto [x, unit] = amount(node.text);
  const int power = unit == "B"     ? 0
                    : unit == "KiB" ? 10
                    : unit == "MiB" ? 20
                    : unit == "GiB" ? 30
                    : unit == "TiB" ? 40
                                    : -1;
  if (!x || power < 0 || *x < 0 || std::ldexp(*x, power) > 9007199254740992.0) return unknown();
  const double bytes = std::ldexp(*x, power);
  if (within(node, bytes, limits, problems)) target.bytes = static_cast<std::int64_t>(bytes);
}

void read_value(const Node& node, Triple& target, const Limits& limits, Problems& problems) {
  if (node.kind != Node::Kind::sequence || node.items.size() != 3)
    return refuse(node, problems, "three numbers [x, y, z]");
  for (std::size_t i = 0; i < 3; ++i) read_value(node.items[i], target[i], limits, problems);
}
void read_value(const Node& n, std::vector<double>& t, const Limits& l, Problems& p) {
  read_list(n, t, l, p);
}
void read_value(const Node& n, std::vector<std::int64_t>& t, const Limits& l, Problems& p) {
  read_list(n, t, l, p);
}
void read_value(const Node& n, std::vector<std::string>& t, const Limits& l, Problems& p) {
  read_list(n, t, l, p);
}
void read_value(const Node& node, Rows& target, const Limits& limits, Problems& problems) {
  if (node.kind != Node::Kind::sequence) return refuse(node, problems, "a list of rows [[a, b, ...], ...]");
  target.assign(node.items.size(), {});
  for (std::size_t i = 0; i < target.size(); ++i) read_value(node.items[i], target[i], limits, problems);
}

std::string write_value(const bool& x) {
  return x ? "true" : "false";
}
std::string write_value(const int& x) {
  return std::to_string(x);
}
std::string write_value(const std::int64_t& x) {
  return std::to_string(x);
}
std::string write_value(const std::uint32_t& x) {
  return std::to_string(x);
}
std::string write_value(const std::uint64_t& x) {
  return std::to_string(x);
}
std::string write_value(const double& x) {
  return number(x);
}
std::string write_value(const std::string& x) {
  return quoted(x);
}
std::string write_value(const std::filesystem::path& x) {
  return quoted(x.string());
}
std::string write_value(const Interval& x) {
  return x.steps ? std::to_string(x.steps) + " steps" : [&] {
    char buffer[512];  // fixed form: an exponent would be taken for a unit
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, x.seconds, std::chars_format::fixed).ptr) +
           " s";
  }();
}
std::string write_value(const MemorySize& x) {
  return std::to_string(x.bytes) + " B";
}
std::string write_value(const Triple& x) {
  return write_list(x);
}
std::string write_value(const std::vector<double>& x) {
  return write_list(x);
}
std::string write_value(const std::vector<std::int64_t>& x) {
  return write_list(x);
}
std::string write_value(const std::vector<std::string>& x) {
  return write_list(x);
}
std::string write_value(const Rows& x) {
  return write_list(x);
}

std::string type_name(const bool&) {
  return "boolean";
}
std::string type_name(const int&) {
  return "integer";
}
std::string type_name(const std::int64_t&) {
  return "integer";
}
std::string type_name(const std::uint32_t&) {
  return "integer";
}
std::string type_name(const std::uint64_t&) {
  return "integer";
}
std::string type_name(const double&) {
  return "number";
}
std::string type_name(const std::string&) {
  return "text";
}
std::string type_name(const std::filesystem::path&) {
  return "path";
}
std::string type_name(const Interval&) {
  return "interval";
}
std::string type_name(const MemorySize&) {
  return "memory size";
}
std::string type_name(const Triple&) {
  return "three numbers";
}
std::string type_name(const std::vector<double>&) {
  return "list of numbers";
}
std::string type_name(const std::vector<std::int64_t>&) {
  return "list of integers";
}
std::string type_name(const std::vector<std::string>&) {
  return "list of texts";
}
std::string type_name(const Rows&) {
  return "rows of numbers";
}

}  // namespace ergode::io
