#include "sim/sweep/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

namespace ergode::sim {
namespace {

using io::Node;

/// One scalar as YAML takes it back within a list.
std::string scalar_text(const Node& node) {
  const bool plain = !node.quoted && !node.text.empty() &&
                     node.text.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                         "_.+-") == std::string::npos;
  return plain ? node.text : io::write_value(node.text);
}

/// `{from: 1e-4, to: 0.1, count: 4, spacing: log}`, the ends included.
struct Range {
  double from = 0, to = 0;
  std::int64_t count = 0;
  std::string spacing = "linear";

  double value(std::int64_t i) const {
    if (i == 0) return from;
    if (i == count - 1) return to;
    const double part = static_cast<double>(i) / static_cast<double>(count - 1);
    const double exact = spacing == "log" ? from * std::pow(to / from, part) : from + part * (to - from);
    // 15 digits: 0.3 and not 0.30000000000000004, in the config as in the tables.
    char text[40];
    double rounded = exact;
    std::from_chars(text, std::to_chars(text, text + sizeof text, exact, std::chars_format::general, 15).ptr, rounded);
    return rounded;
  }
  std::string text() const {
    return fmt::format("{{from: {}, to: {}, count: {}, spacing: {}}}", io::write_value(from), io::write_value(to),
                       count, spacing);
  }
};

void read_range(const Node& node, SweepParameter& parameter, io::Problems& problems) {
  Range range;
  const std::vector<std::string> known{"from", "to", "count", "spacing"};
  const std::size_t before = problems.errors.size();
  std::set<std::string> given;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& key = node.keys[i];
    given.insert(key);
    io::Limits count_limits;
    count_limits.at_least = 2;
    count_limits.at_most = static_cast<double>(SweepSettings::most_members);
    if (key == "from") {
      io::read_value(node.items[i], range.from, {}, problems);
    } else if (key == "to") {
      io::read_value(node.items[i], range.to, {}, problems);
    } else if (key == "count") {
      io::read_value(node.items[i], range.count, count_limits, problems);
    } else if (key == "spacing") {
      io::read_value(node.items[i], range.spacing, {}, problems);
      if (range.spacing != "linear" && range.spacing != "log")
        problems.errors.push_back({node.items[i].at, "spacing is linear or log, found " + io::shown(node.items[i])});
    } else {
      problems.errors.push_back({node.key_at[i], "unknown key '" + key + "'; " + io::hint(key, known)});
    }
  }
  for (const char* key : {"from", "to", "count"})
    if (!given.contains(key))
      problems.errors.push_back({node.at, fmt::format("a range needs from, to and count; `{}` is missing", key)});
  if (problems.errors.size() != before) return;
  if (range.spacing == "log" && !(range.from > 0 && range.to > 0)) {
    problems.errors.push_back({node.at, "the ends of a range with spacing: log must be greater than 0"});
    return;
  }
  for (std::int64_t i = 0; i < range.count; ++i) {
    Node value;
    value.kind = Node::Kind::scalar;
    value.at = node.at;
    value.text = io::write_value(range.value(i));
    parameter.values.push_back(std::move(value));
  }
  parameter.text = range.text();
}

void read_values(const Node& node, SweepParameter& parameter, io::Problems& problems) {
  for (const Node& item : node.items) {
    if (item.kind != Node::Kind::scalar) {
      problems.errors.push_back({item.at, "expected a number, text, or true or false, found " + io::shown(item)});
      continue;
    }
    parameter.text += (parameter.values.empty() ? "" : ", ") + scalar_text(item);
    parameter.values.push_back(item);
  }
  parameter.text = "[" + parameter.text + "]";
  if (node.items.empty()) problems.errors.push_back({node.at, "the list has no values; give one at least"});
}

bool is_range(const Node& node) {
  return node.find("from") != nullptr || node.find("to") != nullptr || node.find("count") != nullptr;
}

