#include "sim/runner/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>

#include "io/checkpoint.hpp"
#include "io/fs/file.hpp"
#include "io/run/build_info.hpp"
#include "io/run/lock.hpp"
#include "io/run/text_file.hpp"
#include "io/state.hpp"
#include "kernels/device/memory_use.hpp"
#include "kernels/device/profile.hpp"
#include "sim/ranks/leader.hpp"
#include "sim/runner/checkpointer.hpp"
#include "sim/runner/common_config.hpp"
#include "sim/runner/environment.hpp"
#include "sim/runner/failure.hpp"
#include "sim/runner/inputs.hpp"
#include "sim/runner/loop.hpp"
#include "sim/runner/lost_results.hpp"
#include "sim/runner/profile_report.hpp"
#include "sim/runner/report.hpp"
#include "sim/runner/resume.hpp"
#include "sim/runner/signals.hpp"

namespace ergode::sim {
namespace {

namespace fs = std::filesystem;

using io::ExitCode;
using kernels::Phase;
using kernels::Scope;

/// Everything of one run, in the order in which it comes to be.
struct Session : RunDevice {
  Session(const RunOptions& run_options, io::Log& run_log) : options(run_options), log(run_log) {}
  const RunOptions& options;
  io::Log& log;
  const SharedRun* shared = nullptr;  ///< of a run that is one of several in this process
  LoadedConfig config;
  std::filesystem::path directory;
  std::vector<std::filesystem::path> made;  ///< folders that were not there before, the outermost first
  bool fresh = false;                       ///< every file of a run in the directory is of this process
  bool begun = false;                       ///< the simulation has its first state
  std::mutex lock_mutex;                    ///< the thread that waits for signals gives the lock back too
  std::unique_ptr<io::RunLock> lock;
  std::optional<io::Checkpoint> checkpoint;  ///< to resume from
  InputHashes inputs;                        ///< of the files that a resume reads again
  std::unique_ptr<Simulation> simulation;
  io::DiskRetry disk_retry;
  std::unique_ptr<Checkpointer> checkpointer;
  RunReport report;

  double now() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - options.process_start).count();
  }
};

void take_lock(Session& s) {
  auto lock = std::make_unique<io::RunLock>(s.directory, [&](const std::string& line) { s.log.warning(line); });
  const std::lock_guard guard(s.lock_mutex);
  s.lock = std::move(lock);
}

void give_lock_back(Session& s) {
  const std::lock_guard guard(s.lock_mutex);
  s.lock.reset();
}

void read_config(Session& s, const std::vector<SimulationType>& types) {
  const Scope scope(Phase::host, "config");
  if (s.shared == nullptr) {
    s.config = load_config(s.options.config, s.options.overrides, types);
    for (const std::string& warning : s.config.warnings) s.log.warning(warning);
  }
  s.directory = s.config.common.output.directory;
  s.report.simulation = s.config.common.simulation;
  s.report.name = s.config.common.name;
}

/// Starting over because there is no checkpoint must not sweep away the results of another config.
ResumePlan check_same_run(const Session& s, const std::vector<SimulationType>& types) {
  const auto used = io::read_text(s.directory / "config.used.yaml");
  if (!used) return {};
  io::Checkpoint then;
  then.simulation = s.config.common.simulation;
  then.config = *used;
  return check_resumable(then, s.config, types);
}

/// What was lost and cannot be mended is made again with all else where that is one member of many, for which a sweep
/// has no other word. A run of its own may have taken weeks: that is left to the person.
void begin_again(Session& s, const std::string& lost) {
  if (s.shared == nullptr)
    throw io::Error(
        ExitCode::io,
        fmt::format("{}: of this finished run is missing or damaged: {}. The last state alone cannot make it "
                    "again: bring it back, or run again from the beginning, in another directory (-o DIR) or "
                    "with --exists backup in place of --resume",
                    s.directory.string(), lost));
  s.log.warning(fmt::format("{}: missing or damaged: {}; this member is run again from its beginning",
                            s.directory.string(), lost));
  remove_run(s.directory, /*keep_log=*/true);
  s.checkpoint.reset();
}

const SimulationType& type_of(const Session& s, const std::vector<SimulationType>& types) {
  return find_type(s.config.common.simulation, types);
}

