#include "sim/options/settings_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace ergode::sim::options {
namespace {

/// `[[a, b], ...]`; complains and returns false where it is anything else.
bool is_pairs(const io::Node& node) {
  return node.kind == io::Node::Kind::sequence &&
         std::all_of(node.items.begin(), node.items.end(), [](const io::Node& item) {
           return item.kind == io::Node::Kind::sequence && item.items.size() == 2;
         });
}

io::Limits of_times() {
  io::Limits limits;
  limits.greater_than = 0;
  limits.or_date = true;
  return limits;
}

template <class Value>
std::string write_pairs(std::size_t count, const Value& value) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) {
    const auto [a, b] = value(i);
    text += (i ? ", [" : "[") + io::write_value(a) + ", " + io::write_value(b) + "]";
  }
  return text + "]";
}

}  // namespace

void read_value(const io::Node& node, TermStructure& target, const io::Limits& limits, io::Problems& problems) {
  io::Limits of_values = limits;
  of_values.or_date = false;
  if (node.kind == io::Node::Kind::scalar) {
    double value = 0;
    io::read_value(node, value, of_values, problems);
    target = TermStructure(value);
    return;
  }
  if (!is_pairs(node) || node.items.empty())
    return problems.errors.push_back(
        {node.at, "expected a number, or nodes [[time, value], ...], found " + io::shown(node)});
  const std::size_t errors = problems.errors.size();
  TermStructure read;
  read.values.clear();
  for (const io::Node& pair : node.items) {
    double time = 0, value = 0;
    io::read_value(pair.items[0], time, of_times(), problems);
    io::read_value(pair.items[1], value, of_values, problems);
    if (problems.errors.size() == errors && !read.times.empty() && !(time > read.times.back()))
      problems.errors.push_back(
          {pair.items[0].at, fmt::format("the times of the nodes must ascend; found {} after {}", io::write_value(time),
                                         io::write_value(read.times.back()))});
    read.times.push_back(time);
    read.values.push_back(value);
  }
  if (problems.errors.size() == errors) target = std::move(read);
}
std::string write_value(const TermStructure& x) {
  if (x.times.empty()) return io::write_value(x.values[0]);
  return write_pairs(x.times.size(), [&](std::size_t i) { return std::pair(x.times[i], x.values[i]); });
}
std::string type_name(const TermStructure&) {
  return "number, or nodes [[time, value], ...]";
}

void read_value(const io::Node& node, std::vector<CashDividend>& target, const io::Limits&, io::Problems& problems) {
  if (!is_pairs(node))
    return problems.errors.push_back({node.at, "expected a list [[time, amount], ...], found " + io::shown(node)});
  io::Limits positive;
  positive.greater_than = 0;
  target.assign(node.items.size(), {});
  for (std::size_t i = 0; i < target.size(); ++i) {
    io::read_value(node.items[i].items[0], target[i].time, of_times(), problems);
    io::read_value(node.items[i].items[1], target[i].amount, positive, problems);
  }
}
std::string write_value(const std::vector<CashDividend>& x) {
  return write_pairs(x.size(), [&](std::size_t i) { return std::pair(x[i].time, x[i].amount); });
}
std::string type_name(const std::vector<CashDividend>&) {
  return "list [[time, amount], ...]";
}

io::Form<std::vector<std::string>> names_form(std::string type) {
  return {std::move(type),
          [](const io::Node& node, std::vector<std::string>& target, const io::Limits&, io::Problems& problems) {
            std::string single;
            if (node.kind != io::Node::Kind::scalar) return io::read_value(node, target, {}, problems);
            io::read_value(node, single, {}, problems);
            target = {single};
          },
          [](const std::vector<std::string>& x) { return x.empty() ? std::string() : io::write_value(x); }};
}

io::Form<std::vector<std::string>> words_form(const std::vector<std::string>& words) {
  std::string type = "list of ";
  for (const std::string& word : words) type += (&word == words.data() ? "" : " | ") + word;
  auto form = names_form(type);
  form.read = [words, names = form.read](const io::Node& node, std::vector<std::string>& target,
                                         const io::Limits& limits, io::Problems& problems) {
    names(node, target, limits, problems);
    const std::vector<io::Node> alone{node};
    for (const io::Node& item : node.kind == io::Node::Kind::sequence ? node.items : alone)
      if (item.kind == io::Node::Kind::scalar && std::find(words.begin(), words.end(), item.text) == words.end())
        problems.errors.push_back({item.at, "found " + io::shown(item) + "; " + io::hint(item.text, words)});
  };
  form.write = [](const std::vector<std::string>& x) { return io::write_value(x); };
  return form;
}

io::Form<std::filesystem::path> optional_path_form() {
  return {"path",
          [](const io::Node& node, std::filesystem::path& target, const io::Limits& limits, io::Problems& problems) {
            io::read_value(node, target, limits, problems);
          },
          [](const std::filesystem::path& x) { return x.empty() ? std::string() : io::write_value(x); }};
}

void declare_rate(io::Section& s, std::string_view name, TermStructure& target, std::string_view meaning) {
  s.key(name, target, meaning).unit("1/year").warn_above(1, per_cent_rate).or_date();
}

void declare_volatility(io::Section& s, TermStructure& target) {
  s.key("volatility", target, "Black volatility; total variance may not fall")
      .required()
      .unit("1/sqrt(year)")
      .at_least(0)
      .warn_above(3, per_cent_volatility)
      .or_date();
  s.check([&target](const Complain& complain) {
    for (std::size_t i = 1; i < target.times.size(); ++i) {
      const auto total = [&](std::size_t k) { return target.values[k] * target.values[k] * target.times[k]; };
      // A node that was worked out from a flat forward variance may be below by its last digits.
      if (total(i) < total(i - 1) * (1 - 1e-12))
        return complain("volatility",
                        fmt::format("total variance falls from {} at time {} to {} at {}; volatility^2 times time must "
                                    "not fall",
                                    io::write_value(total(i - 1)), io::write_value(target.times[i - 1]),
                                    io::write_value(total(i)), io::write_value(target.times[i])));
    }
  });
}

void check_fixings(Monitoring monitoring, const std::optional<std::int64_t>& fixings, const Complain& complain) {
  if (monitoring == Monitoring::discrete && !fixings)
    complain("fixings", "discrete monitoring needs the number of fixings; add `fixings`");
  if (monitoring == Monitoring::continuous && fixings)
    complain("fixings", "continuous monitoring has none; remove it, or set `monitoring: discrete`");
}

void check_distinct(const std::vector<std::string>& names, std::string_view key, const Complain& complain) {
  std::set<std::string> seen;
  for (const std::string& name : names)
    if (!seen.insert(name).second) return complain(key, fmt::format("'{}' stands here twice", name));
}

void check_ascending(const std::vector<double>& values, std::string_view key, const Complain& complain) {
  for (std::size_t i = 1; i < values.size(); ++i)
    if (!(values[i] > values[i - 1]))
      return complain(key, fmt::format("must ascend; found {} after {}", io::write_value(values[i]),
                                       io::write_value(values[i - 1])));
}

}  // namespace ergode::sim::options
