#pragma once

// A YAML document as a tree of our own, so that positions, duplicate keys, depth and size are under control.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ergode::io {

/// Where a value was written: a place in a file, counted from 1, or a `--set` on the command line.
struct Position {
  std::string set;  ///< the key path of a `--set`; empty for a file
  int line = 1;
  int column = 1;
  std::string file{};  ///< where it is not the config itself: a table that the config names
};

struct Node {
  enum class Kind { null, scalar, sequence, mapping };
  Kind kind = Kind::null;
  std::string text;     ///< of a scalar
  bool quoted = false;  ///< a quoted scalar is a string, whatever it holds
  Position at;
  std::vector<std::string> keys;  ///< of a mapping, beside `items`
  std::vector<Position> key_at;   ///< of a mapping, beside `items`
  std::vector<Node> items;        ///< of a sequence or mapping

  const Node* find(std::string_view key) const;
};

/// A plain scalar.
Node scalar_node(std::string text, const Position& at);

/// One config: read strictly, then changed by `--set`. Limits: 16 MiB, 64 levels, 10000 keys a mapping. Anchors,
/// aliases, merge keys and tags are refused, so a small file cannot stand for a large one.
class Document {
 public:
  /// Throws Error(config) with file:line:column, also for a path that is no readable regular file.
  static Document load(const std::filesystem::path& path);
  static Document parse(const std::string& text, std::string name);

  /// `key.path=value`; list items by index. Throws Error(command_line) when malformed. That the key is declared is seen
  /// by read_config.
  void set(const std::string& assignment);

  /// Puts `value` at a key path; the keys that are new on the way get the position `key_at`. Throws Error(config), or
  /// Error(command_line) where that position is a `--set`, when the path cannot be.
  void put(const std::string& path, Node value, const Position& key_at);

  /// The same without the top-level key `key`, or with it alone.
  Document without(std::string_view key) const;
  Document only(std::string_view key) const;

  const Node& root() const { return root_; }
  /// Absolute; of a document that is no file the current one.
  std::filesystem::path folder() const { return std::filesystem::absolute(name_).parent_path(); }
  std::string describe(const Position& at) const;  ///< `file:line:column`, of the file it is in, or `--set key.path`

 private:
  void place(const std::string& path, Node value, const Position& key_at);
  std::string name_;
  Node root_;
};

/// The text of a top-level key, or "" where it is absent or no scalar.
std::string peek(const Document& document, std::string_view key);

}  // namespace ergode::io
