#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/ranks/message.hpp"

namespace ergode::sim {

/// What a rank was started for, as a message. Rank 0's counts for all, and the others would not notice that theirs is
/// another one.
Bytes wanted_run(const std::filesystem::path& config, const std::vector<std::string>& overrides);

/// Of all ranks. Throws io::Error(command_line) that names two which were started for different runs.
void check_same_run(const std::vector<Bytes>& wanted);

}  // namespace ergode::sim
