#pragma once

// The config layer. A type declares its keys once, in `void declare(Section&)`; the same declaration parses, checks,
// writes `config.used.yaml`, prints `ergode schema` and makes docs/configuration.md.
//
//   struct Plummer {
//     static constexpr const char* tag = "plummer";
//     static constexpr const char* meaning = "isotropic Plummer sphere (Plummer 1911; Aarseth, Henon & Wielen 1974)";
//     std::int64_t particles = 0;
//     double scale_radius = 1;
//     void declare(io::Section& s) {
//       s.key("particles", particles, "number of bodies").required().at_least(1);
//       s.key("scale_radius", scale_radius, "Plummer radius").unit("length").greater_than(0);   // default: the
//       member's value
//     }
//   };

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "io/config/document.hpp"
#include "io/config/values.hpp"
#include "io/error.hpp"

namespace ergode::io {

/// What was declared, and after a reading also the values: the one tree that the schema and `config.used.yaml` are
/// written from.
struct SchemaNode {
  /// `names` is a mapping whose keys are the user's; each of its children is a section.
  enum class Kind { key, section, list, item, alternative, names };
  Kind kind = Kind::section;
  std::string name, path, meaning, type, unit, default_text;
  std::string shorthand;  ///< of a section: the key that its value alone stands for
  Limits limits;
  bool required = false, optional = false, may_change = false, resolve_from_config = false;
  std::string value;    ///< canonical text; "" for an optional that is absent
  bool absent = false;  ///< an optional section that is not there
  bool open = false;    ///< which keys belong here is not known, so none is called unknown
  std::vector<std::unique_ptr<SchemaNode>> children;

  // While reading:
  const Node* node = nullptr;  ///< null where the document does not have it
  std::unique_ptr<Node> made;  ///< what `node` points to where it is not the document's: rows of a file, a shorthand
  Position at;                 ///< of the value, or of the mapping that lacks it
  std::function<void(const Node&, const Limits&, Problems&)> read;
  std::function<std::string()> write;
  std::function<void(const std::filesystem::path& folder)> resolve;  ///< of a path: makes it absolute
  bool finished = false;
};

/// Refines a key just declared; every call returns the field.
template <class T>
class Field {
 public:
  Field& required() { return node_->required = true, *this; }  ///< no default: the key must be there
  Field& unit(std::string_view unit) {
    return node_->unit = unit, *this;
  }  ///< shown in the schema; "length", "AU", "s" ...
  Field& at_least(double low) { return node_->limits.at_least = low, *this; }  ///< also for each element of a vector
  Field& greater_than(double low) { return node_->limits.greater_than = low, *this; }
  Field& at_most(double high) { return node_->limits.at_most = high, *this; }
  Field& less_than(double high) { return node_->limits.less_than = high, *this; }
  Field& or_date() { return node_->limits.or_date = true, *this; }  ///< of years: a date may stand for them
  Field& length(std::size_t count) { return node_->limits.length = count, *this; }  ///< of a vector
  Field& warn_above(double limit, std::string_view message) {
    node_->limits.warn_above = limit;
    node_->limits.warning = message;
    return *this;
  }
  /// Of a path: a relative one starts at the config's folder. It is made absolute, so that config.used.yaml, which lies
  /// elsewhere, names the same file.
  Field& relative_to_config() {
    node_->resolve_from_config = true;
    return *this;
  }
  Field& may_change_on_resume() {
    return node_->may_change = true, *this;
  }  ///< else a resume with another value is refused

 private:
  friend class Section;
  explicit Field(SchemaNode* node) : node_(node) {}
  SchemaNode* node_;
};

/// How a key that key() has no form for is read and written. An empty text is not written.
template <class T>
struct Form {
  std::string type;
  std::function<void(const Node&, T&, const Limits&, Problems&)> read;
  std::function<std::string(const T&)> write;
};

/// "did you mean 'spot'?", or all that is allowed.
std::string hint(const std::string& wrong, const std::vector<std::string>& known);

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// One mapping of the document, seen by a declaration. T of key(): bool, int, std::int64_t, std::uint32_t,
/// std::uint64_t, double, std::string, std::filesystem::path, Interval, MemorySize, std::array<double, 3>, std::vector
/// of double / int64 / string, and std::optional of any. Targets are set when the mapping's declaration ends, not
/// within key().
class Section {
 public:
  template <class T>
  Field<T> key(std::string_view name, T& target, std::string_view meaning) {
    SchemaNode* node = add(SchemaNode::Kind::key, name, meaning);
    node->type = type_name(target);
    node->default_text = write_value(target);
    node->optional = is_optional<T>;
    node->read = [&target](const Node& n, const Limits& l, Problems& p) { read_value(n, target, l, p); };
    node->write = [&target] { return write_value(target); };
    if constexpr (std::is_same_v<T, std::filesystem::path>)
      node->resolve = [&target](const std::filesystem::path& folder) {
        if (target.is_relative()) target = (folder / target).lexically_normal();
      };
    return Field<T>(node);
  }