/// Takes the directory and settles what happens to a run that is in it. False: nothing is left to do.
bool take_directory(Session& s, const std::vector<SimulationType>& types) {
  const Scope scope(Phase::files, "run directory");
  s.made = missing_folders(s.directory);
  io::make_writable_directory(s.directory);
  take_lock(s);
  const DirectoryContent content = inspect(s.directory);
  if (s.options.resume) {
    s.checkpoint = io::read_checkpoint(s.directory, [&](const std::string& line) { s.log.warning(line); });
    if (s.checkpoint) return true;
    const ResumePlan plan = check_same_run(s, types);
    if (content.finished) {
      if (!plan.changed.empty())
        throw io::Error(ExitCode::config,
                        fmt::format("{}: this run is finished and its checkpoint was removed: it cannot go on to what "
                                    "the config now asks for; start a new run in another directory (-o DIR)",
                                    s.directory.string()));
      if (const auto lost = find_lost_results(s.directory, type_of(s, types)); !lost.none()) {
        begin_again(s, lost.text());
        return true;
      }
      s.log.result(
          fmt::format("{}: this run is finished (its checkpoint was removed): nothing to do", s.directory.string()));
      return false;
    }
    s.log.info(fmt::format("{}: no checkpoint to resume from, starting from the beginning", s.directory.string()));
    if (content.run) remove_run(s.directory, /*keep_log=*/true);
    s.fresh = !content.run;
    return true;
  }
  make_room(
      s.directory, s.options.exists, content, [&] { give_lock_back(s); },
      [&] {
        s.made = missing_folders(s.directory);
        io::make_writable_directory(s.directory);
        take_lock(s);
      },
      [&](const std::string& line) { s.log.info(line); });
  s.fresh = true;
  return true;
}

void print_banner(Session& s) {
  const io::BuildInfo build = io::build_info();
  s.log.info(fmt::format("ergode {} ({}): {} `{}`", build.version, build.commit, s.config.common.simulation,
                         s.config.common.name));
  s.log.info(device_line(s));
  for (const std::string& line : s.rank_table) s.log.detail(line);
  s.log.info("output: " + s.directory.string());
}

/// A run that was refused before its first state leaves nothing: the next one finds the place as this one did.
void leave_nothing(Session& s) {
  s.simulation.reset();
  s.log.close();
  try {
    remove_run(s.directory, /*keep_log=*/false);
  } catch (const std::exception& e) {
    s.log.warning(e.what());
  }
  give_lock_back(s);
  std::error_code not_empty;
  for (auto folder = s.made.rbegin(); folder != s.made.rend(); ++folder)
    if (!std::filesystem::remove(*folder, not_empty)) break;
}

/// The step at which it failed; the simulation itself may be what is broken.
void note_progress(Session& s) {
  try {
    s.report.progress = s.simulation->progress();
  } catch (...) {
    s.log.file_only("how far the run was is not known: " + explain(std::current_exception()).message);
  }
}

/// Gives up what must not be touched any more, and says what is left. Returns the exit class.
ExitCode fail(Session& s, Failure failure) {
  s.log.console().clear_bar();
  if (failure.code == ExitCode::gpu) {
    if (s.simulation) {
      const Progress p = s.simulation->progress();
      failure.message += fmt::format("; before it, {} of {} {}s were done", p.unit, p.total, p.unit_name);
    }
    // Its context is broken: even freeing device memory would be a CUDA call, so the simulation is abandoned as it is.
    static_cast<void>(s.simulation.release());
  } else if (s.simulation) {
    if (s.begun) note_progress(s);
    try {
      s.simulation->suspend();
    } catch (...) {
      s.log.file_only("the outputs could not be closed: " + explain(std::current_exception()).message);
    }
  }
  s.log.error(failure.message);
  const bool ours = s.lock && s.lock->held() && s.report.provenance.size() > 0;
  const bool refused = failure.code == ExitCode::config || (failure.code == ExitCode::input_file && !s.begun);
  if (s.checkpointer && s.checkpointer->newest_unit() >= 0 && !refused)
    s.log.error(fmt::format("the last good checkpoint is {} (unit {}): `--resume` continues from there",
                            s.checkpointer->file().string(), s.checkpointer->newest_unit()));
  if (!s.begun && s.fresh && s.lock && s.lock->held()) {
    leave_nothing(s);
    return failure.code;
  }
  if (!ours || !s.begun) return failure.code;
  s.report.state = "failed";
  s.report.exit_code = failure.code;
  s.report.message = failure.message;
  s.report.wall_seconds = s.now();
  try {
    write_report(s.directory, s.report);
  } catch (const std::exception& e) {
    s.log.file_only(std::string("summary.json could not be written: ") + e.what());
  }
  return failure.code;
}

