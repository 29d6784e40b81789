#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "io/run/log.hpp"
#include "sim/benchmark/report.hpp"

namespace ergode::sim {

/// What `ergode bench` is asked for.
struct BenchOptions {
  std::string what;  ///< "nbody", "options"; empty: both
  std::string json;  ///< file to write; empty: none
  std::string isa = "auto";
  std::optional<std::string> device;
  std::optional<int> threads;
  bool quick = false;
  std::optional<double> seconds;  ///< Pace
  std::optional<double> longest;
  std::vector<std::int64_t> bodies, paths, batches;  ///< sizes instead of the usual ones
};

/// What is measured on, and how long.
struct BenchPlace {
  kernels::Device device;
  int threads = 0;
  Pace pace;
  std::vector<int> scaling;  ///< numbers of threads, of a CPU
  bool on_cpu() const { return device.backend == kernels::Backend::cpu; }
};

/// Measures the ceilings of the device, then rates and errors; a table, and a JSON file where one is asked for.
io::ExitCode bench(const BenchOptions& options, io::Log& log);

void bench_gravity(const BenchOptions& options, const BenchPlace& place, Report& report);
void bench_paths(const BenchOptions& options, const BenchPlace& place, Report& report);
/// The same work on 1, 2, 4 ... threads and on one a core, each beside the multiply-adds of as many.
void bench_threads(const BenchOptions& options, const BenchPlace& place, Report& report);

}  // namespace ergode::sim
