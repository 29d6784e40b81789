#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "sim/device/choose.hpp"

namespace ergode::sim {

int available_threads() {
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (::sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) > 0) threads = CPU_COUNT(&mask);
  // A container's quota: "MAX PERIOD" in microseconds, or "max".
  std::ifstream quota("/sys/fs/cgroup/cpu.max");
  std::string limit, period;
  if (quota >> limit >> period && limit != "max") {
    double most = 0, each = 0;
    std::from_chars(limit.data(), limit.data() + limit.size(), most);
    std::from_chars(period.data(), period.data() + period.size(), each);
    if (most > 0 && each > 0) threads = std::min(threads, std::max(1, static_cast<int>(most / each + 0.5)));
  }
  if (const char* wanted = std::getenv("OMP_NUM_THREADS")) {
    int count = 0;
    std::from_chars(wanted, wanted + std::strlen(wanted), count);
    if (count > 0) threads = std::min(threads, count);
  }
  return threads;
}

}  // namespace ergode::sim
