#include "sim/runner/simulation.hpp"

namespace ergode::sim {

std::shared_ptr<io::RunOutput> output_of(const RunContext& context) {
  if (context.output) return context.output;
  return std::make_shared<io::DirectoryOutput>(context.directory, context.disk_retry);
}

}  // namespace ergode::sim
