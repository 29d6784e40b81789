#include "kernels/device/cuda_reasons.hpp"

namespace ergode::kernels {

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string no_devices_reason(const NoCudaDevices& facts) {
  if (facts.driver_version == 0)
    return "no NVIDIA driver is loaded (driver version 0); load it, or use a machine with a GPU";
  if (facts.insufficient_driver)
    return "the NVIDIA driver is too old: it serves CUDA " + cuda_version_text(facts.driver_version) +
           ", this binary needs " + cuda_version_text(facts.runtime_version) + "; update the driver";
  if (facts.visible_devices)
    return "no CUDA device is visible: CUDA_VISIBLE_DEVICES is '" + *facts.visible_devices + "' (" + facts.error_text +
           "); unset it, or name devices that `nvidia-smi -L` lists";
  if (facts.no_device) return "no CUDA device: the driver is loaded, but sees no GPU";
  return "no CUDA device: " + facts.error_text;
}

std::string no_code_reason(const std::string& architecture, const std::string& built, const std::string& error_text) {
  return "this binary has no code for " + architecture + " (built: " + built +
         "; CMAKE_CUDA_ARCHITECTURES adds others): " + error_text;
}

std::string not_opened_reason(const std::string& error_text, bool exclusive) {
  return "it cannot be opened: " + error_text +
         (exclusive ? " (its compute mode lets one process in: another one may be using it)" : "");
}

std::string prohibited_reason() {
  return "its compute mode is 'prohibited'; `nvidia-smi -c DEFAULT` (as root) allows computing";
}

}  // namespace ergode::kernels
