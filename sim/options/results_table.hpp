#pragma once

#include <string>
#include <vector>

#include "sim/options/results.hpp"

namespace ergode::sim::options {

/// A number with its error, the error to two digits and the number to the same decimals: "10.4512 +- 0.0023". Without
/// an error (0 or NaN) the number alone, to eight digits; NaN is "-".
std::string with_error(double value, double standard_error);

/// The table for a terminal of so many columns (0: as wide as it gets): a header, a line an instrument (the first 30),
/// and what is left out. Where it is too wide columns go, the least important first. "!" marks an instrument that
/// missed its tolerance. ASCII whatever the locale, as long as the ids are.
std::vector<std::string> results_table(const Results& results, int columns);

}  // namespace ergode::sim::options
