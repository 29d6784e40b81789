#pragma once

#include <string>

#include "io/array.hpp"
#include "io/run/run_output.hpp"
#include "sim/options/results.hpp"

namespace ergode::sim::options {

/// What results.h5 holds. The root has the columns of results_columns.hpp over the scale `instrument` (0 .. N-1, in the
/// order of the config). Groups are there when something is in them, each axis of each dataset with its scale, NaN
/// where an instrument has no value or fewer points than another:
///   /greeks        delta ... (instrument, underlying), with several underlyings
///   /convergence   paths, price, standard_error (instrument, point)
///   /distribution  counts (instrument, bin), low, high (instrument)
///   /exercise      time, probability, boundary (instrument, date)
///   /scenarios     price, standard_error (spot, volatility, rate, instrument)
///   /values        payoff (instrument, path)
///   /paths_0 ...   spot (path, time, underlying)
///   /provenance    attributes, as in every file
/// `name` is the run's. Throws io::Error(internal) when a cube's or path set's size is not the product of its axes.
io::FileContent results_content(const Results& results, const io::Attributes& provenance, const std::string& name);

/// The same columns as text: a header, then a line an instrument, quoted as in RFC 4180; numbers are the shortest that
/// read back to the same bits, with a point whatever the locale; no value is an empty field.
std::string results_csv(const Results& results);

/// Writes results.h5 and results.csv, each in one step. Throws io::Error(io).
void write_results(io::RunOutput& output, const Results& results, const io::Attributes& provenance,
                   const std::string& name);

}  // namespace ergode::sim::options
