#pragma once

#include "sim/options/results.hpp"
#include "sim/options/settings.hpp"
#include "sim/runner/simulation.hpp"

namespace ergode::sim::options {

/// The registration of `simulation: option_pricing`, for sim/registry.cpp.
SimulationType simulation_type();

/// A run of `settings`; exposed for tests, which have no YAML.
std::unique_ptr<Simulation> make_simulation(const Settings& settings, const RunContext& context);

/// All of a run at once, with no file written.
Results price_book(const Settings& settings, const RunContext& context);

/// Memory, disk and path steps that it will need.
sim::Estimate estimate(const Settings& settings, const kernels::Device& device);

}  // namespace ergode::sim::options
