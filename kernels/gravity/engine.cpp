#include "kernels/gravity/engine.hpp"

#include "kernels/gravity/cuda_engine.hpp"
#include "kernels/gravity/host_engine.hpp"

namespace ergode::kernels {

MemoryNeed gravity_memory(std::int64_t bodies, std::int64_t sources, Precision precision, const Device& device) {
  return device.backend == Backend::cuda ? cuda_memory(bodies, sources, precision) : host_memory(bodies);
}

std::unique_ptr<GravityEngine> make_gravity_engine(const Device& device, int threads, const GravityOptions& options) {
  if (device.backend == Backend::cuda) return make_cuda_engine(device, options);
  return make_host_engine(device.isa, threads, options);
}

}  // namespace ergode::kernels
