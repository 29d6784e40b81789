#include "kernels/device/cuda_check.cuh"
#include "kernels/random/sobol.hpp"
#include "tests/gpu/sobol_device.hpp"

namespace ergode::kernels::test {

namespace {

__global__ void sobol_kernel(const std::uint32_t* directions, int dimensions, std::uint32_t points,
                             std::uint32_t stride, PhiloxKey key, std::uint32_t replication, DeviceSobol* out) {
  const auto i = static_cast<std::uint32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const std::uint32_t dimension = i / points, point = i % points;
  if (dimension >= static_cast<std::uint32_t>(dimensions)) return;
  const std::uint32_t word = sobol_word(directions + dimension * 32, point * stride);
  const std::uint32_t seed = sobol_seed(key, replication, dimension);
  out[i] = {word, seed, owen_scramble(word, seed)};
}

}  // namespace

std::vector<DeviceSobol> sobol_on_device(const std::vector<std::uint32_t>& directions, std::uint32_t points,
                                         std::uint32_t stride, PhiloxKey key, std::uint32_t replication) {
  const int dimensions = static_cast<int>(directions.size() / 32);
  const std::int64_t count = static_cast<std::int64_t>(dimensions) * points;
  DeviceArray<std::uint32_t> in("directions", static_cast<std::int64_t>(directions.size()));
  DeviceArray<DeviceSobol> out("points", count);
  in.copy_from(directions.data());
  sobol_kernel<<<static_cast<unsigned>((count + 255) / 256), 256>>>(in.get(), dimensions, points, stride, key,
                                                                    replication, out.get());
  cuda_check_launch("sobol_kernel");
  std::vector<DeviceSobol> result(static_cast<std::size_t>(count));
  out.copy_to(result.data());
  return result;
}

}  // namespace ergode::kernels::test
