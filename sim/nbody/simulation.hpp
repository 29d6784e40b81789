#pragma once

#include "sim/nbody/settings.hpp"
#include "sim/runner/simulation.hpp"

namespace ergode::sim::nbody {

/// The registration of `simulation: nbody`, for sim/registry.cpp.
SimulationType simulation_type();

/// A run of `settings`; exposed for tests, which have no YAML.
std::unique_ptr<Simulation> make_simulation(const Settings& settings, const RunContext& context,
                                            const std::filesystem::path& config_folder);

/// Memory, disk and interactions that it will need.
Estimate estimate(const Settings& settings, const kernels::Device& device, const std::filesystem::path& config_folder);

}  // namespace ergode::sim::nbody
