#pragma once

#include <functional>
#include <string>

namespace ergode::sim {

/// What a launcher (mpirun, srun) says of the processes that it started together.
struct Launch {
  int rank = 0;
  int size = 1;
  std::string source;  ///< "OMPI_COMM_WORLD_SIZE"; empty: there was no launcher
};

/// `environment` gives a variable's value, or nullptr. A Slurm job script itself is one process, whatever number of
/// tasks its job has; the tasks are those of a step.
Launch find_launch(const std::function<const char*(const char*)>& environment);

}  // namespace ergode::sim
