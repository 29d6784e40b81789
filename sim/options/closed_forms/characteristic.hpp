#pragma once

#include <complex>
#include <functional>

#include "sim/options/settings.hpp"

// Characteristic functions phi(u) = E[exp(i u X)] of X = ln(S_T / F), so that phi(-i) = 1, for u in the strip
// -1 <= Im u <= 0.

namespace ergode::sim::options::closed_forms {

struct CharacteristicFunction {
  std::function<std::complex<double>(std::complex<double>)> phi;
  /// A point mass in the distribution: X = atom with this probability (no diffusion, no jump); its part is not smooth
  /// and is taken out of the integral. Probability 1 where X is known.
  double atom_probability = 0, atom = 0;
};

/// Gbm: `variance` = integral of sigma^2.
CharacteristicFunction gbm_characteristic(double variance);

/// Heston (1993, Review of Financial Studies 6, p. 327) in the form without branch cuts of Albrecher, Mayer, Schoutens
/// & Tistaert (2007, Wilmott, January, p. 83), arranged so that sigma_v -> 0 loses no digits.
CharacteristicFunction heston_characteristic(const HestonModel& model, double maturity);

/// Heston's with Merton's jumps, compensated (Bates 1996, Review of Financial Studies 9, p. 69).
CharacteristicFunction bates_characteristic(const BatesModel& model, double maturity);

/// Diffusion of total variance `variance` with normal, or double-exponential, log jumps.
CharacteristicFunction merton_characteristic(double variance, const MertonJump& jump, double maturity);
CharacteristicFunction kou_characteristic(double variance, const KouJumpModel& model, double maturity);

}  // namespace ergode::sim::options::closed_forms
