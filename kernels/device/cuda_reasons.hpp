#pragma once

#include <optional>
#include <string>

namespace ergode::kernels {

/// "12.4" for 12040, as CUDA counts versions.
std::string cuda_version_text(int version);

/// What was learnt when the devices could not be counted.
struct NoCudaDevices {
  int driver_version = 0;            ///< as cudaDriverGetVersion gives it; 0: no driver is loaded
  int runtime_version = 0;           ///< that of this binary
  bool insufficient_driver = false;  ///< CUDA's error 35, which it gives without a driver too
  bool no_device = false;            ///< CUDA's error 100, or a count of zero
  std::string error_text;
  std::optional<std::string> visible_devices;  ///< CUDA_VISIBLE_DEVICES
};

/// Why there is no device at all, and what would mend it. No driver is told apart from one too old.
std::string no_devices_reason(const NoCudaDevices& facts);

/// Why a device of `architecture` ("sm_75") cannot run a binary with code for `built`.
std::string no_code_reason(const std::string& architecture, const std::string& built, const std::string& error_text);

/// Why a device cannot be opened; `exclusive`: its compute mode lets one process in.
std::string not_opened_reason(const std::string& error_text, bool exclusive);

/// Why a device whose compute mode is prohibited cannot be used.
std::string prohibited_reason();

}  // namespace ergode::kernels
