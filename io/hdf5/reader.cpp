#include "io/hdf5/reader.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "io/hdf5/handle.hpp"
#include "io/hdf5/sealed_file.hpp"

namespace ergode::io {
namespace {

using hdf5::Handle;
using hdf5::Place;

std::optional<Type> number_type(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) == H5T_FLOAT) return size <= 4 ? Type::float32 : Type::float64;
  if (H5Tget_class(type) != H5T_INTEGER || size > 8) return {};
  const bool is_signed = H5Tget_sign(type) != H5T_SGN_NONE;
  if (size == 1) return is_signed ? Type::int8 : Type::uint8;
  if (size <= 4) return is_signed ? Type::int32 : Type::uint32;
  return is_signed ? Type::int64 : Type::uint64;
}

/// Rank and extent; false for a null dataspace.
bool extent(hid_t space, std::vector<std::int64_t>& shape) {
  if (H5Sget_simple_extent_type(space) == H5S_NULL) return false;
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  shape.assign(extents.begin(), extents.end());
  return rank >= 0;
}

/// Reads `count` strings of either kind through `read(memory type, buffer)`.
template <class Read>
std::vector<std::string> read_strings(const Place& place, hid_t type, hid_t space, std::int64_t count, Read read) {
  std::vector<std::string> values(static_cast<std::size_t>(count));
  if (count == 0) return values;
  Handle memory = place.own(H5Tcopy(H5T_C_S1), H5Tclose, "make a string type");
  H5Tset_cset(memory, H5Tget_cset(type));
  if (H5Tis_variable_str(type) > 0) {
    H5Tset_size(memory, H5T_VARIABLE);
    std::vector<char*> pointers(values.size(), nullptr);
    read(static_cast<hid_t>(memory), static_cast<void*>(pointers.data()));
    for (std::size_t i = 0; i < values.size(); ++i)
      if (pointers[i] != nullptr) values[i] = pointers[i];
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, pointers.data());
    return values;
  }
  const std::size_t width = H5Tget_size(type);
  H5Tset_size(memory, width);
  H5Tset_strpad(memory, H5Tget_strpad(type));
  std::vector<char> table(width * values.size());
  read(static_cast<hid_t>(memory), static_cast<void*>(table.data()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i].assign(&table[i * width], width);
    values[i].erase(std::min(values[i].find('\0'), width));
    if (H5Tget_strpad(type) == H5T_STR_SPACEPAD) values[i].erase(values[i].find_last_not_of(' ') + 1);
  }
  return values;
}

/// Values of a small integer array as uint64; a negative one is an error, where HDF5 would make it 0 in silence.
Array to_unsigned(const Array& values, const Place& place, const std::string& object) {
  const auto convert = [&](auto source) {
    std::vector<std::uint64_t> result(source.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (source[i] < 0)
        throw Error(place.code, "'" + object + "' in '" + place.path.string() + "': negative value " +
                                    std::to_string(source[i]) + " at element " + std::to_string(i) +
                                    ", where only integers from 0 on are allowed");
      result[i] = static_cast<std::uint64_t>(source[i]);
    }
    return Array::from<std::uint64_t>(result.data(), values.shape);
  };
  if (values.type == Type::int8) return convert(values.as<std::int8_t>());
  if (values.type == Type::int32) return convert(values.as<std::int32_t>());
  return convert(values.as<std::int64_t>());
}

herr_t take_scale(hid_t, unsigned, hid_t scale, void* name) {
  std::vector<char> text(static_cast<std::size_t>(std::max<ssize_t>(H5Iget_name(scale, nullptr, 0), 0)) + 1);
  H5Iget_name(scale, text.data(), text.size());
  *static_cast<std::string*>(name) = text.data();
  return 1;  // the first one will do
}

