#pragma once

#include <optional>

#include "sim/options/settings.hpp"

// European options on a lognormal price. Formulas take what curves reduce to: the forward F to maturity, the discount
// factor D = exp(-integral of r) and the total variance w = integral of sigma^2, all to maturity. With w = 0, a
// maturity of 0 or a strike of 0 they are the exact limits.

namespace ergode::sim::options::closed_forms {

/// A market of constants. spot > 0; rate and dividend_yield per year, continuous; volatility >= 0 per square root of a
/// year.
struct GbmConstants {
  double spot = 0, rate = 0, dividend_yield = 0, volatility = 0;
  double forward(double maturity) const;
  double discount(double maturity) const;
  double variance(double maturity) const { return volatility * volatility * maturity; }
};

/// D E[max(S - K, 0)] or D E[max(K - S, 0)] of a lognormal S with mean `forward` >= 0 and log variance `variance` >= 0
/// (Black 1976, J. Financial Economics 3, p. 177). A strike <= 0 is allowed.
double black_scholes(OptionType type, double forward, double strike, double discount, double variance);

/// D E[cash 1{S > K}] or D E[S 1{S > K}] (puts: S < K), strictly in the money (Reiner & Rubinstein 1991, Risk 4, p.
/// 75).
double digital(OptionType type, Payout payout, double cash, double forward, double strike, double discount,
               double variance);

/// Value and derivatives at the spot: vega per 1.00 of Black volatility, rho per 1.00 of a parallel shift of the zero
/// curve, theta = dV/dt per year, the dates held. At w = 0 gamma is infinite at the money and 0 elsewhere.
struct SpotGreeks {
  double price = 0, delta = 0, gamma = 0, vega = 0, theta = 0, rho = 0;
};

/// What Greeks need beside the forward quantities; the short rates are those at time 0, for theta.
struct GreekInputs {
  double spot = 0, maturity = 0, short_rate = 0, short_dividend_yield = 0, short_variance = 0;
};

SpotGreeks black_scholes_greeks(OptionType type, double forward, double strike, double discount, double variance,
                                const GreekInputs& inputs);
SpotGreeks digital_greeks(OptionType type, Payout payout, double cash, double forward, double strike, double discount,
                          double variance, const GreekInputs& inputs);
/// With constant parameters.
SpotGreeks black_scholes_greeks(OptionType type, const GbmConstants& market, double strike, double maturity);
SpotGreeks digital_greeks(OptionType type, Payout payout, double cash, const GbmConstants& market, double strike,
                          double maturity);

/// The Black volatility, per square root of a year, that gives `price`. Nothing where the price lies outside the
/// no-arbitrage bounds (below intrinsic value, or not below the forward or strike), or where forward, strike, discount
/// or maturity is not positive. A price at intrinsic value has volatility 0. Newton's method from the point of
/// inflection (Manaster & Koehler 1982, J. Finance 37, p. 227), on the logarithm of the out-of-the-money price below
/// it, inside a bracket.
std::optional<double> implied_volatility(OptionType type, double price, double forward, double strike, double discount,
                                         double maturity);

}  // namespace ergode::sim::options::closed_forms
