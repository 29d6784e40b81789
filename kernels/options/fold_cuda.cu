#include "kernels/device/cuda_check.cuh"
#include "kernels/options/fold.cuh"

namespace ergode::kernels::options {
namespace {

constexpr int threads = 128;

/// A thread a number of a row.
__global__ void __launch_bounds__(threads)
    fold_kernel(const double* chunks, std::int64_t first, std::int64_t numbers, std::int64_t row,
                const __grid_constant__ EstimatorStrides strides, double* out) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= numbers) return;
  const std::int64_t begin = i / row * fold_chunks, column = i % row;
  out[i] = sum_of_block(chunks + begin * row + column, row, first + begin, strides.of[column / moments]);
}

}  // namespace

void fold_cuda(const double* chunks, std::int64_t first, std::int64_t count, std::int64_t estimators,
               const EstimatorStrides& strides, double* out, cudaStream_t stream) {
  const std::int64_t row = estimators * moments, numbers = count / fold_chunks * row;
  if (numbers == 0) return;
  const auto blocks = static_cast<unsigned>((numbers + threads - 1) / threads);
  fold_kernel<<<blocks, threads, 0, stream>>>(chunks, first, numbers, row, strides, out);
  cuda_check_launch("fold_kernel");
}

}  // namespace ergode::kernels::options
