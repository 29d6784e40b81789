#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/benchmark/ceilings.hpp"

namespace ergode::sim::options {

/// How long a case ran. A path step is one step of one path under its own market: mirrored paths count, several
/// underlyings and several options on one path do not count twice, nor do the further markets that Greeks are taken
/// from.
struct PathRate {
  std::string name;
  std::string what;  ///< in words
  std::int64_t options = 0;
  std::int64_t groups = 0;  ///< of options that share paths
  std::int64_t paths = 0;   ///< of one pass, of all groups together
  std::int64_t steps = 0;   ///< of a path; of the longest where there are several groups
  double path_steps = 0;    ///< of one pass, training paths included
  double preparation = 0;   ///< seconds from a batch's settings to its plans on the device, done once
  double one_by_one = 0;    ///< seconds that a batch's groups would take one after the other, see measure_paths
  Need need;                ///< of one pass
  Timing timing;
  double path_steps_per_second() const { return path_steps / timing.median; }
};

struct BenchmarkSize {
  std::vector<std::int64_t> paths;       ///< of the Asian, to see how the time grows
  std::vector<std::int64_t> batches;     ///< numbers of options, ascending
  std::int64_t batch_paths = 100'000;    ///< of each group of a batch
  std::int64_t early_paths = 1'000'000;  ///< of the early-exercise case, to train and to price
};

/// Times PathEngine::run alone, groups being in place: a European call at its end, price only and with delta, gamma and
/// vega; an arithmetic Asian of 252 steps, without and with its control variate; a European under Heston (QE) of 252
/// steps; and a put on 50 dates, where the recording of the training paths and the regression count too. Then the Asian
/// by numbers of paths, and batches of several products on an underlying for every twenty options; beside a batch's
/// time stands that of its groups one after the other, each at the rate that it alone reaches on endless paths. All in
/// float. The single options are without mirrored paths, and but for the one Asian without control variate, so that a
/// path step is one fresh draw; the put and the batches are as by default, without bias estimates.
/// @param done is called with each case as it is measured
/// @param left_out with what would take longer than the pace allows
void measure_paths(const kernels::Device& device, int threads, const BenchmarkSize& size, const Pace& pace,
                   const std::function<void(const PathRate&)>& done,
                   const std::function<void(const std::string&)>& left_out);

/// The Asian alone.
PathRate measure_asian(const kernels::Device& device, int threads, const Pace& pace);

}  // namespace ergode::sim::options
