#include "io/config/config.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ergode::io {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j)
      diagonal = std::exchange(row[j + 1], std::min({row[j] + 1, row[j + 1] + 1, diagonal + (a[i] != b[j])}));
  }
  return row.back();
}

}  // namespace

std::string hint(const std::string& wrong, const std::vector<std::string>& known) {
  std::string nearest, all;
  std::size_t best = wrong.size();
  for (const std::string& key : known) {
    all += (all.empty() ? "" : ", ") + key;
    const std::size_t distance = wrong.size() > 100 ? 100 : edit_distance(wrong, key);
    if (distance < best) {
      best = distance;
      nearest = key;
    }
  }
  if (!nearest.empty() && best <= std::max<std::size_t>(2, wrong.size() / 3)) return "did you mean '" + nearest + "'?";
  return all.empty() ? "no keys are allowed here" : "allowed here: " + all;
}

namespace {

/// Only when the whole tree is declared is it known which keys nobody asked for: a section may be declared in several
/// places.
void report_unknown(const SchemaNode& here, Problems& problems) {
  const bool is_mapping = here.kind != SchemaNode::Kind::key && here.kind != SchemaNode::Kind::list &&
                          here.kind != SchemaNode::Kind::names && !here.open;
  if (is_mapping && here.node && here.node->kind == Node::Kind::mapping) {
    std::vector<std::string> known;
    for (const auto& child : here.children) known.push_back(child->name);
    for (std::size_t i = 0; i < here.node->keys.size(); ++i)
      if (std::find(known.begin(), known.end(), here.node->keys[i]) == known.end())
        problems.errors.push_back(
            {here.node->key_at[i], "unknown key '" + here.node->keys[i] + "'; " + hint(here.node->keys[i], known)});
  }
  for (const auto& child : here.children) report_unknown(*child, problems);
}

void flatten(const SchemaNode& here, std::vector<FlatKey>& flat) {
  if (here.kind == SchemaNode::Kind::key && !here.value.empty())
    flat.push_back({here.path, here.value, here.may_change});
  for (const auto& child : here.children) flatten(*child, flat);
}

/// A key as YAML takes it back: names that a user gives may hold anything.
std::string key_text(const std::string& name) {
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  const bool null = name == "null" || name == "Null" || name == "NULL";
  return plain && !null ? name : write_value(name);
}

void write_used(const SchemaNode& here, const std::string& indent, std::string& out) {
  for (const auto& child : here.children) {
    if (child->kind == SchemaNode::Kind::key) {
      if (!child->value.empty()) out += indent + child->name + ": " + child->value + "\n";
    } else if (child->kind == SchemaNode::Kind::list) {
      out += indent + child->name + (child->children.empty() ? ": []\n" : ":\n");
      for (const auto& item : child->children) {
        std::string text;
        write_used(*item, indent + "    ", text);
        out += indent + "  - " + (text.empty() ? "{}\n" : text.substr(indent.size() + 4));
      }
    } else if (!child->absent) {
      std::string text;
      write_used(*child, indent + "  ", text);
      out += indent + key_text(child->name) + (text.empty() ? ": {}\n" : ":\n" + text);
    }
  }
}

std::string facts(const SchemaNode& key) {
  std::string text = key.type;
  if (!key.shorthand.empty()) text = "a value alone stands for `" + key.shorthand + "`";
  if (!key.unit.empty()) text += " [" + key.unit + "]";
  if (!key.limits.text().empty()) text += ", " + key.limits.text();
  if (key.limits.length) text += ", " + std::to_string(*key.limits.length) + " items";
  if (key.required)
    text += text.empty() ? "required" : ", required";
  else if (key.optional)
    text += text.empty() ? "may be absent" : ", may be absent";
  else if (!key.default_text.empty())
    text += ", default " + key.default_text;
  if (key.may_change) text += ", may change on resume";
  return text;
}

void write_schema(const SchemaNode& here, const std::string& indent, bool markdown, std::string& out) {
  for (const auto& child : here.children) {
    if (child->kind == SchemaNode::Kind::item) {
      write_schema(*child, indent, markdown, out);
      continue;
    }
    const char* lead = child->kind == SchemaNode::Kind::alternative ? "with " : "";
    const std::string what = facts(*child);
    out += indent + (markdown ? "- " : "") + lead + (markdown ? "`" + child->name + "`" : child->name) +
           (child->kind == SchemaNode::Kind::list ? " (list)" : "") + ": " + child->meaning +
           (what.empty() ? "" : " (" + what + ")") + "\n";
    write_schema(*child, indent + "  ", markdown, out);
  }
}

}  // namespace