  /// A key whose text has a form of its own.
  template <class T>
  Field<T> key(std::string_view name, T& target, const Form<T>& form, std::string_view meaning) {
    SchemaNode* node = add(SchemaNode::Kind::key, name, meaning);
    node->type = form.type;
    node->default_text = form.write(target);
    node->optional = node->default_text.empty();
    node->read = [&target, read = form.read](const Node& n, const Limits& l, Problems& p) { read(n, target, l, p); };
    node->write = [&target, write = form.write] { return write(target); };
    if constexpr (std::is_same_v<T, std::filesystem::path>)
      node->resolve = [&target](const std::filesystem::path& folder) {
        if (target.is_relative()) target = (folder / target).lexically_normal();
      };
    return Field<T>(node);
  }

  /// A string key with a fixed set of words, stored as an enum.
  template <class E>
  Field<E> choice(std::string_view name, E& target, std::vector<std::pair<std::string, E>> words,
                  std::string_view meaning) {
    SchemaNode* node = add(SchemaNode::Kind::key, name, meaning);
    for (const auto& word : words) node->type += (node->type.empty() ? "" : " | ") + word.first;
    node->read = [&target, words, allowed = node->type](const Node& n, const Limits&, Problems& p) {
      for (const auto& word : words)
        if (n.kind == Node::Kind::scalar && n.text == word.first) return void(target = word.second);
      p.errors.push_back({n.at, "expected one of " + allowed + ", found " + shown(n)});
    };
    node->write = [&target, words] {
      for (const auto& word : words)
        if (target == word.second) return word.first;
      return std::string();
    };
    node->default_text = node->write();
    return Field<E>(node);
  }

  /// A nested mapping; T has declare(Section&). std::optional<T>: the section may be absent. `name: 3` is short for
  /// `name: {shorthand: 3}`, where a shorthand is given.
  template <class T>
  void section(std::string_view name, T& target, std::string_view meaning, std::string_view shorthand = "") {
    SchemaNode* node = add(SchemaNode::Kind::section, name, meaning, shorthand);
    if constexpr (is_optional<T>) {
      node->optional = true;
      if (!describing() && !node->node) {
        node->absent = true;
        return target.reset();
      }
      if (!target) target.emplace();
      nested(node, [&](Section& s) { target->declare(s); });
      if (describing()) target.reset();
    } else {
      nested(node, [&](Section& s) { target.declare(s); });
    }
  }

  /// A list of mappings; T has declare(Section&). A single mapping is taken as a list of one.
  template <class T>
  void list(std::string_view name, std::vector<T>& target, std::string_view meaning, bool required = false) {
    SchemaNode* node = add(SchemaNode::Kind::list, name, meaning);
    node->required = required;
    target.clear();
    target.resize(open_list(node));
    for (std::size_t i = 0; i < target.size(); ++i)
      nested(node->children[i].get(), [&](Section& s) { target[i].declare(s); });
    if (describing()) target.clear();
  }

  /// As list(), of items that `declare(section, item, index)` declares. Where the document has `{file: PATH}` instead,
  /// relative to the config's folder, `rows(path)` gives the list: a sequence of mappings whose positions name that
  /// file. What is wrong with them alone is Error(input_file). config.used.yaml gets the items, not the file.
  template <class T, class Declare>
  void list_or_file(std::string_view name, std::vector<T>& target, std::string_view meaning, bool required,
                    const std::function<Node(const std::filesystem::path&)>& rows, const Declare& declare) {
    SchemaNode* node = add(SchemaNode::Kind::list, name, meaning);
    node->required = required;
    if (!describing()) take_file(node, rows);
    target.clear();
    target.resize(open_list(node));
    for (std::size_t i = 0; i < target.size(); ++i)
      nested(node->children[i].get(), [&](Section& s) { declare(s, target[i], i); });
    if (describing()) target.clear();
  }

