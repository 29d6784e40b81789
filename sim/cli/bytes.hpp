#pragma once

#include <cstdint>
#include <string>

namespace ergode::sim {

/// `1.5 GiB`, `512 B`
std::string bytes_text(std::int64_t bytes);

}  // namespace ergode::sim
