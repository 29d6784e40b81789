#include "kernels/options/engine.hpp"

#include "kernels/error.hpp"
#include "kernels/options/cuda_engine.hpp"
#include "kernels/options/host_engine.hpp"

namespace ergode::kernels::options {

std::unique_ptr<PathEngine> make_path_engine(const Device& device, int threads, std::int64_t memory_limit) {
  if (device.backend == Backend::cuda) return make_cuda_path_engine(device.index, memory_limit);
  if (!isa_supported(device.isa))
    throw Error(Failure::no_device, "this processor has no " + std::string(name(device.isa)));
  return make_host_path_engine(device.isa, threads, memory_limit);
}

}  // namespace ergode::kernels::options
