#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ergode::sim::options {

/// A number with its statistical standard error (one standard deviation of the estimator).
struct Estimate {
  double value = 0, standard_error = 0;
  std::string method;  ///< of a Greek: pathwise, likelihood_ratio, pathwise_likelihood_ratio, difference ...
};

/// A Greek of an instrument: one value an underlying for delta, gamma and vega, a single one for theta and rho.
struct Greek {
  std::string name;                 ///< "delta"; of a model parameter its name
  std::string units;                ///< "per 1.00 of volatility"
  std::vector<std::string> of;      ///< underlyings; empty for one value of the whole
  std::vector<Estimate> estimates;  ///< as `of`, or a single one
  bool parameter = false;           ///< to a model's parameter of that name: Heston's rho and theta are not the Greeks
};

/// Price and error after so many paths.
struct ConvergencePoint {
  std::int64_t paths = 0;
  double price = 0, standard_error = 0;
};

/// Fraction of the discounted payoffs in each of equal bins over [low, high]; the ends also take what lies beyond.
struct Histogram {
  double low = 0, high = 0;
  std::vector<std::int64_t> counts;
};

struct ExerciseDate {
  double time = 0, probability = 0;
  std::optional<double> boundary;  ///< critical spot; of one underlying without stochastic variance alone
};

struct InstrumentResult {
  std::string id, product, model, type;  ///< type "call", "put" or ""
  std::vector<std::string> underlyings;
  double quantity = 1, strike = 0, maturity = 0;                                  ///< strike NaN where there is none
  double price = 0, standard_error = 0, confidence_low = 0, confidence_high = 0;  ///< per unit, not times quantity
  double confidence = 0.95;
  std::optional<double> bias;  ///< estimate minus exact, from steps, dates and precision; adds to the error
  std::optional<double> bias_standard_error;
  std::string bias_of;  ///< "steps", "steps, precision" ...
  std::optional<double> lower_bound, lower_bound_standard_error, upper_bound, upper_bound_standard_error;
  std::optional<double> implied_volatility, implied_volatility_standard_error;
  std::optional<double> event_probability, event_probability_standard_error;
  std::string event;  ///< "knocked", "exercised early", "called early"
  std::optional<double> reference_value, z_score;
  std::int64_t paths = 0, steps = 0;
  std::string scheme, rng, precision, variance_reduction;
  std::optional<double> variance_reduction_factor;  ///< variance of plain paths over the one achieved
  std::string status;                               ///< "done", "tolerance missed", "analytic"
  std::string message;
  std::vector<Greek> greeks;
  std::vector<ConvergencePoint> convergence;
  Histogram histogram;
  std::vector<ExerciseDate> exercise;
  std::vector<double> values;  ///< raw discounted payoffs, as many as save_values
};

/// Prices under shifted markets, (spot, volatility, rate, instrument) row-major.
struct ScenarioCube {
  std::vector<double> spot, volatility, rate;
  std::vector<double> price, standard_error;
};

/// Paths kept for looking at: (path, time, underlying) row-major.
struct SamplePaths {
  std::string group;  ///< "paths_0"
  std::vector<std::string> underlyings;
  std::vector<double> times;
  std::int64_t paths = 0;
  std::vector<double> spot;
};

struct Results {
  std::vector<InstrumentResult> instruments;  ///< in the order of the config
  std::optional<ScenarioCube> scenarios;
  std::vector<SamplePaths> sample_paths;
};

}  // namespace ergode::sim::options