herr_t take_name(hid_t, const char* name, const H5L_info_t* info, void* names) {
  if (info->type == H5L_TYPE_HARD) static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

herr_t take_attribute_name(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

struct FileReader::Impl {
  Place place{ExitCode::input_file, {}};
  Handle file;
  std::string root;  ///< before every path; empty for the root of the file

  std::string full(const std::string& object) const {
    if (root.empty()) return object;
    return object == "/" ? root : root + object;
  }
  Handle open_object(const std::string& object) const {
    return place.own(H5Oopen(file, full(object).c_str(), H5P_DEFAULT), H5Oclose, "open", object);
  }
  Handle open_dataset(const std::string& object) const {
    return place.own(H5Dopen2(file, full(object).c_str(), H5P_DEFAULT), H5Dclose, "open the dataset", object);
  }

  void walk(const std::string& group, FileObjects& found, std::map<haddr_t, std::string>& seen) const {
    std::vector<std::string> names;
    const Handle id = open_object(group);
    place.check(H5Literate(id, H5_INDEX_NAME, H5_ITER_INC, nullptr, take_name, &names), "list", group);
    found.groups.push_back(group);
    for (const auto& name : names) {
      const std::string path = group == "/" ? "/" + name : group + "/" + name;
      const Handle object = open_object(path);
      H5O_info_t about;
      place.check(H5Oget_info(object, &about), "open", path);
      const auto [first, is_new] = seen.try_emplace(about.addr, path);
      if (!is_new) {
        if (about.type == H5O_TYPE_DATASET) found.links[path] = first->second;
      } else if (about.type == H5O_TYPE_GROUP) {
        walk(path, found, seen);
      } else if (about.type == H5O_TYPE_DATASET) {
        found.datasets[path] = describe(object, path);
      }
    }
  }

  DatasetInfo describe(hid_t dataset, const std::string& path) const {
    const Handle type = place.own(H5Dget_type(dataset), H5Tclose, "read the type of", path);
    const Handle space = place.own(H5Dget_space(dataset), H5Sclose, "read the shape of", path);
    DatasetInfo about;
    about.type = number_type(type);
    about.supported = extent(space, about.shape) && (about.type || H5Tget_class(type) == H5T_STRING);
    return about;
  }

  std::optional<Attribute> attribute(hid_t object, const std::string& path, const std::string& name) const {
    const std::string what = path + "@" + name;
    const Handle id = place.own(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "open the attribute", what);
    const Handle type = place.own(H5Aget_type(id), H5Tclose, "read the type of", what);
    const Handle space = place.own(H5Aget_space(id), H5Sclose, "read the shape of", what);
    Array array;
    if (!extent(space, array.shape)) return {};
    if (H5Tget_class(type) == H5T_STRING) {
      const auto values = read_strings(place, type, space, array.count(), [&](hid_t memory, void* buffer) {
        place.check(H5Aread(id, memory, buffer), "read the attribute", what);
      });
      if (values.size() == 1) return values[0];
      return {};
    }
    const auto number = number_type(type);
    if (!number) return {};
    array.type = *number;
    if (array.shape.empty() && H5Tget_class(type) == H5T_FLOAT) array.type = Type::float64;
    if (array.shape.empty() && H5Tget_class(type) == H5T_INTEGER && array.type != Type::uint64)
      array.type = Type::int64;
    array.bytes.resize(static_cast<std::size_t>(array.count()) * hdf5::type_size(array.type));
    place.check(H5Aread(id, hdf5::memory_type(array.type), array.bytes.data()), "read the attribute", what);
    if (!array.shape.empty()) return array;
    if (array.type == Type::float64) return array.as<double>()[0];
    if (array.type == Type::int64) return array.as<std::int64_t>()[0];
    const std::uint64_t value = array.as<std::uint64_t>()[0];
    if (value > static_cast<std::uint64_t>(INT64_MAX)) return array;
    return static_cast<std::int64_t>(value);
  }
};

FileReader::FileReader(const std::filesystem::path& path, std::string group) : impl_(std::make_unique<Impl>()) {
  hdf5::start();
  impl_->place.path = path;
  if (group != "/") impl_->root = std::move(group);
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    throw Error(ExitCode::input_file, "cannot open '" + path.string() + "': there is no such file");
  if (!std::filesystem::is_regular_file(status))
    throw Error(ExitCode::input_file, "cannot open '" + path.string() + "': it is not a regular file");
  // Directories of ours have their own lock, and on some network file systems HDF5's fails.
  const Handle access = impl_->place.own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "open");
  H5Pset_file_locking(access, false, true);
  impl_->file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (impl_->file.valid()) return;
  impl_->file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access), H5Fclose);
  if (impl_->file.valid()) return;
  if (H5Fis_hdf5(path.c_str()) <= 0)
    throw Error(ExitCode::input_file,
                "cannot open '" + path.string() + "': it is not an HDF5 file, or its beginning is damaged");
  H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);  // once more, for its reason
  impl_->place.fail("open");
}

