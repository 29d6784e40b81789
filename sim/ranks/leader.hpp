#pragma once

#include <functional>
#include <type_traits>

#include "sim/ranks/message.hpp"
#include "sim/ranks/ranks.hpp"

// How ranks share a run: rank 0 leads, and is a run like any other, with config, files, clock and decisions. The others
// know none of these. They hold a twin of each engine of rank 0's, and do with it what rank 0 does with its own: each
// call is said to all, every rank does its share, and rank 0 gets what it needs of theirs.

namespace ergode::sim {

/// What the others are asked for.
enum class Call : std::int32_t { end, survey, assign, make_gravity, make_paths, drop, engine };

/// What each rank says after each call, so that a signal that reaches any of them reaches rank 0.
struct RankSignals {
  int stop = 0;
  int checkpoint = 0;
};

/// Rank 0's side.
class Leader {
 public:
  explicit Leader(Ranks& ranks) : ranks_(ranks) {}

  Ranks& ranks() const { return ranks_; }
  int size() const { return ranks_.size(); }

  /// Each rank has a GPU, and none that another has.
  bool gpu_each() const { return gpu_each_; }
  void set_gpu_each(bool is_so) { gpu_each_ = is_so; }

  /// Who is told of signals that other ranks received.
  void on_signals(std::function<void(int signal)> tell) { tell_ = std::move(tell); }

  /// Says `message` to all ranks, and returns what `mine`, rank 0's part, returns. What goes wrong in any rank comes
  /// out here, and after it nothing more can be asked.
  template <class Mine>
  auto call(const Writer& message, const Mine& mine) {
    try {
      Bytes bytes = message.bytes();
      ranks_.broadcast(bytes);
      if constexpr (std::is_void_v<decltype(mine())>) {
        mine();
        settle();
      } else {
        auto result = mine();
        settle();
        return result;
      }
    } catch (...) {
      broken_ = true;
      throw;
    }
  }

  /// The number of an engine that all ranks make.
  int make(const Writer& message);
  void drop(int engine) noexcept;

  /// The end of the run: all ranks leave with `code`.
  void finish(io::ExitCode code);

 private:
  void settle();

  Ranks& ranks_;
  std::function<void(int signal)> tell_;
  int made_ = 0;
  bool broken_ = false, gpu_each_ = false;
};

}  // namespace ergode::sim