void refresh_report(Session& s) {
  s.report.progress = s.simulation->progress();
  s.report.wall_seconds = s.now();
  s.report.checkpoint_unit = s.checkpointer->newest_unit();
  s.report.checkpoint_bytes = s.checkpointer->bytes();
  s.report.host_memory_peak = kernels::host_memory_peak();
  if (s.choice.device.backend != kernels::Backend::cuda) return;
  kernels::note_device_memory();
  if (const std::int64_t least = kernels::least_device_memory(); least >= 0)
    s.report.device_memory_peak = std::max<std::int64_t>(0, s.choice.device.memory_free - least);
}

void make_simulation(Session& s) {
  const Scope scope(Phase::host, "start");
  const double before = s.now();
  RunContext context;
  context.name = s.config.common.name;
  context.directory = s.directory;
  context.device = s.choice.device;
  context.threads = s.threads;
  context.leader = s.options.leader;
  context.seed = s.config.common.seed;
  context.provenance = s.report.provenance;
  context.disk_retry = s.disk_retry;
  context.info = [&log = s.log](const std::string& line) { log.info(line); };
  context.warning = [&log = s.log](const std::string& line) { log.warning(line); };
  s.simulation = s.config.simulation->make(context);
  if (s.checkpoint) {
    // Before restore(), which drops what the outputs have beyond the checkpoint.
    if (const Progress p = s.simulation->progress(); p.total > 0 && p.total < s.checkpoint->unit)
      throw io::Error(
          ExitCode::config,
          fmt::format("the checkpoint is at {0} {1}, the config ends at {0} {2}: a run cannot go back; give "
                      "it a later end, or start a new run in another directory (-o DIR)",
                      p.unit_name, s.checkpoint->unit, p.total));
    try {
      s.simulation->restore(s.checkpoint->state);
    } catch (const io::StateError& e) {
      throw io::Error(ExitCode::input_file,
                      fmt::format("'{}' is whole by its seal, but not a checkpoint that this program writes: {}; bring "
                                  "a copy back, or start a new run in another directory (-o DIR)",
                                  s.checkpoint->file.string(), e.what()));
    }
    s.checkpoint->state = {};
  } else {
    s.simulation->initialise();
  }
  s.begun = true;
  s.report.phases.initialise = s.now() - before;
  s.report.started_at = s.simulation->progress().unit;
}

/// A full disk is waited for until a signal or the wall-time limit asks for the end.
void make_disk_retry(Session& s, SignalWatcher& signals, double walltime) {
  const auto give_up = [&s, &signals, walltime] { return signals.stop_signal() != 0 || s.now() > walltime; };
  s.disk_retry = disk_retry_until(give_up, [&s](const std::string& line) { s.log.warning(line); });
}

void make_checkpointer(Session& s) {
  io::Checkpoint header;
  header.simulation = s.config.common.simulation;
  header.config = s.config.used_yaml;
  header.inputs = s.inputs;
  header.backend = kernels::name(s.choice.device.backend);
  if (s.choice.device.backend == kernels::Backend::cpu) header.isa = kernels::name(s.choice.device.isa);
  s.checkpointer = std::make_unique<Checkpointer>(
      s.directory, std::move(header), s.config.common.checkpoint.keep, s.disk_retry, [&s] { return s.now(); }, s.log,
      *s.lock);
  if (s.checkpoint) s.checkpointer->found(s.checkpoint->unit);
}

/// summary.json for `ergode info` on a live or killed run: its loss is no reason to end.
void try_report(const Session& s) {
  try {
    write_report(s.directory, s.report);
  } catch (const io::Error& e) {
    s.log.file_only(std::string("summary.json could not be written: ") + e.what());
  }
}

