#pragma once

#include <filesystem>

#include "sim/options/settings.hpp"

namespace ergode::sim::options {

/// Sets the grid from a CSV file: strikes (> 0, ascending) in the first row behind one cell that is passed over, then a
/// row for each maturity (years, >= 0, ascending): the maturity, and a local volatility (>= 0) for each strike. Throws
/// io::Error(input_file) with the line.
void read_local_volatility(const std::filesystem::path& path, LocalVolatilityModel& model);

}  // namespace ergode::sim::options
