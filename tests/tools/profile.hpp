#pragma once

#include "tests/sim/program.hpp"
#include "tests/tools/python.hpp"

namespace ergode::testing {

/// What a run with --profile printed and wrote, against each other. `name`: cpu, cuda, ranks, sweep.
inline void check_profile(const TemporaryDirectory& d, const std::string& name, const Outcome& outcome,
                          const std::string& directory) {
  spill(d / "printed.txt", outcome.out);
  test::check_with("profile_open.py", name,
                   "'" + (d / "printed.txt").string() + "' '" + (d / directory).string() + "'");
}

}  // namespace ergode::testing