LoopResult work(Session& s, SignalWatcher& signals, double walltime) {
  io::ProgressDisplay display(s.log, s.shared != nullptr ? io::ProgressStyle::none : s.options.progress);
  const auto shown = [](const Progress& p) { return io::ProgressState{p.unit, p.total, p.unit_name, p.detail}; };
  display.start(shown(s.simulation->progress()), s.now());
  LoopHooks hooks;
  hooks.now = [&s] { return s.now(); };
  hooks.stop_signal = [&signals] { return signals.stop_signal(); };
  hooks.take_checkpoint_request = [&signals] { return signals.take_checkpoint_request(); };
  hooks.write_checkpoint = [&s] {
    s.checkpointer->write(s.simulation->save(), s.simulation->progress().unit, false);
    refresh_report(s);
    try_report(s);
  };
  double written = s.now();
  hooks.show = [&](const Progress& p) {
    display.show(shown(p), s.now());
    if (s.shared != nullptr) s.shared->show(p);
    s.report.progress = p;
    if (s.now() - written < io::lock_heartbeat_seconds || !s.lock->held()) return;
    written = s.now();
    s.report.wall_seconds = written;
    try_report(s);
  };
  const LoopResult result =
      run_loop(*s.simulation, {walltime, s.config.common.checkpoint.every, s.checkpoint.has_value()}, hooks);
  display.finish();
  s.report.phases.advance = result.advance_seconds;
  s.report.phases.observe = result.observe_seconds;
  s.report.phases.checkpoint = result.checkpoint_seconds;
  return result;
}

ExitCode end(Session& s, const LoopResult& result) {
  const double before = s.now();
  const std::int64_t unit = s.simulation->progress().unit;
  if (result.stop == Stop::done) {
    // The state is taken before the outputs are closed, and sealed after: a kill in between finds the checkpoint
    // before.
    io::State state = s.simulation->save();
    try {
      s.simulation->finish();
    } catch (...) {  // a full disk, say: what is computed can still be taken up
      s.checkpointer->write(std::move(state), unit, false);
      throw;
    }
    s.report.summary = s.simulation->summary();
    s.report.phases.finish = s.now() - before;
    s.checkpointer->write(std::move(state), unit, true);
    s.report.state = "finished";
  } else {
    if (result.checkpointed_unit != unit) s.checkpointer->write(s.simulation->save(), unit, false);
    s.simulation->suspend();
    s.report.summary = s.simulation->summary();
    s.report.phases.finish = s.now() - before;
    s.report.state = "stopped";
    s.report.exit_code = ExitCode::resume_me;
    s.report.message = result.stop == Stop::signal ? fmt::format("{} received", signal_name(result.signal))
                                                   : std::string("the wall-time limit is near");
  }
  refresh_report(s);
  io::retry_while_full(s.disk_retry, [&s] { write_report(s.directory, s.report); });
  if (s.options.profile) report_profile(s.log, s.directory);
  print_report(s.log, s.report, s.directory);
  if (s.report.exit_code == ExitCode::resume_me)
    s.log.info(fmt::format("{}: stopped with a checkpoint; `--resume` continues", s.report.message));
  return s.report.exit_code;
}

/// Of the checkpoint that is there; false where that is the end of what the config asks for.
bool is_there_more_to_do(Session& s, const std::vector<SimulationType>& types) {
  const ResumePlan plan = check_resumable(*s.checkpoint, s.config, types);
  check_inputs(s.checkpoint->inputs, s.inputs, "the run");
  const bool at_end = s.checkpoint->finished && plan.changed.empty();
  if (!at_end && s.shared == nullptr) return true;  // where the series cannot be gone on with, that says so itself
  LostResults lost;
  if (at_end)
    lost = find_lost_results(s.directory, type_of(s, types));
  else
    lost.gone = missing_so_far(s.directory, type_of(s, types));
  if (!lost.gone.empty()) return begin_again(s, lost.text()), true;
  if (!at_end) return true;
  // Killed between its last checkpoint and the end.
  if (!inspect(s.directory).finished) lost.mendable.push_back("summary.json");
  if (lost.none()) {
    s.log.result(
        fmt::format("{}: this run is finished (unit {}): nothing to do", s.directory.string(), s.checkpoint->unit));
    return false;
  }
  s.log.warning(
      fmt::format("{}: missing or damaged, written again from the checkpoint: {}", s.directory.string(), lost.text()));
  return true;
}

