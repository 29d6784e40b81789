#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "io/run/run_output.hpp"
#include "sim/runner/run.hpp"
#include "sim/runner/signals.hpp"
#include "sim/sweep/record.hpp"

namespace ergode::sim {

/// What all members of a sweep share.
struct MemberSurroundings {
  const RunOptions& options;
  const std::vector<SimulationType>& types;
  const RunDevice& device;
  const io::Attributes& provenance;
  SignalWatcher& signals;
  std::filesystem::path sweep;                               ///< directory
  std::function<std::string(std::int64_t member)> identity;  ///< member_identity()
  std::function<bool()> stop;                                ///< whether no more work is to be begun or gone on with
  std::function<void(const Progress&)> show;
  io::Log& log;
};

/// What became of one member.
struct MemberOutcome {
  MemberRecord record;
  bool stopped = false;  ///< before its end: not recorded
  bool in_use = false;   ///< by another process: not recorded
  io::ExitCode code = io::ExitCode::done;
  std::map<std::string, io::FileContent> files;  ///< of a member in memory that is done
};

/// Whether a failure like this would meet every other member too.
bool is_fatal(io::ExitCode code);

/// In memory, from its beginning to its end, by the same loop as any run.
MemberOutcome run_in_memory(std::int64_t member, const LoadedConfig& config, const MemberSurroundings& around);

/// In a run directory of its own, which it takes up again where it has been left.
MemberOutcome run_in_directory(std::int64_t member, LoadedConfig config, const MemberSurroundings& around);

}  // namespace ergode::sim
