#include "sim/options/closed_forms/forward_start.hpp"

#include <cmath>

#include "sim/options/closed_forms/black.hpp"

namespace ergode::sim::options::closed_forms {

double forward_start(OptionType type, double moneyness, double start_forward, double forward, double discount,
                     double variance) {
  return black_scholes(type, forward, moneyness * start_forward, discount, variance);
}

double cliquet(double notional, const std::vector<double>& growth, const std::vector<double>& variance,
               std::optional<double> local_floor, std::optional<double> local_cap, double discount) {
  double sum = 0;
  for (std::size_t i = 0; i < growth.size(); ++i) {
    const auto above = [&](double level) {
      return black_scholes(OptionType::call, growth[i], 1 + level, 1, variance[i]);
    };
    sum += local_floor ? *local_floor + above(*local_floor) : growth[i] - 1;
    if (local_cap) sum -= above(*local_cap);
  }
  return notional * discount * sum;
}

}  // namespace ergode::sim::options::closed_forms
