#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/runner/simulation.hpp"

namespace ergode::sim {

/// Results that are not there any more, or damaged, by their names in the run directory.
struct LostResults {
  std::vector<std::string> mendable;  ///< can be written again from the last state
  std::vector<std::string> gone;      ///< only a run from the beginning makes them again
  bool none() const { return mendable.empty() && gone.empty(); }
  std::string text() const;
};

/// Of a run that is finished. Snapshots are looked for, and not read.
LostResults find_lost_results(const std::filesystem::path& directory, const SimulationType& type);

/// Of a run that goes on: what it has added to since its beginning is not there.
std::vector<std::string> missing_so_far(const std::filesystem::path& directory, const SimulationType& type);

/// Of a run that is finished, by its summary or checkpoint: what is not there, snapshots left out; nothing of another.
std::vector<std::filesystem::path> missing_results(const std::filesystem::path& directory,
                                                   const std::vector<SimulationType>& types);

}  // namespace ergode::sim
