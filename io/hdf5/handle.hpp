#pragma once

// The one door to the HDF5 C library: included elsewhere first, its headers would not see the next line. From 1.12 on
// some names change their meaning; we speak 1.10's everywhere.
#define H5_USE_110_API
#include <hdf5.h>
#include <hdf5_hl.h>

#include <filesystem>
#include <string>
#include <utility>

#include "io/array.hpp"
#include "io/error.hpp"

namespace ergode::io::hdf5 {

/// Must precede every use of the library: no exit handler of HDF5 (it can crash after a failed close), no error stack
/// on stderr.
void start();

/// The innermost message of HDF5's error stack: the cause, not the chain of calls.
std::string innermost_error();

/// Owns an identifier; closes it when it goes, silently.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, -1);
      close_ = other.close_;
    }
    return *this;
  }
  ~Handle() { reset(); }

  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }
  herr_t reset() { return id_ >= 0 ? close_(std::exchange(id_, -1)) : 0; }
  /// Gives the identifier up without closing it: after an error of the file below, closing is what crashes.
  hid_t release() { return std::exchange(id_, -1); }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// What an error is about: its exit class (io when we write, input_file when we read) and the file.
struct Place {
  ExitCode code = ExitCode::io;
  std::filesystem::path path;

  /// Throws: cannot `doing` 'object' in 'path': innermost message. ENOSPC and its like become fs::SystemError when
  /// writing.
  [[noreturn]] void fail(const std::string& doing, const std::string& object = {}) const;
  void check(herr_t status, const char* doing, const std::string& object = {}) const {
    if (status < 0) fail(doing, object);
  }
  Handle own(hid_t id, Handle::Close close, const char* doing, const std::string& object = {}) const {
    if (id < 0) fail(doing, object);
    return {id, close};
  }
};

hid_t file_type(Type type);  ///< little-endian, whatever the machine
hid_t memory_type(Type type);
std::size_t type_size(Type type);
const char* type_name(Type type);

}  // namespace ergode::io::hdf5
