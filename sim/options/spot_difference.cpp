#include "sim/options/spot_difference.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/options/time_grid.hpp"

namespace ergode::sim::options {
namespace {

/// How far the spot may move.
struct Room {
  double below = std::numeric_limits<double>::infinity(), above = below;

  /// `above_when_on_it`: a spot on the level belongs to the side above.
  void bound(double spot, double level, bool above_when_on_it) {
    if (spot > level || (spot == level && above_when_on_it))
      below = std::min(below, spot - level);
    else
      above = std::min(above, level - spot);
  }
};

Room room_of(const Instrument& option, double spot) {
  Room room;
  if (!watches_continuously(option)) return room;
  if (const auto* b = std::get_if<Barrier>(&option.product)) {
    room.bound(spot, b->barrier, b->barrier_type == BarrierType::up_in || b->barrier_type == BarrierType::up_out);
  } else if (const auto* d = std::get_if<DoubleBarrier>(&option.product)) {
    room.bound(spot, d->lower_barrier, false);
    room.bound(spot, d->upper_barrier, true);
  } else if (const auto* l = std::get_if<Lookback>(&option.product)) {
    const bool minimum = (l->type == OptionType::call) == (l->strike_type == StrikeType::floating);
    room.bound(spot, l->running_extreme.value_or(spot), minimum);
  }
  return room;
}

}  // namespace

std::vector<DifferenceTerm> spot_derivative(const Instrument& option, double spot, double step) {
  const Room room = room_of(option, spot);
  const double central = std::min(step, std::min(room.below, room.above) / 2);
  const double one_sided = std::min(step, std::max(room.below, room.above) / 4);
  std::vector<DifferenceTerm> terms;
  if (one_sided > central) {
    const double h = room.above > room.below ? one_sided : -one_sided;
    int i = 0;
    for (const double c : {-25.0, 48.0, -36.0, 16.0, -3.0}) terms.push_back({i++ * h, c / 12 / h});
  } else {
    for (const auto& [i, c] : {std::pair{-2, 1.0}, {-1, -8.0}, {1, 8.0}, {2, -1.0}})
      terms.push_back({i * central, c / 12 / central});
  }
  return terms;
}

}  // namespace ergode::sim::options
