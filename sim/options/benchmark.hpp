#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kernels/device/device.hpp"

namespace ergode::sim::options {

/// How long a case ran. A path step is one step of one path under its own market: mirrored paths count, several
/// underlyings and several options on one path do not count twice, nor do the further markets that Greeks are taken
/// from.
struct PathRate {
  std::string name;
  std::string what;  ///< in words
  std::int64_t options = 0;
  std::int64_t groups = 0;  ///< of options that share paths
  std::int64_t paths = 0;   ///< of one sample, of all groups together
  std::int64_t steps = 0;   ///< of a path; of the longest where there are several groups
  double path_steps = 0;    ///< of one sample, training paths included
  int samples = 0;
  double seconds = 0;               ///< of one sample: median
  double fastest = 0, slowest = 0;  ///< seconds
  double path_steps_per_second() const { return path_steps / seconds; }
};

struct BenchmarkSize {
  double seconds = 2;                    ///< about how long one case of a single option may take
  std::int64_t batch_paths = 100'000;    ///< of each group of the batch
  std::int64_t early_paths = 1'000'000;  ///< of the early-exercise case, to train and to price
};

/// Times PathEngine::run alone, groups being in place: a European call at its end, price only and with delta, gamma and
/// vega; an arithmetic Asian of 252 steps, without and with its control variate; a European under Heston (QE) of 252
/// steps; 1,000 options of several products on 50 underlyings; and a put on 50 dates, where the recording of the
/// training paths and the regression count too. All in float. The single options are without mirrored paths, and but
/// for the one Asian without control variate, so that a path step is one fresh draw; the last two are as by default,
/// without bias estimates.
/// @param done is called with each case as it is measured
void measure_paths(const kernels::Device& device, int threads, const BenchmarkSize& size,
                   const std::function<void(const PathRate&)>& done);

}  // namespace ergode::sim::options
