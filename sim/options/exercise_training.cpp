#include "sim/options/exercise_training.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "io/error.hpp"
#include "kernels/options/longstaff_schwartz.hpp"

namespace ergode::sim::options {
namespace {

/// Where the training paths begin in the stream: beyond any path that prices.
constexpr std::uint64_t training_stream = std::uint64_t{1} << 40;

bool stochastic_variance(const UnderlyingSettings& a) {
  return std::holds_alternative<HestonModel>(a.model) || std::holds_alternative<BatesModel>(a.model);
}

template <class Real>
kernels::ExercisePolicy fit(const kernels::options::Recording<Real>& paths, std::int64_t count, int dates, int assets,
                            const kernels::ExerciseRule& rule, int threads) {
  kernels::TrainingPaths<Real> training;
  training.paths = count;
  training.dates = dates;
  training.underlyings = assets;
  training.spot = paths.spot.data();
  training.variance = paths.variance.empty() ? nullptr : paths.variance.data();
  return kernels::fit_exercise_policy(training, rule, threads);
}

}  // namespace

ExerciseRuleFound train(const Group& group, kernels::options::PathEngine& engine, int threads) {
  const Instrument& option = group.items.front().option;
  const EarlyExercise& o = *early_exercise(option);
  const auto times = exercise_times(option, group.grid);
  const int assets = static_cast<int>(group.market.assets.size());
  const bool variance = std::any_of(group.market.assets.begin(), group.market.assets.end(), stochastic_variance);

  // The system may promise memory that is not there, and then ends the process.
  const double need = static_cast<double>(times.size()) * assets * static_cast<double>(o.lsm.training_paths) *
                      (group.choices.double_precision ? 8 : 4) * (variance ? 2 : 1);
  const auto free = static_cast<double>(kernels::cpu_device(kernels::Isa::baseline).memory_free);
  if (free > 0 && need > free)
    throw io::Error(io::ExitCode::out_of_memory, "option " + option.id + ": its training paths need " +
                                                     std::to_string(static_cast<std::int64_t>(need / (1 << 20))) +
                                                     " MiB of memory, and " +
                                                     std::to_string(static_cast<std::int64_t>(free / (1 << 20))) +
                                                     " MiB are free: use fewer lsm.training_paths or exercise dates");

  std::vector<int> slots(group.grid.times.size(), 0);
  for (std::size_t i = 0; i < times.size(); ++i)
    slots[static_cast<std::size_t>(group.grid.step_at(times[i]))] = static_cast<int>(i) + 1;
  const auto plan = plan_recording(group, slots, training_stream, o.lsm.training_paths);
  kernels::options::Recording<float> single;
  kernels::options::Recording<double> real;
  const int number = engine.add(plan);
  engine.record(number, o.lsm.training_paths, static_cast<int>(times.size()), variance, single, real);
  engine.remove(number);

  kernels::ExerciseRule rule;
  rule.kind = static_cast<kernels::ExercisePayoff>(static_cast<int>(o.payoff));
  rule.call = o.type == OptionType::call;
  rule.strike = o.strike;
  if (o.payoff == BasketPayoff::basket) rule.weights = basket_weights(o.weights, group.market.assets.size());
  rule.family = static_cast<kernels::BasisFamily>(static_cast<int>(o.lsm.basis));
  rule.order = o.lsm.order;
  for (const double t : times) rule.discount.push_back(group.market.discount(t));

  kernels::ExercisePolicy policy;
  const int dates = static_cast<int>(times.size());
  try {
    policy = plan.double_precision ? fit(real, o.lsm.training_paths, dates, assets, rule, threads)
                                   : fit(single, o.lsm.training_paths, dates, assets, rule, threads);
  } catch (const std::invalid_argument& e) {
    throw io::Error(io::ExitCode::config, "option " + option.id + ": " + e.what());
  } catch (const std::domain_error& e) {
    throw io::Error(io::ExitCode::numerical, "option " + option.id + ": " + e.what());
  }

  ExerciseRuleFound found;
  found.policy = std::move(policy.data);
  for (std::size_t i = 0; i < times.size(); ++i) {
    ExerciseDate date{times[i], policy.dates[i].exercised, std::nullopt};
    if (std::isfinite(policy.dates[i].critical_spot)) date.boundary = policy.dates[i].critical_spot;
    found.dates.push_back(date);
  }
  if (std::holds_alternative<American>(option.product)) {
    std::vector<double> spot;
    for (const auto& a : group.market.assets) spot.push_back(a.spot);
    const std::vector<double> weights = rule.weights.empty() ? std::vector<double>(spot.size(), 1.0) : rule.weights;
    const double now = kernels::exercise_payoff(rule.kind, rule.call, rule.strike, weights.data(), spot.data(), assets);
    found.exercise_now = now > 0 && now >= policy.in_sample_price;
  }
  return found;
}

}  // namespace ergode::sim::options
