#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>

#include "io/error.hpp"
#include "sim/nbody/simulation.hpp"

namespace ergode::test {

/// A new folder, removed at the end.
struct Folder {
  std::filesystem::path path;
  explicit Folder(const std::string& name)
      : path(std::filesystem::temp_directory_path() / ("ergode_physics_" + name + "_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

inline sim::RunContext context(const std::filesystem::path& directory) {
  sim::RunContext c;
  c.name = "a-run";
  c.directory = directory;
  c.device = kernels::cpu_device(kernels::Isa::baseline);
  c.seed = 5;
  c.info = c.warning = [](const std::string&) {};
  return c;
}

/// Goes on to step `until`, in pieces of no more than `at_most` steps, observing when that is due.
inline void run(sim::Simulation& s, std::int64_t until, std::int64_t at_most) {
  for (;;) {
    if (s.next_observation() == s.progress().unit) s.observe();
    if (s.done() || s.progress().unit >= until) return;
    s.advance(std::min({at_most, s.next_observation() - s.progress().unit, until - s.progress().unit}));
  }
}

inline io::ExitCode code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const io::Error& e) {
    return e.code();
  }
  return io::ExitCode::done;
}

}  // namespace ergode::test
