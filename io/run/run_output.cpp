#include "io/run/run_output.hpp"

#include <algorithm>
#include <utility>

#include "io/fs/file.hpp"
#include "io/hdf5/sealed_file.hpp"
#include "io/run/text_file.hpp"

namespace ergode::io {
namespace {

/// `path` of a file as a path below `group`.
std::string below(const std::string& group, const std::string& path) {
  return path == "/" ? group : group + path;
}

template <class T>
void move_below(const std::string& group, std::map<std::string, T>& from, std::map<std::string, T>& to) {
  for (auto& [path, value] : from)
    if (is_content(path)) to.emplace(below(group, path), std::move(value));
}

}  // namespace

std::unique_ptr<Series> DirectoryOutput::series(const std::string& name, const SeriesLayout& layout,
                                                std::int64_t rows) {
  auto series = std::make_unique<SeriesWriter>(directory_ / name, layout, rows);
  series->retry_on_full_disk(retry_);
  return series;
}

void DirectoryOutput::write(const std::string& name, FileContent content) {
  const std::filesystem::path path = directory_ / name;
  retry_while_full(retry_, [&] {
    fs::make_directories(path.parent_path());
    write_sealed(path, content);
  });
}

void DirectoryOutput::write_text(const std::string& name, std::string_view text) {
  retry_while_full(retry_, [&] { io::write_text(directory_ / name, text); });
}

std::unique_ptr<Series> MemoryOutput::series(const std::string& name, const SeriesLayout& layout, std::int64_t rows) {
  if (rows > 0) throw Error(ExitCode::internal, "a series in memory has no rows from before");
  return std::make_unique<MemorySeries>(layout, [this, name](FileContent content) { write(name, std::move(content)); });
}

void MemoryOutput::write(const std::string& name, FileContent content) {
  files_[name] = std::move(content);
}

std::string packed_group(const std::string& file) {
  return std::filesystem::path(file).replace_extension().string();
}

void pack(FileContent& shared, const std::string& group, Attributes attributes,
          std::map<std::string, FileContent> files) {
  std::string names;
  for (auto& [name, content] : files) {
    names += (names.empty() ? "" : "\n") + name;
    const std::string part = group + "/" + packed_group(name);
    for (auto& [path, dataset] : content.datasets) dataset.compress = dataset.compress || content.compress;
    move_below(part, content.groups, shared.groups);
    move_below(part, content.datasets, shared.datasets);
    move_below(part, content.strings, shared.strings);
    move_below(part, content.string_attributes, shared.string_attributes);
    for (const auto& [path, existing] : content.links)
      if (is_content(path)) shared.links.emplace(below(part, path), below(part, existing));
    for (auto& [path, scales] : content.scales) {
      for (std::string& scale : scales)
        if (!scale.empty()) scale = below(part, scale);
      shared.scales.emplace(below(part, path), std::move(scales));
    }
  }
  attributes["files"] = names;
  shared.groups[group] = std::move(attributes);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::vector<std::string> packed_files(const Attributes& attributes) {
  const auto found = attributes.find("files");
  return found == attributes.end() ? std::vector<std::string>() : lines_of(std::get<std::string>(found->second));
}

}  // namespace ergode::io
