#include "io/fs/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "io/fs/fault.hpp"

namespace ergode::io::fs {
namespace {

std::string reason(int number) {
  switch (number) {
    case ENOSPC:
      return "no space left on the disk (ENOSPC); free some and resume";
    case EDQUOT:
      return "disk quota exceeded (EDQUOT); free some and resume";
    case EFBIG:
      return "larger than the limit on file sizes (EFBIG); see ulimit -f";
    default:
      return std::generic_category().message(number);
  }
}

int injected(Call call) {
  const int fault = fault_at(call);
  if (fault < 0) die();
  return fault;
}

/// Calls `function` until it is not interrupted; returns 0 or the errno.
template <class F>
int retry(F function) {
  for (;;) {
    if (function() >= 0) return 0;
    if (errno != EINTR) return errno;
  }
}

void write_bytes(int descriptor, std::span<const std::byte> bytes, const std::filesystem::path& path) {
  // Linux writes at most 2 GiB a call; smaller pieces keep an interrupted call cheap.
  constexpr std::size_t piece = std::size_t{1} << 28;
  while (!bytes.empty()) {
    const auto n = ::write(descriptor, bytes.data(), std::min(bytes.size(), piece));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw SystemError("write", path, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

}  // namespace

SystemError::SystemError(const std::string& doing, const std::filesystem::path& path, int number)
    : Error(ExitCode::io, "cannot " + doing + " '" + path.string() + "': " + reason(number)), number_(number) {}

bool SystemError::disk_full() const noexcept {
  return number_ == ENOSPC || number_ == EDQUOT;
}

File::File(int descriptor, std::filesystem::path path) : descriptor_(descriptor), path_(std::move(path)) {}

File::File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

File File::create(const std::filesystem::path& path) {
  ignore_file_size_signal();
  if (const int fault = injected(Call::open)) throw SystemError("create", path, fault);
  int descriptor = -1;
  if (const int error =
          retry([&] { return descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); }))
    throw SystemError("create", path, error);
  return {descriptor, path};
}

File File::open(const std::filesystem::path& path) {
  int descriptor = -1;
  // Opening a FIFO would wait for a writer.
  if (const int error = retry([&] { return descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); }))
    throw SystemError("open", path, error);
  File file(descriptor, path);
  struct stat about {};
  if (::fstat(descriptor, &about) != 0) throw SystemError("open", path, errno);
  if (!S_ISREG(about.st_mode)) throw Error(ExitCode::io, "cannot open '" + path.string() + "': not a regular file");
  return file;
}

void File::write(std::span<const std::byte> bytes) {
  if (const int fault = fault_at(Call::write)) {
    write_bytes(descriptor_, bytes.first(bytes.size() / 2), path_);
    if (fault < 0) die();
    throw SystemError("write", path_, fault);
  }
  write_bytes(descriptor_, bytes, path_);
}

void File::reserve(std::int64_t bytes) {
  int error = injected(Call::write);
  if (error == 0) error = ::posix_fallocate(descriptor_, 0, bytes);
  if (error != 0 && error != EOPNOTSUPP && error != EINVAL) throw SystemError("find space for", path_, error);
}

std::size_t File::read(std::span<std::byte> bytes, std::int64_t offset) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto n =
        ::pread(descriptor_, bytes.data() + done, bytes.size() - done, offset + static_cast<std::int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw SystemError("read", path_, errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

std::int64_t File::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) throw SystemError("read the size of", path_, errno);
  return status.st_size;
}

void File::sync() {
  sync_descriptor(descriptor_, path_);
}

void File::close() {
  // Not repeated after EINTR: on Linux the descriptor is gone by then.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) throw SystemError("close", path_, errno);
}

void sync_descriptor(int descriptor, const std::filesystem::path& path) {
  if (const int fault = injected(Call::fsync)) throw SystemError("write to the disk", path, fault);
  if (const int error = retry([&] { return ::fsync(descriptor); })) throw SystemError("write to the disk", path, error);
}

void rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (const int fault = injected(Call::rename)) throw SystemError("rename '" + from.string() + "' to", to, fault);
  if (::rename(from.c_str(), to.c_str()) != 0) throw SystemError("rename '" + from.string() + "' to", to, errno);
}

bool hard_link(const std::filesystem::path& existing, const std::filesystem::path& link) {
  int error = injected(Call::link);
  if (error == 0 && ::link(existing.c_str(), link.c_str()) != 0) error = errno;
  if (error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK) return false;
  if (error != 0) throw SystemError("link '" + existing.string() + "' as", link, error);
  return true;
}

bool remove_file(const std::filesystem::path& path) {
  if (const int fault = injected(Call::unlink)) throw SystemError("remove", path, fault);
  if (::unlink(path.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  throw SystemError("remove", path, errno);
}

void make_directories(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path.empty() || std::filesystem::is_directory(path, ignored)) return;
  make_directories(path.parent_path());
  if (const int fault = injected(Call::mkdir)) throw SystemError("make the directory", path, fault);
  if (::mkdir(path.c_str(), 0777) == 0) return;
  const int error = errno;
  if (error == EEXIST && std::filesystem::is_directory(path, ignored)) return;
  throw SystemError("make the directory", path, error);
}

void sync_directory(const std::filesystem::path& path) {
  const std::filesystem::path directory = path.empty() ? "." : path;
  if (const int fault = injected(Call::fsync_directory)) throw SystemError("write to the disk", directory, fault);
  int descriptor = -1;
  if (retry([&] { return descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }) != 0) return;
  const int error = retry([&] { return ::fsync(descriptor); });
  ::close(descriptor);
  if (error != 0 && error != EINVAL && error != EOPNOTSUPP && error != EBADF)
    throw SystemError("write to the disk", directory, error);
}

Temporary::Temporary(const std::filesystem::path& target) : target_(target), path_(temporary_path(target)) {}

Temporary::~Temporary() {
  if (!committed_) ::unlink(path_.c_str());
}

void Temporary::write(std::initializer_list<std::span<const std::byte>> pieces) {
  File file = File::create(path_);
  for (const auto& piece : pieces) file.write(piece);
  file.sync();
  file.close();
}

void Temporary::commit() {
  rename_file(path_, target_);
  committed_ = true;
  sync_directory(target_.parent_path());
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
  Temporary temporary(path);
  temporary.write({std::as_bytes(std::span(text.data(), text.size()))});
  temporary.commit();
}

void probe_space(const std::filesystem::path& path, std::int64_t bytes) {
  const Temporary temporary(path);
  File::create(temporary.path()).reserve(bytes);
}

std::filesystem::path temporary_path(const std::filesystem::path& target) {
  // Processes of several hosts may write to one directory, and process numbers are each host's own.
  static const std::size_t host = [] {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return std::hash<std::string>{}(name) % 1'000'000;
  }();
  return target.string() + ".tmp." + std::to_string(::getpid()) + std::to_string(1'000'000 + host);
}

bool is_temporary(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const auto at = name.rfind(".tmp.");
  return at != std::string::npos && at > 0 && at + 5 < name.size() &&
         name.find_first_not_of("0123456789", at + 5) == std::string::npos;
}

std::int64_t remove_temporaries(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (auto it = std::filesystem::recursive_directory_iterator(directory, error);
       !error && it != std::filesystem::recursive_directory_iterator(); it.increment(error))
    if (is_temporary(it->path())) found.push_back(it->path());
  std::int64_t removed = 0;
  for (const auto& path : found) removed += remove_file(path) ? 1 : 0;
  return removed;
}

void ignore_file_size_signal() {
  static const bool done = [] {
    struct sigaction action {};
    if (::sigaction(SIGXFSZ, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) ::signal(SIGXFSZ, SIG_IGN);
    return true;
  }();
  (void)done;
}

}  // namespace ergode::io::fs
