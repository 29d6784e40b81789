#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/device/device.hpp"
#include "sim/options/group.hpp"
#include "sim/options/reference.hpp"
#include "sim/options/simulation.hpp"
#include "tests/options/read_settings.hpp"

// Books of options from short texts, priced without files.

namespace ergode::testing::options {

/// A config: the contents of `monte_carlo: {...}`, of `market: {...}` and of each option's braces.
inline std::string config(const std::string& monte_carlo, const std::string& market,
                          const std::vector<std::string>& options) {
  std::string text = "monte_carlo: {" + monte_carlo + "}\nmarket: {" + market + "}\noptions:\n";
  for (const std::string& o : options) text += "  - {" + o + "}\n";
  return text;
}

inline sim::RunContext context(std::uint32_t seed, int threads = 2) {
  sim::RunContext c;
  c.name = "test";
  c.device = kernels::cpu_device(kernels::best_isa());
  c.threads = threads;
  c.seed = seed;
  c.info = [](const std::string&) {};
  c.warning = [](const std::string&) {};
  return c;
}

inline sim::options::Results price(const std::string& text, std::uint32_t seed = 1, int threads = 2) {
  return sim::options::price_book(read_settings(text).settings, context(seed, threads));
}

inline sim::options::InstrumentResult price_one(const std::string& monte_carlo, const std::string& market,
                                                const std::string& option, std::uint32_t seed = 1) {
  return price(config(monte_carlo, market, {option}), seed).instruments.at(0);
}

/// The closed form of one option.
inline double exact(const std::string& market, const std::string& option) {
  const auto settings = read_settings(config("paths: 2", market, {option})).settings;
  const auto value =
      sim::options::reference_value(settings.options[0], sim::options::market_of(settings, settings.options[0]));
  REQUIRE(value.has_value());
  return *value;
}

/// A Greek's estimate for underlying number `asset`; `parameter`: that to the model's parameter of this name.
inline const sim::options::Estimate& greek(const sim::options::InstrumentResult& r, const std::string& name,
                                           std::size_t asset = 0, bool parameter = false) {
  for (const auto& g : r.greeks)
    if (g.name == name && g.parameter == parameter) return g.estimates.at(asset);
  throw std::out_of_range(name);
}

/// A number in full, for configs.
inline std::string text(double x) {
  return io::write_value(x);
}

}  // namespace ergode::testing::options
