#include "kernels/options/paths_cuda.cuh"

namespace ergode::kernels::options {

void launch_upper_bound(const GroupView<float>& g, const UpperBoundPlan& plan, double* largest, int assets) {
  launch_upper_bound_of(g, plan, largest, assets);
}

}  // namespace ergode::kernels::options