SchemaNode* Section::add(SchemaNode::Kind kind, std::string_view name, std::string_view meaning,
                         std::string_view shorthand) {
  for (const auto& child : here_->children)
    if (child->name == name) {
      if (kind == SchemaNode::Kind::section && child->kind == kind) return child.get();
      throw Error(ExitCode::internal, "the key '" + child->path + "' is declared twice");
    }
  auto& node = here_->children.emplace_back(std::make_unique<SchemaNode>());
  node->kind = kind;
  node->name = name;
  node->meaning = meaning;
  node->path = here_->path.empty() ? node->name : here_->path + "." + node->name;
  node->shorthand = shorthand;
  node->at = here_->at;
  if (here_->node) node->node = here_->node->find(name);
  if (node->node) node->at = node->node->at;
  if (!shorthand.empty() && node->node && node->node->kind == Node::Kind::scalar) {
    node->made = std::make_unique<Node>();
    node->made->kind = Node::Kind::mapping;
    node->made->at = node->at;
    node->made->keys = {std::string(shorthand)};
    node->made->key_at = {node->at};
    node->made->items = {*node->node};
    node->node = node->made.get();
  }
  if (kind == SchemaNode::Kind::section && node->node && node->node->kind != Node::Kind::mapping) {
    if (problems_ && node->node->kind != Node::Kind::null)
      problems_->errors.push_back(
          {node->at, "'" + node->path + "': expected a mapping (key: value), found " + shown(*node->node)});
    node->node = nullptr;
  }
  return node.get();
}

void Section::nested(SchemaNode* node, const std::function<void(Section&)>& declare) {
  Section section(node, problems_);
  declare(section);
  section.finish();
}

std::size_t Section::open_list(SchemaNode* node) {
  std::vector<const Node*> found;
  if (describing()) {
    found.push_back(nullptr);
  } else if (node->node && node->node->kind == Node::Kind::sequence) {
    for (const Node& item : node->node->items) found.push_back(&item);
  } else if (node->node && node->node->kind != Node::Kind::null) {
    found.push_back(node->node);
  }
  if (found.empty() && node->required)
    problems_->errors.push_back({node->at, "the list '" + node->path + "' is required and has no items; add one"});
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto& item = node->children.emplace_back(std::make_unique<SchemaNode>());
    item->kind = SchemaNode::Kind::item;
    item->path = node->path + "." + std::to_string(i);
    item->node = found[i];
    item->at = found[i] ? found[i]->at : node->at;
    if (found[i] && found[i]->kind != Node::Kind::mapping) {
      problems_->errors.push_back(
          {item->at, "'" + item->path + "': expected a mapping (key: value), found " + shown(*found[i])});
      item->node = nullptr;
    }
  }
  return found.size();
}

void Section::take_file(SchemaNode* node, const std::function<Node(const std::filesystem::path&)>& rows) {
  const Node* file = node->node ? node->node->find("file") : nullptr;
  if (!file) return;
  for (std::size_t i = 0; i < node->node->keys.size(); ++i)
    if (node->node->keys[i] != "file")
      problems_->errors.push_back({node->node->key_at[i], "'" + node->path + "': found '" + node->node->keys[i] +
                                                              "' beside `file`, which stands alone"});
  std::filesystem::path path;
  Problems found;
  read_value(*file, path, {}, found);
  for (Problem& p : found.errors) problems_->errors.push_back({p.at, "'" + node->path + ".file': " + p.message});
  node->made = std::make_unique<Node>();
  node->made->kind = Node::Kind::sequence;
  node->made->at = file->at;
  if (found.errors.empty()) *node->made = rows((problems_->folder / path).lexically_normal());
  node->required = node->required && found.errors.empty();
  node->node = node->made.get();
}

