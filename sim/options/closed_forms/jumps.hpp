#pragma once

#include "sim/options/settings.hpp"

// Poisson jumps in the logarithm of a price: their moments, and Merton's series.

namespace ergode::sim::options::closed_forms {

/// Moments of one log jump J that arrives `intensity` times a year.
struct JumpMoments {
  double intensity = 0;
  double mean = 0, second_moment = 0;  ///< E[J], E[J^2]
  double compensator = 0;              ///< E[e^J] - 1
  /// Quadratic variation of the jumps a year.
  double variance_rate() const { return intensity * second_moment; }
};

JumpMoments jump_moments(const MertonJump& jump);
/// Double-exponential jumps (Kou 2002, Management Science 48, p. 1088); eta_up > 1.
JumpMoments jump_moments(const KouJumpModel& model);

/// European under gbm with normal log jumps: Poisson mixture of Black's values (Merton 1976, J. Financial Economics 3,
/// p. 135). `variance` is that of the diffusion, `forward` the forward with jumps and compensator.
double merton_european(OptionType type, double forward, double strike, double discount, double variance,
                       const MertonJump& jump, double maturity);
/// The digital, by the same mixture.
double merton_digital(OptionType type, Payout payout, double cash, double forward, double strike, double discount,
                      double variance, const MertonJump& jump, double maturity);

}  // namespace ergode::sim::options::closed_forms
