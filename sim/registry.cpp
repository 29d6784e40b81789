#include "sim/nbody/simulation.hpp"
#include "sim/options/simulation.hpp"
#include "sim/runner/simulation.hpp"

// One line for each simulation type.
namespace ergode::sim {

const std::vector<SimulationType>& simulation_types() {
  static const std::vector<SimulationType> types{nbody::simulation_type(), options::simulation_type()};
  return types;
}

}  // namespace ergode::sim
