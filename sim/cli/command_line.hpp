#pragma once

#include <vector>

#include "sim/runner/simulation.hpp"

namespace ergode::sim {

/// The program: reads the command line, does what it says with the simulation types given, and returns the exit code.
/// Nothing is thrown.
int command_line(int argc, const char* const* argv, const std::vector<SimulationType>& types);

}  // namespace ergode::sim
