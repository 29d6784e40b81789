#include "sim/ranks/launch.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <optional>

namespace ergode::sim {

Launch find_launch(const std::function<const char*(const char*)>& environment) {
  const auto integer = [&](const char* name) -> std::optional<int> {
    const char* text = environment(name);
    int value = 0;
    if (text == nullptr || std::from_chars(text, text + std::strlen(text), value).ec != std::errc() || value < 0)
      return std::nullopt;
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
    if (size && rank && *rank<*size&& * size> 1) return {*rank, *size, names.size};
  }
  return {};
}

}  // namespace ergode::sim
