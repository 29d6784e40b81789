#include "kernels/options/paths_cuda.cuh"

namespace ergode::kernels::options {

void launch_one_asset(const GroupView<double>& g, const LaunchArguments<double>& launch, bool stored, bool tangents) {
  launch_paths<any_model, double, 1>(g, launch, stored, tangents);
}

}  // namespace ergode::kernels::options
