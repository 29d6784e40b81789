#pragma once

#include <string>
#include <vector>

#include "sim/ranks/message.hpp"
#include "sim/runner/run.hpp"

namespace ergode::sim {

/// What a rank was started for, as a message: config and every option but those of what is shown. Rank 0's counts for
/// all, and the others would not notice that theirs is another one.
Bytes wanted_run(const RunOptions& options);

/// Of all ranks. Throws io::Error(command_line) that names two which were started for different runs.
void check_same_run(const std::vector<Bytes>& wanted);

/// "0.1.0 (commit 1f48c7e)": ranks of two builds would not understand each other, or would mix their bits.
std::string build_name();

/// `builds` of the ranks, in their order. Throws io::Error(command_line) that names two which differ.
void check_same_build(const std::vector<std::string>& builds);

}  // namespace ergode::sim
