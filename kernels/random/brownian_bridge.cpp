#include "kernels/random/brownian_bridge.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <queue>
#include <stdexcept>
#include <string>

namespace ergode::kernels {

namespace {

/// The times after `left` (-1: the start) up to `right`.
struct Interval {
  std::int32_t left, right;
  double length;
};

/// The longest first; of equal ones the earliest.
bool comes_later(const Interval& a, const Interval& b) {
  return a.length < b.length || (a.length == b.length && a.left > b.left);
}

void check(const std::vector<double>& times) {
  if (times.empty()) throw std::invalid_argument("a Brownian bridge of no times");
  double before = 0;
  for (std::size_t i = 0; i < times.size(); before = times[i++]) {
    if (!(times[i] > before) || !std::isfinite(times[i]))
      throw std::invalid_argument("a Brownian bridge's times must ascend from 0: time " + std::to_string(i) +
                                  " does not");
  }
}

}  // namespace

template <class Real>
std::vector<BridgeStep<Real>> brownian_bridge(const std::vector<double>& times) {
  check(times);
  const auto time = [&](std::int32_t i) { return i < 0 ? 0.0 : times[static_cast<std::size_t>(i)]; };
  const auto interval = [&](std::int32_t left, std::int32_t right) {
    return Interval{left, right, time(right) - time(left)};
  };
  const auto last = static_cast<std::int32_t>(times.size()) - 1;

  std::vector<BridgeStep<Real>> steps;
  steps.reserve(times.size());
  steps.push_back({last, last, Real(0), Real(0)});
  std::priority_queue open(&comes_later, std::vector<Interval>());
  if (last > 0) open.push(interval(-1, last));
  while (!open.empty()) {
    const Interval whole = open.top();
    open.pop();
    const double middle = 0.5 * (time(whole.left) + time(whole.right));
    // Of the times inside, the first that is not before the middle, or the one before it where that is nearer.
    const auto inside = times.begin() + whole.left + 1, end = times.begin() + whole.right;
    auto found = std::lower_bound(inside, end, middle);
    if (found == end || (found != inside && middle - found[-1] <= *found - middle)) --found;
    const auto point = static_cast<std::int32_t>(found - times.begin());
    const Interval before = interval(whole.left, point), after = interval(point, whole.right);
    steps.push_back({point, whole.right, static_cast<Real>(std::sqrt(before.length / whole.length)),
                     static_cast<Real>(std::sqrt(after.length / whole.length))});
    for (const Interval& part : {before, after}) {
      if (part.right - part.left > 1) open.push(part);
    }
  }
  return steps;
}

template std::vector<BridgeStep<float>> brownian_bridge(const std::vector<double>&);
template std::vector<BridgeStep<double>> brownian_bridge(const std::vector<double>&);

}  // namespace ergode::kernels
