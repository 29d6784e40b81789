#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "io/array.hpp"
#include "io/config/config.hpp"
#include "io/disk_retry.hpp"
#include "io/run/run_output.hpp"
#include "kernels/device/device.hpp"
#include "sim/runner/inputs.hpp"

namespace ergode::sim {

class Leader;

/// What the runner lends to a simulation for one run.
struct RunContext {
  std::string name;                 ///< of the run, as the config gives it
  std::filesystem::path directory;  ///< the run directory, of which nothing is to be known but where `output` is empty
  std::shared_ptr<io::RunOutput> output;  ///< where the files go; empty: the run directory
  kernels::Device device;                 ///< chosen
  int threads = 1;                        ///< CPU threads to use
  Leader* leader = nullptr;               ///< of the ranks that share the run: see sim/ranks/engines.hpp
  std::uint32_t seed = 0;
  io::Attributes provenance;                     ///< for /provenance of every file
  io::DiskRetry disk_retry;                      ///< for its series
  std::function<void(const std::string&)> info;  ///< a line for the person and the log
  std::function<void(const std::string&)> warning;
};

/// `context.output`, or files of the run directory.
std::shared_ptr<io::RunOutput> output_of(const RunContext& context);

/// What `validate` prints before anything is computed.
struct Estimate {
  std::int64_t host_bytes = 0;
  std::int64_t device_bytes = 0;
  std::int64_t disk_bytes = 0;
  double work = 0;                                                   ///< in `work_unit`
  std::string work_unit;                                             ///< "interactions"
  std::vector<std::pair<std::string, std::int64_t>> largest_arrays;  ///< name, bytes
};

/// How far a simulation is.
struct Progress {
  std::int64_t unit = 0;   ///< units of work done
  std::int64_t total = 0;  ///< 0: not known yet
  std::string unit_name;   ///< "step"
  std::string detail;      ///< "t = 3.2 dE/E = 1e-9": shown beside the bar
};

/// Headline figures, for summary.json and the terminal, in order.
struct SummaryItem {
  std::string name;  ///< the field's term, "relative_energy_error"
  std::variant<std::int64_t, double, std::string> value;
  std::string units;
  bool timing = false;  ///< depends on the machine and the moment: no result
};
using Summary = std::vector<SummaryItem>;

/// A run in the making. State is (phase, next unit, accumulators). However the runner divides work over advance()
/// calls, kills and resumes, the results are bitwise the same.
class Simulation {
 public:
  virtual ~Simulation() = default;

  /// Starts from nothing: reads inputs, makes the first state. Throws io::Error. Writes no file.
  virtual void initialise() = 0;
  /// Takes up a state that save() made, and the output files as they were then (rows and files written later are
  /// dropped).
  virtual void restore(const io::State& state) = 0;
  virtual io::State save() = 0;

  virtual Progress progress() const = 0;
  virtual bool done() const = 0;
  /// The unit (>= the present one) at which observe() is due next; the runner never advances past it unobserved.
  virtual std::int64_t next_observation() const = 0;
  /// Writes what is due at the present unit. Called once at each unit that next_observation() named, 0 and the end
  /// included.
  virtual void observe() = 0;
  /// Does `units` >= 1 units of work. Throws io::Error(numerical) naming the first bad particle or path and its step.
  virtual void advance(std::int64_t units) = 0;
  /// Ends the outputs (seals the series, writes results). Called once, when done().
  virtual void finish() = 0;
  /// Closes outputs in a readable state before a stop that will be resumed.
  virtual void suspend() = 0;
  virtual Summary summary() const = 0;
};

/// The typed config of one simulation type.
class SimulationConfig {
 public:
  virtual ~SimulationConfig() = default;
  /// Declares the keys beside the common ones, at the root of the document.
  virtual void declare(io::Section& root) = 0;
  /// Input files are looked for relative to the config's folder.
  virtual Estimate estimate(const kernels::Device& device) const = 0;
  virtual std::unique_ptr<Simulation> make(const RunContext& context) const = 0;
  /// Files that the results depend on and that are not in the config's text.
  virtual std::vector<InputFile> input_files() const { return {}; }
};

/// One line of registration: see sim/registry.cpp.
struct SimulationType {
  std::string name;  ///< `simulation: nbody`
  std::string meaning;
  std::string example;  ///< what `ergode new` prints: a commented config that runs
  std::function<std::unique_ptr<SimulationConfig>(std::filesystem::path config_folder)> make_config;
  std::vector<std::string> final_files{};  ///< what finish() writes, and can write again from the last state
  std::vector<std::string> grown_files{};  ///< what every run adds to from its beginning, beside snapshots
};
const std::vector<SimulationType>& simulation_types();

}  // namespace ergode::sim
