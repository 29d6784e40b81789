#include "kernels/gravity/engine.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/gravity/cuda_engine.hpp"
#include "kernels/gravity/fixed_point.hpp"
#include "kernels/gravity/host_engine.hpp"
#include "kernels/gravity/share.hpp"
#include "kernels/gravity/tiles.hpp"

namespace ergode::kernels {

MemoryNeed gravity_memory(std::int64_t bodies, std::int64_t sources, Precision precision, const Device& device,
                          const TargetShare* share) {
  const bool pairs = precision == Precision::mixed && sources >= paired_from;  // whatever the masses will be
  if (device.backend == Backend::cuda) return cuda_memory(bodies, sources, pairs, precision);
  return host_memory(bodies, Shares(share, bodies, target_tile).shared());
}

bool sums_over_pairs(Backend backend, Precision precision, std::span<const double> mass, std::int64_t sources) {
  if (backend != Backend::cuda || precision != Precision::mixed || sources < paired_from) return false;
  const auto of_sources = mass.first(static_cast<std::size_t>(sources));
  const auto [lightest, heaviest] = std::minmax_element(of_sources.begin(), of_sources.end());
  return fixed_point_serves(*heaviest, pulling_mass(of_sources), *lightest);
}

std::unique_ptr<GravityEngine> make_gravity_engine(const Device& device, int threads, const GravityOptions& options) {
  if (const int size = options.block_size; size != 0 && size != 64 && size != 128 && size != 256)
    throw std::invalid_argument("block_size " + std::to_string(size) + ": allowed are 0, 64, 128 and 256");
  if (device.backend == Backend::cuda) return make_cuda_engine(device, options);
  return make_host_engine(device.isa, threads, options);
}

}  // namespace ergode::kernels
