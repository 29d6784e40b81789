#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/device/device.hpp"
#include "kernels/options/longstaff_schwartz.hpp"
#include "kernels/options/plan.hpp"
#include "kernels/options/upper_bound_plan.hpp"

namespace ergode::kernels::options {

/// One market that a group's paths are computed under.
struct Variation {
  VariationSpec spec;
  std::vector<double> constants;  ///< the array that the PathSpec's offsets point into
  std::vector<double> tangents;   ///< their derivatives where spec.tangent, (direction, constant), else empty
};

/// Options that share paths, ready to run.
struct GroupPlan {
  std::vector<PathSpec> grids;  ///< the fine grid, and the coarse one where a variation wants it
  std::vector<Variation> variations;
  std::vector<Term> terms;
  std::vector<TermTarget> targets;  ///< one a term
  int estimators = 0;
  std::vector<double> policies;  ///< of exercise observers
  bool double_precision = false;
  bool antithetic = false;
  std::uint64_t first_sample = 0;  ///< where in the stream
  std::int64_t samples = 0;        ///< paths, or mirrored pairs
  int replications = 0;            ///< of Sobol points; 0: Philox
  std::vector<double> times;       ///< of the fine steps' ends, years: for Sobol's bridge

  std::int64_t points() const { return replications == 0 ? samples : samples / replications; }
  /// Chunks that hold all samples.
  std::int64_t chunks() const;
};

/// Chunks that make a block. The sums of a group with Philox numbers are those of its blocks, added in sequence, and a
/// block's those of its chunks, added in sequence to 0; so it does not matter where blocks are summed.
inline constexpr std::int64_t fold_chunks = 64;

/// Chunks [first, first + count) of a group that was added.
struct Work {
  int group = 0;
  std::int64_t first = 0, count = 0;
  bool folded = false;  ///< to the sums of blocks: whole ones, which begin at multiples; with Philox numbers only
  std::int64_t chunks_a_row() const { return folded ? fold_chunks : 1; }
  std::int64_t rows() const { return count / chunks_a_row(); }
};

/// States of paths at the steps that a record observer marks.
template <class Real>
struct Recording {
  std::vector<Real> spot;      ///< (slot, asset, path)
  std::vector<Real> variance;  ///< as spot; empty unless asked for
};

/// Runs groups of paths on one backend. Results do not depend on threads, launch shape, or how chunks are divided over
/// calls; they may differ between backends.
class PathEngine {
 public:
  virtual ~PathEngine() = default;
  /// Takes a copy where the backend computes. Returns its number.
  virtual int add(const GroupPlan& plan) = 0;
  virtual void remove(int group) = 0;
  /// The sums of each chunk, or block, of each work in turn: (chunk or block, estimator, moment), moments as in
  /// kernels/options/chunk.hpp. A block's are of the chunks that take part in the estimator.
  virtual std::vector<double> run(std::span<const Work> work) = 0;
  /// x of every estimator for the first `samples` samples, (estimator, sample).
  virtual std::vector<double> values(int group, std::int64_t samples) = 0;
  /// Paths 0 ... paths - 1 of the first variation, unmirrored, at `slots` marked steps; in pieces that fit the device.
  /// The vectors of the group's precision are filled.
  virtual void record(int group, std::int64_t paths, int slots, bool variance, Recording<float>& single,
                      Recording<double>& real) = 0;
  /// An exercise policy from the paths that record() gives, at as many slots as the rule has dates, which stay where
  /// they are computed; nothing where a backend leaves it to record() and fit_exercise_policy. Which it is depends on
  /// sizes alone. Throws as fit_exercise_policy.
  virtual std::optional<ExercisePolicy> train(int group, const TrainingPlan& plan) = 0;
  /// Of each outer path of the call the largest payoff less the martingale, (count).
  virtual std::vector<double> upper_bound(int group, const UpperBoundPlan& plan) = 0;
};

/// `threads` is for the CPU. `memory_limit` in bytes bounds what a recording takes at a time; 0: the backend's choice.
std::unique_ptr<PathEngine> make_path_engine(const Device& device, int threads, std::int64_t memory_limit = 0);

}  // namespace ergode::kernels::options
