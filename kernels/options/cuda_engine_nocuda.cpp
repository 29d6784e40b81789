#include "kernels/error.hpp"
#include "kernels/options/cuda_engine.hpp"

namespace ergode::kernels::options {

std::unique_ptr<PathEngine> make_cuda_path_engine(int, std::int64_t) {
  throw Error(Failure::no_device, "this binary was built without CUDA");
}

}  // namespace ergode::kernels::options
