#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/options/engine.hpp"

namespace ergode::sim {

/// Consecutive items, those of one rank.
struct Piece {
  std::int64_t first = 0, count = 0;
};
Piece piece_of(std::int64_t items, int rank, int size);

/// The chunks of `rank` in each work, which may be none: consecutive ones, since a work's chunks cost alike and works
/// do not; whole blocks where they are folded. What is left over goes to the ranks in turn, so that many works of one
/// chunk are spread too.
std::vector<kernels::options::Work> share_of(std::span<const kernels::options::Work> work, int rank, int size);

}  // namespace ergode::sim