FileReader::~FileReader() = default;
FileReader::FileReader(FileReader&&) noexcept = default;

FileObjects FileReader::objects() const {
  FileObjects found;
  std::map<haddr_t, std::string> seen;
  const Handle root = impl_->open_object("/");
  H5O_info_t about;
  impl_->place.check(H5Oget_info(root, &about), "open", "/");
  seen[about.addr] = "/";
  impl_->walk("/", found, seen);
  return found;
}

bool FileReader::has(const std::string& name) const {
  const std::string object = impl_->full(name);
  if (object.empty() || object == "/") return true;
  for (auto at = object.find('/', 1);; at = object.find('/', at + 1)) {
    if (H5Lexists(impl_->file, object.substr(0, at).c_str(), H5P_DEFAULT) <= 0) return false;
    if (at == std::string::npos) return H5Oexists_by_name(impl_->file, object.c_str(), H5P_DEFAULT) > 0;
  }
}

DatasetInfo FileReader::info(const std::string& dataset) const {
  return impl_->describe(impl_->open_dataset(dataset), dataset);
}

namespace {

/// `count` rows of the first axis from `begin` into `array`, whose shape is set to theirs.
void read_rows(const Place& place, hid_t dataset, const std::string& path, Array& array, std::int64_t begin,
               std::int64_t count, hid_t transfer) {
  array.shape[0] = count;
  array.bytes.resize(static_cast<std::size_t>(array.count()) * hdf5::type_size(array.type));
  if (array.bytes.empty()) return;
  std::vector<hsize_t> start(array.shape.size(), 0);
  const std::vector<hsize_t> block(array.shape.begin(), array.shape.end());
  start[0] = static_cast<hsize_t>(begin);
  const Handle space = place.own(H5Dget_space(dataset), H5Sclose, "read the shape of", path);
  place.check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, block.data(), nullptr), "read", path);
  const Handle memory =
      place.own(H5Screate_simple(static_cast<int>(block.size()), block.data(), nullptr), H5Sclose, "read", path);
  place.check(H5Dread(dataset, hdf5::memory_type(array.type), memory, space, transfer, array.bytes.data()), "read",
              path);
}

/// Rows of a chunk; 0 where the dataset is not chunked.
std::int64_t rows_of_a_chunk(hid_t dataset) {
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
  hsize_t chunk[H5S_MAX_RANK] = {0};
  if (H5Pget_layout(properties) != H5D_CHUNKED || H5Pget_chunk(properties, H5S_MAX_RANK, chunk) < 1) return 0;
  return static_cast<std::int64_t>(chunk[0]);
}

}  // namespace

Array FileReader::first_rows(const std::string& path, std::optional<Type> as, std::int64_t rows) const {
  try {
    return dataset(path, as, rows);
  } catch (const Error&) {
    const Handle id = impl_->open_dataset(path);
    const std::int64_t chunk = rows_of_a_chunk(id);
    if (chunk == 0 || rows % chunk == 0) throw;
    Array whole = dataset(path, as, rows / chunk * chunk), torn = whole;
    const Handle transfer = impl_->place.own(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "read", path);
    impl_->place.check(H5Pset_edc_check(transfer, H5Z_DISABLE_EDC), "read", path);
    read_rows(impl_->place, id, path, torn, rows / chunk * chunk, rows % chunk, transfer);
    whole.bytes.insert(whole.bytes.end(), torn.bytes.begin(), torn.bytes.end());
    whole.shape[0] = rows;
    return whole;
  }
}

