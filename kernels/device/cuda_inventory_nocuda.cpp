#include "kernels/device/device.hpp"

namespace ergode::kernels {

CudaInventory cuda_inventory() {
  CudaInventory inventory;
  inventory.problem = "this binary was built without CUDA; build it where nvcc is on the PATH";
  return inventory;
}

}  // namespace ergode::kernels
