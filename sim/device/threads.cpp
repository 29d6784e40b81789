#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <thread>

#include "sim/device/choose.hpp"

namespace ergode::sim {

std::vector<int> allowed_processors() {
  std::vector<int> processors;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (::sched_getaffinity(0, sizeof mask, &mask) == 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &mask)) processors.push_back(i);
  const int count = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int i = 0; processors.empty() && i < count; ++i) processors.push_back(i);
  return processors;
}

int processor_quota() {
  // A container's: "MAX PERIOD" in microseconds, or "max".
  std::ifstream quota("/sys/fs/cgroup/cpu.max");
  std::string limit, period;
  double most = 0, each = 0;
  if (quota >> limit >> period && limit != "max") {
    std::from_chars(limit.data(), limit.data() + limit.size(), most);
    std::from_chars(period.data(), period.data() + period.size(), each);
  }
  if (!(most > 0 && each > 0)) return std::numeric_limits<int>::max();
  return std::max(1, static_cast<int>(most / each + 0.5));
}

int wanted_threads() {
  int count = 0;
  if (const char* wanted = std::getenv("OMP_NUM_THREADS")) std::from_chars(wanted, wanted + std::strlen(wanted), count);
  return count > 0 ? count : std::numeric_limits<int>::max();
}

int cores_of(const std::vector<int>& processors, const std::filesystem::path& system) {
  std::set<std::string> cores;
  for (const int processor : processors) {
    const std::string name = "cpu" + std::to_string(processor);
    std::ifstream file(system / name / "topology" / "thread_siblings_list");
    std::string siblings;
    cores.insert(file >> siblings ? siblings : name);
  }
  return static_cast<int>(cores.size());
}

int available_threads() {
  return std::min({static_cast<int>(allowed_processors().size()), processor_quota(), wanted_threads()});
}

}  // namespace ergode::sim
