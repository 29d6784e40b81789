#include "sim/sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

namespace ergode::sim {
namespace {

/// What is wrong with several members is said once.
class MemberProblems {
 public:
  void add(const std::string& message, const std::string& member) {
    const auto same = [&](const Entry& e) { return e.message == message; };
    if (const auto found = std::find_if(entries_.begin(), entries_.end(), same); found != entries_.end()) {
      ++found->others;
    } else if (entries_.size() < most) {
      entries_.push_back({message, member, 0});
    } else {
      ++left_out_;
    }
  }
  bool empty() const { return entries_.empty(); }
  std::string text() const {
    std::string all;
    for (const Entry& e : entries_) {
      all += (all.empty() ? "" : "\n") + e.member;
      if (e.others > 0) all += fmt::format(" and {} more", e.others);
      all += ":\n" + e.message;
    }
    if (left_out_ > 0) all += fmt::format("\nand other problems of {} more members", left_out_);
    return all;
  }

 private:
  struct Entry {
    std::string message, member;
    std::int64_t others;
  };
  static constexpr std::size_t most = 10;
  std::vector<Entry> entries_;
  std::int64_t left_out_ = 0;
};

/// A key path without the parts that are 0.
std::string without_first_indices(const std::string& path) {
  std::string out;
  std::istringstream parts(path);
  for (std::string part; std::getline(parts, part, '.');)
    if (part != "0") out += (out.empty() ? "" : ".") + part;
  return out;
}

}  // namespace

bool has_sweep(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  const io::Document document = load_document(path, overrides);
  const io::Node* sweep = document.root().find("sweep");
  return sweep != nullptr && sweep->kind != io::Node::Kind::null;
}

std::string member_name(std::int64_t member) {
  return fmt::format("member_{:06}", member);
}

std::optional<std::int64_t> member_number(const std::string& name) {
  constexpr std::string_view before = "member_";
  std::int64_t member = 0;
  if (!name.starts_with(before)) return std::nullopt;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + before.size(), end, member);
  return read.ec == std::errc() && read.ptr == end ? std::optional(member) : std::nullopt;
}

std::filesystem::path member_directory(std::int64_t member) {
  return std::filesystem::path("members") / member_name(member);
}

SweepPlan::SweepPlan(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                     const std::vector<SimulationType>& types)
    : path_(path) {
  io::Document document = load_document(path, overrides);
  type_ = type_of(document, types);
  base_ = document.without("sweep");
  const std::string seed = io::peek(document, "seed");
  std::from_chars(seed.data(), seed.data() + seed.size(), first_seed_);
  bool broken = false;
  try {
    io::read_config(document.only("sweep"), [this](io::Section& root) { root.section("sweep", swept_, ""); });
  } catch (const io::Error&) {
    broken = true;  // said below, with what is wrong in the rest of the config
  }
  if (broken) {
    swept_.seeds.reset();
    std::erase_if(swept_.parameters, [](const SweepParameter& p) { return p.values.empty(); });
  }
  make_axes(swept_);
  put_values(document, 0);
  used_ = read_document(document, path_, type_);
}

void SweepPlan::make_axes(const SweepSettings& settings) {
  const auto add_axis = [this](std::int64_t length) { lengths_.push_back(length); };
  const auto add_column = [this](const std::string& name, const SweepParameter* parameter) {
    columns_.push_back({name, static_cast<std::int64_t>(lengths_.size()) - 1});
    parameters_.push_back(parameter);
  };
  if (settings.seeds) {
    add_axis(*settings.seeds);
    add_column("seed", nullptr);
  }
  for (const SweepParameter& parameter : settings.parameters) {
    if (settings.mode == SweepSettings::Mode::crossed || &parameter == &settings.parameters.front())
      add_axis(std::ssize(parameter.values));
    add_column(parameter.path, &parameter);
  }
  strides_.assign(lengths_.size(), 1);
  for (std::size_t axis = lengths_.size(); axis-- > 0; members_ *= lengths_[axis]) strides_[axis] = members_;
}

std::int64_t SweepPlan::position(std::int64_t axis, std::int64_t member) const {
  const auto a = static_cast<std::size_t>(axis);
  return member / strides_[a] % lengths_[a];
}

std::string SweepPlan::value(std::size_t column, std::int64_t member) const {
  const std::int64_t at = position(columns_[column].axis, member);
  const SweepParameter* parameter = parameters_[column];
  return parameter != nullptr ? parameter->values[static_cast<std::size_t>(at)].text
                              : std::to_string(std::int64_t{first_seed_} + at);
}

bool SweepPlan::is_text(std::size_t column) const {
  const SweepParameter* parameter = parameters_[column];
  if (parameter == nullptr) return false;
  const auto& values = parameter->values;
  if (std::any_of(values.begin(), values.end(), [](const io::Node& value) { return value.quoted; })) return true;
  // A text stands in quotes among the flat keys; there a list of one has its index, which a key path may leave out.
  const std::string path = without_first_indices(parameter->path);
  return std::any_of(used_.flat.begin(), used_.flat.end(), [&](const io::FlatKey& key) {
    return key.value.starts_with('"') && without_first_indices(key.path) == path;
  });
}

std::string SweepPlan::describe(std::int64_t member) const {
  std::string values;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", columns_[c].path, value(c, member));
  return fmt::format("member {} ({})", member, values);
}

void SweepPlan::put_values(io::Document& document, std::int64_t member) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const SweepParameter* parameter = parameters_[c];
    if (parameter == nullptr) {
      // Member 0 keeps what the config says, and what is wrong with it.
      if (position(columns_[c].axis, member) > 0)
        document.put("seed", io::scalar_node(value(c, member), swept_.seeds_at), swept_.seeds_at);
      continue;
    }
    const auto at = static_cast<std::size_t>(position(columns_[c].axis, member));
    document.put(parameter->path, parameter->values[at], parameter->key_at);
  }
}

io::Document SweepPlan::member_document(std::int64_t member) const {
  io::Document document = base_;
  put_values(document, member);
  const io::Position nowhere{};
  io::Node name = io::scalar_node(used_.common.name, nowhere);
  name.quoted = true;
  document.put("name", std::move(name), nowhere);
  io::Node folder = io::scalar_node((directory() / member_directory(member)).string(), nowhere);
  folder.quoted = true;
  document.put("output.directory", std::move(folder), nowhere);
  return document;
}

LoadedConfig SweepPlan::load_member(std::int64_t member) const {
  return read_document(member_document(member), path_, type_);
}

SweepCheck SweepPlan::check() const {
  MemberProblems problems;
  SweepCheck found;
  std::set<std::filesystem::path> known_inputs;
  io::ExitCode code = io::ExitCode::config;
  constexpr std::size_t most_warnings = 20;
  const auto is_new = [&](const std::string& warning) {
    const auto lacks = [&](const std::vector<std::string>& said) {
      return std::find(said.begin(), said.end(), warning) == said.end();
    };
    return lacks(used_.warnings) && lacks(found.warnings);
  };
  for (std::int64_t m = 0; m < members_; ++m) {
    try {
      const LoadedConfig config = load_member(m);
      for (const std::string& warning : config.warnings)
        if (found.warnings.size() < most_warnings && is_new(warning)) found.warnings.push_back(warning);
      for (InputFile& input : config.simulation->input_files())
        if (known_inputs.insert(input.path).second) found.inputs.push_back(std::move(input));
    } catch (const io::Error& e) {
      if (problems.empty()) code = e.code();
      problems.add(e.what(), describe(m));
    }
  }
  if (!problems.empty()) throw io::Error(code, problems.text());
  return found;
}

}  // namespace ergode::sim
