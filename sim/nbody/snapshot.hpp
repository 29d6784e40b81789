#pragma once

#include <span>
#include <string>

#include "io/array.hpp"
#include "kernels/gravity/engine.hpp"
#include "sim/nbody/units.hpp"

namespace ergode::sim::nbody {

/// What a snapshot says beside its bodies.
struct SnapshotInfo {
  double time = 0;
  std::int64_t step = 0;
  std::string name;             ///< of the run
  std::string precision;        ///< "mixed", "double"
  std::string integrator;
  io::Attributes provenance;
};

/// A snapshot's table: Gadget-HDF5 groups (bodies with mass in PartType1, test particles in PartType2) and a VTKHDF view of
/// them. With bodies of one of the two kinds only the view is hard links; with both, which VTK wants in one array, it holds
/// its own copy of all of them. `potentials` (length N) may be empty: then no Potential is written.
io::FileContent snapshot(const kernels::NbodyState& state, std::span<const double> potentials, const UnitSystem& units,
                         const SnapshotInfo& info);

}  // namespace ergode::sim::nbody
