#include <algorithm>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/memory_use.hpp"

namespace ergode::kernels {

namespace {

std::int64_t& least_free() {
  static std::int64_t bytes = -1;
  return bytes;
}

}  // namespace

void note_device_memory() {
  std::size_t free = 0, total = 0;
  if (cuda_lost()) return;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) {
    cudaGetLastError();
    return;
  }
  const auto bytes = static_cast<std::int64_t>(free);
  least_free() = least_free() < 0 ? bytes : std::min(least_free(), bytes);
}

std::int64_t least_device_memory() {
  return least_free();
}

}  // namespace ergode::kernels
