#pragma once

#include "kernels/options/models/heston.hpp"
#include "kernels/options/models/merton_jump.hpp"

namespace ergode::kernels::options {

/// Bates (1996): Heston's variance, and Merton's jumps in the log. Model: Heston's 7 constants, then [7] intensity a
/// year, [8] mean and [9] standard deviation of the log jump.
struct Bates : Heston {
  static constexpr int jump_constants = 7;
};

}  // namespace ergode::kernels::options
