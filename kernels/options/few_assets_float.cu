#include "kernels/options/paths_cuda.cuh"

namespace ergode::kernels::options {

void launch_few_assets(const GroupView<float>& g, const LaunchArguments<float>& launch, bool stored, bool tangents) {
  launch_paths<any_model, float, few_assets>(g, launch, stored, tangents);
}

}  // namespace ergode::kernels::options
