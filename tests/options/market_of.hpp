#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sim/options/market_state.hpp"

// Small markets and options for tests.

namespace ergode::testing {

inline sim::options::UnderlyingSettings asset_of(const std::string& name, double spot, sim::options::TermStructure rate,
                                                 sim::options::TermStructure dividend_yield,
                                                 sim::options::Model model) {
  sim::options::UnderlyingSettings asset;
  asset.name = name;
  asset.spot = spot;
  asset.rate = std::move(rate);
  asset.dividend_yield = std::move(dividend_yield);
  asset.model = std::move(model);
  return asset;
}

inline sim::options::TermStructure curve(std::vector<double> times, std::vector<double> values) {
  sim::options::TermStructure c;
  c.times = std::move(times);
  c.values = std::move(values);
  return c;
}

inline sim::options::GbmModel gbm(double volatility) {
  sim::options::GbmModel m;
  m.volatility = sim::options::TermStructure(volatility);
  return m;
}

inline sim::options::HestonModel heston(double v0, double kappa, double theta, double sigma_v, double rho) {
  sim::options::HestonModel m;
  m.v0 = v0;
  m.kappa = kappa;
  m.theta = theta;
  m.sigma_v = sigma_v;
  m.rho = rho;
  return m;
}

/// One asset with constants.
inline sim::options::MarketState market_of(double spot, double rate, double dividend_yield, sim::options::Model model) {
  sim::options::MarketState m;
  m.assets = {asset_of("A", spot, sim::options::TermStructure(rate), sim::options::TermStructure(dividend_yield),
                       std::move(model))};
  m.correlation = {1};
  return m;
}

/// All pairs correlated alike.
inline sim::options::MarketState market_of(std::vector<sim::options::UnderlyingSettings> assets, double correlation) {
  sim::options::MarketState m;
  m.assets = std::move(assets);
  const std::size_t d = m.assets.size();
  m.correlation.assign(d * d, correlation);
  for (std::size_t i = 0; i < d; ++i) m.correlation[i * d + i] = 1;
  return m;
}

inline sim::options::Instrument option_of(sim::options::Product product, double maturity) {
  sim::options::Instrument o;
  o.id = "option";
  o.product = std::move(product);
  o.maturity = maturity;
  return o;
}

}  // namespace ergode::testing
