#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "io/run/log.hpp"
#include "io/run/progress.hpp"
#include "sim/runner/common_config.hpp"
#include "sim/runner/environment.hpp"
#include "sim/runner/report.hpp"
#include "sim/runner/run_directory.hpp"
#include "sim/runner/simulation.hpp"
#include "sim/sweep/task.hpp"

namespace ergode::sim {

class Leader;

/// What `ergode run` was asked for.
struct RunOptions {
  std::filesystem::path config;
  std::vector<std::string> overrides;  ///< "key.path=value", those of flags included
  std::optional<std::string> device;   ///< `--device`
  std::string isa = "auto";
  bool resume = false;  ///< counts before `exists`
  Exists exists = Exists::fail;
  std::optional<double> max_walltime;  ///< seconds
  bool profile = false;
  io::ProgressStyle progress = io::ProgressStyle::automatic;
  std::optional<SweepTask> task;  ///< `--task`, of a sweep
  bool share_devices = false;     ///< ranks may share a GPU
  Leader* leader = nullptr;       ///< of the ranks that share the run; null: there is one process
  std::string command_line;
  std::chrono::steady_clock::time_point process_start = std::chrono::steady_clock::now();
};

class SignalWatcher;

/// What the runs of one process share, and the config of one of them.
struct SharedRun {
  LoadedConfig config;
  std::string identity;  ///< for its summary
  const RunDevice& device;
  SignalWatcher& signals;
  std::function<void(const Progress&)> show;  ///< in place of a display of its own
};

/// As run(), of one of several in this process. The report says how it ended, with the exit class.
RunReport run_shared(const RunOptions& options, SharedRun shared, const std::vector<SimulationType>& types,
                     io::Log& log);

/// One run from config to summary. Every problem is said through `log`; the exit class is returned, nothing is thrown.
io::ExitCode run(const RunOptions& options, const std::vector<SimulationType>& types, io::Log& log);

}  // namespace ergode::sim
