#include "io/hdf5/writer.hpp"

#include <algorithm>
#include <cstring>

namespace ergode::io::hdf5 {
namespace {

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
}

Handle string_type(const Place& place, std::size_t size, bool ascii) {
  Handle type = place.own(H5Tcopy(H5T_C_S1), H5Tclose, "make a string type");
  place.check(H5Tset_size(type, std::max<std::size_t>(size, 1)), "make a string type");
  place.check(H5Tset_strpad(type, H5T_STR_NULLPAD), "make a string type");
  place.check(H5Tset_cset(type, ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8), "make a string type");
  return type;
}

Handle dataspace(const Place& place, const std::vector<std::int64_t>& shape) {
  if (shape.empty()) return place.own(H5Screate(H5S_SCALAR), H5Sclose, "make a dataspace");
  const std::vector<hsize_t> extent(shape.begin(), shape.end());
  return place.own(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose,
                   "make a dataspace");
}

/// Without the times of last change a file's bytes depend on its content alone.
void forget_times(const Place& place, hid_t properties) {
  place.check(H5Pset_obj_track_times(properties, false), "set dataset properties");
}

void write_attribute(const Place& place, hid_t object, const std::string& path, const std::string& name, hid_t type,
                     hid_t memory, const std::vector<std::int64_t>& shape, const void* data) {
  const std::string what = path + "@" + name;
  const Handle space = dataspace(place, shape);
  Handle attribute = place.own(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                               "make the attribute", what);
  place.check(H5Awrite(attribute, memory, data), "write the attribute", what);
  place.check(attribute.reset(), "write the attribute", what);
}

Handle create(const Place& place, hid_t file, const std::string& path, hid_t type, hid_t space, hid_t properties) {
  if (path.find('/') == std::string::npos)
    return place.own(H5Dcreate2(file, path.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
                     "make the dataset", path);
  Handle links = place.own(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "set link properties");
  place.check(H5Pset_create_intermediate_group(links, 1), "set link properties");
  return place.own(H5Dcreate2(file, path.c_str(), type, space, links, properties, H5P_DEFAULT), H5Dclose,
                   "make the dataset", path);
}

/// Keeps the group of the last path open: the next dataset is mostly in the same one, and need not be sought from the
/// root.
class Groups {
 public:
  Groups(const Place& place, hid_t file) : place_(place), file_(file) {}
  /// The group that `path` lies in, made where it is not there; `path` becomes the name in it.
  hid_t enter(std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || slash == 0) return file_;
    const std::string group = path.substr(0, slash);
    path.erase(0, slash + 1);
    if (group != name_) {
      make_group(place_, file_, group);
      open_ = place_.own(H5Gopen2(file_, group.c_str(), H5P_DEFAULT), H5Gclose, "open", group);
      name_ = group;
    }
    return open_;
  }

 private:
  const Place& place_;
  hid_t file_;
  std::string name_;
  Handle open_;
};

}  // namespace

void make_group(const Place& place, hid_t file, const std::string& path) {
  for (std::size_t at = path.find('/', 1); !path.empty() && path != "/"; at = path.find('/', at + 1)) {
    const std::string part = path.substr(0, at);
    const htri_t there = H5Lexists(file, part.c_str(), H5P_DEFAULT);
    place.check(there, "look for", part);
    if (there == 0)
      place.own(H5Gcreate2(file, part.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "make the group",
                part);
    if (at == std::string::npos) return;
  }
}

void write_attributes(const Place& place, hid_t object, const std::string& path, const Attributes& attributes) {
  for (const auto& [name, value] : attributes) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      write_attribute(place, object, path, name, H5T_STD_I64LE, H5T_NATIVE_INT64, {}, integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      write_attribute(place, object, path, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {}, real);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      const Handle type = string_type(place, text->size(), is_ascii(*text));
      write_attribute(place, object, path, name, type, type, {}, text->c_str());
    } else {
      const auto& array = std::get<Array>(value);
      write_attribute(place, object, path, name, file_type(array.type), memory_type(array.type), array.shape,
                      array.bytes.data());
    }
  }
}