InputHashes inputs_of_resumes(const LoadedConfig& config) {
  std::vector<fs::path> files;
  for (const InputFile& file : config.simulation->input_files())
    if (!file.at_start) files.push_back(file.path);
  return hash_inputs(files);
}

/// That of the checkpoint, else of the sweep; empty: there is none to be kept.
std::string kept_instruction_set(const Session& s) {
  if (s.checkpoint && s.checkpoint->backend == "cpu") return s.checkpoint->isa;
  const bool by_sweep = s.shared != nullptr && s.choice.device.backend == kernels::Backend::cpu;
  return by_sweep ? std::string(kernels::name(s.choice.device.isa)) : "";
}

ExitCode run_steps(Session& s, const std::vector<SimulationType>& types, SignalWatcher& signals) {
  const double walltime = s.options.max_walltime.value_or(std::numeric_limits<double>::infinity());
  read_config(s, types);
  if (s.shared == nullptr) static_cast<RunDevice&>(s) = pick_device(s.options, s.config.common);
  if (!take_directory(s, types)) return ExitCode::done;
  io::fs::remove_temporaries(s.directory);  // of processes that were killed
  s.inputs = inputs_of_resumes(s.config);
  if (s.checkpoint && !is_there_more_to_do(s, types)) return ExitCode::done;
  settle_instruction_set(s, s.options.isa, kept_instruction_set(s));
  if (s.checkpoint) {
    const EarlierRuns earlier = read_earlier_runs(s.directory);
    s.report.resumes = earlier.resumes + 1;
    s.report.earlier_seconds = earlier.seconds;
  }
  s.log.open(s.directory / "run.log");
  s.report.provenance = make_provenance(s, s.options);
  print_banner(s);
  s.log.file_only("command: " + s.options.command_line);
  if (s.checkpoint) {
    s.log.info(fmt::format("resuming from the checkpoint at unit {}", s.checkpoint->unit));
    if (const auto backend = kernels::name(s.choice.device.backend); s.checkpoint->backend != backend)
      s.log.warning(fmt::format(
          "the checkpoint was computed on {}, this run goes on with {}: from here the bits differ from those of "
          "an undisturbed run",
          s.checkpoint->backend, backend));
  }
  make_disk_retry(s, signals, walltime);
  make_checkpointer(s);
  make_simulation(s);
  {
    const Scope scope(Phase::files, "config.used.yaml", static_cast<double>(s.config.used_yaml.size()));
    io::write_text(s.directory / "config.used.yaml", s.config.used_yaml);
  }
  refresh_report(s);
  write_report(s.directory, s.report);
  const LoopResult result = work(s, signals, walltime);
  return end(s, result);
}

/// Runs to the end or to what goes wrong, and leaves the directory.
ExitCode run_session(Session& session, const std::vector<SimulationType>& types, SignalWatcher& signals) {
  ExitCode code = ExitCode::done;
  try {
    code = run_steps(session, types, signals);
  } catch (...) {
    const Failure failure = explain(std::current_exception());
    session.report.message = failure.message;
    code = fail(session, failure);
  }
  session.log.file_only(fmt::format("exit code {}", static_cast<int>(code)));
  session.checkpointer.reset();
  session.simulation.reset();
  give_lock_back(session);
  return code;
}

}  // namespace

ExitCode run(const RunOptions& options, const std::vector<SimulationType>& types, io::Log& log) {
  ignore_write_signals();
  std::optional<kernels::Profile> profile;
  if (options.profile) profile.emplace(options.process_start);
  Session session(options, log);
  // Nothing is printed here: a terminal that is held would keep the process from ending.
  SignalWatcher signals([&session](int) {
    const std::lock_guard guard(session.lock_mutex);
    if (session.lock) session.lock->release();
  });
  if (options.leader != nullptr) options.leader->on_signals([&signals](int signal) { signals.note(signal); });
  return run_session(session, types, signals);
}

RunReport run_shared(const RunOptions& options, SharedRun shared, const std::vector<SimulationType>& types,
                     io::Log& log) {
  Session session(options, log);
  session.shared = &shared;
  session.config = std::move(shared.config);
  session.report.identity = shared.identity;
  static_cast<RunDevice&>(session) = shared.device;
  session.report.exit_code = run_session(session, types, shared.signals);
  return session.report;
}

}  // namespace ergode::sim
