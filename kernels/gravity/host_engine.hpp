#pragma once

#include <memory>

#include "kernels/gravity/engine.hpp"

namespace ergode::kernels {

std::unique_ptr<GravityEngine> make_host_engine(Isa isa, int threads, const GravityOptions& options);
MemoryNeed host_memory(std::int64_t bodies, bool shared);

}  // namespace ergode::kernels
