#pragma once

#include <optional>
#include <vector>

#include "io/series.hpp"
#include "sim/nbody/diagnostics.hpp"
#include "sim/nbody/settings.hpp"

namespace ergode::sim::nbody {

/// What is measured at one row of the series; what was switched off stays empty.
struct Observation {
  double time = 0;
  std::int64_t step = 0;
  std::optional<Energies> energies;
  double relative_energy_error = 0;
  Motion motion;
  double momentum_drift = 0;
  std::vector<double> lagrangian_radii;
  std::optional<std::int64_t> escapers;
  std::optional<ForceError> force;  ///< where it is checked
};

/// The columns of series.h5 for these settings, and a row's values in their order.
io::SeriesLayout series_layout(const DiagnosticsSettings& diagnostics, const UnitSystem& units,
                               const io::Attributes& attributes, const io::Attributes& provenance);
std::vector<double> series_row(const DiagnosticsSettings& diagnostics, const Observation& observation);

}  // namespace ergode::sim::nbody
