#include "io/config/document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>

#include "io/error.hpp"

namespace ergode::io {
namespace {

constexpr std::size_t size_limit = std::size_t{16} << 20;
constexpr std::size_t depth_limit = 64;
constexpr std::size_t keys_limit = 10000;  // of one mapping; keeps the search for duplicates short

struct Refusal {
  Position at;
  std::string message;
};

Position position(const YAML::Mark& mark) {
  return {"", std::max(0, mark.line) + 1, std::max(0, mark.column) + 1};
}

/// yaml-cpp takes a quoted text that the end of the file cuts off as if it were closed.
bool cut_off(const std::string& text, std::size_t begin) {
  if (begin >= text.size() || (text[begin] != '"' && text[begin] != '\'')) return false;
  const char quote = text[begin];
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\')
      ++i;
    else if (text[i] == quote && quote == '\'' && i + 1 < text.size() && text[i + 1] == quote)
      ++i;
    else if (text[i] == quote)
      return false;
  }
  return true;
}

class Builder : public YAML::EventHandler {
 public:
  explicit Builder(const std::string& source) : source_(source) {}
  Node root;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(Node::Kind::null, mark, "", anchor, ""); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refusal{position(mark), "found an alias (*); aliases are not allowed: write the value out"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    add(Node::Kind::scalar, mark, tag, anchor, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::mapping, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  const std::string& source_;
  std::vector<Node> stack_;

  bool key_expected() const {
    return !stack_.empty() && stack_.back().kind == Node::Kind::mapping &&
           stack_.back().keys.size() == stack_.back().items.size();
  }

  Node make(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    Node node;
    node.kind = kind;
    node.at = position(mark);
    node.quoted = tag == "!";
    if (node.quoted && cut_off(source_, static_cast<std::size_t>(std::max(0, mark.pos))))
      throw Refusal{node.at, "the quote that opens here is never closed; close it"};
    if (anchor)
      throw Refusal{node.at, "found an anchor (&); anchors are not allowed: write the value out where it is needed"};
    if (!tag.empty() && tag != "?" && tag != "!")
      throw Refusal{node.at, "found the tag " + tag + "; tags are not allowed: remove it"};
    return node;
  }

  void add(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
           const std::string& text) {
    Node node = make(kind, mark, tag, anchor);
    node.text = text;
    if (!key_expected()) return place(std::move(node));
    Node& mapping = stack_.back();
    if (kind != Node::Kind::scalar) throw Refusal{node.at, "found an empty key; a key is a word"};
    if (text == "<<") throw Refusal{node.at, "found a merge key (<<); merge keys are not allowed: write the keys out"};
    for (std::size_t i = 0; i < mapping.keys.size(); ++i)
      if (mapping.keys[i] == text)
        throw Refusal{node.at, "the key '" + text + "' stands here a second time; the first is at line " +
                                   std::to_string(mapping.key_at[i].line) + ", column " +
                                   std::to_string(mapping.key_at[i].column) + ": remove one of them"};
    if (mapping.keys.size() >= keys_limit) throw Refusal{node.at, "more than the 10000 keys allowed in one mapping"};
    mapping.keys.push_back(text);
    mapping.key_at.push_back(node.at);
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    Node node = make(kind, mark, tag, anchor);
    if (key_expected()) throw Refusal{node.at, "found a list or mapping as a key; a key is a word"};
    if (stack_.size() >= depth_limit) throw Refusal{node.at, "nested deeper than the 64 levels allowed"};
    stack_.push_back(std::move(node));
  }

  void close() {
    Node node = std::move(stack_.back());
    stack_.pop_back();
    place(std::move(node));
  }

  void place(Node node) {
    if (stack_.empty())
      root = std::move(node);
    else
      stack_.back().items.push_back(std::move(node));
  }
};

/// yaml-cpp would read binary bytes as text.
void check_bytes(const std::string& text) {
  if (text.size() > size_limit) throw Refusal{{}, "the file is larger than the 16 MiB allowed; is it a config?"};
  Position at;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 32 && c != '\n' && c != '\r' && c != '\t') || byte == 127)
      throw Refusal{at, "found a control byte; a config is plain UTF-8 text, is this a binary file?"};
    if (c == '\n') {
      ++at.line;
      at.column = 1;
    } else {
      ++at.column;
    }
  }
}

Node parse_node(const std::string& text) {
  check_bytes(text);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Builder first(text);
    if (!parser.HandleNextDocument(first) || first.root.kind == Node::Kind::null)
      throw Refusal{{}, "the document is empty"};
    Builder second(text);
    if (parser.HandleNextDocument(second))
      throw Refusal{second.root.at, "a second document begins here; one file holds one config"};
    return std::move(first.root);
  } catch (const YAML::Exception& e) {
    throw Refusal{position(e.mark), "not valid YAML: " + e.msg};
  }
}

void mark_all(Node& node, const Position& at) {
  node.at = at;
  for (Position& p : node.key_at) p = at;
  for (Node& item : node.items) mark_all(item, at);
}

std::string joined(std::span<const std::string> parts) {
  std::string path;
  for (const std::string& part : parts) path += (path.empty() ? "" : ".") + part;
  return path;
}

