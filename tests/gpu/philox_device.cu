#include "kernels/device/cuda_check.cuh"
#include "tests/gpu/philox_device.hpp"

namespace ergode::kernels::test {

namespace {

__global__ void draw_kernel(const Words4* counters, PhiloxKey key, int count, DeviceDraw* draws) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const Words4 w = philox4x32(counters[i], key);
  draws[i] = {w, philox_uniform(w[0], w[1]), philox_uniform(w[2], w[3])};
}

}  // namespace

std::vector<DeviceDraw> draw_on_device(const std::vector<Words4>& counters, PhiloxKey key) {
  const int count = static_cast<int>(counters.size());
  DeviceArray<Words4> in("counters", count);
  DeviceArray<DeviceDraw> out("draws", count);
  in.copy_from(counters.data());
  draw_kernel<<<(count + 255) / 256, 256>>>(in.get(), key, count, out.get());
  cuda_check_launch("draw_kernel");
  std::vector<DeviceDraw> draws(counters.size());
  out.copy_to(draws.data());
  return draws;
}

}  // namespace ergode::kernels::test
