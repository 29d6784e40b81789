#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "kernels/device/cuda_check.cuh"

namespace ergode::kernels {

/// Host memory that the device copies from and to at full speed.
template <class T>
class PinnedArray {
 public:
  PinnedArray() = default;
  PinnedArray(const char* name, std::int64_t count) : count_(count) {
    if (count == 0) return;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    const cudaError_t status =
        fault_due(FaultPoint::host_alloc) ? cudaErrorMemoryAllocation : cudaMallocHost(&data_, bytes);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // it is not sticky: the context lives on
      throw Error(Failure::out_of_memory,
                  "out of host memory for '" + std::string(name) + "': " + std::to_string(bytes >> 20) +
                      " MiB asked that cannot be swapped out; start fewer ranks on a node or ask for more memory");
    }
    cuda_check(status, "cudaMallocHost");
  }
  PinnedArray(PinnedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~PinnedArray() {
    if (data_ != nullptr && !cuda_lost()) cudaFreeHost(data_);
  }
  T* get() const { return data_; }
  std::int64_t count() const { return count_; }

 private:
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

}  // namespace ergode::kernels
