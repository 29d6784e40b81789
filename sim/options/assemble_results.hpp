#pragma once

#include <functional>

#include "kernels/options/engine.hpp"
#include "sim/options/results.hpp"
#include "sim/options/task.hpp"

namespace ergode::sim::options {

/// Every combination, spot first, then volatility, then rate.
std::vector<Scenario> scenarios_of(const ScenarioSettings& settings);

/// What finished tasks come to. Tasks are those of the book, then those of each scenario in turn. `number_of` gives a
/// task's group in the engine, which runs some paths again: for payoff histograms, sample paths, and the difference
/// that double precision makes.
Results assemble_results(const Settings& settings, std::vector<Task>& tasks, kernels::options::PathEngine& engine,
                         const std::function<int(std::size_t)>& number_of);

/// Throws io::Error(numerical) naming the option, the first path of the chunk that is not finite, and its step.
[[noreturn]] void refuse_not_finite(Task& task, kernels::options::PathEngine& engine, std::int64_t chunk);

}  // namespace ergode::sim::options
