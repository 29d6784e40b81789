#include "kernels/options/paths_cuda.cuh"

namespace ergode::kernels::options {

void launch_upper_bound(const GroupView<double>& g, int observer, std::int64_t outer, std::int64_t inner,
                        std::uint64_t first_sample, double* largest, int assets) {
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>((outer + 31) / 32, 65535));
  if (assets == 1)
    upper_bound_kernel<any_model, double, 1><<<blocks, 32>>>(g, observer, outer, inner, first_sample, largest);
  else if (assets <= few_assets)
    upper_bound_kernel<any_model, double, few_assets><<<blocks, 32>>>(g, observer, outer, inner, first_sample, largest);
  else
    upper_bound_kernel<any_model, double, max_assets><<<blocks, 32>>>(g, observer, outer, inner, first_sample, largest);
  cuda_check_launch("upper_bound_kernel");
}

}  // namespace ergode::kernels::options
