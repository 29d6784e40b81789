#pragma once

#include "io/error.hpp"
#include "sim/ranks/ranks.hpp"

namespace ergode::sim {

/// A rank other than 0, from the first call to the end of the run: it writes no file and says nothing. Returns the exit
/// class of the run. Should this rank fail, the process ends here.
io::ExitCode serve(Ranks& ranks);

}  // namespace ergode::sim
