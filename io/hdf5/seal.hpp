#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "io/array.hpp"
#include "io/hdf5/handle.hpp"
#include "io/hdf5/sealed_file.hpp"

namespace ergode::io {

/// A whole HDF5 file in memory with the seal that follows it on the disk. HDF5 sees no disk, so that a full one is met
/// by our own write(), which says so, and not by HDF5's close, which may crash.
class SealedImage {
 public:
  /// `path` is for messages only. `arrays` become datasets of the group `/state`: large ones need not be copied into a
  /// FileContent first.
  SealedImage(const FileContent& content, const std::filesystem::path& path,
              const std::map<std::string, Array>& arrays = {});
  std::span<const std::byte> bytes() const { return bytes_; }
  std::span<const std::byte> seal() const { return std::as_bytes(std::span(seal_)); }
  std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size() + seal_.size()); }

 private:
  hdf5::Handle file_;  ///< owns the memory
  std::span<const std::byte> bytes_;
  std::string seal_;
};

/// What a file's seal says, and what its bytes say.
struct SealReport {
  SealState state = SealState::no_seal;
  std::string expected;  ///< SHA-256 in the seal; empty without one
  std::string found;     ///< SHA-256 of the bytes before the seal (without one: of all)
  std::int64_t size = 0;
};
/// Throws Error(input_file) when the file cannot be read.
SealReport read_seal(const std::filesystem::path& path);

}  // namespace ergode::io
