#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ergode::sim::options {

/// Sums over samples of an estimator x and its control variate c, chunk after chunk: of x, c, x x, x c, c c. With Sobol
/// points for each replication by itself; else the chunks of a block (kernels/options/engine.hpp) by themselves.
struct Accumulator {
  std::vector<std::array<double, 5>> sums;  ///< (replication); without Sobol one, of all blocks that are closed
  std::vector<std::int64_t> counts;         ///< samples, as `sums`; those of the open block too
  std::array<double, 5> block{};            ///< sums of the open block; 0 with Sobol

  explicit Accumulator(int replications = 0);
  /// With Sobol.
  void add(const double* chunk, std::int64_t samples, std::int64_t replication);
  /// Without Sobol; of a whole block, too, while none is open.
  void add_to_block(const double* chunk, std::int64_t samples);
  void close_block();
  std::int64_t samples() const;
};

struct MeanError {
  double mean = 0, standard_error = 0;
};

/// Mean and standard error; with a control variate x - beta (c - control_mean), beta by regression on the same samples
/// (its bias is of order 1/n; Glasserman 2004, section 4.1.1). With several replications the error is that of their
/// means.
MeanError mean_and_error(const Accumulator& a, bool controlled, double control_mean);

/// t with P(|T| <= t) = confidence for Student's law; degrees 0: the normal law. 0 < confidence < 1.
double confidence_quantile(double confidence, int degrees);

}  // namespace ergode::sim::options
