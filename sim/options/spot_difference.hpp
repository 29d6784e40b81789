#pragma once

#include <vector>

#include "sim/options/settings.hpp"

namespace ergode::sim::options {

/// A term of a difference quotient: the spot moved by `move` (money) counts `coefficient` times.
struct DifferenceTerm {
  double move = 0, coefficient = 0;
};

/// The first derivative in the spot of what is smooth but for the option's own levels, of fourth order, with steps of
/// `step` > 0 or less. At a barrier that is watched continuously, and at the extreme so far, the delta jumps or has a
/// kink: no term lies beyond. Close to one the derivative is taken from the other side. A spot on a barrier has crossed
/// it; one on the extreme so far has not.
std::vector<DifferenceTerm> spot_derivative(const Instrument& option, double spot, double step);

}  // namespace ergode::sim::options