Array FileReader::dataset(const std::string& path, std::optional<Type> as, std::optional<std::int64_t> rows) const {
  const Place& place = impl_->place;
  const Handle id = impl_->open_dataset(path);
  const DatasetInfo about = impl_->describe(id, path);
  const auto refuse = [&](const std::string& why) {
    throw Error(place.code, "cannot read '" + path + "' in '" + place.path.string() + "': " + why);
  };
  if (!about.supported || !about.type) refuse("it does not hold integers or floating-point numbers");
  const bool real = *about.type == Type::float32 || *about.type == Type::float64;
  const bool is_signed = *about.type == Type::int8 || *about.type == Type::int32 || *about.type == Type::int64;
  if (as && *as != Type::float64 && *as != Type::uint64 && *as != *about.type)
    refuse(std::string("it holds ") + hdf5::type_name(*about.type) + ", expected " + hdf5::type_name(*as));
  if (as == Type::uint64 && real) refuse("it holds floating-point numbers, expected integers");
  const bool check_sign = as == Type::uint64 && is_signed;
  Array array;
  array.type = as && !check_sign ? *as : *about.type;
  array.shape = about.shape;
  if (rows) {
    if (array.shape.empty() || *rows > array.shape[0] || *rows < 0)
      refuse("it has fewer than " + std::to_string(*rows) + " rows");
    read_rows(place, id, path, array, 0, *rows, H5P_DEFAULT);
  } else {
    array.bytes.resize(static_cast<std::size_t>(array.count()) * hdf5::type_size(array.type));
    if (!array.bytes.empty())
      place.check(H5Dread(id, hdf5::memory_type(array.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.bytes.data()), "read",
                  path);
  }
  return check_sign ? to_unsigned(array, place, path) : array;
}

std::vector<std::string> FileReader::strings(const std::string& path) const {
  const Handle id = impl_->open_dataset(path);
  const Handle type = impl_->place.own(H5Dget_type(id), H5Tclose, "read the type of", path);
  const Handle space = impl_->place.own(H5Dget_space(id), H5Sclose, "read the shape of", path);
  if (H5Tget_class(type) != H5T_STRING)
    throw Error(ExitCode::input_file, "'" + path + "' in '" + impl_->place.path.string() + "' does not hold strings");
  Array shape;
  extent(space, shape.shape);
  return read_strings(impl_->place, type, space, shape.count(), [&](hid_t memory, void* buffer) {
    impl_->place.check(H5Dread(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer), "read", path);
  });
}

Attributes FileReader::attributes(const std::string& object) const {
  const Handle id = impl_->open_object(object);
  std::vector<std::string> names;
  impl_->place.check(H5Aiterate2(id, H5_INDEX_NAME, H5_ITER_INC, nullptr, take_attribute_name, &names), "list", object);
  const bool dataset = H5Iget_type(id) == H5I_DATASET;
  const bool is_scale = dataset && H5DSis_scale(id) > 0;
  Attributes found;
  for (const auto& name : names) {
    if (dataset && (name == "DIMENSION_LIST" || name == "REFERENCE_LIST")) continue;
    if (is_scale && (name == "CLASS" || name == "NAME")) continue;
    if (auto value = impl_->attribute(id, object, name)) found.emplace(name, std::move(*value));
  }
  return found;
}

std::vector<std::string> FileReader::scales(const std::string& path) const {
  const Handle id = impl_->open_dataset(path);
  if (H5DSis_scale(id) > 0) return {};
  std::vector<std::string> names(info(path).shape.size());
  for (unsigned axis = 0; axis < names.size(); ++axis)
    if (H5DSget_num_scales(id, axis) > 0) H5DSiterate_scales(id, axis, nullptr, take_scale, &names[axis]);
  for (std::string& name : names)
    if (!impl_->root.empty() && name.starts_with(impl_->root + "/")) name.erase(0, impl_->root.size());
  if (std::all_of(names.begin(), names.end(), [](const auto& name) { return name.empty(); })) return {};
  return names;
}

FileContent FileReader::content() const {
  FileContent content;
  const FileObjects found = objects();
  for (const auto& group : found.groups) content.groups[group] = attributes(group);
  for (const auto& [path, about] : found.datasets) {
    if (about.supported && !about.type) {
      content.strings[path] = strings(path);
      if (auto values = attributes(path); !values.empty()) content.string_attributes[path] = std::move(values);
    } else {
      content.datasets[path] = {dataset(path), attributes(path)};
    }
    if (auto names = scales(path); !names.empty()) content.scales[path] = std::move(names);
  }
  content.links = found.links;
  return content;
}

FileContent read_file(const std::filesystem::path& path) {
  return FileReader(path).content();
}

bool has(const std::filesystem::path& path, const std::string& object) {
  return FileReader(path).has(object);
}

Array read_dataset(const std::filesystem::path& path, const std::string& dataset, std::optional<Type> as) {
  return FileReader(path).dataset(dataset, as);
}

}  // namespace ergode::io