/// How many of the parts, from the first on, make a key of the mapping; 0: none does. A key may hold points itself, as
/// the key paths of a sweep do.
std::size_t key_length(const Node& mapping, std::span<const std::string> parts) {
  for (std::size_t length = parts.size(); length > 0; --length)
    if (mapping.find(joined(parts.first(length))) != nullptr) return length;
  return 0;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  if (kind != Kind::mapping) return nullptr;
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

std::string Document::describe(const Position& at) const {
  if (!at.set.empty()) return "--set " + at.set;
  return (at.file.empty() ? name_ : at.file) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

Document Document::parse(const std::string& text, std::string name) {
  Document document;
  document.name_ = std::move(name);
  try {
    document.root_ = parse_node(text);
    if (document.root_.kind != Node::Kind::mapping)
      throw Refusal{document.root_.at, "expected a mapping (key: value) at the top"};
  } catch (const Refusal& refusal) {
    throw Error(ExitCode::config, document.describe(refusal.at) + ": " + refusal.message);
  }
  return document;
}

Node scalar_node(std::string text, const Position& at) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = std::move(text);
  node.at = at;
  return node;
}

Document Document::load(const std::filesystem::path& path) {
  std::error_code ignored;
  // Opening a FIFO would wait for a writer, so the kind is asked first.
  if (!std::filesystem::is_regular_file(path, ignored))
    throw Error(ExitCode::config, path.string() + ": " +
                                      (std::filesystem::exists(path, ignored) ? "not a regular file" : "no such file") +
                                      "; give the path of a YAML config");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ExitCode::config, path.string() + ": cannot be opened; check its permissions");
  std::string text;
  std::array<char, 65536> piece;
  while (text.size() <= size_limit && (file.read(piece.data(), piece.size()), file.gcount() > 0))
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  return parse(text, path.string());
}

void Document::set(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string path = assignment.substr(0, equals);
  try {
    if (equals == std::string::npos) throw Refusal{{}, "has no '='"};
    Node value = parse_node(assignment.substr(equals + 1));
    const Position at{path, 1, 1};
    mark_all(value, at);
    place(path, std::move(value), at);
  } catch (const Refusal& refusal) {
    throw Error(ExitCode::command_line,
                "--set " + assignment + ": " + refusal.message + "; write --set key.path=value");
  }
}

void Document::put(const std::string& path, Node value, const Position& key_at) {
  try {
    place(path, std::move(value), key_at);
  } catch (const Refusal& refusal) {
    throw Error(key_at.set.empty() ? ExitCode::config : ExitCode::command_line,
                describe(key_at) + ": '" + path + "': " + refusal.message);
  }
}

void Document::place(const std::string& path, Node value, const Position& key_at) {
  if (path.empty() || path.front() == '.' || path.back() == '.' || path.find("..") != std::string::npos)
    throw Refusal{key_at, "the key path has an empty part"};
  // Only what the path leads through is changed, and that only when it leads to its end.
  std::vector<std::string> parts;
  std::istringstream stream(path);
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
  Node* node = &root_;
  std::size_t next = 0;
  for (; next < parts.size(); ++next) {
    const std::string& part = parts[next];
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_index = error == std::errc() && end == part.data() + part.size();
    if (node->kind == Node::Kind::sequence && is_index) {
      if (index >= node->items.size())
        throw Refusal{key_at, "the list has " + std::to_string(node->items.size()) + " items, counted from 0"};
      node = &node->items[index];
      continue;
    }
    if (node->kind == Node::Kind::mapping && is_index && index == 0)
      continue;  // a single mapping stands for a list of one
    if (node->kind == Node::Kind::sequence && node->items.size() == 1) node = &node->items[0];
    if (node->kind == Node::Kind::null) break;
    if (node->kind != Node::Kind::mapping)
      throw Refusal{key_at, "'" + part + "' would stand inside a value that is no mapping"};
    const std::size_t length = key_length(*node, std::span(parts).subspan(next));
    if (length == 0) break;
    const auto found = std::find(node->keys.begin(), node->keys.end(), joined(std::span(parts).subspan(next, length)));
    node = &node->items[static_cast<std::size_t>(found - node->keys.begin())];
    next += length - 1;
  }
  for (; next < parts.size(); ++next) {
    if (node->kind == Node::Kind::null) node->kind = Node::Kind::mapping;
    node->keys.push_back(parts[next]);
    node->key_at.push_back(key_at);
    node->items.emplace_back().at = key_at;
    node = &node->items.back();
  }
  *node = std::move(value);
}

Document Document::without(std::string_view key) const {
  Document document = *this;
  Node& root = document.root_;
  for (std::size_t i = 0; i < root.keys.size(); ++i)
    if (root.keys[i] == key) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      root.keys.erase(root.keys.begin() + at);
      root.key_at.erase(root.key_at.begin() + at);
      root.items.erase(root.items.begin() + at);
      break;
    }
  return document;
}

Document Document::only(std::string_view key) const {
  Document document;
  document.name_ = name_;
  document.root_.kind = Node::Kind::mapping;
  document.root_.at = root_.at;
  if (const Node* node = root_.find(key)) {
    const auto place = static_cast<std::size_t>(node - root_.items.data());
    document.root_.keys = {root_.keys[place]};
    document.root_.key_at = {root_.key_at[place]};
    document.root_.items = {*node};
  }
  return document;
}

std::string peek(const Document& document, std::string_view key) {
  const Node* node = document.root().find(key);
  return node && node->kind == Node::Kind::scalar ? node->text : "";
}

}  // namespace ergode::io
