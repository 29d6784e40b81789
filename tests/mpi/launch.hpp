#pragma once

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fstream>

#include "tests/sim/program.hpp"

// The program under the launcher of the MPI that it was built with.

namespace ergode::testing {

/// Skips the test where there is nothing to test with.
inline void need_mpi() {
  if (std::string(ERGODE_MPIEXEC).empty()) SKIP("built without MPI");
  if (::access(ERGODE_MPIEXEC, X_OK) != 0) SKIP("there is no " ERGODE_MPIEXEC);
}

/// More ranks than processors, as root too, on Open MPI; other launchers allow both anyway.
inline void permit() {
  for (const char* name :
       {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"})
    ::setenv(name, "1", 1);
  ::setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
  ::setenv("OMP_WAIT_POLICY", "passive", 1);
}

/// `fault` is set as ERGODE_KERNEL_FAULT in the rank `faulty` alone.
struct RankFault {
  int faulty = -1;
  std::string fault;
};

inline Child start_ranks(const TemporaryDirectory& d, int ranks, std::vector<std::string> arguments,
                         const RankFault& fault = {}) {
  std::vector<std::string> all{"-n", std::to_string(ranks)};
  if (fault.faulty >= 0) {
    const std::string script = "[ \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" = " + std::to_string(fault.faulty) +
                               " ] && export ERGODE_KERNEL_FAULT=" + fault.fault + "; exec \"$@\"";
    all.insert(all.end(), {"/bin/sh", "-c", script, "sh"});
  }
  all.push_back(ERGODE_PROGRAM);
  all.insert(all.end(), arguments.begin(), arguments.end());
  return Child(d.path(), all, permit, ERGODE_MPIEXEC);
}
inline Outcome run_ranks(const TemporaryDirectory& d, int ranks, const std::vector<std::string>& arguments,
                         const RankFault& fault = {}) {
  return start_ranks(d, ranks, arguments, fault).wait();
}
inline Outcome run_alone(const TemporaryDirectory& d, const std::vector<std::string>& arguments) {
  return Child(d.path(), arguments, {}, ERGODE_PROGRAM).wait();
}

/// Whether there is such a process, and it runs the program.
inline bool is_rank(pid_t process) {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/" + std::to_string(process) + "/exe", unknown);
  return program.filename() == fs::path(ERGODE_PROGRAM).filename();
}

/// The process of a rank, somewhere below the launcher; -1: not there.
inline pid_t process_of_rank(pid_t launcher, int rank) {
  const fs::path proc = "/proc/" + std::to_string(launcher);
  const std::string environment = '\0' + slurp(proc / "environ");
  if (is_rank(launcher))
    for (const char* name : {"OMPI_COMM_WORLD_RANK=", "PMI_RANK="})
      if (environment.find('\0' + (name + std::to_string(rank)) + '\0') != std::string::npos) return launcher;
  std::istringstream children(slurp(proc / "task" / std::to_string(launcher) / "children"));
  for (pid_t child = 0; children >> child;)
    if (const pid_t found = process_of_rank(child, rank); found > 0) return found;
  return -1;
}

inline void check_equal(const TemporaryDirectory& d, const std::string& a, const std::string& b) {
  const Outcome outcome = run_alone(d, {"diff", d / a, d / b});
  INFO(outcome.out << outcome.error);
  CHECK(outcome.code == 0);
}

/// 1,100 bodies of unlike softening, test particles among them: five tiles, the last of them not full.
inline void write_bodies(const TemporaryDirectory& d) {
  spill(d / "bodies.yaml",
        "simulation: nbody\nname: bodies\nseed: 3\ndevice: cpu\nunits: nbody\n"
        "initial_conditions:\n"
        "  - {type: plummer, particles: 700, softening: 0.05}\n"
        "  - {type: plummer, particles: 400, mass: 0.2, softening: 0.1}\n"
        "integrator: {scheme: leapfrog, timestep: 0.015625, end_time: 0.375}\n"
        "output: {series: {interval: 0.03125}, snapshots: {interval: 0.125, potential: true}}\n"
        "checkpoint: {every: 5 steps}\n"
        "diagnostics: {lagrangian_radii: [0.5], force_check: {sample: 33}}\n");
}

/// A group with Greeks, one on several underlyings, and early exercise with both bounds.
inline void write_book(const TemporaryDirectory& d) {
  spill(
      d / "book.yaml",
      "simulation: option_pricing\nname: book\nseed: 5\ndevice: cpu\nmonte_carlo: {paths: 9000, steps_per_year: 12}\n"
      "market:\n"
      "  rate: 0.03\n"
      "  underlyings:\n"
      "    A: {spot: 100, dividend_yield: 0.01, model: gbm, volatility: 0.2}\n"
      "    B: {spot: 90, model: heston, v0: 0.04, kappa: 2, theta: 0.04, sigma_v: 0.35, rho: -0.7}\n"
      "  correlation: 0.5\n"
      "options:\n"
      "  - {id: call, product: european, type: call, underlying: A, strike: 100, maturity: 1, greeks: [delta, gamma]}\n"
      "  - {id: mean, product: asian, average: arithmetic, type: call, underlying: B, strike: 90, fixings: 12, "
      "maturity: 1}\n"
      "  - {id: worst, product: rainbow, select: min, type: call, underlyings: [A, B], strike: 90, maturity: 1}\n"
      "  - {id: early, product: bermudan, type: put, underlying: B, strike: 90, maturity: 1, exercise_dates: 4, "
      "lsm: {training_paths: 1501, upper_bound: true, outer_paths: 140, inner_paths: 8}}\n"
      "output: {save_values: 50, save_paths: 5}\n");
}

inline std::vector<std::string> run_of(const TemporaryDirectory& d, const std::string& config,
                                       const std::string& directory, const std::vector<std::string>& more = {}) {
  std::vector<std::string> all{"run", d / config, "-o", d / directory, "--progress", "none"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace ergode::testing
