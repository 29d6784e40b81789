#pragma once

#include "sim/options/results.hpp"

namespace ergode::test {

/// A book of three: a call with Greeks, a basket put on two underlyings that missed its tolerance, and a Bermudan put.
/// Every number can be told from every other.
inline sim::options::Results example_results() {
  using namespace sim::options;
  Results r;
  InstrumentResult call;
  call.id = "eq-001";
  call.product = "european";
  call.model = "gbm";
  call.type = "call";
  call.underlyings = {"SPX"};
  call.quantity = 100;
  call.strike = 105;
  call.maturity = 1.5;
  call.price = 10.4512345;
  call.standard_error = 0.0023;
  call.confidence_low = 10.447;
  call.confidence_high = 10.456;
  call.implied_volatility = 0.2001;
  call.implied_volatility_standard_error = 0.00012;
  call.reference_value = 10.4505835722;
  call.z_score = 0.283;
  call.paths = 3'000'000'000;
  call.steps = 1;
  call.rng = "philox";
  call.status = "done";
  call.greeks = {{"delta", "1", {"SPX"}, {{0.637, 0.0011, "pathwise"}}},
                 {"vega", "per 1.00 of volatility", {"SPX"}, {{37.5, 0.12, "pathwise"}}},
                 {"rho", "per 1.00 of rate", {}, {{53.2, 0.15, "pathwise"}}}};
  call.convergence = {{1000, 10.2, 0.5}, {2000, 10.4, 0.35}, {4000, 10.45, 0.25}};
  call.histogram = {0, 50, {700, 200, 100}};
  call.values = {1.5, 0, 2.5, 0};

  InstrumentResult basket = call;
  basket.id = "eq-002, \"wide\"";
  basket.product = "basket";
  basket.type = "put";
  basket.underlyings = {"SPX", "SX5E"};
  basket.price = 7.25;
  basket.standard_error = 0.031;
  basket.implied_volatility = basket.implied_volatility_standard_error = {};
  basket.reference_value = basket.z_score = {};
  basket.status = "tolerance missed";
  basket.message = "paths ran out";
  basket.greeks = {{"delta", "1", {"SX5E", "SPX"}, {{-0.21, 0.002, "pathwise"}, {-0.31, 0.003, "difference"}}},
                   {"theta", "per year", {}, {{-2.5, 0.04, "difference"}}},
                   {"rho", "per 1.00 of heston's rho", {"SPX"}, {{0.77, 0.01, "difference"}}, true}};
  basket.convergence.resize(1);
  basket.histogram = {-1, 9, {5, 6}};
  basket.values = {4.5};

  InstrumentResult bermudan = call;
  bermudan.id = "eq-003";
  bermudan.product = "bermudan";
  bermudan.model = "heston";
  bermudan.type = "put";
  bermudan.underlyings = {"SX5E"};
  bermudan.bias = -0.004;
  bermudan.bias_standard_error = 0.001;
  bermudan.bias_of = "dates";
  bermudan.lower_bound = 4.47;
  bermudan.lower_bound_standard_error = 0.005;
  bermudan.upper_bound = 4.49;
  bermudan.upper_bound_standard_error = 0.006;
  bermudan.greeks.clear();
  bermudan.convergence.clear();
  bermudan.histogram = {};
  bermudan.values.clear();
  bermudan.exercise = {{0.5, 0.25, 33.5}, {1, 0.125, {}}};

  r.instruments = {call, basket, bermudan};
  ScenarioCube cube{{0.9, 1}, {-0.02, 0, 0.02}, {0}, {}, {}};
  for (int i = 0; i < 18; ++i) cube.price.push_back(i), cube.standard_error.push_back(i / 100.0);
  r.scenarios = cube;
  r.sample_paths = {{"paths_0", {"SPX", "SX5E"}, {0, 0.5, 1}, 2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}};
  return r;
}

}  // namespace ergode::test
