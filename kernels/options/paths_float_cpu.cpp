#include "kernels/options/paths_cpu.hpp"

namespace ergode::kernels::options::ERGODE_ISA {

extern const PathLoops<float> path_loops_float;
const PathLoops<float> path_loops_float = {run<float>, upper_bound<float>};

}  // namespace ergode::kernels::options::ERGODE_ISA
