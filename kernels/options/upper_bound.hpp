#pragma once

#include "kernels/options/chunk.hpp"

namespace ergode::kernels::options {

/// The lanes that share the inner paths of an outer one, one after the other: lane l takes paths l, l + lanes, ..., and
/// the lanes' sums are added as a binary tree. A device's warp has one thread a lane and adds in the same shape.
struct SerialLanes {
  static constexpr int lanes = 32;
  template <class LaneSum>
  ERGODE_HOST_DEVICE double sum(const LaneSum& lane_sum) const {
    double s[lanes];
    for (int l = 0; l < lanes; ++l) s[l] = lane_sum(l);
    for (int width = lanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) s[l] += s[l + width];
    return s[0];
  }
};

/// The dual upper bound of Andersen & Broadie (2004, "A primal-dual simulation algorithm for pricing multi-dimensional
/// American options"): for any martingale M with M_0 = 0, V_0 <= E[max_k (h_k - M_k)], h the discounted payoffs. The
/// martingale is that of the policy's value L: M_k - M_(k-1) = L_k - E_(k-1)[L_k], where L_k is the payoff if the
/// policy exercises at date k and the value of going on, E_k[L_(k+1)], if not. The expectations come from `inner` paths
/// started at the outer path's date; their noise raises the bound and cannot lower it.
template <int model, class Real, int assets, class Lanes>
struct UpperBound {
  const GroupView<Real>& g;
  int observer;
  std::int64_t inner;
  Lanes lanes;

  /// Mean of what the policy pays, discounted to today, on inner paths that leave `outer` before step `first`.
  ERGODE_HOST_DEVICE double going_on(const Path<model, Real, assets>& outer, int first, std::uint64_t stream) const {
    const PathSpec& spec = g.grids[0];
    const double sum = lanes.sum([&](int lane) ERGODE_INLINE_LAMBDA {
      double own = 0;
      for (std::int64_t j = lane; j < inner; j += SerialLanes::lanes) {
        // Pairs of mirrored paths: less noise, and the bound is nearer.
        PhiloxDraws<Real, assets> draws(spec, g.rounds, stream + static_cast<std::uint64_t>(j / 2), 0, (j & 1) != 0);
        Path<model, Real, assets> path = outer;
        for (int step = first; step < spec.steps && path.observer[observer][1] == 0; ++step)
          path.advance(step, draws, {});
        own += static_cast<double>(path.observer[observer][0]);
      }
      return own;
    });
    return sum / static_cast<double>(inner);
  }

  /// max over the dates of h_k - M_k along outer path `index`. Inner streams follow the outer ones.
  ERGODE_HOST_DEVICE double operator()(std::int64_t index, std::int64_t outer_paths, std::uint64_t first_sample) const {
    const PathSpec& spec = g.grids[0];
    const ObserverSpec& o = spec.observer[observer];
    PhiloxDraws<Real, assets> draws(spec, g.rounds, first_sample + static_cast<std::uint64_t>(index), 0, false);
    Path<model, Real, assets> path(spec, g.plain + g.offsets[0], g.policies);
    path.start();
    std::uint64_t stream = first_sample + static_cast<std::uint64_t>(outer_paths) +
                           static_cast<std::uint64_t>(index) * static_cast<std::uint64_t>(spec.steps + 1) *
                               static_cast<std::uint64_t>(inner);
    Real* state = path.observer[observer];
    state[0] = state[1] = 0;  // the policy's paths start alive, also where it would exercise now
    Real spots[assets];
    for (int a = 0; a < path.count(); ++a) spots[a] = path.spot(a);
    const bool exercisable_now = (o.flags & 1) != 0;
    double martingale = 0;
    double largest =
        exercisable_now
            ? static_cast<double>(ExerciseObserver::payoff(path.policy_of(o), path.constants[o.constants], spots))
            : -1e300;
    double expected = going_on(path, 0, stream);  // E_(k-1)[L_k]
    for (int step = 0; step < spec.steps; ++step) {
      path.advance(step, draws, {});
      const Real discount = path.constants[o.table + step];
      if (discount == 0) continue;
      const bool exercised = state[1] != 0;
      for (int a = 0; a < path.count(); ++a) spots[a] = path.spot(a);
      const double payoff = static_cast<double>(
          discount * ExerciseObserver::payoff(path.policy_of(o), path.constants[o.constants], spots));
      state[1] = 0;
      state[0] = 0;
      stream += static_cast<std::uint64_t>(inner);
      const double onwards = step + 1 < spec.steps ? going_on(path, step + 1, stream) : 0;
      martingale += (exercised ? payoff : onwards) - expected;
      const double gain = payoff - martingale;
      if (gain > largest) largest = gain;
      expected = onwards;
    }
    return largest + (martingale - martingale);  // NaN where it is not finite, which the comparisons hide
  }
};

}  // namespace ergode::kernels::options
