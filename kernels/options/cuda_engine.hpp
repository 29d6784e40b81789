#pragma once

#include "kernels/options/engine.hpp"

namespace ergode::kernels::options {

/// Throws Error(no_device) in a build without CUDA.
std::unique_ptr<PathEngine> make_cuda_path_engine(int index, std::int64_t memory_limit);

}  // namespace ergode::kernels::options
