#pragma once

#include "sim/options/market_state.hpp"
#include "sim/options/path_layout.hpp"
#include "sim/options/time_grid.hpp"

namespace ergode::sim::options {

/// The control variate of the option, chosen by product and model; none where the user wants none, where no mean is
/// known (cev, variance swaps, cash dividends), where the control would have no variance (a Heston spot whose second
/// moment explodes) and where the payoff is affine in the terminal prices, so that the control would be the payoff
/// itself. `market`: the option's underlyings in their order.
Control choose_control(const Instrument& option, const MarketState& market, bool automatic);

/// The expectation of the discounted payoff that lay_out() makes of the item's control, in units of money, under this
/// market, moved or not, on this grid; 0 for none. For paths on the coarse grid, give that one (grid.coarse()): an
/// average depends on it. Throws std::logic_error for a control that choose_control() does not choose for the models.
double control_mean(const GroupItem& item, const MarketState& market, const TimeGrid& grid);

}  // namespace ergode::sim::options
