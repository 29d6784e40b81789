#pragma once

#include "sim/options/closed_forms/characteristic.hpp"
#include "sim/options/settings.hpp"

// European options from a characteristic function by Lewis's single integral, along Im u = -1/2, where the moment
// always exists (Lewis 2001, "A simple option formula for general jump-diffusion and other exponential Levy processes",
// eq. 3.11).

namespace ergode::sim::options::closed_forms {

/// Undiscounted values of one strike, at unit discount.
struct TransformValues {
  double call = 0, put = 0;
  double probability_above = 0;      ///< P(S_T > K)
  double asset_above = 0;            ///< E[S_T 1{S_T > K}]
  double call_delta = 0, gamma = 0;  ///< derivatives of the call in the forward
};

/// forward > 0. Absolute error about 1e-12 of the forward for prices, 1e-8 where there is an atom and the jumps are
/// double-exponential (whose digitals and gamma are then rough); a strike <= 0 is the exact limit.
TransformValues transform(const CharacteristicFunction& characteristic, double forward, double strike);

/// D times the price.
double transform_european(OptionType type, const CharacteristicFunction& characteristic, double forward, double strike,
                          double discount);
double transform_digital(OptionType type, Payout payout, double cash, const CharacteristicFunction& characteristic,
                         double forward, double strike, double discount);

}  // namespace ergode::sim::options::closed_forms
