#pragma once

#include <cuda_runtime.h>

#include "kernels/options/fold.hpp"

namespace ergode::kernels::options {

/// From (chunk, estimator, moment) of chunks [first, first + count), whole blocks, to (block, estimator, moment) `out`,
/// both in device memory.
void fold_cuda(const double* chunks, std::int64_t first, std::int64_t count, std::int64_t estimators,
               const EstimatorStrides& strides, double* out, cudaStream_t stream);

}  // namespace ergode::kernels::options
