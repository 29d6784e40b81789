#include "io/run/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>

#include "io/error.hpp"
#include "io/fs/file.hpp"

namespace ergode::io {

void write_text(const std::filesystem::path& path, std::string_view text) {
  fs::replace_file(path, text);
}

bool write_text_once(const std::filesystem::path& path, std::string_view text) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return false;
  fs::Temporary mine(path);
  mine.write({std::as_bytes(std::span(text.data(), text.size()))});
  try {
    if (fs::hard_link(mine.path(), path))
      fs::sync_directory(path.parent_path());
    else
      mine.commit();
    return true;
  } catch (const fs::SystemError& e) {
    if (e.number() != EEXIST) throw;
    return false;
  }
}

std::optional<std::string> read_text(const std::filesystem::path& path) {
  std::error_code ignored;
  // Opening a FIFO would wait for a writer.
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(in), {}};
  return in.bad() ? std::nullopt : std::optional(std::move(text));
}

void make_writable_directory(const std::filesystem::path& directory) {
  std::error_code problem;
  const auto status = std::filesystem::status(directory, problem);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status))
    throw Error(ExitCode::io, fmt::format("{}: is a file, not a directory; choose another output directory (-o DIR)",
                                          directory.string()));
  try {
    fs::make_directories(directory);
  } catch (const Error& e) {
    throw Error(ExitCode::io, fmt::format("{}: the output directory cannot be made: {}; choose another (-o DIR)",
                                          directory.string(), e.what()));
  }
  const std::filesystem::path probe = directory / ".probe";
  try {
    fs::Temporary file(probe);  // removed at the end of its life
    const std::byte byte{};
    file.write({std::span<const std::byte>(&byte, 1)});
  } catch (const Error& e) {
    throw Error(ExitCode::io,
                fmt::format("{}: nothing can be written in the output directory ({}); choose another (-o DIR)",
                            directory.string(), e.what()));
  }
}

}  // namespace ergode::io
