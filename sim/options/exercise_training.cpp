#include "sim/options/exercise_training.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "io/error.hpp"
#include "kernels/options/longstaff_schwartz.hpp"
#include "sim/options/reference.hpp"

namespace ergode::sim::options {
namespace {

/// Where the training paths begin in the stream: beyond any path that prices.
constexpr std::uint64_t training_stream = std::uint64_t{1} << 40;

bool stochastic_variance(const UnderlyingSettings& a) {
  return heston_part(a.model) != nullptr;
}

/// A shift of the spot shifts all its later values by the same factor.
bool scales_with_spot(const UnderlyingSettings& a) {
  return !std::holds_alternative<CevModel>(a.model) && !std::holds_alternative<LocalVolatilityModel>(a.model) &&
         a.cash_dividends.empty();
}

/// As wide as the farthest shift of a difference, in the directions of Roberts' generalised golden ratio. None where
/// the model is not homogeneous in the spot.
kernels::Dispersion dispersion(const Group& group) {
  const auto& assets = group.market.assets;
  if (!std::all_of(assets.begin(), assets.end(), scales_with_spot)) return {};
  double ratio = 2;
  for (int i = 0; i < 64; ++i) ratio = std::pow(1 + ratio, 1.0 / (static_cast<double>(assets.size()) + 1));
  kernels::Dispersion d;
  for (std::size_t a = 0; a < assets.size(); ++a) {
    d.width.push_back(2 * difference_step(group.market, {Direction::Kind::spot, a, ""}, group.grid) / assets[a].spot);
    d.step.push_back((a == 0 ? 1 : d.step.back()) / ratio);
  }
  return d;
}

kernels::TrainingPlan training_plan(const Group& group, const std::vector<double>& times) {
  const EarlyExercise& o = *early_exercise(group.items.front().option);
  const auto& assets = group.market.assets;
  kernels::TrainingPlan plan;
  plan.paths = o.lsm.training_paths;
  plan.variance = std::any_of(assets.begin(), assets.end(), stochastic_variance);
  if (times.size() > 1) plan.dispersion = dispersion(group);
  plan.rule.kind = static_cast<kernels::ExercisePayoff>(static_cast<int>(o.payoff));
  plan.rule.call = o.type == OptionType::call;
  plan.rule.strike = o.strike;
  if (o.payoff == BasketPayoff::basket) plan.rule.weights = basket_weights(o.weights, assets.size());
  plan.rule.family = static_cast<kernels::BasisFamily>(static_cast<int>(o.lsm.basis));
  plan.rule.order = o.lsm.order;
  for (const double t : times) plan.rule.discount.push_back(group.market.discount(t));
  return plan;
}

/// The system may promise memory that is not there, and then ends the process.
void check_memory(const Group& group, const kernels::TrainingPlan& plan) {
  const auto numbers = static_cast<double>((plan.rule.discount.size() + 1) * group.market.assets.size());
  const double need =
      numbers * static_cast<double>(plan.paths) * (group.choices.double_precision ? 8 : 4) * (plan.variance ? 2 : 1);
  const auto free = static_cast<double>(kernels::cpu_device(kernels::Isa::baseline).memory_free);
  if (free > 0 && need > free)
    throw io::Error(io::ExitCode::out_of_memory,
                    "option " + group.items.front().option.id + ": its training paths need " +
                        std::to_string(static_cast<std::int64_t>(need / (1 << 20))) + " MiB of memory, and " +
                        std::to_string(static_cast<std::int64_t>(free / (1 << 20))) +
                        " MiB are free: use fewer lsm.training_paths or exercise dates");
}

template <class Real>
kernels::ExercisePolicy fit(const Group& group, const kernels::options::Recording<Real>& paths,
                            const kernels::TrainingPlan& plan, int threads) {
  const auto factors = kernels::dispersion_factors<Real>(plan.dispersion, plan.paths, threads);
  kernels::TrainingPaths<Real> training;
  training.paths = plan.paths;
  training.dates = static_cast<int>(plan.rule.discount.size());
  training.underlyings = static_cast<int>(group.market.assets.size());
  training.spot = paths.spot.data();
  training.variance = paths.variance.empty() ? nullptr : paths.variance.data();
  training.dispersion = factors.empty() ? nullptr : factors.data();
  return kernels::fit_exercise_policy(training, plan.rule, threads);
}

/// On the paths of group `number` of the engine, where they are computed or, if that is not offered, here.
kernels::ExercisePolicy policy_of(const Group& group, kernels::options::PathEngine& engine, int number,
                                  const kernels::TrainingPlan& plan, int threads) {
  if (auto policy = engine.train(number, plan)) return *std::move(policy);
  check_memory(group, plan);
  kernels::options::Recording<float> single;
  kernels::options::Recording<double> real;
  engine.record(number, plan.paths, static_cast<int>(plan.rule.discount.size()), plan.variance, single, real);
  return group.choices.double_precision ? fit(group, real, plan, threads) : fit(group, single, plan, threads);
}

}  // namespace

ExerciseRuleFound train(const Group& group, kernels::options::PathEngine& engine, int threads) {
  const Instrument& option = group.items.front().option;
  const auto times = exercise_times(option, group.grid);
  std::vector<int> slots(group.grid.times.size(), 0);
  for (std::size_t i = 0; i < times.size(); ++i)
    slots[static_cast<std::size_t>(group.grid.step_at(times[i]))] = static_cast<int>(i) + 1;
  const kernels::TrainingPlan plan = training_plan(group, times);
  const int number = engine.add(plan_recording(group, slots, training_stream, plan.paths));
  kernels::ExercisePolicy policy;
  try {
    policy = policy_of(group, engine, number, plan, threads);
  } catch (const std::invalid_argument& e) {
    throw io::Error(io::ExitCode::config, "option " + option.id + ": " + e.what());
  } catch (const std::domain_error& e) {
    throw io::Error(io::ExitCode::numerical, "option " + option.id + ": " + e.what());
  }
  engine.remove(number);

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
    const auto& rule = plan.rule;
    const std::vector<double> weights = rule.weights.empty() ? std::vector<double>(spot.size(), 1.0) : rule.weights;
    const double now = kernels::exercise_payoff(rule.kind, rule.call, rule.strike, weights.data(), spot.data(),
                                                static_cast<int>(spot.size()));
    found.exercise_now = now > 0 && now >= policy.in_sample_price;
  }
  return found;
}

PolicySize policy_size(const Group& group) {
  const auto times = exercise_times(group.items.front().option, group.grid);
  const kernels::TrainingPlan plan = training_plan(group, times);
  const auto assets = static_cast<int>(group.market.assets.size());
  const int variables = kernels::exercise_variable_count(plan.rule.kind, plan.variance, assets);
  const int record = 2 + 2 * variables + kernels::basis_terms(variables, plan.rule.order);
  return {static_cast<std::size_t>(kernels::exercise_header_size + assets) +
              times.size() * static_cast<std::size_t>(record),
          times.size()};
}

}  // namespace ergode::sim::options
