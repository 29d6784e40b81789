#pragma once

#include <vector>

#include "kernels/options/engine.hpp"
#include "kernels/options/path_loops.hpp"

namespace ergode::kernels::options {

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
  GroupView<Real> view;  ///< with the pointers of these arrays; directions are left to the backend
};

template <class Real>
GroupData<Real> group_data(const GroupPlan& plan);
extern template GroupData<float> group_data(const GroupPlan&);
extern template GroupData<double> group_data(const GroupPlan&);

}  // namespace ergode::kernels::options
