#pragma once

#include <string>

#include "io/config/config.hpp"
#include "sim/options/settings.hpp"

// Reading of configs of option pricing, as the runner does it, from text.

namespace ergode::testing {

struct Read {
  sim::options::Settings settings;
  io::ReadResult result;
};

inline void read_into(Read& read, const std::string& text, const std::string& set = "",
                      const std::string& name = "c.yaml") {
  io::Document document = io::Document::parse(text, name);
  if (!set.empty()) document.set(set);
  read.result = io::read_config(document, [&](io::Section& root) { read.settings.declare(root); });
}

inline Read read_settings(const std::string& text, const std::string& set = "", const std::string& name = "c.yaml") {
  Read read;
  read_into(read, text, set, name);
  return read;
}

struct Refusal {
  io::ExitCode code = io::ExitCode::done;
  std::string text;
  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

inline Refusal refusal(const std::string& text, const std::string& set = "", const std::string& name = "c.yaml") {
  try {
    read_settings(text, set, name);
  } catch (const io::Error& e) {
    return {e.code(), e.what()};
  }
  return {};
}

/// Two underlyings A (gbm) and B (heston), and one rate.
inline const std::string market =
    "market:\n"
    "  rate: 0.03\n"
    "  underlyings:\n"
    "    A: {spot: 100, model: gbm, volatility: 0.2}\n"
    "    B: {spot: 50, model: heston, v0: 0.04, kappa: 2, theta: 0.04, sigma_v: 0.3, rho: -0.7}\n";

/// A book of one option: `keys` stand in line 7 from column 6 on.
inline std::string book(const std::string& keys) {
  return market + "options:\n  - {" + keys + "}\n";
}
inline std::string vanilla(const std::string& keys = "") {
  return book("product: european, underlying: A, strike: 100, maturity: 1" + (keys.empty() ? "" : ", " + keys));
}

}  // namespace ergode::testing