std::size_t Section::open_names(SchemaNode* node, std::string_view of_each) {
  const auto open = [&](const std::string& name, const Node* found) {
    auto& child = node->children.emplace_back(std::make_unique<SchemaNode>());
    child->name = name;
    child->meaning = of_each;
    child->path = node->path + "." + name;
    child->node = found;
    child->at = found ? found->at : node->at;
  };
  if (describing()) {
    open("<name>", nullptr);
  } else if (node->node && node->node->kind == Node::Kind::mapping) {
    for (std::size_t i = 0; i < node->node->keys.size(); ++i) {
      const Node& item = node->node->items[i];
      open(node->node->keys[i], item.kind == Node::Kind::mapping ? &item : nullptr);
      if (item.kind != Node::Kind::mapping)
        problems_->errors.push_back(
            {node->node->key_at[i],
             "'" + node->children.back()->path + "': expected a mapping (key: value), found " + shown(item)});
      if (item.kind != Node::Kind::mapping) node->children.pop_back();
      if (node->node->keys[i].empty())
        problems_->errors.push_back({node->node->key_at[i], "'" + node->path + "': a name is empty"});
    }
  } else if (node->node && node->node->kind != Node::Kind::null) {
    problems_->errors.push_back(
        {node->at, "'" + node->path + "': expected a mapping (name: {...}), found " + shown(*node->node)});
  }
  const bool empty = !node->node || node->node->kind == Node::Kind::null ||
                     (node->node->kind == Node::Kind::mapping && node->node->keys.empty());
  if (node->required && empty && !describing())
    problems_->errors.push_back({node->at, "the mapping '" + node->path + "' is required and is empty; add a name"});
  return node->children.size();
}

void Section::pick(std::string_view tag_key, const std::vector<Alternative>& choices) {
  SchemaNode* tag = add(SchemaNode::Kind::key, tag_key, "picks one of the alternatives");
  tag->finished = true;
  for (const Alternative& choice : choices) tag->type += (tag->type.empty() ? "" : " | ") + choice.tag;
  if (describing()) {
    for (const Alternative& choice : choices) {
      auto& node = here_->children.emplace_back(std::make_unique<SchemaNode>());
      node->kind = SchemaNode::Kind::alternative;
      node->name = std::string(tag_key) + ": " + choice.tag;
      node->path = here_->path;
      node->meaning = choice.meaning;
      nested(node.get(), choice.declare);
    }
    return;
  }
  for (const Alternative& choice : choices) {
    const bool named = tag->node && tag->node->kind == Node::Kind::scalar && tag->node->text == choice.tag;
    const bool implied =
        !tag->node && here_->node && !choice.implied_by.empty() && here_->node->find(choice.implied_by);
    if (!named && !implied) continue;
    tag->value = write_value(choice.tag);
    return choice.declare(*this);
  }
  std::string found = "no such key", advice;
  if (tag->node) {
    std::vector<std::string> tags;
    for (const Alternative& choice : choices) tags.push_back(choice.tag);
    const std::string meant = tag->node->kind == Node::Kind::scalar ? hint(tag->node->text, tags) : "";
    if (meant.starts_with("did you")) advice = "; " + meant;
    found = shown(*tag->node);
  }
  problems_->errors.push_back(
      {tag->at, "'" + tag->path + "': expected one of " + tag->type + ", found " + found + advice});
  here_->open = true;
}

void Section::settle() {
  if (describing()) return;
  for (const auto& key : here_->children) {
    if (key->kind != SchemaNode::Kind::key || key->finished) continue;
    key->finished = true;
    if (!key->node) {
      if (key->required)
        problems_->errors.push_back({key->at, "the key '" + key->path + "' is required and missing; add it"});
    } else {
      Problems found;
      if (key->limits.or_date) found.years = problems_->years;
      key->read(*key->node, key->limits, found);
      if (key->resolve_from_config && key->resolve && found.errors.empty()) key->resolve(problems_->folder);
      for (Problem& p : found.errors) problems_->errors.push_back({p.at, "'" + key->path + "': " + p.message});
      for (Problem& p : found.warnings) problems_->warnings.push_back({p.at, "'" + key->path + "': " + p.message});
    }
    key->value = key->write();
  }
}