  /// A mapping whose keys are names that the user gives, in the document's order; T has `name` and declare(Section&).
  template <class T>
  void names(std::string_view name, std::vector<T>& target, std::string_view meaning, std::string_view of_each,
             bool required = false) {
    SchemaNode* node = add(SchemaNode::Kind::names, name, meaning);
    node->required = required;
    target.clear();
    target.resize(open_names(node, of_each));
    for (std::size_t i = 0; i < target.size(); ++i) {
      target[i].name = node->children[i]->name;
      nested(node->children[i].get(), [&](Section& s) { target[i].declare(s); });
    }
    if (describing()) target.clear();
  }

  /// Reads the keys declared so far, so that what is declared next can use their values.
  void settle();

  /// What a date stands for, where a key takes one, here and in all that is declared later.
  void dates(std::function<std::optional<double>(const std::string& date, std::string& why)> years) {
    if (problems_) problems_->years = std::move(years);
  }

  /// Whether the document has the key; false while only describing. For checks: a default cannot be told from a value.
  bool given(std::string_view key) const { return here_->node && here_->node->find(key); }

  /// In this mapping, the key `tag_key` picks one of the alternatives, whose keys stand in the same mapping. Each T has
  /// `tag`, `meaning`, declare(Section&), and may have `implied_by`: a key whose presence picks T where `tag_key` is
  /// left out.
  template <class... T>
  void alternatives(std::string_view tag_key, std::variant<T...>& target) {
    std::vector<Alternative> choices;
    (choices.push_back(
         {T::tag, T::meaning, implied<T>(), [&target](Section& s) { target.template emplace<T>().declare(s); }}),
     ...);
    pick(tag_key, choices);
  }

  /// A check across keys, run after all of this mapping's keys were read without error: call `complain(key, message)`
  /// for each thing wrong; the message gets that key's position.
  void check(
      std::function<void(const std::function<void(std::string_view key, const std::string& message)>& complain)> test) {
    checks_.push_back({std::move(test), false});
  }
  /// As check(), for what is allowed and yet worth a warning.
  void doubt(
      std::function<void(const std::function<void(std::string_view key, const std::string& message)>& warn)> test) {
    checks_.push_back({std::move(test), true});
  }

 private:
  friend class Reading;
  struct Alternative {
    std::string tag, meaning, implied_by;
    std::function<void(Section&)> declare;
  };
  template <class T>
  static std::string implied() {
    if constexpr (requires { T::implied_by; }) return T::implied_by;
    return "";
  }

  Section(SchemaNode* here, Problems* problems)
      : here_(here), problems_(problems), errors_before_(problems ? problems->errors.size() : 0) {}
  bool describing() const { return !problems_; }
  SchemaNode* add(SchemaNode::Kind kind, std::string_view name, std::string_view meaning,
                  std::string_view shorthand = "");
  void nested(SchemaNode* node, const std::function<void(Section&)>& declare);
  std::size_t open_list(SchemaNode* node);
  std::size_t open_names(SchemaNode* node, std::string_view of_each);
  void take_file(SchemaNode* node, const std::function<Node(const std::filesystem::path&)>& rows);
  void pick(std::string_view tag_key, const std::vector<Alternative>& choices);
  void finish();

  SchemaNode* here_;
  Problems* problems_;  ///< null while only describing
  std::size_t errors_before_;
  struct Check {
    std::function<void(const std::function<void(std::string_view, const std::string&)>&)> test;
    bool warns;
  };
  std::vector<Check> checks_;
};

struct FlatKey {
  std::string path;   ///< `initial_conditions.0.particles`
  std::string value;  ///< canonical text
  bool may_change = false;
};

struct ReadResult {
  std::vector<std::string> warnings;
  std::string used_yaml;  ///< every default written out; a config that gives the same run
  std::vector<FlatKey> flat;
};

/// Reads every declared key. Throws Error with all problems, one a line, by position: `config`, or `input_file` and
/// `command_line` where none is in the config itself. What `declare_root` declares must outlive the call.
ReadResult read_config(const Document& document, const std::function<void(Section&)>& declare_root);

/// The declarations alone, with every alternative.
std::unique_ptr<SchemaNode> describe(const std::function<void(Section&)>& declare_root);
std::string schema_text(const SchemaNode& schema);
/// A nested list, to stand under a heading of the caller's.
std::string schema_markdown(const SchemaNode& schema);

/// For a resume: `path: stored 1, now 2` for each key that differs and may not.
std::vector<std::string> differing_keys(const std::vector<FlatKey>& stored, const std::vector<FlatKey>& current);

}  // namespace ergode::io
