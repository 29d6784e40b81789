#include "io/diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "io/hdf5/handle.hpp"
#include "io/hdf5/reader.hpp"

namespace ergode::io {
namespace {

using Kind = Difference::Kind;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

/// Counts the elements that differ and keeps the largest differences.
template <class T>
void compare_values(std::span<const T> a, std::span<const T> b, double rtol, Difference& d) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(T)) == 0) continue;
    // Integers beyond 2^53 may differ by less than a double can tell, so the bits decide that, and this measures it.
    const auto x = static_cast<long double>(a[i]), y = static_cast<long double>(b[i]);
    const bool x_nan = std::isnan(x), y_nan = std::isnan(y);
    if (rtol > 0 && ((x_nan && y_nan) || x == y)) continue;
    const long double infinite = std::numeric_limits<double>::infinity();
    const long double size = std::max(std::fabs(x), std::fabs(y));
    const long double absolute = x_nan || y_nan ? (x_nan && y_nan ? 0 : infinite) : std::fabs(x - y);
    const long double relative = absolute == 0 ? 0 : std::isinf(size) || x_nan || y_nan ? infinite : absolute / size;
    if (rtol > 0 && relative <= static_cast<long double>(rtol)) continue;
    ++d.count;
    d.largest_absolute = std::max(d.largest_absolute, static_cast<double>(absolute));
    d.largest_relative = std::max(d.largest_relative, static_cast<double>(relative));
  }
}

void compare_values(const Array& a, const Array& b, double rtol, Difference& d) {
  switch (a.type) {
    case Type::int8:
      return compare_values(a.as<std::int8_t>(), b.as<std::int8_t>(), rtol, d);
    case Type::int32:
      return compare_values(a.as<std::int32_t>(), b.as<std::int32_t>(), rtol, d);
    case Type::int64:
      return compare_values(a.as<std::int64_t>(), b.as<std::int64_t>(), rtol, d);
    case Type::uint8:
      return compare_values(a.as<std::uint8_t>(), b.as<std::uint8_t>(), rtol, d);
    case Type::uint32:
      return compare_values(a.as<std::uint32_t>(), b.as<std::uint32_t>(), rtol, d);
    case Type::uint64:
      return compare_values(a.as<std::uint64_t>(), b.as<std::uint64_t>(), rtol, d);
    case Type::float32:
      return compare_values(a.as<float>(), b.as<float>(), rtol, d);
    case Type::float64:
      return compare_values(a.as<double>(), b.as<double>(), rtol, d);
  }
}

std::string attribute_text(const Attribute& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return "'" + *text + "'";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  const auto& array = std::get<Array>(value);
  return std::string(hdf5::type_name(array.type)) + shape_text(array.shape);
}

/// A number as a one-element array, so that one comparison serves all.
Array as_array(const Attribute& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return Array::from<std::int64_t>(integer, {});
  if (const auto* real = std::get_if<double>(&value)) return Array::from<double>(real, {});
  return std::get<Array>(value);
}

class FileComparison {
 public:
  FileComparison(const FilePlace& a, const FilePlace& b, std::string file, double rtol, std::vector<Difference>& found)
      : a_(a.path, a.group), b_(b.path, b.group), file_(std::move(file)), rtol_(rtol), found_(found) {}

  void run() {
    const FileObjects in_a = a_.objects(), in_b = b_.objects();
    std::map<std::string, int> groups;
    for (const auto& group : in_a.groups) groups[group] |= 1;
    for (const auto& group : in_b.groups) groups[group] |= 2;
    for (const auto& [path, where] : groups)
      if (is_content(path) && present(path, where)) attributes(path);
    std::map<std::string, int> datasets;
    for (const auto& [path, info] : in_a.datasets) datasets[path] |= 1;
    for (const auto& [path, info] : in_b.datasets) datasets[path] |= 2;
    for (const auto& [path, target] : in_a.links) datasets[path] |= 1;
    for (const auto& [path, target] : in_b.links) datasets[path] |= 2;
    for (const auto& [path, where] : datasets) {
      if (!is_content(path) || !present(path, where)) continue;
      const bool linked =
          in_a.links.contains(path) && in_b.links.contains(path) && in_a.links.at(path) == in_b.links.at(path);
      if (linked) continue;  // compared under its first path
      attributes(path);
      dataset(path);
    }
  }

 private:
  void add(Kind kind, const std::string& object, const std::string& what) {
    Difference d;
    d.kind = kind;
    add(d, object, what);
  }
  void add(Difference d, const std::string& object, const std::string& what) {
    d.file = file_;
    d.object = object;
    d.message = (file_.empty() ? "" : file_ + ": ") + object + ": " + what;
    found_.push_back(std::move(d));
  }

  bool present(const std::string& path, int where) {
    if (where == 1) add(Kind::missing_in_b, path, "only in the first");
    if (where == 2) add(Kind::missing_in_a, path, "only in the second");
    return where == 3;
  }

