#include "io/run/build_info.hpp"

#include <fmt/format.h>

#include "ergode_version.hpp"
#include "io/hdf5/handle.hpp"

namespace ergode::io {

BuildInfo build_info() {
  hdf5::start();  // before any other call of the library: see there
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return {version::version,
          version::commit,
          version::compiler,
          version::flags,
          version::build_type,
          version::cuda_compiler,
          fmt::format("{}.{}.{}", major, minor, release)};
}

}  // namespace ergode::io
