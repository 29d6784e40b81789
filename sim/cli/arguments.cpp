#include "sim/cli/arguments.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

namespace ergode::sim {
namespace {

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !std::isfinite(value) || value < 0)
    return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> parse_walltime(const std::string& text) {
  std::string_view rest = text;
  double total = 0;
  if (const std::size_t dash = rest.find('-'); dash != std::string_view::npos) {
    const auto days = number(rest.substr(0, dash));
    if (!days) return std::nullopt;
    total = *days * 86400;
    rest.remove_prefix(dash + 1);
    if (rest.find(':') == std::string_view::npos) return std::nullopt;
  }
  double clock = 0;
  int parts = 0;
  for (;; ++parts) {
    const std::size_t colon = rest.find(':');
    const auto part = number(rest.substr(0, colon));
    if (!part || parts == 3 || (parts > 0 && *part >= 60)) return std::nullopt;
    clock = 60 * clock + *part;
    if (colon == std::string_view::npos) break;
    if (*part != std::floor(*part)) return std::nullopt;
    rest.remove_prefix(colon + 1);
  }
  total += clock;
  return total > 0 && total < 1e12 ? std::optional(total) : std::nullopt;
}

std::string yaml_quote(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string join_command(int argc, const char* const* argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                            "_-./=:,+@%") == std::string::npos;
    if (i > 0) line += ' ';
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? "'\\''" : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace ergode::sim