void Section::finish() {
  if (describing()) return;
  settle();
  if (problems_->errors.size() != errors_before_) return;
  for (const Check& check : checks_)
    check.test([this, &check](std::string_view name, const std::string& message) {
      Position at = here_->at;
      for (const auto& child : here_->children)
        if (child->name == name) at = child->at;
      const std::string dot = here_->path.empty() || name.empty() ? "" : ".";
      (check.warns ? problems_->warnings : problems_->errors)
          .push_back({at, "'" + here_->path + dot + std::string(name) + "': " + message});
    });
}

/// The one that may make a Section.
class Reading {
 public:
  static void run(SchemaNode& root, Problems* problems, const std::function<void(Section&)>& declare) {
    Section section(&root, problems);
    declare(section);
    section.finish();
  }
};

ReadResult read_config(const Document& document, const std::function<void(Section&)>& declare_root) {
  SchemaNode root;
  root.node = &document.root();
  root.at = root.node->at;
  Problems problems;
  problems.folder = document.folder();
  Reading::run(root, &problems, declare_root);
  report_unknown(root, problems);
  const auto order = [](const Problem& a, const Problem& b) {
    return std::tie(a.at.file, a.at.set, a.at.line, a.at.column) <
           std::tie(b.at.file, b.at.set, b.at.line, b.at.column);
  };
  std::stable_sort(problems.errors.begin(), problems.errors.end(), order);
  std::stable_sort(problems.warnings.begin(), problems.warnings.end(), order);
  if (!problems.errors.empty()) {
    std::string all;
    bool from_config = false, from_file = false;
    for (const Problem& p : problems.errors) {
      all += (all.empty() ? "" : "\n") + document.describe(p.at) + ": " + p.message;
      from_config = from_config || (p.at.set.empty() && p.at.file.empty());
      from_file = from_file || !p.at.file.empty();
    }
    throw Error(from_config ? ExitCode::config : from_file ? ExitCode::input_file : ExitCode::command_line, all);
  }
  ReadResult result;
  for (const Problem& p : problems.warnings) result.warnings.push_back(document.describe(p.at) + ": " + p.message);
  write_used(root, "", result.used_yaml);
  flatten(root, result.flat);
  return result;
}

std::unique_ptr<SchemaNode> describe(const std::function<void(Section&)>& declare_root) {
  auto root = std::make_unique<SchemaNode>();
  Reading::run(*root, nullptr, declare_root);
  return root;
}

std::string schema_text(const SchemaNode& schema) {
  std::string out;
  write_schema(schema, "", false, out);
  return out;
}

std::string schema_markdown(const SchemaNode& schema) {
  std::string out;
  write_schema(schema, "", true, out);
  return out;
}

std::vector<std::string> differing_keys(const std::vector<FlatKey>& stored, const std::vector<FlatKey>& current) {
  std::vector<std::string> out;
  // Sorted: a book of options has very many keys.
  using Keys = std::vector<const FlatKey*>;
  const auto by_path = [](const FlatKey* a, const FlatKey* b) { return a->path < b->path; };
  const auto sorted = [&](const std::vector<FlatKey>& keys) {
    Keys all;
    for (const FlatKey& key : keys) all.push_back(&key);
    std::sort(all.begin(), all.end(), by_path);
    return all;
  };
  const Keys stored_keys = sorted(stored), current_keys = sorted(current);
  const auto find = [&](const Keys& keys, const FlatKey& key) {
    const auto found = std::lower_bound(keys.begin(), keys.end(), &key, by_path);
    return found == keys.end() || (*found)->path != key.path ? nullptr : *found;
  };
  for (const FlatKey& now : current) {
    const FlatKey* then = find(stored_keys, now);
    if (!now.may_change && (!then || then->value != now.value))
      out.push_back(now.path + ": stored " + (then ? then->value : "nothing") + ", now " + now.value);
  }
  for (const FlatKey& then : stored)
    if (!then.may_change && !find(current_keys, then))
      out.push_back(then.path + ": stored " + then.value + ", now nothing");
  return out;
}

}  // namespace ergode::io
