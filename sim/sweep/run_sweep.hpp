#pragma once

#include <vector>

#include "sim/runner/run.hpp"

namespace ergode::sim {

/// All members of a sweep, or a task's share of them, from config to index. As run(): problems are said through `log`,
/// the exit class is returned. A member that fails does not stop the others (io::ExitCode::sweep_members); what would
/// fail them all does: a disk that stays full, a broken device.
io::ExitCode run_sweep(const RunOptions& options, const std::vector<SimulationType>& types, io::Log& log);

/// The rule of `packed: auto`: by the estimate at most 1e8 units of work (interactions, path steps) and 1 MiB on the
/// disk, so that a member takes seconds and is nothing to resume.
bool is_small(const Estimate& estimate);

}  // namespace ergode::sim
