#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sim/options/results.hpp"

namespace ergode::sim::options {

/// One column of the table of results, a value an instrument: a number (NaN where there is none), an integer or a text.
struct ResultColumn {
  std::string name, units, long_name;
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>> values;
};

/// The columns that results.h5 and results.csv have in common, in the order of the CSV. Greeks that any instrument has
/// come as `delta`, `delta_standard_error`, `delta_method`; sensitivities to model parameters as `sensitivity_kappa`
/// and so on. A Greek of several underlyings has no single value: NaN here, the values are in the group /greeks.
std::vector<ResultColumn> result_columns(const Results& results);

/// The column's name of a Greek: its own name, or `sensitivity_NAME` for a model's parameter.
std::string column_name(const Greek& greek);
/// The instrument's Greek of this column; null when it has none.
const Greek* find_greek(const InstrumentResult& instrument, const std::string& column);
/// The columns' names of all Greeks of the book: delta, gamma, vega, theta, rho, then the others as they first appear.
std::vector<std::string> greek_columns(const Results& results);
/// The units that a Greek's column states: those of the first instrument that has it.
std::string greek_units(const Results& results, const std::string& column);
/// Of Greeks by underlying, as they first appear in the book; empty where no Greek has several.
std::vector<std::string> greek_underlyings(const Results& results);
/// "delta[SPX]", "delta_standard_error[SPX]" ...: for a table of two dimensions.
std::vector<ResultColumn> columns_by_underlying(const Results& results);

}  // namespace ergode::sim::options
