#pragma once

#include <cstdint>

#include "kernels/random/philox.hpp"

// What one path loop needs to know, as plain data that host and device read alike. Every number that depends on the
// market lies in one array of constants; the structs hold offsets into it. So a shifted market is another array of the
// same layout, and a derivative is an array of dual numbers.

namespace ergode::kernels::options {

enum class ModelKind : std::int32_t { gbm, cev, local_volatility, heston, bates, merton_jump, kou_jump };

inline constexpr int max_assets = 128;      ///< of one group of paths
inline constexpr int max_observers = 8;     ///< path statistics that one launch keeps
inline constexpr int max_payoffs = 32;      ///< of one launch, control variates included
inline constexpr int max_estimators = 64;   ///< of one launch
inline constexpr int observer_state = 3;    ///< numbers that a path statistic carries
inline constexpr int normals_per_step = 2;  ///< at most, of one asset

/// Purposes of Philox draws: the low byte of the counter's last word. The rest of the word counts within a step.
enum class Purpose : std::uint32_t { increments = 1, bridge = 2, jumps = 3 };

struct AssetSpec {
  ModelKind model;
  std::int32_t normals;       ///< per step: 1, or 2 with a stochastic variance
  std::int32_t first_normal;  ///< of this asset among the step's normals
  std::int32_t spot;          ///< offset of S0
  std::int32_t constants;     ///< offset of the model's constants
  std::int32_t steps;         ///< offset of the constants of step 0
  std::int32_t stride;        ///< constants a step
  std::int32_t pays_cash;     ///< 1: there are cash dividends
  PhiloxKey key;
};

enum class ObserverKind : std::int32_t {
  arithmetic_average,  ///< sum of weight S
  geometric_average,   ///< sum of weight ln S
  maximum_fixing,
  minimum_fixing,
  maximum_continuous,  ///< the maximum of ln S, sampled from the Brownian bridge of each step
  minimum_continuous,
  barrier_fixing,  ///< survival of one barrier at fixings
  barrier_continuous,
  double_barrier_fixing,
  double_barrier_continuous,
  variance_fixing,      ///< sum of ln^2 returns
  variance_continuous,  ///< sum of weight v
  spot_fixing,          ///< S at one date
  cliquet,
  autocall,
  exercise,  ///< early exercise by a policy
  record,    ///< writes the path to memory
};

/// A statistic of the path. Its per-step numbers (a fixing's weight; 0 where there is none) stand at table + step.
struct ObserverSpec {
  ObserverKind kind;
  std::int32_t asset;      ///< that it looks at; several: all of the group's
  std::int32_t table;      ///< offset of one number a step
  std::int32_t constants;  ///< offset of its own constants
  std::int32_t flags;      ///< of its kind: an upper barrier, exercise now allowed
  std::int32_t policy;     ///< offset into the policies, for exercise
};

enum class PayoffKind : std::int32_t {
  european,
  digital_cash,
  digital_asset,
  average_price,   ///< on an average, fixed strike
  average_strike,  ///< floating strike
  extreme_price,
  extreme_strike,
  barrier,
  basket_arithmetic,
  basket_geometric,
  best_of,
  worst_of,
  spread,
  forward_start,
  cliquet,
  variance_swap,
  observed,  ///< the observer's discounted payment itself: autocallable, early exercise
  terminal_spot,
  portfolio,  ///< sum of weight S, without optionality
};

/// A payoff of the path's end and of one statistic. Constants: [0] discount factor, [1] strike, the rest by kind.
struct PayoffSpec {
  PayoffKind kind;
  std::int32_t asset;
  std::int32_t observer;  ///< -1: none
  std::int32_t constants;
  std::int32_t sign;  ///< +1 call, -1 put
};

/// The layout of one time grid.
struct PathSpec {
  std::int32_t steps;
  std::int32_t assets;
  std::int32_t correlation;  ///< offset of the lower Cholesky factor, row-major, in the constants; -1: one asset
  std::int32_t observers, payoffs;
  std::int32_t continuous;    ///< some observer watches between the fixings
  std::int32_t bridge_draws;  ///< some observer draws extremes
  std::int32_t normals;       ///< of all assets, per step
  std::int32_t constants;     ///< length of the array
  std::int32_t scores;        ///< some estimator is a likelihood ratio
  std::int32_t alike;         ///< all steps have the numbers of the first, their fixings among them
  AssetSpec asset[max_assets];
  ObserverSpec observer[max_observers];
  PayoffSpec payoff[max_payoffs];
};

/// What of a path's end an estimator takes. V is the discounted payoff, V' its derivative along the path, s the score
/// (derivative of the log density of the path), D the discount factor, S0 and s0 the spot and its tangent.
enum class Component : std::int32_t {
  value,          ///< V
  tangent,        ///< V'
  score,          ///< V (s + D'/D): likelihood ratio (Broadie & Glasserman 1996)
  second_score,   ///< V (s^2 - 1/(S0 b)^2 - s / S0): likelihood ratio for gamma, spot direction
  tangent_score,  ///< V' (s - 1/S0): pathwise and likelihood ratio mixed, spot direction
  event,          ///< probability that the path knocked, was exercised early, was called
};

/// coefficient times a component of one payoff under one variation of the market.
struct Term {
  std::int32_t payoff;
  Component component;
  double coefficient;
  std::int32_t direction = 0;  ///< of the derivative, among those of the variation
};

/// The terms of one variation: [first, last) of the group's terms; terms write to their estimator's lane.
struct VariationSpec {
  std::int32_t grid;         ///< 0: the fine grid, 1: every two steps in one
  std::int32_t tangent;      ///< its constants are dual
  std::int32_t stride;       ///< only chunks whose number is a multiple take part
  std::int32_t first, last;  ///< terms
};

/// Where a term adds to: estimator index, and whether to its control variate.
struct TermTarget {
  std::int32_t estimator;
  std::int32_t control;
};

}  // namespace ergode::kernels::options
