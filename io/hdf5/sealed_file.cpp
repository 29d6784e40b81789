#include "io/hdf5/sealed_file.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "io/fs/file.hpp"
#include "io/hdf5/seal.hpp"
#include "io/hdf5/writer.hpp"
#include "io/sha256.hpp"

namespace ergode::io {
namespace {

// The seal is one line of fixed length: "\nergode-sha256 <64 hexadecimal digits> <20 decimal digits: bytes before
// it>\n".
constexpr std::string_view mark = "\nergode-sha256 ";
constexpr std::size_t hex_digits = 64, length_digits = 20;
constexpr std::size_t seal_size = mark.size() + hex_digits + 1 + length_digits + 1;

std::string make_seal(const std::string& hex, std::size_t length) {
  const std::string digits = std::to_string(length);
  return std::string(mark) + hex + " " + std::string(length_digits - digits.size(), '0') + digits + "\n";
}

/// Lets HDF5 keep all descriptions of objects in memory until the end: there is no disk that they could go to.
void hold_metadata(const hdf5::Place& place, hid_t access) {
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  place.check(H5Pget_mdc_config(access, &cache), "set file properties");
  cache.set_initial_size = true;
  cache.initial_size = cache.max_size = std::size_t{1} << 27;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  place.check(H5Pset_mdc_config(access, &cache), "set file properties");
}

std::size_t payload(const FileContent& content, const std::map<std::string, Array>& arrays) {
  std::size_t bytes = 0;
  for (const auto& [path, dataset] : content.datasets) bytes += dataset.data.bytes.size();
  for (const auto& [name, array] : arrays) bytes += array.bytes.size();
  return bytes;
}

}  // namespace

SealedImage::SealedImage(const FileContent& content, const std::filesystem::path& path,
                         const std::map<std::string, Array>& arrays) {
  hdf5::start();
  const hdf5::Place place{ExitCode::io, path};
  const hdf5::Handle access = place.own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "set file properties");
  // The image grows by this much at a time: few reallocations, little memory to spare.
  const std::size_t least = content.many_small ? 1 << 22 : 1 << 16;
  const std::size_t increment = std::clamp<std::size_t>(payload(content, arrays) / 16, least, 1 << 26);
  place.check(H5Pset_fapl_core(access, increment, false), "set file properties");
  if (content.many_small) hold_metadata(place, access);
  const auto earliest = content.many_small ? H5F_LIBVER_V18 : H5F_LIBVER_EARLIEST;
  place.check(H5Pset_libver_bounds(access, earliest, H5F_LIBVER_V18), "set file properties");
  file_ = place.own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "make the file");
  hdf5::write_content(place, file_, content);
  for (const auto& [name, array] : arrays)
    hdf5::write_dataset(place, file_, "/state/" + name, array, {}, hdf5::Layout::chunked);
  place.check(H5Fflush(file_, H5F_SCOPE_GLOBAL), "write");
  const ssize_t length = H5Fget_file_image(file_, nullptr, 0);
  void* memory = nullptr;  // the core driver's handle is the address of its buffer: no copy
  if (length <= 0 || H5Fget_vfd_handle(file_, H5P_DEFAULT, &memory) < 0 || memory == nullptr) place.fail("write");
  bytes_ = {*static_cast<const std::byte* const*>(memory), static_cast<std::size_t>(length)};
  seal_ = make_seal(sha256(bytes_), bytes_.size());
}

void write_sealed(const std::filesystem::path& path, const FileContent& content) {
  const SealedImage image(content, path);
  fs::Temporary temporary(path);
  temporary.write({image.bytes(), image.seal()});
  temporary.commit();
}

SealReport read_seal(const std::filesystem::path& path) {
  SealReport report;
  try {
    const fs::File file = fs::File::open(path);
    report.size = file.size();
    std::int64_t end = report.size;
    if (report.size >= static_cast<std::int64_t>(seal_size)) {
      std::string text(seal_size, '\0');
      file.read(std::as_writable_bytes(std::span(text)), report.size - static_cast<std::int64_t>(seal_size));
      if (text.starts_with(mark)) {
        end = report.size - static_cast<std::int64_t>(seal_size);
        report.expected = text.substr(mark.size(), hex_digits);
        // The stated length and the two separators count too: whatever differs by one bit is damaged.
        report.state =
            text == make_seal(report.expected, static_cast<std::size_t>(end)) ? SealState::intact : SealState::damaged;
      }
    }
    Sha256 hash;
    std::vector<std::byte> buffer(std::size_t{1} << 20);
    for (std::int64_t at = 0; at < end;) {
      const std::size_t want = static_cast<std::size_t>(std::min<std::int64_t>(end - at, 1 << 20));
      const std::size_t n = file.read(std::span(buffer).first(want), at);
      if (n == 0) break;
      hash.update(std::span(buffer).first(n));
      at += static_cast<std::int64_t>(n);
    }
    report.found = hash.hex();
  } catch (const Error& error) {
    throw Error(ExitCode::input_file, error.what());
  }
  if (report.state == SealState::intact && report.found != report.expected) report.state = SealState::damaged;
  return report;
}

SealState check_seal(const std::filesystem::path& path) {
  return read_seal(path).state;
}

}  // namespace ergode::io
