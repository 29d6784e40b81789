#include <fmt/format.h>

#include "sim/ranks/ranks.hpp"

namespace ergode::sim {

std::string mpi_version() {
  return {};
}

std::unique_ptr<Ranks> connect_ranks(const Launch& launch, const std::string&) {
  throw io::Error(
      io::ExitCode::command_line,
      fmt::format("started {} times together ({}={}), but this binary was built without MPI, and each would "
                  "be the same run in one directory: start it once (`srun -n 1`, no mpirun), or build it "
                  "where MPI is installed (scripts/install_dependencies.sh)",
                  launch.size, launch.source, launch.size));
}

}  // namespace ergode::sim
