#pragma once

#include <string>
#include <vector>

#include "sim/options/settings.hpp"

namespace ergode::sim::options {

/// The markets of one group of paths, as they are or shifted.
struct MarketState {
  std::vector<UnderlyingSettings> assets;  ///< in the group's order; each has its rate
  double valuation_time = 0;               ///< years after the config's valuation: theta moves it
  std::vector<double> correlation;         ///< (assets, assets)

  const TermStructure& rate() const { return *assets.front().rate; }
  /// Integral of the discount rate between two calendar times.
  double rate_integral(double from, double to) const;
  /// Value now of 1 paid at calendar time t.
  double discount(double t) const;
  /// E[S_t] of an asset, before cash dividends.
  double forward(std::size_t asset, double t) const;
  /// Integral of the asset's r - q.
  double carry_integral(std::size_t asset, double from, double to) const;
};

/// What a Greek moves.
struct Direction {
  enum class Kind { spot, volatility, rate, time, parameter } kind = Kind::spot;
  std::size_t asset = 0;  ///< of spot, volatility, parameter
  std::string parameter;  ///< "kappa"; "correlation" moves all pairs
};

/// The market with `direction` moved by `size`: spots in money, volatilities and rates absolute, time in years. Vega's
/// meaning by model: a parallel shift of the volatility or the local grid; sqrt(v0) of heston and bates; cev_sigma
/// S0^(beta - 1) of cev. A rate is moved in parallel for all assets, yields held.
MarketState moved(const MarketState& market, const Direction& direction, double size);

/// The value a parameter Greek moves.
double parameter_value(const MarketState& market, const Direction& direction);

/// How far a volatility or parameter may be moved down (<= 0) and up: to where the model ends.
struct Domain {
  double low = 0, high = 0;
};
Domain domain_of(const MarketState& market, const Direction& direction);

/// About the asset's volatility to time t: for step sizes of differences, not for prices.
double rough_volatility(const UnderlyingSettings& asset, double t);

/// Integrals also for the little times before 0 that a difference in time looks at.
double rate_integral(const TermStructure& curve, double t);
double variance_integral(const TermStructure& curve, double t);

}  // namespace ergode::sim::options
