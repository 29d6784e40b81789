#pragma once

#include <cstdint>

namespace ergode::kernels {

/// Looks how much memory of the present CUDA device is free: after an allocation, while its memory is held.
void note_device_memory();
/// The least that a look has found, in bytes; -1: there was none.
std::int64_t least_device_memory();

/// The most resident memory that this process has had, in bytes; 0: the system does not say.
std::int64_t host_memory_peak();

}  // namespace ergode::kernels
