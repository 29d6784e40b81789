#pragma once

#include "io/array.hpp"
#include "kernels/gravity/engine.hpp"

namespace ergode::sim::nbody {

/// The engine's state as named arrays, and back. store() empties `state` array by array, so that never more than one of
/// them is held twice. load() throws io::StateError when arrays are missing or do not fit together.
void store(kernels::NbodyState&& state, io::State& out);
kernels::NbodyState load(const io::State& in);

}  // namespace ergode::sim::nbody
