#include "io/run/process.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <utility>

namespace ergode::io {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::string process_start(std::int64_t pid) {
  // /proc/PID/stat: the command's name stands in parentheses and may hold anything, so count fields from the last ')'.
  const std::string stat = first_line("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t close = stat.rfind(')');
  if (close == std::string::npos || close + 2 >= stat.size()) return "";
  if (stat[close + 2] == 'Z' || stat[close + 2] == 'X') return "";  // dead, waiting to be collected
  std::size_t at = close + 2;
  for (int field = 3; field < 22; ++field) {
    at = stat.find(' ', at);
    if (at == std::string::npos) return "";
    ++at;
  }
  return stat.substr(at, stat.find(' ', at) - at);
}

ProcessIdentity this_process() {
  ProcessIdentity me;
  std::array<char, 256> text{};
  if (::gethostname(text.data(), text.size() - 1) == 0) me.host = text.data();
  me.boot = first_line("/proc/sys/kernel/random/boot_id");
  text.fill(0);
  if (::readlink("/proc/self/ns/pid", text.data(), text.size() - 1) > 0) me.pid_namespace = text.data();
  me.pid = ::getpid();
  me.started = process_start(me.pid);
  constexpr std::array<std::pair<const char*, const char*>, 4> systems{
      {{"SLURM_JOB_ID", "slurm "}, {"PBS_JOBID", "pbs "}, {"LSB_JOBID", "lsf "}, {"JOB_ID", "sge "}}};
  for (const auto& [variable, prefix] : systems) {
    const std::string id = environment(variable);
    if (id.empty()) continue;
    me.job = prefix + id;
    break;
  }
  me.job_restart = environment("SLURM_RESTART_COUNT");
  return me;
}

std::string user_name() {
  if (const passwd* entry = ::getpwuid(::getuid()); entry != nullptr && entry->pw_name != nullptr)
    return entry->pw_name;
  return std::to_string(::getuid());
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace ergode::io
