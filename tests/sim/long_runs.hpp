#pragma once

#include <cstdint>

#include "tests/sim/memory_watch.hpp"

namespace ergode::testing {

/// Bytes by which memory may grow in the last half of a run: HDF5's buffers and a last checkpoint make for 2 MB. A leak
/// of 100 bytes in each of 100,000 steps would be more.
constexpr double flat_bytes = 4e6;

/// With a row of the series every 100 steps, and a checkpoint every second.
inline std::string long_run_of(int bodies, int steps) {
  return "simulation: nbody\nname: long\nseed: 7\nunits: nbody\n"
         "initial_conditions: {type: plummer, particles: " +
         std::to_string(bodies) +
         ", softening: 0.1}\n"
         "integrator: {scheme: leapfrog, timestep: 0.0009765625, end_time: " +
         std::to_string(steps * 0.0009765625) +
         "}\n"
         "output: {series: {interval: 0.09765625}, snapshots: {interval: 1e9}}\ncheckpoint: {every: 1 s}\n";
}

/// A book of 30 groups, of which none comes to its end, to be stopped after some hundred rounds of them.
inline std::string many_rounds() {
  std::string options;
  for (int i = 1; i <= 15; ++i)
    options += "  - {product: european, underlying: A, type: call, strike: 100, greeks: [delta], maturity: 0." +
               std::to_string(10 + i) +
               "}\n  - {product: asian, underlying: B, type: call, strike: 90, fixings: 12, maturity: 0." +
               std::to_string(50 + i) + "}\n";
  return "simulation: option_pricing\nname: rounds\nseed: 7\n"
         "monte_carlo: {tolerance: {absolute: 1e-9, max_paths: 1e12}}\n"
         "market:\n  rate: 0.03\n  underlyings:\n"
         "    A: {spot: 100, model: gbm, volatility: 0.2}\n"
         "    B: {spot: 90, model: heston, v0: 0.04, kappa: 2, theta: 0.04, sigma_v: 0.35, rho: -0.7}\n"
         "options:\n" +
         options + "checkpoint: {every: 1 s}\n";
}

}  // namespace ergode::testing
