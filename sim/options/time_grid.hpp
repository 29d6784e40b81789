#pragma once

#include <vector>

#include "sim/options/market_state.hpp"

namespace ergode::sim::options {

/// The times at which paths are computed: step i ends at times[i] (years, calendar). It is a function of the option and
/// of its own underlyings alone, so that it is the same in any book.
struct TimeGrid {
  std::vector<double> times;
  bool pairs = false;  ///< every two steps make one of the coarse grid, whose difference estimates the bias

  /// The step that ends at time t, which must be one of them.
  int step_at(double t) const;
  int steps() const { return static_cast<int>(times.size()); }
  TimeGrid coarse() const;
};

/// i T / n, i = 1 ... n.
std::vector<double> fixing_times(double maturity, std::int64_t count);

/// The calendar times that the option looks at, maturity included.
std::vector<double> event_times(const Instrument& option);

/// Whether the option watches its underlyings between the event times.
bool watches_continuously(const Instrument& option);

/// Exact schemes step from event to event; the others, and what is watched on the step grid, in steps of at most
/// 1 / steps_per_year. An American option has at least 128.
TimeGrid time_grid(const Instrument& option, const MarketState& market, int steps_per_year);

}  // namespace ergode::sim::options
