#pragma once

#include <cmath>
#include <vector>

#include "io/series.hpp"

namespace ergode::test {

/// A small series: time, step (integers), momentum (three components), radius (two mass fractions).
inline io::SeriesLayout series_layout() {
  io::SeriesLayout layout;
  layout.scale = {"time", io::Type::float64, "", "yr", "time"};
  layout.dimensions = {{"component", {}, {"x", "y", "z"}, "", "Cartesian component"},
                       {"mass_fraction", {0.5, 0.9}, {}, "1", "enclosed mass over total mass"}};
  layout.columns = {
      {"step", io::Type::int64, "", "1", "step"},
      {"momentum", io::Type::float64, "component", "Msun AU/yr", "total momentum"},
      {"lagrangian_radius", io::Type::float64, "mass_fraction", "AU", "radius that holds a mass fraction"}};
  layout.attributes = {{"title", std::string("test")}};
  layout.provenance = {
      {"host", std::string("here")}, {"name", std::string("two-body")}, {"simulation", std::string("nbody")}};
  return layout;
}

/// Row `i` of the series: every value follows from `i`.
inline std::vector<double> series_row(std::int64_t i) {
  const double t = 0.25 * static_cast<double>(i);
  return {t, static_cast<double>(i), std::sin(t), std::cos(t), -t, 1 + t, 2 + t};
}

}  // namespace ergode::test
