#include "kernels/gravity/engine.hpp"

#include <stdexcept>
#include <string>

#include "kernels/gravity/cuda_engine.hpp"
#include "kernels/gravity/host_engine.hpp"
#include "kernels/gravity/share.hpp"
#include "kernels/gravity/tiles.hpp"

namespace ergode::kernels {

MemoryNeed gravity_memory(std::int64_t bodies, std::int64_t sources, Precision precision, const Device& device,
                          const TargetShare* share) {
  if (device.backend == Backend::cuda) return cuda_memory(bodies, sources, precision);
  return host_memory(bodies, Shares(share, bodies, target_tile).shared());
}

std::unique_ptr<GravityEngine> make_gravity_engine(const Device& device, int threads, const GravityOptions& options) {
  if (const int size = options.block_size; size != 0 && size != 64 && size != 128 && size != 256)
    throw std::invalid_argument("block_size " + std::to_string(size) + ": allowed are 0, 64, 128 and 256");
  if (device.backend == Backend::cuda) return make_cuda_engine(device, options);
  return make_host_engine(device.isa, threads, options);
}

}  // namespace ergode::kernels
