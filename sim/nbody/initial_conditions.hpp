#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/gravity/engine.hpp"
#include "sim/nbody/settings.hpp"

namespace ergode::sim::nbody {

/// The first state of a run: components in their order, bodies with mass first, then the massless ones.
/// Ids: bodies are numbered from 1 in the order of the components. A file's own ids are kept when all of them are above
/// those given so far, else shifted by the largest id given so far and one, as a whole.
/// Throws Error(config) for bodies in one place without softening (naming the pair), Error(input_file) for a bad file.
kernels::NbodyState initial_state(const Settings& settings, std::uint32_t seed,
                                  const std::filesystem::path& config_folder);

/// The files that the first state is read from.
std::vector<std::filesystem::path> input_files(const Settings& settings, const std::filesystem::path& config_folder);

/// Bodies and, among them, those with mass. Samples nothing, and reads no more of an HDF5 file than header and shapes.
std::pair<std::int64_t, std::int64_t> count_bodies(const Settings& settings,
                                                   const std::filesystem::path& config_folder);

/// By ids.
using BodyNames = std::map<std::uint64_t, std::string>;

/// Throws Error(config) naming two bodies at one position whose pair has no softening and at least one mass.
void refuse_coincident(const kernels::NbodyState& state, const BodyNames& names = {});

}  // namespace ergode::sim::nbody
