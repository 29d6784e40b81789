#pragma once

#include "kernels/options/engine.hpp"

namespace ergode::kernels::options {

std::unique_ptr<PathEngine> make_host_path_engine(Isa isa, int threads, std::int64_t memory_limit);

}  // namespace ergode::kernels::options
