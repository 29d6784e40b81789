#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config.hpp"

namespace ergode::sim {

/// A key of the config and the values that it takes.
struct SweepParameter {
  std::string path;              ///< `integrator.timestep`, as of `--set`
  io::Position key_at;           ///< where it stands
  std::vector<io::Node> values;  ///< scalars
  std::string text;              ///< the values as config.used.yaml has them
};

/// Whether the members' results lie in shared files.
enum class Packing { automatic, always, never };

/// `sweep:` makes an ensemble of runs of a config.
struct SweepSettings {
  enum class Mode { crossed, zipped };
  static constexpr std::int64_t most_members = 100'000;

  std::optional<std::int64_t> seeds;
  io::Position seeds_at;
  Mode mode = Mode::crossed;
  Packing packed = Packing::automatic;
  std::vector<SweepParameter> parameters;

  void declare(io::Section& section);
};

}  // namespace ergode::sim
