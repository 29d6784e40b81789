#pragma once

#include <memory>

#include "kernels/gravity/engine.hpp"

namespace ergode::kernels {

std::unique_ptr<GravityEngine> make_cuda_engine(const Device& device, const GravityOptions& options);
MemoryNeed cuda_memory(std::int64_t bodies, std::int64_t sources, bool pairs, Precision precision);

}  // namespace ergode::kernels
