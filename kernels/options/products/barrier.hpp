#pragma once

#include "kernels/options/products/product.hpp"

namespace ergode::kernels::options {

/// Bridges of less variance are straight: its inverse would not be a float.
inline constexpr double least_bridged = 1e-35;

/// Probability that a Brownian bridge from x0 to x1 with this variance crosses b; 1 when an end lies beyond it
/// (Andersen & Brotherton-Ratcliffe 1996; Glasserman 2004, section 6.4).
template <class T>
ERGODE_HOST_DEVICE inline T crossing_probability(const T& x0, const T& x1, const T& variance, const T& b, bool up) {
  using Real = Scalar<T>;
  const T d0 = up ? b - x0 : x0 - b, d1 = up ? b - x1 : x1 - b;
  const auto beyond = value_of(d0) <= Real(0) || value_of(d1) <= Real(0);
  const auto between = !beyond && value_of(variance) > Real(least_bridged);
  T p = select(beyond, T(1), T(0));
  if (any(between)) p = select(between, exponential(quotient(Real(-2) * d0 * d1, variance)), p);
  return p;
}

/// Probability that the bridge stays between `low` and `high`: the series of images (Anderson 1960, theorem 4.2).
template <class T>
ERGODE_HOST_DEVICE inline T staying_probability(const T& x0, const T& x1, const T& variance, const T& low,
                                                const T& high) {
  using Real = Scalar<T>;
  const auto outside = value_of(x0) <= value_of(low) || value_of(x0) >= value_of(high) ||
                       value_of(x1) <= value_of(low) || value_of(x1) >= value_of(high);
  const auto between = !outside && value_of(variance) > Real(least_bridged);
  T result = select(outside, T(0), T(1));
  if (!any(between)) return result;
  const T width = high - low, d = x1 - x0;
  const T scale = quotient(T(Real(-2)), variance);
  // Images further than this contribute less than exp(-60); where there would be so many, less than exp(-600) stays.
  const Real reach = quotient(square_root(Real(30) * value_of(variance)), value_of(width));
  const auto summed = between && reach < Real(64);
  T p = T(1) - exponential(scale * (x0 - low) * (x1 - low));
  for (int k = 1;; ++k) {
    const auto more = summed && Real(k - 1) <= reach;
    if (!any(more)) break;
    const T shift = Real(k) * width;
    const T next = p + exponential(scale * shift * (shift + d)) + exponential(scale * shift * (shift - d)) -
                   exponential(scale * (x0 - low + shift) * (x1 - low + shift)) -
                   exponential(scale * (x0 - low - shift) * (x1 - low - shift));
    p = select(more, next, p);
  }
  return select(between, select(summed, clip(p, T(0), T(1)), T(0)), result);
}

/// Survival of one barrier or of two. State: [0] probability of not having been hit so far, given the points of the
/// path, [1] expected discount factor at the hit. Constants: [0] log barrier ln(H/S0), or the lower one, [1] the upper
/// one. Flags: bit 0 the single barrier is an upper one.
struct BarrierObserver {
  template <class T>
  ERGODE_HOST_DEVICE static void start(T* state, const ObserverSpec& o, Constants<T> c) {
    state[0] = T(1);
    state[1] = T(0);
    if (o.kind == ObserverKind::barrier_continuous || o.kind == ObserverKind::double_barrier_continuous)
      survive(state, staying(o, c, T(0), T(0), T(0)), T(1));  // crossed already: hit now
  }

  template <class T>
  ERGODE_HOST_DEVICE static void fixing(T* state, const ObserverSpec& o, Constants<T> c, const T& x,
                                        const T& discount) {
    survive(state, staying(o, c, x, x, T(0)), discount);
  }

  template <class T>
  ERGODE_HOST_DEVICE static void segment(T* state, const ObserverSpec& o, Constants<T> c, const T& x0, const T& x1,
                                         const T& variance, const T& discount) {
    survive(state, staying(o, c, x0, x1, variance), discount);
  }

 private:
  template <class T>
  ERGODE_HOST_DEVICE static T staying(const ObserverSpec& o, Constants<T> c, const T& x0, const T& x1,
                                      const T& variance) {
    if (o.kind == ObserverKind::double_barrier_fixing || o.kind == ObserverKind::double_barrier_continuous)
      return staying_probability(x0, x1, variance, T(c[0]), T(c[1]));
    return Scalar<T>(1) - crossing_probability(x0, x1, variance, T(c[0]), (o.flags & 1) != 0);
  }

  template <class T>
  ERGODE_HOST_DEVICE static void survive(T* state, const T& staying, const T& discount) {
    const T left = state[0] * staying;
    state[1] = state[1] + (state[0] - left) * discount;
    state[0] = left;
  }
};

/// [0] discount factor, [1] strike, [2] rebate, [3] 1: knock-in, [4] 1: the rebate of a knock-out is paid at the hit.
template <class T>
ERGODE_HOST_DEVICE inline Payment<T> barrier_payoff(const PayoffSpec& p, Constants<T> c, const T* state,
                                                    const T& spot) {
  using Real = Scalar<T>;
  const T vanilla = c[0] * positive_part(Real(p.sign) * (spot - c[1]));
  const T alive = state[0];
  const T hit = Real(1) - alive;
  if (plain_constant(c, 3) != 0) return {hit * vanilla + c[2] * c[0] * alive, value_of(hit)};
  return {alive * vanilla + c[2] * (plain_constant(c, 4) != 0 ? state[1] : c[0] * hit), value_of(hit)};
}

}  // namespace ergode::kernels::options
