#include <cstdio>
#include <cstdlib>
#include <string>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/device.hpp"

namespace ergode::kernels {

bool& cuda_lost() {
  static bool lost = false;
  return lost;
}

namespace {

__global__ void probe() {}

std::string version_text(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += hex;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

/// Why there is no device at all. Driver version 0 is no driver; the same error code with a version is one too old.
std::string count_problem(cudaError_t status, int driver_version, int runtime_version) {
  if (driver_version == 0) return "no NVIDIA driver is loaded (driver version 0); load it, or use a machine with a GPU";
  if (status == cudaErrorInsufficientDriver)
    return "the NVIDIA driver is too old: it serves CUDA " + version_text(driver_version) + ", this binary needs " + version_text(runtime_version) +
           "; update the driver";
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (status == cudaErrorNoDevice && visible != nullptr)
    return "no CUDA device is visible: CUDA_VISIBLE_DEVICES is '" + std::string(visible) + "'";
  return std::string("no CUDA device: ") + cudaGetErrorString(status);
}

void fill_memory_and_use(Device& device, int compute_mode, const std::string& built) {
  if (compute_mode == cudaComputeModeProhibited) {
    device.reason = "its compute mode is 'prohibited'";
    return;
  }
  cudaError_t status = cudaSetDevice(device.index);
  std::size_t free = 0, total = 0;
  if (status == cudaSuccess) status = cudaMemGetInfo(&free, &total);
  if (status != cudaSuccess) {
    cudaGetLastError();
    device.reason = std::string("it cannot be opened: ") + cudaGetErrorString(status) +
                    (compute_mode == cudaComputeModeExclusiveProcess ? " (its compute mode lets one process in)" : "");
    return;
  }
  device.memory_free = static_cast<std::int64_t>(free);
  device.memory_total = static_cast<std::int64_t>(total);
  cudaFuncAttributes attributes;
  status = cudaFuncGetAttributes(&attributes, probe);
  if (status != cudaSuccess) {
    cudaGetLastError();
    device.reason = "this binary has no code for " + device.architecture + " (built: " + built + "): " + cudaGetErrorString(status);
    return;
  }
  device.usable = true;
}

}  // namespace

CudaInventory cuda_inventory() {
  CudaInventory inventory;
  inventory.built = true;
  inventory.architectures = ERGODE_CUDA_ARCHITECTURES;
  int driver = 0, runtime = 0, count = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  inventory.runtime_version = version_text(runtime);
  if (driver != 0) inventory.driver_version = version_text(driver);
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    inventory.problem = count_problem(status == cudaSuccess ? cudaErrorNoDevice : status, driver, runtime);
    return inventory;
  }
  int current = 0;
  cudaGetDevice(&current);
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    Device device;
    device.backend = Backend::cuda;
    device.index = i;
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) {
      cudaGetLastError();
      device.reason = "its properties cannot be read";
    } else {
      int compute_mode = cudaComputeModeDefault;
      cudaDeviceGetAttribute(&compute_mode, cudaDevAttrComputeMode, i);
      device.name = properties.name;
      device.uuid = uuid_text(properties.uuid);
      device.memory_total = static_cast<std::int64_t>(properties.totalGlobalMem);
      device.architecture = "sm_" + std::to_string(10 * properties.major + properties.minor);
      fill_memory_and_use(device, compute_mode, inventory.architectures);
    }
    inventory.devices.push_back(device);
  }
  cudaSetDevice(current);
  cudaGetLastError();
  return inventory;
}

}  // namespace ergode::kernels
