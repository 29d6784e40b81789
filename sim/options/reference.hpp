#pragma once

#include <optional>

#include "sim/options/market_state.hpp"
#include "sim/options/settings.hpp"

namespace ergode::sim::options {

/// The exact value of one unit of the option (not times its quantity) in units of money, where a closed form, series,
/// transform or one-dimensional integral gives it; else nothing. A variance swap without a strike: its fair variance a
/// year. `market` has the option's underlyings in their order, each with its rate, at valuation time 0; of several, the
/// first one's rate discounts.
///
/// Curves are followed where the value depends on their integrals alone; continuous monitoring and cev need constants.
/// Nothing with cash dividends, and nothing where the value would not be finite. At maturity 0, volatility 0, strike 0
/// and crossed barriers the value is the exact limit. Averages watched continuously are the integral, not its
/// trapezoid.
std::optional<double> reference_value(const Instrument& option, const MarketState& market);

/// Integral of sigma^2 of gbm, merton_jump and kou_jump between two times; nothing for models with another variance.
const TermStructure* black_volatility(const Model& model);

/// Integral of sigma_i sigma_j between two times: with the correlation of the Brownian motions, the covariance of two
/// log prices under gbm. Between the nodes of the two curves both volatilities are constant.
double volatility_product_integral(const TermStructure& first, const TermStructure& second, double from, double to);

/// Whether E[S_T^2] is infinite at the maturity (years): the time at which the Riccati equation of the second moment
/// has blown up (Andersen & Piterbarg 2007, Finance and Stochastics 11, p. 29, proposition 3.1, exponent 2). Bates's
/// jumps do not change it.
bool second_moment_explodes(const HestonModel& model, double maturity);

/// Whether the spot at the maturity (years) is so skewed that a mean over paths and its error say little: its second
/// moment is infinite or, by the diffusion of gbm and by jumps, more than e^9 times the square of the mean.
bool heavy_tailed(const Model& model, double maturity);

/// The variance process of heston and bates; null for other models.
const HestonModel* heston_part(const Model& model);

}  // namespace ergode::sim::options
