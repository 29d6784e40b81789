#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "io/array.hpp"
#include "io/error.hpp"
#include "io/run/log.hpp"
#include "sim/runner/simulation.hpp"

namespace ergode::sim {

/// Seconds by what they were spent on.
struct Phases {
  double initialise = 0;
  double advance = 0;
  double observe = 0;
  double checkpoint = 0;
  double finish = 0;
};

/// What summary.json says.
struct RunReport {
  std::string simulation;
  std::string name;
  std::string identity;           ///< of a member of a sweep: see member_identity()
  std::string state = "running";  ///< "running", "finished", "stopped" (resume it), "failed"
  io::ExitCode exit_code = io::ExitCode::done;
  std::string message;  ///< why it stopped or failed
  Progress progress;
  std::int64_t started_at = 0;  ///< unit at which this process began
  std::int64_t resumes = 0;
  double wall_seconds = 0;     ///< of this process
  double earlier_seconds = 0;  ///< of those before it
  std::int64_t checkpoint_unit = -1;
  std::int64_t checkpoint_bytes = 0;
  std::int64_t host_memory_peak = 0;     ///< bytes of this process; 0: not known
  std::int64_t device_memory_peak = -1;  ///< bytes beside the CUDA context; -1: no GPU is used
  Phases phases;
  Summary summary;
  io::Attributes provenance;
};

void write_report(const std::filesystem::path& directory, const RunReport& report);

/// The lines at the end of a run: headline figures, memory, time and rate.
void print_report(io::Log& log, const RunReport& report, const std::filesystem::path& directory);

/// What a summary.json of an earlier process says that the next one goes on counting.
struct EarlierRuns {
  std::int64_t resumes = 0;
  double seconds = 0;
};
EarlierRuns read_earlier_runs(const std::filesystem::path& directory);

}  // namespace ergode::sim
