#include "kernels/error.hpp"
#include "kernels/gravity/cuda_engine.hpp"

namespace ergode::kernels {

std::unique_ptr<GravityEngine> make_cuda_engine(const Device&, const GravityOptions&) {
  throw Error(Failure::no_device, "this binary was built without CUDA");
}

MemoryNeed cuda_memory(std::int64_t, std::int64_t, bool, Precision) {
  return {};
}

}  // namespace ergode::kernels