  void attributes(const std::string& path) {
    const Attributes a = a_.attributes(path), b = b_.attributes(path);
    std::set<std::string> names;
    for (const auto& [name, value] : a) names.insert(name);
    for (const auto& [name, value] : b) names.insert(name);
    for (const auto& name : names) {
      const std::string object = path + "@" + name;
      if (!b.contains(name))
        add(Kind::missing_in_b, object, "only in the first");
      else if (!a.contains(name))
        add(Kind::missing_in_a, object, "only in the second");
      else
        attribute(object, a.at(name), b.at(name));
    }
  }

  void attribute(const std::string& object, const Attribute& a, const Attribute& b) {
    Difference d;
    d.kind = Kind::attribute;
    const bool text = std::holds_alternative<std::string>(a) || std::holds_alternative<std::string>(b);
    if (text || a.index() != b.index()) {
      if (a == b) return;
      d.count = 1;
    } else {
      const Array x = as_array(a), y = as_array(b);
      if (x.type != y.type || x.shape != y.shape)
        d.count = 1;
      else
        compare_values(x, y, rtol_, d);
    }
    if (d.count > 0) add(d, object, attribute_text(a) + " against " + attribute_text(b));
  }

  void dataset(const std::string& path) {
    const DatasetInfo a = a_.info(path), b = b_.info(path);
    const auto name = [](const DatasetInfo& info) { return info.type ? hdf5::type_name(*info.type) : "string"; };
    if (a.type != b.type || a.supported != b.supported)
      return add(Kind::type, path, std::string(name(a)) + " against " + name(b));
    if (a.shape != b.shape) return add(Kind::shape, path, shape_text(a.shape) + " against " + shape_text(b.shape));
    if (!a.supported) return;
    Difference d;
    if (!a.type) {
      const auto x = a_.strings(path), y = b_.strings(path);
      for (std::size_t i = 0; i < x.size(); ++i) d.count += x[i] != y[i] ? 1 : 0;
      if (d.count > 0) add(d, path, fmt::format("{} of {} strings differ", d.count, x.size()));
      return;
    }
    const Array x = a_.dataset(path), y = b_.dataset(path);
    if (x.bytes == y.bytes) return;
    compare_values(x, y, rtol_, d);
    if (d.count > 0)
      add(d, path,
          fmt::format("{} of {} values differ, largest difference {} absolute, {} relative", d.count, x.count(),
                      d.largest_absolute, d.largest_relative));
  }

  FileReader a_, b_;
  std::string file_;
  double rtol_;
  std::vector<Difference>& found_;
};

}  // namespace

std::vector<std::filesystem::path> hdf5_files(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (auto it = std::filesystem::recursive_directory_iterator(directory, error);
       !error && it != std::filesystem::recursive_directory_iterator(); it.increment(error)) {
    const auto extension = it->path().extension();
    if (it->is_regular_file() && (extension == ".h5" || extension == ".hdf5"))
      files.push_back(it->path().lexically_relative(directory));
  }
  if (error) throw Error(ExitCode::input_file, "cannot list '" + directory.string() + "': " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

RunFiles run_files(const std::filesystem::path& directory) {
  RunFiles files;
  for (const auto& file : hdf5_files(directory))
    if (!file.filename().string().starts_with("checkpoint.")) files[file.string()] = {directory / file};
  return files;
}

std::vector<Difference> diff(const RunFiles& a, const RunFiles& b, double rtol) {
  std::vector<Difference> found;
  std::map<std::string, int> files;
  for (const auto& [name, place] : a) files[name] |= 1;
  for (const auto& [name, place] : b) files[name] |= 2;
  for (const auto& [name, where] : files) {
    if (where == 3) {
      FileComparison(a.at(name), b.at(name), name, rtol, found).run();
      continue;
    }
    Difference d;
    d.kind = where == 1 ? Kind::missing_in_b : Kind::missing_in_a;
    d.file = name;
    d.message = name + (where == 1 ? ": only in the first" : ": only in the second");
    found.push_back(d);
  }
  return found;
}

std::vector<Difference> diff(const std::filesystem::path& a, const std::filesystem::path& b, double rtol) {
  std::error_code ignored;
  const bool a_directory = std::filesystem::is_directory(a, ignored),
             b_directory = std::filesystem::is_directory(b, ignored);
  for (const auto& path : {a, b})
    if (!std::filesystem::exists(path, ignored))
      throw Error(ExitCode::input_file, "cannot compare: there is no file or directory '" + path.string() + "'");
  if (a_directory != b_directory)
    throw Error(ExitCode::input_file,
                "cannot compare a file with a directory: '" + a.string() + "', '" + b.string() + "'");
  if (a_directory) return diff(run_files(a), run_files(b), rtol);
  std::vector<Difference> found;
  FileComparison({a}, {b}, "", rtol, found).run();
  return found;
}

}  // namespace ergode::io
