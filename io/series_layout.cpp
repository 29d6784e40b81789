#include <utility>

#include "io/series.hpp"

namespace ergode::io {
namespace {

std::size_t width_of(const SeriesLayout& layout, const std::string& dimension) {
  if (dimension.empty()) return 1;
  for (const auto& d : layout.dimensions)
    if (d.name == dimension) return d.labels.empty() ? d.values.size() : d.labels.size();
  throw Error(ExitCode::internal, "series: no dimension '" + dimension + "'");
}

Attributes described(const std::string& units, const std::string& long_name) {
  return {{"units", units}, {"long_name", long_name}};
}

Attributes root_attributes(const SeriesLayout& layout) {
  Attributes attributes = layout.attributes;
  attributes["ergode_file"] = std::string("series");
  return attributes;
}

void add_dimensions(FileContent& content, const SeriesLayout& layout) {
  for (const auto& d : layout.dimensions) {
    const std::string path = "/" + d.name;
    if (d.labels.empty()) {
      content.datasets[path] = {Array::from(d.values), described(d.units, d.long_name)};
    } else {
      content.strings[path] = d.labels;
      content.string_attributes[path] = described(d.units, d.long_name);
    }
  }
}

}  // namespace

std::vector<SeriesColumnRows> series_columns(const SeriesLayout& layout) {
  std::vector<SeriesColumnRows> columns;
  columns.emplace_back().about = layout.scale;
  for (const auto& about : layout.columns) columns.emplace_back().about = about;
  for (auto& column : columns) {
    if (column.about.type != Type::float64 && column.about.type != Type::int64)
      throw Error(ExitCode::internal, "series: column '" + column.about.name + "' must be float64 or int64");
    column.width = width_of(layout, column.about.dimension);
  }
  return columns;
}

void append_row(std::vector<SeriesColumnRows>& columns, const std::vector<double>& row) {
  std::size_t width = 0;
  for (const auto& column : columns) width += column.width;
  if (row.size() != width)
    throw Error(ExitCode::internal,
                "series: a row of " + std::to_string(row.size()) + " values, expected " + std::to_string(width));
  auto value = row.begin();
  for (auto& column : columns)
    for (std::size_t i = 0; i < column.width; ++i, ++value) {
      if (column.about.type == Type::int64)
        column.integers.push_back(static_cast<std::int64_t>(*value));
      else
        column.reals.push_back(*value);
    }
}

FileContent series_frame(const SeriesLayout& layout) {
  FileContent content;
  content.groups["/"] = root_attributes(layout);
  content.groups["/provenance"] = layout.provenance;
  add_dimensions(content, layout);
  return content;
}

FileContent series_content(const SeriesLayout& layout, std::vector<Array> values) {
  FileContent content = series_frame(layout);
  const std::string scale = "/" + layout.scale.name;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const SeriesColumn& column = i == 0 ? layout.scale : layout.columns[i - 1];
    content.datasets["/" + column.name] = {std::move(values[i]), described(column.units, column.long_name)};
    if (i == 0) continue;
    auto& scales = content.scales["/" + column.name];
    scales = {scale};
    if (!column.dimension.empty()) scales.push_back("/" + column.dimension);
  }
  return content;
}

MemorySeries::MemorySeries(SeriesLayout layout, std::function<void(FileContent)> done)
    : layout_(std::move(layout)), columns_(series_columns(layout_)), done_(std::move(done)) {}

void MemorySeries::append(const std::vector<double>& row) {
  append_row(columns_, row);
  ++rows_;
}

void MemorySeries::seal() {
  std::vector<Array> values;
  for (const auto& column : columns_) {
    std::vector<std::int64_t> shape{rows_};
    if (!column.about.dimension.empty()) shape.push_back(static_cast<std::int64_t>(column.width));
    const bool integer = column.about.type == Type::int64;
    values.push_back(integer ? Array::from<std::int64_t>(column.values(), std::move(shape))
                             : Array::from<double>(column.values(), std::move(shape)));
  }
  done_(series_content(layout_, std::move(values)));
}

}  // namespace ergode::io
