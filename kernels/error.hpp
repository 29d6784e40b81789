#pragma once

#include <stdexcept>
#include <string>

namespace ergode::kernels {

/// What failed in a kernel or on a device; `sim` maps it to an exit class.
enum class Failure {
  no_device,      ///< no usable device, wrong architecture, instruction set not supported
  out_of_memory,  ///< host or device
  gpu,            ///< a CUDA call or kernel failed in mid-run; the context must not be used again
};

class Error : public std::runtime_error {
 public:
  Error(Failure failure, const std::string& message) : std::runtime_error(message), failure_(failure) {}
  Failure failure() const noexcept { return failure_; }

 private:
  Failure failure_;
};

}  // namespace ergode::kernels
