#include "kernels/error.hpp"
#include "tests/gpu/sobol_device.hpp"

namespace ergode::kernels::test {

std::vector<DeviceSobol> sobol_on_device(const std::vector<std::uint32_t>&, std::uint32_t, std::uint32_t, PhiloxKey,
                                         std::uint32_t) {
  throw Error(Failure::no_device, "these tests were built without CUDA");
}

}  // namespace ergode::kernels::test