/// Key paths may be written with points or as nested mappings (which `--set` makes).
void read_parameters(const Node& node, const std::string& above, std::vector<SweepParameter>& parameters,
                     io::Problems& problems) {
  if (node.kind == Node::Kind::null) return;
  if (node.kind != Node::Kind::mapping)
    return problems.errors.push_back({node.at, "expected a mapping (key.path: [values]), found " + io::shown(node)});
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const Node& item = node.items[i];
    const std::string path = above.empty() ? node.keys[i] : above + "." + node.keys[i];
    if (item.kind == Node::Kind::mapping && !is_range(item)) {
      read_parameters(item, path, parameters, problems);
      continue;
    }
    SweepParameter parameter{path, node.key_at[i], {}, {}};
    if (item.kind == Node::Kind::sequence) {
      read_values(item, parameter, problems);
    } else if (item.kind == Node::Kind::mapping) {
      read_range(item, parameter, problems);
    } else {
      problems.errors.push_back(
          {item.at, fmt::format("'{}': expected a list [a, b, ...] or a range {{from, to, count}}, found {}", path,
                                io::shown(item))});
    }
    const auto same = [&](const SweepParameter& p) { return p.path == path; };
    if (std::any_of(parameters.begin(), parameters.end(), same))
      problems.errors.push_back({parameter.key_at, fmt::format("'{}' stands here a second time", path)});
    constexpr std::array fixed{"simulation", "name", "device", "threads", "sweep", "output.directory"};
    if (std::any_of(fixed.begin(), fixed.end(), [&](std::string_view key) {
          return path == key || path.starts_with(std::string(key) + ".") || path == "output";
        }))
      problems.errors.push_back(
          {parameter.key_at, fmt::format("'{}' is one for all members and cannot be swept", path)});
    parameters.push_back(std::move(parameter));
  }
}

io::Form<std::vector<SweepParameter>> parameters_form() {
  return {"key.path: [a, b, ...] or {from, to, count, spacing: linear | log}",
          [](const Node& node, std::vector<SweepParameter>& target, const io::Limits&, io::Problems& problems) {
            target.clear();
            read_parameters(node, "", target, problems);
          },
          [](const std::vector<SweepParameter>& parameters) {
            std::string text = "{";
            for (const SweepParameter& p : parameters)
              text += (text.size() > 1 ? ", " : "") + io::write_value(p.path) + ": " + p.text;
            return text + "}";
          }};
}

/// A number that remembers where it was written.
io::Form<std::optional<std::int64_t>> seeds_form(io::Position& at) {
  return {
      "integer",
      [&at](const Node& node, std::optional<std::int64_t>& target, const io::Limits& limits, io::Problems& problems) {
        at = node.at;
        io::read_value(node, target, limits, problems);
      },
      [](const std::optional<std::int64_t>& value) { return io::write_value(value); }};
}

}  // namespace

void SweepSettings::declare(io::Section& section) {
  section
      .key("seeds", seeds, seeds_form(seeds_at),
           "so many members with seed, seed + 1, ... of each setting: the axis `seed`")
      .at_least(1)
      .at_most(static_cast<double>(most_members));
  section.choice("mode", mode, {{"crossed", Mode::crossed}, {"zipped", Mode::zipped}},
                 "crossed: every combination of the parameters' values; zipped: their first values, their second "
                 "ones, and so on");
  section
      .choice("packed", packed, {{"auto", Packing::automatic}, {"true", Packing::always}, {"false", Packing::never}},
              "members share files and are computed without checkpoints; auto: the small ones of 20 members or more "
              "(by the estimate 1e8 interactions or path steps, 1 MiB of output)")
      .may_change_on_resume();
  section.key("parameters", parameters, parameters_form(),
              "values of any keys of this config, by their key paths as in `--set`");
  section.check([this](const auto& complain) {
    if (!seeds && parameters.empty())
      complain("", "nothing is swept: give `seeds` or `parameters`, or remove the sweep");
    double members = seeds ? static_cast<double>(*seeds) : 1;
    for (const SweepParameter& p : parameters) {
      if (mode == Mode::crossed) members *= static_cast<double>(p.values.size());
      if (mode == Mode::zipped && p.values.size() != parameters.front().values.size())
        complain("parameters",
                 fmt::format("zipped parameters have equally many values each: '{}' has {}, '{}' has {}",
                             parameters.front().path, parameters.front().values.size(), p.path, p.values.size()));
      if (seeds && p.path == "seed") complain("parameters", "`seed` is swept by `seeds` already");
    }
    if (mode == Mode::zipped && !parameters.empty()) members *= static_cast<double>(parameters.front().values.size());
    if (members > static_cast<double>(most_members))
      complain("", fmt::format("a sweep of {:g} members; at most {} are allowed", members, most_members));
  });
}

}  // namespace ergode::sim
