#pragma once

#include <optional>
#include <vector>

#include "kernels/options/plan.hpp"
#include "sim/options/time_grid.hpp"

namespace ergode::sim::options {

/// A control variate: a payoff whose mean is known under every market of the group's model.
enum class Control { none, spot, portfolio, european, geometric_average, geometric_basket };

/// An option of a group of paths.
struct GroupItem {
  Instrument option;
  Control control = Control::none;
  bool as_put = false;     ///< a European call valued as its put and the forward
  int policy = -1;         ///< offset of its exercise policy
  int exercise_dates = 0;  ///< in the policy
  bool exercise_now = false;
};

/// One market's array of constants and the structs that point into it. Markets that differ in numbers alone have the
/// same structs.
struct PathLayout {
  kernels::options::PathSpec spec{};
  std::vector<double> constants;
  std::vector<int> payoff;   ///< of each item
  std::vector<int> control;  ///< of each item; -1: none
};

/// `coarse`: every two steps of `grid` in one. `record`: instead of payoffs, a record observer with these marks (slot
/// number + 1 at a step, 0 for none).
PathLayout lay_out(const std::vector<GroupItem>& items, const MarketState& market, const TimeGrid& grid, bool coarse,
                   std::uint32_t seed, const std::vector<int>* record = nullptr);

/// The stream of random numbers of an underlying: FNV-1a of its name.
std::uint32_t stream_of(const std::string& name);

/// Times at which an early-exercise option may be exercised on the grid, t = 0 not among them.
std::vector<double> exercise_times(const Instrument& option, const TimeGrid& grid);

/// What Bermudan and American options have in common; null of others.
const EarlyExercise* early_exercise(const Instrument& option);

/// The weights of a basket, 1 / d where none are given.
std::vector<double> basket_weights(const std::vector<double>& given, std::size_t underlyings);

/// Weights of S_0, S_1, ... in the trapezoid of (1/T) integral of S on the grid, T the maturity.
std::vector<double> trapezoid_weights(const TimeGrid& grid, double valuation_time, double maturity);

}  // namespace ergode::sim::options
