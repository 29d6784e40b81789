#pragma once

#include "kernels/options/engine.hpp"
#include "sim/options/group.hpp"
#include "sim/options/results.hpp"

namespace ergode::sim::options {

/// When an early-exercise option is exercised, from paths of its own: what a checkpoint keeps.
struct ExerciseRuleFound {
  std::vector<double> policy;  ///< laid out as kernels/options/exercise_policy.hpp says
  std::vector<ExerciseDate> dates;
  bool exercise_now = false;  ///< American, and worth more dead than alive
};

/// Simulates training paths, apart in the stream from those that price, and fits the policy (Longstaff & Schwartz
/// 2001).
ExerciseRuleFound train(const Group& group, kernels::options::PathEngine& engine, int threads);

/// How many numbers the policy of train() has, and of how many dates it is.
struct PolicySize {
  std::size_t numbers, dates;
};
PolicySize policy_size(const Group& group);

}  // namespace ergode::sim::options
