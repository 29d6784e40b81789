#pragma once

namespace ergode::kernels {

/// Places at which a test can make a failure happen.
enum class FaultPoint { host_alloc, device_alloc, kernel };

/// A hook for tests: true at the k-th time that `point` is passed, when the environment variable ERGODE_KERNEL_FAULT
/// says `host_alloc:k`, `device_alloc:k` or `kernel:k`. Unset, it costs a comparison.
bool fault_due(FaultPoint point);

}  // namespace ergode::kernels
