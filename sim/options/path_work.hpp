#pragma once

#include <cstdint>
#include <vector>

#include "kernels/options/engine.hpp"
#include "sim/options/task.hpp"

namespace ergode::sim::options {

/// Appends chunks [first, first + count) of a task, whose group the engine has under this number. Of many the whole
/// blocks are folded, for the host could not add up their chunks as fast as GPUs make them: but not the first block, in
/// which prices are noted, and not the last chunk, before which a task keeps its sums.
void append_work(std::vector<kernels::options::Work>& work, const Task& task, int number, std::int64_t first,
                 std::int64_t count);

/// Gives a task the sums of its work, and returns where they end. Throws Error(numerical) with the first path where
/// they are not finite; the engine finds it.
const double* add_sums(Task& task, const kernels::options::Work& work, const double* sums,
                       kernels::options::PathEngine& engine);

}  // namespace ergode::sim::options
