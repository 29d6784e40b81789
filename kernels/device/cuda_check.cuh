#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <utility>

#include "kernels/device/fault.hpp"
#include "kernels/error.hpp"

namespace ergode::kernels {

/// True once a CUDA call has failed: the context may be gone, so nothing is asked of it any more, not even to free
/// memory.
bool& cuda_lost();

/// Throws Error(gpu) that names `what` (a kernel or a call). From then on cuda_lost().
inline void cuda_check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cuda_lost() = true;
  throw Error(Failure::gpu,
              std::string(what) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

/// After each launch.
inline void cuda_check_launch(const char* kernel) {
  if (fault_due(FaultPoint::kernel)) cuda_check(cudaErrorLaunchFailure, kernel);
  cuda_check(cudaGetLastError(), kernel);
}

/// Device memory for `count` elements, freed with it.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(const char* name, std::int64_t count) : count_(count) {
    if (count == 0) return;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    const cudaError_t status =
        fault_due(FaultPoint::device_alloc) ? cudaErrorMemoryAllocation : cudaMalloc(&data_, bytes);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // it is not sticky: the context lives on
      std::size_t free = 0, total = 0;
      cudaMemGetInfo(&free, &total);
      throw Error(Failure::out_of_memory,
                  "no device memory for '" + std::string(name) + "': " + std::to_string(bytes >> 20) + " MiB asked, " +
                      std::to_string(free >> 20) + " MiB free of " + std::to_string(total >> 20) + " MiB");
    }
    cuda_check(status, "cudaMalloc");
  }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~DeviceArray() {
    if (data_ != nullptr && !cuda_lost()) cudaFree(data_);
  }

  T* get() const { return data_; }
  std::int64_t count() const { return count_; }
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(T); }

  void copy_from(const T* host) {
    if (count_ > 0) cuda_check(cudaMemcpy(data_, host, bytes(), cudaMemcpyHostToDevice), "copy to the device");
  }
  void copy_to(T* host) const {
    if (count_ > 0) cuda_check(cudaMemcpy(host, data_, bytes(), cudaMemcpyDeviceToHost), "copy from the device");
  }

 private:
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

}  // namespace ergode::kernels
