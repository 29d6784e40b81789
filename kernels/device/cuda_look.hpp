#pragma once

#include "kernels/device/device.hpp"

namespace ergode::kernels {

/// An inventory for a run, which needs one device and no others: opening a device takes some tenths of a second. With
/// `index` >= 0 it has that device alone, else those up to the first usable one. The last one, if usable, stays open.
CudaInventory look_for_cuda_device(int index);

}  // namespace ergode::kernels
