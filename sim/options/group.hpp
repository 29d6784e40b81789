#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/options/engine.hpp"
#include "sim/options/path_layout.hpp"

namespace ergode::sim::options {

/// What an estimator of a group estimates.
struct Estimator {
  enum class Role { price, event, bias, greek, parameter_greek } role = Role::price;
  std::size_t item = 0;
  std::string name;  ///< of a Greek
  std::size_t asset = 0;
  bool of_asset = false;  ///< one of a list over the underlyings
  std::string method;
  std::int32_t stride = 1;  ///< only chunks whose number is a multiple count
  double offset = 0;        ///< added to the mean: what put-call parity adds
  bool controlled = false;
  double control_mean = 0;  ///< exact mean of its control variate
};

/// How a group's paths are made.
struct PathChoices {
  std::uint32_t seed = 0;
  bool double_precision = false;
  bool antithetic = true;
  int replications = 0;  ///< 0: Philox
  std::int64_t paths = 0;
};

/// Options whose underlyings, models and time grid agree and that therefore share their paths.
struct Group {
  std::vector<std::size_t> instruments;  ///< numbers in the book
  std::vector<GroupItem> items;          ///< as `instruments`
  MarketState market;
  TimeGrid grid;
  PathChoices choices;
  std::vector<Estimator> estimators;  ///< set by plan_group
  std::int64_t samples = 0;           ///< paths, or mirrored pairs

  std::int64_t paths_of(std::int64_t samples_done) const {
    return choices.antithetic ? 2 * samples_done : samples_done;
  }
};

/// Divides a book into groups, in the order of the book. `shift` moves all markets, for scenarios.
struct Scenario {
  double spot = 1, volatility = 0, rate = 0;  ///< factor, shift, shift
};
std::vector<Group> make_groups(const Settings& settings, std::uint32_t seed, const Scenario& scenario = {});

/// The market of one option's underlyings, moved by the scenario.
MarketState market_of(const Settings& settings, const Instrument& option, const Scenario& scenario = {});

/// Estimators and the plan for the engine. `greeks`: also those asked for, and the bias. Exercise policies must be
/// there.
kernels::options::GroupPlan plan_group(Group& group, const std::vector<double>& policies, bool extras);

/// Of the estimators that plan_group() will set.
std::size_t count_estimators(Group group, bool extras);

/// A group that records the states at an early-exercise option's dates, t = 0 not among them.
kernels::options::GroupPlan plan_recording(const Group& group, const std::vector<int>& slots,
                                           std::uint64_t first_sample, std::int64_t paths);

/// The step of a difference between prices: where rounding and the error of the formula are both small.
double difference_step(const MarketState& market, const Direction& direction, const TimeGrid& grid);

/// Paths are rounded: to whole pairs, and for Sobol to replications times a power of two.
std::int64_t rounded_samples(const PathChoices& choices);

}  // namespace ergode::sim::options
