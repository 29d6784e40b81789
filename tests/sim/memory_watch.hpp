#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "tests/sim/program.hpp"

// Whether a process keeps its memory, watched from outside while it runs.

namespace ergode::testing {

/// Resident bytes of a process; 0: it has ended.
inline double resident_bytes(pid_t process) {
  std::istringstream status(slurp("/proc/" + std::to_string(process) + "/status"));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return 1024 * std::stod(line.substr(6));
  return 0;
}

/// Samples of `measure`, at equal times, to the child's end.
inline std::vector<double> watch(const Child& child, const std::function<double()>& measure) {
  std::vector<double> samples;
  while (child.running()) {
    const double sample = measure();
    if (sample > 0 && child.running()) samples.push_back(sample);
    sleep_ms(2);
  }
  return samples;
}

/// By how much the most of the last quarter is above the most of the second, by when everything has its size.
inline double growth(const std::vector<double>& samples) {
  REQUIRE(samples.size() >= 16);
  const auto quarter = static_cast<std::ptrdiff_t>(samples.size() / 4);
  return *std::max_element(samples.end() - quarter, samples.end()) -
         *std::max_element(samples.begin() + quarter, samples.begin() + 2 * quarter);
}

}  // namespace ergode::testing
