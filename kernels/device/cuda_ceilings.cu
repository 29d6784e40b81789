#include <algorithm>
#include <memory>

#include "kernels/core/arithmetic.hpp"
#include "kernels/device/ceilings.hpp"
#include "kernels/device/cuda_check.cuh"

namespace ergode::kernels {

namespace {

constexpr int block = 256, blocks_a_multiprocessor = 8;
constexpr int chains = 8;  // independent results a thread, so that none waits for another
constexpr int rounds = 1 << 15;

struct MultiplyAdd {
  static constexpr double operations = 2;
  template <class T>
  __device__ T operator()(T value, T factor, T term) const {
    return fused_multiply_add(value, factor, term);
  }
};

struct ReciprocalRoot {
  static constexpr double operations = 1;
  __device__ float operator()(float value, float, float) const { return inverse_square_root(value); }
};

/// The store happens only where a sum is what it cannot be, and keeps the loop from being left out.
template <class Operation, class T>
__global__ void __launch_bounds__(block) repeat_kernel(T factor, T term, T* sink) {
  const Operation operation{};
  T value[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) value[c] = static_cast<T>(1 + threadIdx.x + c);
#pragma unroll 16
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int c = 0; c < chains; ++c) value[c] = operation(value[c], factor, term);
  T sum = 0;
#pragma unroll
  for (int c = 0; c < chains; ++c) sum += value[c];
  if (sum == static_cast<T>(-1)) *sink = sum;
}

void wait(const char* what) {
  cuda_check(cudaDeviceSynchronize(), what);
}

template <class Operation, class T>
CeilingProbe repeated(Ceiling ceiling, int multiprocessors) {
  const int blocks = blocks_a_multiprocessor * multiprocessors;
  const auto sink = std::make_shared<DeviceArray<T>>("sink", 1);
  CeilingProbe probe;
  probe.ceiling = ceiling;
  probe.work = Operation::operations * chains * rounds * block * static_cast<double>(blocks);
  probe.pass = [sink, blocks] {
    repeat_kernel<Operation, T><<<blocks, block>>>(static_cast<T>(0.999), static_cast<T>(0.001), sink->get());
    cuda_check_launch("repeat_kernel");
    wait("repeat_kernel");
  };
  return probe;
}

CeilingProbe copies(std::int64_t bytes) {
  const auto from = std::make_shared<DeviceArray<char>>("copy's source", bytes);
  const auto to = std::make_shared<DeviceArray<char>>("copy's target", bytes);
  cuda_check(cudaMemset(from->get(), 0x5a, from->bytes()), "cudaMemset");
  CeilingProbe probe;
  probe.ceiling = Ceiling::copy;
  probe.work = 2 * static_cast<double>(bytes);
  probe.pass = [from, to] {
    cuda_check(cudaMemcpyAsync(to->get(), from->get(), from->bytes(), cudaMemcpyDeviceToDevice), "copy on the device");
    wait("copy on the device");
  };
  return probe;
}

}  // namespace

std::vector<CeilingProbe> cuda_ceiling_probes(const Device& device, std::int64_t copy_bytes) {
  cuda_check(cudaSetDevice(device.index), "cudaSetDevice");
  int multiprocessors = 0;
  cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device.index),
             "number of multiprocessors");
  return {repeated<MultiplyAdd, float>(Ceiling::fma_float, multiprocessors),
          repeated<MultiplyAdd, double>(Ceiling::fma_double, multiprocessors),
          repeated<ReciprocalRoot, float>(Ceiling::rsqrt, multiprocessors),
          copies(std::min(copy_bytes, device.memory_free / 8))};
}

}  // namespace ergode::kernels
