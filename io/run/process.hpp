#pragma once

#include <cstdint>
#include <string>

namespace ergode::io {

/// Who a process is, so that another one can tell later whether it still runs.
struct ProcessIdentity {
  std::string host;
  std::string boot;           ///< changes when the host restarts
  std::string pid_namespace;  ///< a pid means nothing outside it (containers)
  std::int64_t pid = 0;
  std::string started;      ///< clock ticks after boot: tells a reused pid
  std::string job;          ///< "slurm 1234", empty outside a batch system
  std::string job_restart;  ///< how often the batch system has requeued the job
};

ProcessIdentity this_process();

/// Start of process `pid` in clock ticks after boot; empty when there is no such process.
std::string process_start(std::int64_t pid);

std::string user_name();
/// `2031-05-04T12:00:00Z`
std::string utc_now();

}  // namespace ergode::io
