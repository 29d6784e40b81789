#include "kernels/options/paths_cpu.hpp"

namespace ergode::kernels::options::ERGODE_ISA {

extern const PathLoops<double> path_loops_double;
const PathLoops<double> path_loops_double = {run<double>, upper_bound<double>};

}  // namespace ergode::kernels::options::ERGODE_ISA
