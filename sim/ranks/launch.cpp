#include "sim/ranks/launch.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <optional>

namespace ergode::sim {

Launch find_launch(const std::function<const char*(const char*)>& environment) {
  const auto integer = [&](const char* name) -> std::optional<int> {
    const char* text = environment(name);
    if (text == nullptr) return std::nullopt;
    const char* const end = text + std::strlen(text);
    int value = 0;
    const auto [stop, problem] = std::from_chars(text, end, value);
    if (problem != std::errc() || stop != end || value < 0) return std::nullopt;
    return value;
  };
  struct Names {
    const char *size, *rank;
  };
  static constexpr std::array<Names, 4> launchers{{{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                                   {"PMI_SIZE", "PMI_RANK"},
                                                   {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                                                   {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}}};
  for (const Names& names : launchers) {
    const auto size = integer(names.size), rank = integer(names.rank);
    if (size && rank && size > 1 && rank < size) return {*rank, *size, names.size};
  }
  return {};
}

}  // namespace ergode::sim
