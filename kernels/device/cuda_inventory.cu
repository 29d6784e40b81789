#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/cuda_look.hpp"
#include "kernels/device/cuda_reasons.hpp"
#include "kernels/device/device.hpp"

namespace ergode::kernels {

bool& cuda_lost() {
  static bool lost = false;
  return lost;
}

namespace {

__global__ void probe() {}

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

NoCudaDevices facts(cudaError_t status, int driver_version, int runtime_version) {
  NoCudaDevices facts{driver_version,
                      runtime_version,
                      status == cudaErrorInsufficientDriver,
                      status == cudaErrorNoDevice,
                      cudaGetErrorString(status),
                      {}};
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) facts.visible_devices = visible;
  return facts;
}

/// Looking at a device opens it, and an open one holds some hundred MB and keeps others out where it is exclusive. This
/// closes it.
struct CloseDevice {
  bool leave_open = false;
  ~CloseDevice() {
    if (leave_open) return;
    cudaDeviceReset();
    cudaGetLastError();
  }
};

void fill_memory_and_use(Device& device, int compute_mode, const std::string& built, bool leave_open) {
  if (compute_mode == cudaComputeModeProhibited) {
    device.reason = prohibited_reason();
    return;
  }
  cudaError_t status = cudaSetDevice(device.index);
  CloseDevice close;
  std::size_t free = 0, total = 0;
  if (status == cudaSuccess) status = cudaMemGetInfo(&free, &total);
  if (status != cudaSuccess) {
    cudaGetLastError();
    device.reason = not_opened_reason(cudaGetErrorString(status), compute_mode == cudaComputeModeExclusiveProcess);
    return;
  }
  device.memory_free = static_cast<std::int64_t>(free);
  device.memory_total = static_cast<std::int64_t>(total);
  cudaFuncAttributes attributes;
  status = cudaFuncGetAttributes(&attributes, probe);
  if (status != cudaSuccess) {
    cudaGetLastError();
    device.reason = no_code_reason(device.architecture, built, cudaGetErrorString(status));
    return;
  }
  device.usable = true;
  close.leave_open = leave_open;
}

/// What is known without opening a device, and how many there are.
CudaInventory unopened(int& count) {
  CudaInventory inventory;
  inventory.built = true;
  inventory.architectures = ERGODE_CUDA_ARCHITECTURES;
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  inventory.runtime_version = cuda_version_text(runtime);
  if (driver != 0) inventory.driver_version = cuda_version_text(driver);
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    count = 0;
    cudaGetLastError();
    inventory.problem = no_devices_reason(facts(status == cudaSuccess ? cudaErrorNoDevice : status, driver, runtime));
  }
  return inventory;
}

/// What opening the device finds.
Device look_at(int index, const std::string& architectures, bool leave_open) {
  cudaDeviceProp properties;
  Device device;
  device.backend = Backend::cuda;
  device.index = index;
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) {
    cudaGetLastError();
    device.reason = "its properties cannot be read";
    return device;
  }
  int compute_mode = cudaComputeModeDefault;
  cudaDeviceGetAttribute(&compute_mode, cudaDevAttrComputeMode, index);
  device.name = properties.name;
  device.uuid = uuid_text(properties.uuid);
  device.memory_total = static_cast<std::int64_t>(properties.totalGlobalMem);
  device.architecture = "sm_" + std::to_string(10 * properties.major + properties.minor);
  fill_memory_and_use(device, compute_mode, architectures, leave_open);
  return device;
}

}  // namespace

CudaInventory cuda_inventory() {
  int count = 0;
  CudaInventory inventory = unopened(count);
  for (int i = 0; i < count; ++i) inventory.devices.push_back(look_at(i, inventory.architectures, false));
  return inventory;
}

CudaInventory look_for_cuda_device(int index) {
  int count = 0;
  CudaInventory inventory = unopened(count);
  if (index >= count) return cuda_inventory();
  for (int i = std::max(index, 0); i < (index >= 0 ? index + 1 : count); ++i) {
    inventory.devices.push_back(look_at(i, inventory.architectures, true));
    if (inventory.devices.back().usable) break;
  }
  return inventory;
}

}  // namespace ergode::kernels
