#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "sim/nbody/observation.hpp"

namespace ergode::sim::nbody {

/// Looks at the errors of each observation. Warns of the first that is large where there is no bound, or more than half
/// of it where there is one, and of all beyond it. NaN counts as larger than any number.
class ErrorWatch {
 public:
  using Say = std::function<void(const std::string&)>;
  ErrorWatch(const DiagnosticsSettings& settings, Say warning) : settings_(settings), warning_(std::move(warning)) {}

  /// The message that ends the run where a bound is exceeded. `used`: the precision of the forces.
  std::optional<std::string> look(const Observation& o, kernels::Precision used);

 private:
  struct Kind {
    const char* name;
    const char* bound;  ///< its key; null: it has none
    double large;       ///< without a bound
    std::string remedy;
  };
  std::optional<std::string> look(const Kind& kind, double error, std::optional<double> bound, const Observation& o,
                                  bool& said);

  DiagnosticsSettings settings_;
  Say warning_;
  bool said_energy_ = false, said_force_ = false, said_momentum_ = false;
};

}  // namespace ergode::sim::nbody
