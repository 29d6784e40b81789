#include "io/run/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "io/error.hpp"

namespace ergode::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* what, int problem) {
  throw Error(ExitCode::io, fmt::format("{}: {}: {}", path.string(), what, std::strerror(problem)));
}

/// Writes, syncs and closes a new file; removes it again on failure.
void write_new(const fs::path& path, std::string_view text) {
  const int descriptor = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (descriptor < 0) fail(path, "cannot be written", errno);
  int problem = 0;
  while (!text.empty() && problem == 0) {
    const ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      problem = errno;
    }
  }
  if (problem == 0 && ::fsync(descriptor) != 0) problem = errno;
  if (::close(descriptor) != 0 && problem == 0) problem = errno;
  if (problem == 0) return;
  ::unlink(path.c_str());
  fail(path, "cannot be written", problem);
}

}  // namespace

void write_text(const fs::path& path, std::string_view text) {
  const fs::path temporary = path.string() + ".tmp." + std::to_string(::getpid());
  write_new(temporary, text);
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int problem = errno;
    ::unlink(temporary.c_str());
    fail(path, "cannot be replaced", problem);
  }
}

std::optional<std::string> read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(in), {}};
  return in.bad() ? std::nullopt : std::optional(std::move(text));
}

void make_writable_directory(const fs::path& directory) {
  std::error_code problem;
  const auto status = fs::status(directory, problem);
  if (fs::exists(status) && !fs::is_directory(status))
    throw Error(ExitCode::io, fmt::format("{}: is a file, not a directory; choose another output directory (-o DIR)", directory.string()));
  fs::create_directories(directory, problem);
  if (problem)
    throw Error(ExitCode::io, fmt::format("{}: the output directory cannot be made: {}; choose another (-o DIR)",
                                          directory.string(), problem.message()));
  const fs::path probe = directory / (".probe." + std::to_string(::getpid()));
  try {
    write_new(probe, "x");
  } catch (const Error& e) {
    throw Error(ExitCode::io, fmt::format("{}: nothing can be written in the output directory ({}); choose another (-o DIR)",
                                          directory.string(), e.what()));
  }
  ::unlink(probe.c_str());
}

}  // namespace ergode::io
