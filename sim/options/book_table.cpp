#include "sim/options/book_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "sim/options/csv.hpp"
#include "sim/options/settings.hpp"

namespace ergode::sim::options {
namespace {

enum class Shape { scalar, list, matrix };

/// The columns that there can be: whatever an option declares, of all products.
void collect(const io::SchemaNode& here, const std::string& prefix, std::map<std::string, Shape>& columns) {
  for (const auto& child : here.children) {
    if (child->kind == io::SchemaNode::Kind::key) {
      const std::string& type = child->type;
      columns[prefix + child->name] = type.find("rows of") != std::string::npos ? Shape::matrix
                                      : type.find("list") != std::string::npos  ? Shape::list
                                                                                : Shape::scalar;
    } else if (child->kind == io::SchemaNode::Kind::section) {
      if (!child->shorthand.empty()) columns[prefix + child->name] = Shape::scalar;
      collect(*child, prefix + child->name + ".", columns);
    } else {
      collect(*child, prefix, columns);
    }
  }
}

std::vector<std::string> split(const std::string& text, std::string_view separators) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

io::Node value_of(const std::string& text, Shape shape, const io::Position& at) {
  if (shape == Shape::scalar) return io::scalar_node(text, at);
  io::Node node;
  node.kind = io::Node::Kind::sequence;
  node.at = at;
  if (shape == Shape::matrix) {
    for (const std::string& row : split(text, "|")) node.items.push_back(value_of(row, Shape::list, at));
  } else {
    for (std::string& item : split(text, "| \t")) node.items.push_back(io::scalar_node(std::move(item), at));
  }
  return node;
}

/// Puts a value at `lsm.order`; false where the way there is taken.
bool place(io::Node& row, const std::string& column, io::Node value) {
  io::Node* here = &row;
  const std::vector<std::string> keys = split(column, ".");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (here->kind != io::Node::Kind::mapping) return false;
    const auto found = std::find(here->keys.begin(), here->keys.end(), keys[i]);
    const auto index = static_cast<std::size_t>(found - here->keys.begin());
    if (found == here->keys.end()) {
      here->keys.push_back(keys[i]);
      here->key_at.push_back(value.at);
      io::Node& child = here->items.emplace_back();
      child.kind = io::Node::Kind::mapping;
      child.at = value.at;
    } else if (i + 1 == keys.size()) {
      return false;
    }
    here = &here->items[index];
  }
  *here = std::move(value);
  return true;
}

class Book {
 public:
  explicit Book(const std::filesystem::path& path) : path_(path.string()) {
    const auto schema = io::describe([](io::Section& s) { Instrument().declare(s); });
    collect(*schema, "", columns_);
  }

  io::Node read() {
    const std::vector<CsvRow> rows = read_csv_rows(path_);
    if (rows.empty()) complain({"", 1, 1, path_}, "is empty; a header with the names of the columns is expected");
    if (!rows.empty()) check_header(rows[0]);
    if (rows.size() == 1) complain(at(rows[0], 0), "there is a header and no option");
    report();
    io::Node book;
    book.kind = io::Node::Kind::sequence;
    book.at = at(rows[0], 0);
    for (std::size_t r = 1; r < rows.size(); ++r) {
      if (rows[r].cells.size() == rows[0].cells.size())
        book.items.push_back(option(rows[0], rows[r]));
      else
        complain(at(rows[r], 0), fmt::format("the row has {} cells, the header {}: is it cut off, or a comma too many?",
                                             rows[r].cells.size(), rows[0].cells.size()));
    }
    report();
    return book;
  }

 private:
  std::string path_;
  std::map<std::string, Shape> columns_;
  std::vector<std::string> problems_;

  io::Position at(const CsvRow& row, std::size_t cell) const { return {"", row.line, row.cells[cell].column, path_}; }

  void complain(const io::Position& where, const std::string& what) {
    problems_.push_back(fmt::format("{}:{}:{}: {}", where.file, where.line, where.column, what));
  }

  void report() const {
    constexpr std::size_t most = 50;
    std::string all;
    for (std::size_t i = 0; i < std::min(most, problems_.size()); ++i) all += (i ? "\n" : "") + problems_[i];
    if (problems_.size() > most) all += fmt::format("\nand {} more", problems_.size() - most);
    if (!all.empty()) throw io::Error(io::ExitCode::input_file, all);
  }

  void check_header(const CsvRow& header) {
    std::vector<std::string> known, seen;
    for (const auto& [name, shape] : columns_) known.push_back(name);
    for (std::size_t i = 0; i < header.cells.size(); ++i) {
      const std::string& name = header.cells[i].text;
      if (!columns_.contains(name))
        complain(at(header, i), fmt::format("unknown column '{}'; {}", name, io::hint(name, known)));
      if (std::find(seen.begin(), seen.end(), name) != seen.end())
        complain(at(header, i), fmt::format("the column '{}' stands here a second time; remove one", name));
      seen.push_back(name);
    }
  }

  io::Node option(const CsvRow& header, const CsvRow& row) {
    io::Node node;
    node.kind = io::Node::Kind::mapping;
    node.at = at(row, 0);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const std::string& column = header.cells[i].text;
      const std::string& text = row.cells[i].text;
      if (text.empty()) continue;
      if (!place(node, column, value_of(text, columns_.at(column), at(row, i))))
        complain(at(row, i), fmt::format("column '{}': another column of this row gives it already", column));
    }
    return node;
  }
};

}  // namespace

io::Node read_book(const std::filesystem::path& path) {
  return Book(path).read();
}

}  // namespace ergode::sim::options
