#pragma once

#include <string>
#include <vector>

#include "io/array.hpp"
#include "io/hdf5/handle.hpp"

namespace ergode::io::hdf5 {

/// Makes a group, and those on the way to it, unless it is there.
void make_group(const Place& place, hid_t file, const std::string& path);

/// Strings fixed-length (ASCII; marked UTF-8 when they hold other bytes), int64 and double as scalars, arrays as they
/// are.
void write_attributes(const Place& place, hid_t object, const std::string& path, const Attributes& attributes);

/// Chunks of about 1 MiB with shuffle and fletcher32, with deflate 1 besides, or none of all that.
enum class Layout { chunked, compressed, contiguous };

/// The layout of a dataset; contiguous in any case when it is a scalar or has no elements.
Handle creation_properties(const Place& place, const std::vector<std::int64_t>& shape, std::size_t element_size,
                           Layout layout);

void write_dataset(const Place& place, hid_t file, const std::string& path, const Array& data,
                   const Attributes& attributes, Layout layout);
void write_strings(const Place& place, hid_t file, const std::string& path, const std::vector<std::string>& values,
                   const Attributes& attributes, Layout layout);

/// Declares `scale` a dimension scale of its own name and attaches it to `axis` of `dataset`.
void attach_scale(const Place& place, hid_t file, const std::string& dataset, const std::string& scale, unsigned axis);

/// All of `content` into an open file.
void write_content(const Place& place, hid_t file, const FileContent& content);

}  // namespace ergode::io::hdf5
