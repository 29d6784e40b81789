#pragma once

#include <optional>
#include <vector>

#include "kernels/options/engine.hpp"
#include "kernels/options/fold.hpp"
#include "kernels/options/path_loops.hpp"

namespace ergode::kernels::options {

/// What there is to know of the paths of a small group of only_averages, for the loops that have it in constant memory:
/// one asset of a known model, one grid, Philox draws, few estimators.
struct CompactGroup {
  static constexpr int most_variations = 8, most_terms = 16, most_estimators = 4;

  PathSpec grid;
  VariationSpec variations[most_variations];
  std::int64_t offsets[most_variations];
  Term terms[most_terms];
  TermTarget targets[most_terms];
  std::int32_t controlled;  ///< some estimator has a control variate
  std::int32_t direct;      ///< none has, nor several terms, and samples are single paths
};

/// A GroupPlan in the precision of its paths, flat: what a backend keeps of it. On a CPU the view points into it; a
/// device gets copies of the arrays.
template <class Real>
struct GroupData {
  std::vector<PathSpec> grids;
  std::vector<VariationSpec> variations;
  std::vector<Term> terms;
  std::vector<TermTarget> targets;
  std::vector<Real> plain;
  std::vector<Dual<Real>> dual;
  std::vector<std::int64_t> offsets;
  std::vector<Real> policies;
  std::vector<BridgeStep<Real>> bridge;
  EstimatorStrides strides;
  GroupView<Real> view;  ///< with the pointers of these arrays; directions are left to the backend
};

/// Nothing where the group is none.
template <class Real>
std::optional<CompactGroup> compact_group(const GroupData<Real>& data);

template <class Real>
GroupData<Real> group_data(const GroupPlan& plan);
extern template GroupData<float> group_data(const GroupPlan&);
extern template GroupData<double> group_data(const GroupPlan&);

}  // namespace ergode::kernels::options
