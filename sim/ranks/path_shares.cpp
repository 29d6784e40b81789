#include "sim/ranks/path_shares.hpp"

namespace ergode::sim {

Piece piece_of(std::int64_t items, int rank, int size) {
  const std::int64_t first = items * rank / size;
  return {first, items * (rank + 1) / size - first};
}

std::vector<kernels::options::Work> share_of(std::span<const kernels::options::Work> work, int rank, int size) {
  std::vector<kernels::options::Work> mine;
  std::int64_t turn = 0;  // the rank that gets the next chunk or block left over
  for (const kernels::options::Work& w : work) {
    const std::int64_t each = w.rows() / size, left = w.rows() % size;
    // Ranks turn, turn + 1, ... (modulo size) get one more.
    const auto more = [&](std::int64_t r) { return (r - turn + size) % size < left ? 1 : 0; };
    std::int64_t before = 0;
    for (std::int64_t r = 0; r < rank; ++r) before += each + more(r);
    mine.push_back({w.group, w.first + before * w.chunks_a_row(), (each + more(rank)) * w.chunks_a_row(), w.folded});
    turn = (turn + left) % size;
  }
  return mine;
}

}  // namespace ergode::sim
