#pragma once

#include <string>

namespace ergode::io {

/// What this binary was built from and with.
struct BuildInfo {
  std::string version;
  std::string commit;  ///< "unknown" without git
  std::string compiler;
  std::string flags;
  std::string build_type;
  std::string cuda_compiler;  ///< empty without CUDA
  std::string hdf5;           ///< of the library in use
};
BuildInfo build_info();

}  // namespace ergode::io
