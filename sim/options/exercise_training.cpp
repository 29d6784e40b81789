#include "sim/options/exercise_training.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "io/error.hpp"
#include "kernels/options/longstaff_schwartz.hpp"
#include "kernels/random/normal.hpp"
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

/// Factors of the spots, (underlyings, paths), lognormal as wide as the farthest shift of a difference: each path its
/// point of an additive sequence (Roberts' generalised golden ratio), which fills the space evenly and owes nothing to
/// the draws. Empty where the model is not homogeneous in the spot.
template <class Real>
std::vector<Real> dispersion(const Group& group, std::int64_t paths) {
  const auto& assets = group.market.assets;
  if (!std::all_of(assets.begin(), assets.end(), scales_with_spot)) return {};
  double ratio = 2;
  for (int i = 0; i < 64; ++i) ratio = std::pow(1 + ratio, 1.0 / (static_cast<double>(assets.size()) + 1));
  std::vector<Real> factors(assets.size() * static_cast<std::size_t>(paths));
  double alpha = 1;
  for (std::size_t a = 0; a < assets.size(); ++a) {
    alpha /= ratio;
    const double width = 2 * difference_step(group.market, {Direction::Kind::spot, a, ""}, group.grid) / assets[a].spot;
    for (std::int64_t p = 0; p < paths; ++p) {
      const double place = std::fmod(0.5 + alpha * static_cast<double>(p + 1), 1.0);
      const double normal = kernels::normal_from_word<double>(static_cast<std::uint32_t>(place * 0x1p32));
      factors[a * static_cast<std::size_t>(paths) + static_cast<std::size_t>(p)] =
          static_cast<Real>(std::exp(width * normal));
    }
  }
  return factors;
}

template <class Real>
kernels::ExercisePolicy fit(const Group& group, const kernels::options::Recording<Real>& paths, std::int64_t count,
                            int dates, const kernels::ExerciseRule& rule, int threads) {
  const std::vector<Real> factors = dates > 1 ? dispersion<Real>(group, count) : std::vector<Real>();
  kernels::TrainingPaths<Real> training;
  training.paths = count;
  training.dates = dates;
  training.underlyings = static_cast<int>(group.market.assets.size());
  training.spot = paths.spot.data();
  training.variance = paths.variance.empty() ? nullptr : paths.variance.data();
  training.dispersion = factors.empty() ? nullptr : factors.data();
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
  const double need = static_cast<double>(times.size() + 1) * assets * static_cast<double>(o.lsm.training_paths) *
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
    policy = plan.double_precision ? fit(group, real, o.lsm.training_paths, dates, rule, threads)
                                   : fit(group, single, o.lsm.training_paths, dates, rule, threads);
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