Handle creation_properties(const Place& place, const std::vector<std::int64_t>& shape, std::size_t element_size,
                           Layout layout) {
  Handle properties = place.own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "set dataset properties");
  forget_times(place, properties);
  const bool empty = std::any_of(shape.begin(), shape.end(), [](auto n) { return n == 0; });
  if (shape.empty() || empty || layout == Layout::contiguous) return properties;
  std::vector<hsize_t> chunk(shape.size());
  hsize_t budget = (hsize_t{1} << 20) / element_size;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    chunk[axis] = std::clamp<hsize_t>(budget, 1, static_cast<hsize_t>(shape[axis]));
    budget /= chunk[axis];
  }
  place.check(H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data()), "set dataset properties");
  if (element_size > 1) place.check(H5Pset_shuffle(properties), "set dataset properties");
  if (layout == Layout::compressed) place.check(H5Pset_deflate(properties, 1), "set dataset properties");
  place.check(H5Pset_fletcher32(properties), "set dataset properties");
  return properties;
}

void write_dataset(const Place& place, hid_t file, const std::string& path, const Array& data,
                   const Attributes& attributes, Layout layout) {
  const std::size_t size = type_size(data.type);
  if (data.count() < 0 || static_cast<std::size_t>(data.count()) * size != data.bytes.size())
    throw Error(ExitCode::internal, "dataset '" + path + "': shape and number of bytes disagree");
  const Handle space = dataspace(place, data.shape);
  const Handle properties = creation_properties(place, data.shape, size, layout);
  Handle id = create(place, file, path, file_type(data.type), space, properties);
  if (!data.bytes.empty())
    place.check(H5Dwrite(id, memory_type(data.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.bytes.data()), "write", path);
  write_attributes(place, id, path, attributes);
  place.check(id.reset(), "write", path);
}

void write_strings(const Place& place, hid_t file, const std::string& path, const std::vector<std::string>& values,
                   const Attributes& attributes, Layout layout) {
  std::size_t width = 1;
  bool ascii = true;
  for (const auto& value : values) {
    width = std::max(width, value.size());
    ascii = ascii && is_ascii(value);
  }
  std::vector<char> table(width * values.size(), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&table[i * width], values[i].data(), values[i].size());
  const std::vector<std::int64_t> shape{static_cast<std::int64_t>(values.size())};
  const Handle type = string_type(place, width, ascii);
  const Handle space = dataspace(place, shape);
  const Handle properties = creation_properties(place, shape, width, layout);
  Handle id = create(place, file, path, type, space, properties);
  if (!values.empty()) place.check(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.data()), "write", path);
  write_attributes(place, id, path, attributes);
  place.check(id.reset(), "write", path);
}

void attach_scale(const Place& place, hid_t file, const std::string& dataset, const std::string& scale, unsigned axis) {
  const Handle scale_id = place.own(H5Dopen2(file, scale.c_str(), H5P_DEFAULT), H5Dclose, "open", scale);
  const std::string name = scale.substr(scale.rfind('/') + 1);
  if (H5DSis_scale(scale_id) <= 0) place.check(H5DSset_scale(scale_id, name.c_str()), "make a scale of", scale);
  const Handle dataset_id = place.own(H5Dopen2(file, dataset.c_str(), H5P_DEFAULT), H5Dclose, "open", dataset);
  place.check(H5DSattach_scale(dataset_id, scale_id, axis), "attach a scale to", dataset);
}

void write_content(const Place& place, hid_t file, const FileContent& content) {
  Groups groups(place, file);
  for (const auto& [path, attributes] : content.groups) {
    make_group(place, file, path);
    const Handle group = place.own(H5Gopen2(file, path.c_str(), H5P_DEFAULT), H5Gclose, "open", path);
    write_attributes(place, group, path, attributes);
  }
  const Layout plain = content.many_small ? Layout::contiguous : Layout::chunked;
  for (const auto& [path, dataset] : content.datasets) {
    std::string name = path;
    const hid_t group = groups.enter(name);
    write_dataset(place, group, name, dataset.data, dataset.attributes,
                  content.compress || dataset.compress ? Layout::compressed : plain);
  }
  for (const auto& [path, values] : content.strings) {
    const auto attributes = content.string_attributes.find(path);
    std::string name = path;
    const hid_t group = groups.enter(name);
    write_strings(place, group, name, values,
                  attributes == content.string_attributes.end() ? Attributes{} : attributes->second, plain);
  }
  for (const auto& [dataset, scales] : content.scales) {
    std::string name = dataset;
    const hid_t group = groups.enter(name);
    for (unsigned axis = 0; axis < scales.size(); ++axis)
      if (!scales[axis].empty()) attach_scale(place, group, name, scales[axis], axis);
  }
  for (const auto& [path, existing] : content.links) {
    std::string name = path;
    const hid_t group = groups.enter(name);
    place.check(H5Lcreate_hard(file, existing.c_str(), group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "link", path);
  }
}

}  // namespace ergode::io::hdf5
