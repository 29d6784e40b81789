#include "io/hdf5/handle.hpp"

#include <charconv>
#include <mutex>

#include "io/fs/file.hpp"

namespace ergode::io::hdf5 {
namespace {

herr_t take_first(unsigned n, const H5E_error2_t* error, void* text) {
  if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

/// HDF5 writes the system's error number into its message: "... errno = 28, ...". 0 when there is none.
int errno_in(const std::string& text) {
  static constexpr std::string_view mark = "errno = ";
  const auto at = text.find(mark);
  int number = 0;
  if (at != std::string::npos) std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), number);
  return number;
}

}  // namespace

void start() {
  static std::once_flag once;
  std::call_once(once, [] {
    H5dont_atexit();  // its exit handler crashes on files that a full disk left open; only the first call can say so
    H5open();
  });
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // one stack a thread where the library is built thread-safe
}

std::string innermost_error() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &text);
  return text.empty() ? "HDF5 gave no reason" : text;
}

void Place::fail(const std::string& doing, const std::string& object) const {
  const std::string cause = innermost_error();
  H5Eclear2(H5E_DEFAULT);
  const std::string what = object.empty() ? doing : doing + " '" + object + "' in";
  if (const int number = errno_in(cause); number != 0 && code == ExitCode::io)
    throw fs::SystemError(what, path, number);
  throw Error(code, "cannot " + what + " '" + path.string() + "': " + cause);
}

hid_t file_type(Type type) {
  switch (type) {
    case Type::int8:
      return H5T_STD_I8LE;
    case Type::int32:
      return H5T_STD_I32LE;
    case Type::int64:
      return H5T_STD_I64LE;
    case Type::uint8:
      return H5T_STD_U8LE;
    case Type::uint32:
      return H5T_STD_U32LE;
    case Type::uint64:
      return H5T_STD_U64LE;
    case Type::float32:
      return H5T_IEEE_F32LE;
    case Type::float64:
      return H5T_IEEE_F64LE;
  }
  throw Error(ExitCode::internal, "unknown array type");
}

hid_t memory_type(Type type) {
  switch (type) {
    case Type::int8:
      return H5T_NATIVE_INT8;
    case Type::int32:
      return H5T_NATIVE_INT32;
    case Type::int64:
      return H5T_NATIVE_INT64;
    case Type::uint8:
      return H5T_NATIVE_UINT8;
    case Type::uint32:
      return H5T_NATIVE_UINT32;
    case Type::uint64:
      return H5T_NATIVE_UINT64;
    case Type::float32:
      return H5T_NATIVE_FLOAT;
    case Type::float64:
      return H5T_NATIVE_DOUBLE;
  }
  throw Error(ExitCode::internal, "unknown array type");
}

std::size_t type_size(Type type) {
  switch (type) {
    case Type::int8:
    case Type::uint8:
      return 1;
    case Type::int32:
    case Type::uint32:
    case Type::float32:
      return 4;
    default:
      return 8;
  }
}

const char* type_name(Type type) {
  static constexpr const char* names[] = {"int8", "int32", "int64", "uint8", "uint32", "uint64", "float32", "float64"};
  return names[static_cast<int>(type)];
}

}  // namespace ergode::io::hdf5
