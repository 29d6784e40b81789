#pragma once

namespace ergode::kernels {

/// Named ranges on the time line of NVIDIA's tools (Nsight Systems); nothing where no such tool listens, or without
/// CUDA.
void begin_range(const char* name);
void end_range();

}  // namespace ergode::kernels
