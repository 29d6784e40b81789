#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "io/error.hpp"

namespace ergode::io::fs {

/// A system call on a file failed; says which, with path and reason. Exit class io.
class SystemError : public Error {
 public:
  SystemError(const std::string& doing, const std::filesystem::path& path, int number);
  int number() const noexcept { return number_; }  ///< the errno
  /// No space, or no quota, left: may pass when somebody deletes files.
  bool disk_full() const noexcept;

 private:
  int number_;
};

/// An open file descriptor. All members throw SystemError.
class File {
 public:
  static File create(const std::filesystem::path& path);  ///< for writing; truncates what is there
  static File open(const std::filesystem::path& path);    ///< for reading; a regular file
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  ~File();  ///< closes, silently

  void write(std::span<const std::byte> bytes);
  void reserve(std::int64_t bytes);  ///< space on the disk, not written
  /// Up to bytes.size() bytes from `offset`; returns how many, fewer only at the end of the file.
  std::size_t read(std::span<std::byte> bytes, std::int64_t offset) const;
  std::int64_t size() const;
  void sync();   ///< on the disk when it returns
  void close();  ///< also where a network file system reports a full disk

 private:
  File(int descriptor, std::filesystem::path path);
  int descriptor_ = -1;
  std::filesystem::path path_;
};

void sync_descriptor(int descriptor, const std::filesystem::path& path);
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);
/// False when the file system has no hard links.
bool hard_link(const std::filesystem::path& existing, const std::filesystem::path& link);
/// Removes a file; false when it was not there.
bool remove_file(const std::filesystem::path& path);
/// Makes a directory and its parents; nothing when it is there.
void make_directories(const std::filesystem::path& path);
/// Makes a rename in this directory outlive a power cut. Nothing where the file system has no such thing.
void sync_directory(const std::filesystem::path& path);

/// A file being written beside `target` as temporary_path(); removed again unless commit() was reached.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& target);
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary();

  const std::filesystem::path& path() const { return path_; }
  /// All pieces, one after the other, down to the disk.
  void write(std::initializer_list<std::span<const std::byte>> pieces);
  /// Takes the target's place, and makes that last.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
  bool committed_ = false;
};

/// Replaces `path` by `text` in one instant: temporary file, fsync, rename, fsync of the directory.
void replace_file(const std::filesystem::path& path, std::string_view text);

/// Throws SystemError unless `bytes` more could be written beside `path` now: reserves them in a temporary file, and
/// lets go.
void probe_space(const std::filesystem::path& path, std::int64_t bytes);

/// `target.tmp.NUMBER`, with a number of this process and host.
std::filesystem::path temporary_path(const std::filesystem::path& target);
/// Whether a name is that of such a temporary file (left by a killed process, or of a running one).
bool is_temporary(const std::filesystem::path& path);
/// Removes what killed processes left in `directory` and below; only for the owner of its lock. Returns how many.
std::int64_t remove_temporaries(const std::filesystem::path& directory);

/// A write beyond `ulimit -f` returns EFBIG instead of ending the process (unless the program handles SIGXFSZ itself).
void ignore_file_size_signal();

}  // namespace ergode::io::fs
