#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace ergode::sim {

/// Equal samples of a repeated piece of work, one pass of which is what is asked about. Times are seconds a pass.
struct Timing {
  std::int64_t passes = 0;  ///< in one sample
  int samples = 0;
  double median = 0;
  double fastest = 0, slowest = 0;
  double deviation = 0;  ///< standard deviation over the samples

  /// The same, a whole sample being one pass.
  Timing by_sample() const;
};

/// How long measuring may take.
struct Pace {
  double seconds = 2;  ///< about, for all samples of one figure; one pass takes its time all the same
  double longest = 4;  ///< what would take longer in one pass is left out
};

/// Seconds that `action` takes.
double seconds_of(const std::function<void()>& action);

/// Times `run(n)`, which makes n passes and returns when they are done. Seven samples, three where one takes more than
/// a second, one where a pass takes longer than it should, after a warm-up that also finds how many passes make a
/// sample: `most` at most.
Timing time_passes(const std::function<void(std::int64_t)>& run, const Pace& pace, std::int64_t most);

/// Of times in any order, of one sample each.
Timing statistics(std::vector<double> seconds, std::int64_t passes);

}  // namespace ergode::sim
