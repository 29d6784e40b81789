#pragma once

#include "kernels/options/chunk.hpp"
#include "kernels/options/engine.hpp"

// From the sums of chunks to those of a block of them (`fold_chunks`), where they are computed.

namespace ergode::kernels::options {

/// Which chunks take part in an estimator: one in so many, by the largest stride of its variations.
struct EstimatorStrides {
  std::int32_t of[max_estimators];
};

/// One number of a block, its chunks added in sequence to 0; those that do not take part have one, too, which is not
/// wanted. `sums` is the first chunk's, number `first`, and the next chunk's is `row` further on.
ERGODE_HOST_DEVICE inline double sum_of_block(const double* sums, std::int64_t row, std::int64_t first,
                                              std::int32_t stride) {
  double sum = 0;
  for (std::int64_t i = 0; i < fold_chunks; ++i)
    if (takes_part(first + i, stride, 0)) sum += sums[i * row];
  return sum;
}

}  // namespace ergode::kernels::options
