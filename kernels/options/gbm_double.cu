#include "kernels/options/paths_cuda.cuh"

namespace ergode::kernels::options {

void launch_gbm(const GroupView<double>& g, const LaunchArguments<double>& launch, bool stored, bool tangents) {
  launch_paths<static_cast<int>(ModelKind::gbm), double, 1>(g, launch, stored, tangents);
}

}  // namespace ergode::kernels::options
