#include "sim/benchmark/timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace ergode::sim {

double seconds_of(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Timing Timing::by_sample() const {
  const auto n = static_cast<double>(passes);
  return {1, samples, n * median, n * fastest, n * slowest, n * deviation};
}

Timing statistics(std::vector<double> seconds, std::int64_t passes) {
  std::sort(seconds.begin(), seconds.end());
  const auto count = static_cast<double>(seconds.size());
  const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / count;
  double squares = 0;
  for (const double s : seconds) squares += (s - mean) * (s - mean);
  Timing t;
  t.passes = passes;
  t.samples = static_cast<int>(seconds.size());
  t.median = seconds[seconds.size() / 2];
  t.fastest = seconds.front();
  t.slowest = seconds.back();
  t.deviation = seconds.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  return t;
}

Timing time_passes(const std::function<void(std::int64_t)>& run, const Pace& pace, std::int64_t most) {
  constexpr int samples = 7, samples_of_slow = 3;
  const double wanted = pace.seconds / (samples + 2);
  std::int64_t passes = 1;
  run(passes);  // allocates, loads code, brings clocks up
  double time = seconds_of([&] { run(passes); });
  while (time < wanted / 4 && passes < most) {
    passes = std::min(most, 4 * passes);
    time = seconds_of([&] { run(passes); });
  }
  const double each = time / static_cast<double>(passes);
  const std::int64_t sized_by = passes;
  passes = std::clamp<std::int64_t>(std::llround(wanted / each), 1, most);
  std::size_t count = each * static_cast<double>(passes) > 1 ? samples_of_slow : samples;
  if (each > pace.longest) count = 1;
  std::vector<double> seconds;
  if (passes == sized_by) seconds.push_back(each);  // an equal sample, which slow work does not do again
  while (seconds.size() < count) seconds.push_back(seconds_of([&] { run(passes); }) / static_cast<double>(passes));
  return statistics(std::move(seconds), passes);
}

}  // namespace ergode::sim
