#include "kernels/options/group_data.hpp"

#include <algorithm>
#include <set>

#include "kernels/random/joe_kuo.hpp"

namespace ergode::kernels::options {

std::int64_t GroupPlan::chunks() const {
  const std::int64_t each = (points() + chunk_samples - 1) / chunk_samples;
  return replications == 0 ? each : each * replications;
}

PathKernel path_kernel(const PathSpec& spec) {
  if (spec.assets > few_assets) return PathKernel::many_assets;
  if (spec.assets > 1) return PathKernel::few_assets;
  if (spec.asset[0].model == ModelKind::gbm) return PathKernel::gbm;
  if (spec.asset[0].model == ModelKind::heston) return PathKernel::heston;
  return PathKernel::one_asset;
}

namespace {

EstimatorStrides strides_of(const GroupPlan& plan) {
  EstimatorStrides strides;
  std::fill(std::begin(strides.of), std::end(strides.of), 1);
  for (const Variation& v : plan.variations)
    for (std::int32_t t = v.spec.first; t < v.spec.last; ++t) {
      std::int32_t& stride = strides.of[plan.targets[static_cast<std::size_t>(t)].estimator];
      stride = std::max(stride, v.spec.stride);
    }
  return strides;
}

}  // namespace

template <class Real>
GroupData<Real> group_data(const GroupPlan& plan) {
  GroupData<Real> d;
  d.grids = plan.grids;
  d.terms = plan.terms;
  if (plan.antithetic)
    for (Term& term : d.terms) term.coefficient /= 2;
  d.targets = plan.targets;
  d.policies.assign(plan.policies.begin(), plan.policies.end());
  for (const Variation& v : plan.variations) {
    d.variations.push_back(v.spec);
    if (v.spec.tangent != 0) {
      d.offsets.push_back(static_cast<std::int64_t>(d.dual.size()));
      const std::size_t count = v.constants.size();
      for (std::size_t i = 0; i < count; ++i)
        d.dual.push_back({static_cast<Real>(v.constants[i]),
                          {static_cast<Real>(v.tangents[i]), static_cast<Real>(v.tangents[count + i])}});
    } else {
      d.offsets.push_back(static_cast<std::int64_t>(d.plain.size()));
      for (const double c : v.constants) d.plain.push_back(static_cast<Real>(c));
    }
  }
  d.strides = strides_of(plan);
  if (plan.replications > 0 && !plan.times.empty()) d.bridge = brownian_bridge<Real>(plan.times);

  GroupView<Real>& g = d.view;
  g.grids = d.grids.data();
  g.rounds = rounds_of(d.grids[0].asset[0].key);
  g.variations = d.variations.data();
  g.variation_count = static_cast<std::int32_t>(d.variations.size());
  g.terms = d.terms.data();
  g.targets = d.targets.data();
  g.estimators = plan.estimators;
  g.plain = d.plain.data();
  g.dual = d.dual.data();
  g.offsets = d.offsets.data();
  g.policies = d.policies.data();
  g.antithetic = plan.antithetic ? 1 : 0;
  g.first_sample = plan.first_sample;
  g.samples = plan.samples;
  g.sobol.points = plan.points();
  g.sobol.replications = plan.replications;
  g.sobol.dimensions = sobol_dimensions;
  g.sobol.bridge = {d.bridge.data(), static_cast<std::int32_t>(d.bridge.size())};
  return d;
}

namespace {

bool of_averages(const PathSpec& grid) {
  constexpr ObserverKind watched[] = {ObserverKind::arithmetic_average, ObserverKind::geometric_average};
  constexpr PayoffKind paid[] = {PayoffKind::european,      PayoffKind::digital_cash,   PayoffKind::digital_asset,
                                 PayoffKind::average_price, PayoffKind::average_strike, PayoffKind::terminal_spot};
  if (grid.observers > 2 || grid.continuous != 0 || grid.asset[0].pays_cash != 0) return false;
  for (int k = 0; k < grid.observers; ++k)
    if (grid.observer[k].kind != watched[k]) return false;
  return std::all_of(grid.payoff, grid.payoff + grid.payoffs, [&](const PayoffSpec& p) {
    return std::find(std::begin(paid), std::end(paid), p.kind) != std::end(paid);
  });
}

bool same(float a, float b) {
  return a == b;
}
bool same(double a, double b) {
  return a == b;
}
template <class Real>
bool same(const Dual<Real>& a, const Dual<Real>& b) {
  return a.value == b.value && a.tangents.along[0] == b.tangents.along[0] && a.tangents.along[1] == b.tangents.along[1];
}

/// Whether all steps of a variation with these constants have the numbers of the first.
template <class Number>
bool steps_alike(const PathSpec& grid, const Number* constants) {
  const AssetSpec& asset = grid.asset[0];
  for (int step = 1; step < grid.steps; ++step) {
    for (int i = 0; i < asset.stride; ++i)
      if (!same(constants[asset.steps + step * asset.stride + i], constants[asset.steps + i])) return false;
    for (int k = 0; k < grid.observers; ++k)
      if (!same(constants[grid.observer[k].table + step], constants[grid.observer[k].table])) return false;
  }
  return true;
}

/// Whether every estimator has one term at most.
bool one_term_each(const std::vector<TermTarget>& targets) {
  std::set<std::int32_t> seen;
  return std::all_of(targets.begin(), targets.end(),
                     [&](const TermTarget& t) { return seen.insert(t.estimator).second; });
}

template <class Real>
bool all_alike(const GroupData<Real>& data) {
  for (std::size_t v = 0; v < data.variations.size(); ++v) {
    const auto at = static_cast<std::size_t>(data.offsets[v]);
    if (data.variations[v].tangent != 0 ? !steps_alike(data.grids[0], &data.dual[at])
                                        : !steps_alike(data.grids[0], &data.plain[at]))
      return false;
  }
  return true;
}

}  // namespace

template <class Real>
std::optional<CompactGroup> compact_group(const GroupData<Real>& data) {
  const PathSpec& grid = data.grids[0];
  const PathKernel kernel = path_kernel(grid);
  if ((kernel != PathKernel::gbm && kernel != PathKernel::heston) || data.view.sobol.replications > 0 ||
      data.view.estimators > CompactGroup::most_estimators || data.variations.size() > CompactGroup::most_variations ||
      data.terms.size() > CompactGroup::most_terms ||
      std::any_of(data.variations.begin(), data.variations.end(), [](const VariationSpec& v) { return v.grid != 0; }) ||
      !of_averages(grid))
    return std::nullopt;
  CompactGroup c{};
  c.grid = grid;
  c.grid.alike = all_alike(data) ? 1 : 0;
  std::copy(data.variations.begin(), data.variations.end(), c.variations);
  std::copy(data.offsets.begin(), data.offsets.end(), c.offsets);
  std::copy(data.terms.begin(), data.terms.end(), c.terms);
  std::copy(data.targets.begin(), data.targets.end(), c.targets);
  c.controlled =
      std::any_of(data.targets.begin(), data.targets.end(), [](const TermTarget& t) { return t.control != 0; });
  c.direct = c.controlled == 0 && data.view.antithetic == 0 && one_term_each(data.targets) ? 1 : 0;
  return c;
}

template std::optional<CompactGroup> compact_group(const GroupData<float>&);
template std::optional<CompactGroup> compact_group(const GroupData<double>&);
template GroupData<float> group_data(const GroupPlan&);
template GroupData<double> group_data(const GroupPlan&);

}  // namespace ergode::kernels::options
