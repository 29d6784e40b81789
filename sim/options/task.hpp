#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/array.hpp"
#include "sim/options/exercise_training.hpp"
#include "sim/options/group.hpp"
#include "sim/options/statistics.hpp"

namespace ergode::sim::options {

/// What an option of a group has come to.
struct OptionProgress {
  bool done = false;
  bool missed = false;      ///< done, and its tolerance not met
  bool late = false;        ///< done for want of time
  std::int64_t chunks = 0;  ///< after which it was done
  std::vector<ConvergencePoint> convergence;
};

/// A group and how far it is. Its chunks are done in order, in rounds whose ends are fixed; only there is it decided
/// whether an option has had enough.
class Task {
 public:
  Task(Group group, const MonteCarloSettings& settings, bool extras);

  Group group;
  bool one_round = false;                 ///< nothing is decided on the way: all chunks are one round
  bool extras;                            ///< Greeks, bias and upper bound: not for scenarios
  ExerciseRuleFound exercise;             ///< of an early-exercise option, once it is trained
  std::vector<Accumulator> accumulators;  ///< (estimator)
  std::vector<OptionProgress> options;    ///< (item)
  std::vector<double> upper_bounds;       ///< of the outer paths, when asked for
  std::int64_t next_chunk = 0;

  bool needs_training() const { return early_exercise(group.items.front().option) != nullptr; }
  bool wants_upper_bound() const;
  /// Makes the plan and the accumulators; needs the exercise policy.
  kernels::options::GroupPlan plan();

  std::int64_t chunks() const { return chunks_; }
  /// End of round number r, in chunks.
  std::int64_t round_end(std::int64_t r) const;
  /// The round that it is in: of which there are chunks to do, or the end.
  std::int64_t round() const;
  /// All its options have had enough.
  bool done() const;
  /// Adds the sums, (estimator, moment), of one chunk, or of the `count` of a whole block that is not the first and
  /// does not hold the last chunk.
  void add(std::int64_t first, const double* sums, std::int64_t count = 1);
  /// At the end of round number r, where it is the task's: notes how the prices converge, and which options are done.
  void end_round(std::int64_t r);
  /// Ends all, for want of time.
  void stop();
  /// Takes up again what stop() ended.
  void go_on();

  MeanError estimate(std::size_t estimator) const;
  std::size_t price_estimator(std::size_t item) const;
  const std::optional<ToleranceSettings>& tolerance(std::size_t item) const;
  double quantile(std::size_t item) const;

  void save(io::State& state, const std::string& prefix) const;
  /// With more paths than were asked for when the state was saved, it goes on to the bits that they would have given
  /// from the start; Sobol points, whose numbers depend on how many there are, begin again. Fewer are refused. What
  /// save() does not leave is an io::StateError. That the options are the same is seen to by check_groups().
  void restore(const io::State& state, const std::string& prefix);

 private:
  bool decides() const;
  std::int64_t first_end() const;
  std::int64_t next_end(std::int64_t end) const;
  /// After this chunk at a place that does not depend on how many chunks there are in all.
  bool regular(std::int64_t chunks_done) const;
  void note_convergence();
  bool met(std::size_t item) const;
  void extend(std::int64_t samples_before);
  void restore_training(const io::State& state, const std::string& prefix);
  void restore_progress(const io::State& state, const std::string& prefix, std::int64_t chunks);

  std::optional<ToleranceSettings> common_tolerance_;
  std::int64_t chunks_ = 0, points_ = 0;
  std::int64_t ended_ = -1;               ///< chunks at the last end of a round
  std::vector<Accumulator> before_last_;  ///< without the last chunk: where more paths may have to begin
};

/// Outer paths of the dual bound that make a unit of work.
inline constexpr std::int64_t bound_piece = 128;

/// Most chunks of one call to the engine: bounds its memory for sums.
inline constexpr std::int64_t most_chunks = 1 << 16;

/// What the arrays of task number `i` are called by, in a state.
std::string state_prefix(std::size_t i);
/// Throws where the groups of `saved` tasks in a state are not those of `tasks`: io::Error(config) where other numbers
/// of paths have parted or joined options, io::StateError where they are none of this book.
void check_groups(const io::State& state, std::size_t saved, const std::vector<Task>& tasks);

/// The groups of the book, then those of each scenario.
std::vector<Task> make_tasks(const Settings& settings, std::uint32_t seed);

}  // namespace ergode::sim::options
