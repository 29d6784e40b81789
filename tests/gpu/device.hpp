#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "kernels/device/device.hpp"

namespace ergode::kernels::test {

/// The first usable CUDA device; without one the case is skipped and says why.
inline Device usable_device() {
  const CudaInventory inventory = cuda_inventory();
  for (const Device& device : inventory.devices)
    if (device.usable) return device;
  const std::string reason = !inventory.problem.empty()  ? inventory.problem
                             : inventory.devices.empty() ? std::string("no device")
                                                         : inventory.devices[0].reason;
  SKIP("no usable CUDA device: " + reason);
  return {};
}

}  // namespace ergode::kernels::test
