#include "sim/sweep/run_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>

#include "io/fs/file.hpp"
#include "io/hdf5/sealed_file.hpp"
#include "io/run/build_info.hpp"
#include "io/run/text_file.hpp"
#include "kernels/device/profile.hpp"
#include "sim/runner/checkpointer.hpp"
#include "sim/runner/failure.hpp"
#include "sim/runner/inputs.hpp"
#include "sim/runner/lost_results.hpp"
#include "sim/runner/profile_report.hpp"
#include "sim/runner/signals.hpp"
#include "sim/sweep/directory.hpp"
#include "sim/sweep/index.hpp"
#include "sim/sweep/member_runner.hpp"
#include "sim/sweep/origin.hpp"
#include "sim/sweep/plan.hpp"

namespace ergode::sim {
namespace {

namespace fs = std::filesystem;
using io::ExitCode;
using Status = MemberRecord::Status;

/// What a kill may lose of members in memory.
constexpr double batch_seconds = 5;
constexpr std::int64_t batch_bytes = std::int64_t{32} << 20;
constexpr std::size_t batch_members = 4096;

/// Fewer members than this get a directory each.
constexpr std::int64_t fewest_packed = 20;

bool is_intact(const fs::path& file) {
  try {
    return io::check_seal(file) == io::SealState::intact;
  } catch (const io::Error&) {
    return false;
  }
}

class SweepRun {
 public:
  SweepRun(const RunOptions& options, const std::vector<SimulationType>& types, io::Log& log, SignalWatcher& signals,
           std::mutex& directory_mutex, std::unique_ptr<SweepDirectory>& directory)
      : options_(options),
        types_(types),
        log_(log),
        signals_(signals),
        directory_mutex_(directory_mutex),
        directory_(directory) {}

  ExitCode run() {
    const SweepPlan plan(options_.config, options_.overrides, types_);
    const SweepTask task = find_task(options_.task, [](const char* name) { return std::getenv(name); });
    if (options_.profile && task.count > 1)
      throw io::Error(ExitCode::command_line,
                      "--profile is for a sweep in one process, and this is one task of several: leave it out, or run "
                      "the sweep, or a member's config, by itself");
    for (const std::string& warning : plan.config().warnings) log_.warning(warning);
    const SweepCheck check = plan.check();
    for (const std::string& warning : check.warnings) log_.warning(warning);
    RunDevice device = pick_device(options_, plan.config().common);
    take_directory(plan, task);
    inputs_ = InputWatch(check.inputs);
    origin_ = {config_hash(plan), std::string(kernels::name(device.choice.device.backend)), "", inputs_.hashes()};
    const auto kept = directory_->resumed() ? read_origin(directory_->path()) : std::nullopt;
    hold_to(kept, device);
    read_earlier(plan, task);
    if (const auto left = members_left(plan, task); left.empty()) return nothing_left(plan, task);
    directory_->write_config(plan, types_);
    if (!kept) hold_to(keep_origin(directory_->path(), origin_), device);
    start_log(plan, task, device);
    const bool all_done = run_members(plan, task, device);
    return end(plan, task, all_done);
  }

 private:
  double now() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - options_.process_start).count();
  }
  bool late(double reserve) const { return options_.max_walltime && now() + reserve > *options_.max_walltime; }

  /// All members are to be of one instruction set and of the same input files, whichever processes make them: those of
  /// the first one (`kept`), or of this one.
  void hold_to(const std::optional<SweepOrigin>& kept, RunDevice& device) {
    if (kept) check_inputs(kept->inputs, origin_.inputs, "this sweep");
    if (kept && kept->backend != origin_.backend)
      log_.warning(fmt::format("the sweep was begun on {}, this process computes on {}: members of both differ in bits",
                               kept->backend, origin_.backend));
    const bool same_backend = kept && kept->backend == origin_.backend;
    settle_instruction_set(device, options_.isa, same_backend ? kept->isa : "", "the sweep");
    if (device.choice.device.backend == kernels::Backend::cpu) origin_.isa = kernels::name(device.choice.device.isa);
    if (kept) origin_.config = kept->config;
  }

  void take_directory(const SweepPlan& plan, const SweepTask& task) {
    auto directory = std::make_unique<SweepDirectory>(
        plan, task, options_, types_, [&](const std::string& line) { log_.info(line); },
        [&](const std::string& line) { log_.warning(line); });
    {
      const std::lock_guard guard(directory_mutex_);
      directory_ = std::move(directory);
    }
    if (task.count == 1) io::fs::remove_temporaries(directory_->path());  // of processes that were killed
  }

  void read_earlier(const SweepPlan& plan, const SweepTask& task) {
    if (directory_->resumed())
      records_ = read_records(plan, directory_->path(),
                              [&](const fs::path& file, const std::string& why) { set_aside(file, why, plan, task); });
    for (std::int64_t m = std::ssize(records_); m < plan.members(); ++m) records_.emplace_back().member = m;
    const SimulationType& type = find_type(plan.config().common.simulation, types_);
    for (MemberRecord& record : records_)
      if (record.status == Status::done && !record.packed && task.has(record.member) &&
          !find_lost_results(directory_->path() / record.place, type).none())
        record.status = Status::pending;  // its run says what is lost
  }

  /// Its members are made again, into a file that may have its name. Of several tasks that see the damage the one whose
  /// member is its first moves it: for another the name may be that of a new file by now.
  void set_aside(const fs::path& file, const std::string& why, const SweepPlan& plan, const SweepTask& task) {
    const fs::path path = directory_->path() / file;
    if (!task.has(first_member(file)) || is_usable(plan, directory_->path(), file))
      return log_.warning(fmt::format("{}: {}; the members in it are run again", path.string(), why));
    try {
      io::fs::rename_file(path, path.string() + ".damaged");
      log_.warning(fmt::format("{}: {}; it is now {}.damaged and its members are run again", path.string(), why,
                               path.filename().string()));
    } catch (const io::fs::SystemError& e) {
      if (e.number() != ENOENT) throw;
    }
  }

  std::vector<std::int64_t> members_left(const SweepPlan& plan, const SweepTask& task) const {
    std::vector<std::int64_t> left;
    for (std::int64_t m = task.index; m < plan.members(); m += task.count)
      if (records_[static_cast<std::size_t>(m)].status != Status::done) left.push_back(m);
    return left;
  }

  /// An index that was lost or damaged is made again, one that is whole is left as it is.
  ExitCode nothing_left(const SweepPlan& plan, const SweepTask& task) {
    const fs::path sweep = directory_->path();
    const bool whole = is_intact(sweep / "sweep.h5") && io::read_text(sweep / "sweep.csv") == index_csv(plan, records_);
    if (!whole) write_index(plan, sweep, [](const fs::path&, const std::string&) {});
    log_.result(fmt::format("{}: the {} members{} are finished: nothing to do{}", sweep.string(),
                            task.share(plan.members()), task.count > 1 ? " of this task" : "",
                            whole ? "" : "; the index was made again"));
    return ExitCode::done;
  }

  void start_log(const SweepPlan& plan, const SweepTask& task, const RunDevice& device) {
    log_.open(directory_->log_file());
    const io::BuildInfo build = io::build_info();
    log_.info(fmt::format("ergode {} ({}): {} `{}`, a sweep of {} members", build.version, build.commit,
                          plan.config().common.simulation, plan.config().common.name, plan.members()));
    if (task.count > 1)
      log_.info(fmt::format("task {} of {} (counted from 0): {} members, by {}", task.index, task.count,
                            task.share(plan.members()), task.source));
    log_.info(device_line(device));
    log_.info("output: " + directory_->path().string());
    log_.file_only("command: " + options_.command_line);
  }

  bool packed(std::int64_t member, const LoadedConfig& config, const SweepPlan& plan, const RunDevice& device) const {
    if (fs::exists(directory_->path() / member_directory(member) / "checkpoint.h5")) return false;
    if (plan.settings().packed != Packing::automatic) return plan.settings().packed == Packing::always;
    if (plan.members() < fewest_packed) return false;
    try {
      return is_small(config.simulation->estimate(device.choice.device));
    } catch (const io::Error&) {
      return false;  // an input file, say: the run itself says what is wrong with it
    }
  }

  /// Runs what is left; false when it was stopped before.
  bool run_members(const SweepPlan& plan, const SweepTask& task, const RunDevice& device) {
    const std::vector<std::int64_t> left = members_left(plan, task);
    const std::int64_t share = task.share(plan.members());
    std::int64_t ended = share - std::ssize(left);
    if (ended > 0) log_.info(fmt::format("{} of {} members are done already", ended, share));
    const io::Attributes provenance = make_provenance(device, options_);
    io::DiskRetry retry = disk_retry_until([&] { return signals_.stop_signal() != 0 || late(0); },
                                           [&](const std::string& line) { log_.warning(line); });
    MemberBatch batch(provenance);
    double batch_start = now(), worst_seal = 0;
    const auto seal = [&](const io::DiskRetry& patience) {
      if (batch.empty()) return;
      directory_->require_lock();
      const kernels::Scope scope(kernels::Phase::files, "members in shared files");
      const double before = now();
      const std::size_t members = batch.size();
      for (MemberRecord& record : batch.seal(directory_->path(), patience)) keep(std::move(record));
      worst_seal = std::max(worst_seal, now() - before);
      log_.file_only(fmt::format("{} members sealed in {}", members, io::duration_text(now() - before)));
    };
    const auto reserve = [&] { return 2 * worst_seal + 0.5 + std::min(0.01 * options_.max_walltime.value_or(0), 5.0); };
    io::ProgressDisplay display(log_, options_.progress);
    const auto shown = [&](const std::string& detail) { return io::ProgressState{ended, share, "member", detail}; };
    display.start(shown(""), now());
    std::int64_t current = 0;
    const MemberSurroundings around{options_,
                                    types_,
                                    device,
                                    provenance,
                                    signals_,
                                    directory_->path(),
                                    [&](std::int64_t m) { return member_identity(plan, origin_.config, m); },
                                    [&] { return signals_.stop_signal() != 0 || late(reserve()); },
                                    [&](const Progress& p) {
                                      display.show(shown(fmt::format("{}: {} {} of {} {}", member_name(current),
                                                                     p.unit_name, p.unit, p.total, p.detail)),
                                                   now());
                                    },
                                    log_};
    bool stopped = false;
    try {
      for (const std::int64_t member : left) {
        stopped = around.stop();
        if (stopped) break;
        current = member;
        LoadedConfig config = plan.load_member(member);
        inputs_.check(config.simulation->input_files());
        MemberOutcome outcome;
        if (packed(member, config, plan, device)) {
          if (batch.empty()) batch_start = now();
          outcome = run_in_memory(member, config, around);
          stopped = outcome.stopped;
          if (!stopped && !is_fatal(outcome.code)) batch.add(outcome.record, std::move(outcome.files));
        } else {
          seal(retry);
          directory_->require_lock();
          directory_->enter(member_directory(member));
          outcome = run_in_directory(member, std::move(config), around);
          stopped = outcome.stopped;
          if (!stopped && !outcome.in_use) keep(outcome.record);
        }
        if (stopped) break;
        if (outcome.in_use) {
          directory_->require_lock();  // nobody has taken the sweep over with it
          ++in_use_;
          continue;
        }
        if (outcome.record.status == Status::failed) say_failed(plan, outcome);
        ++ended;
        display.show(shown(""), now());
        const bool asked = signals_.take_checkpoint_request();
        if (asked || now() - batch_start > batch_seconds || batch.bytes() > batch_bytes ||
            batch.size() >= batch_members)
          seal(retry);
      }
      seal(retry);
    } catch (...) {
      display.finish();
      const std::exception_ptr first = std::current_exception();
      try {
        seal({});  // what ended the sweep may be a full disk that was waited for
      } catch (...) {
        log_.file_only("the members in memory could not be sealed: " + explain(std::current_exception()).message);
      }
      std::rethrow_exception(first);
    }
    display.show(shown(""), now());
    display.finish();
    return !stopped && in_use_ == 0;
  }

  void keep(MemberRecord record) {
    const auto at = static_cast<std::size_t>(record.member);
    records_[at] = std::move(record);
  }

  /// What would meet all others too ends the sweep.
  void say_failed(const SweepPlan& plan, const MemberOutcome& outcome) {
    const std::string what = plan.describe(outcome.record.member) + ": " + outcome.record.error;
    if (is_fatal(outcome.code)) throw io::Error(outcome.code, what);
    log_.file_only("failed: " + what);
  }

  std::vector<MemberRecord> make_index(const SweepPlan& plan) const {
    const kernels::Scope scope(kernels::Phase::files, "index");
    return write_index(plan, directory_->path(),
                       [&](const fs::path& file, auto& why) { log_.warning(file.string() + ": " + why); });
  }

  ExitCode end(const SweepPlan& plan, const SweepTask& task, bool all_done) {
    directory_->require_lock();
    const std::vector<MemberRecord> all = make_index(plan);
    refuse_lost(all, task);
    std::int64_t failed = 0;
    constexpr std::int64_t most_named = 20;
    for (const MemberRecord& record : records_) {
      if (record.status != Status::failed || !task.has(record.member)) continue;
      if (++failed <= most_named) log_.error(plan.describe(record.member) + ": " + record.error);
    }
    if (failed > most_named) log_.error(fmt::format("and {} more members failed: see sweep.csv", failed - most_named));
    report_profile(log_, directory_->path());
    log_.info(fmt::format("{}: {} in {}; results in {}", all_done ? "finished" : "stopped", counts_text(all, task),
                          io::duration_text(now()), directory_->path().string()));
    if (!all_done) {
      log_.info(fmt::format("{}: `--resume` continues", why_stopped()));
      return ExitCode::resume_me;
    }
    return failed > 0 ? ExitCode::sweep_members : ExitCode::done;
  }

  /// What this process has recorded must be there at the end: somebody may have moved or removed it, and then the sweep
  /// is not finished.
  void refuse_lost(const std::vector<MemberRecord>& all, const SweepTask& task) const {
    std::int64_t lost = 0, first = -1;
    for (const MemberRecord& mine : records_) {
      const bool recorded = mine.status != Status::pending && task.has(mine.member);
      if (!recorded || all[static_cast<std::size_t>(mine.member)].status != Status::pending) continue;
      if (lost++ == 0) first = mine.member;
    }
    if (lost == 0) return;
    throw io::Error(
        ExitCode::io,
        fmt::format("{}: {} members that were done, {} the first of them, are not in it any more: their files "
                    "were removed, moved or damaged meanwhile; `--resume` computes them again",
                    directory_->path().string(), lost, member_name(first)));
  }

  std::string counts_text(const std::vector<MemberRecord>& all, const SweepTask& task) const {
    const SweepCounts counts = count(all);
    const auto to_be_done = [](std::int64_t n) { return n > 0 ? fmt::format(", {} to be done", n) : std::string(); };
    if (task.count == 1)
      return fmt::format("{} of {} members done, {} failed{}", counts.done, counts.members, counts.failed,
                         to_be_done(counts.pending()));
    std::vector<MemberRecord> own;
    std::copy_if(all.begin(), all.end(), std::back_inserter(own), [&](const auto& r) { return task.has(r.member); });
    const SweepCounts mine = count(own);
    return fmt::format("{} of {} members of this task done, {} failed{} ({} of {} of the whole sweep done)", mine.done,
                       mine.members, mine.failed, to_be_done(mine.pending()), counts.done, counts.members);
  }

  std::string why_stopped() const {
    if (signals_.stop_signal() != 0) return fmt::format("{} received", signal_name(signals_.stop_signal()));
    if (in_use_ > 0) return fmt::format("{} members are in use by other processes", in_use_);
    return "the wall-time limit is near";
  }

  const RunOptions& options_;
  const std::vector<SimulationType>& types_;
  io::Log& log_;
  SignalWatcher& signals_;
  std::mutex& directory_mutex_;
  std::unique_ptr<SweepDirectory>& directory_;
  std::vector<MemberRecord> records_;  ///< of all members, as this process knows them
  InputWatch inputs_;
  SweepOrigin origin_;       ///< of this process; what an earlier one kept comes first
  std::int64_t in_use_ = 0;  ///< members that were left to other processes
};

}  // namespace

bool is_small(const Estimate& estimate) {
  return estimate.work <= 1e8 && estimate.disk_bytes <= (std::int64_t{1} << 20);
}

ExitCode run_sweep(const RunOptions& options, const std::vector<SimulationType>& types, io::Log& log) {
  ignore_write_signals();
  std::mutex mutex;
  std::unique_ptr<SweepDirectory> directory;
  SignalWatcher signals([&](int) {
    const std::lock_guard guard(mutex);
    if (directory) directory->release();
  });
  std::optional<kernels::Profile> profile;
  if (options.profile) profile.emplace(options.process_start);
  ExitCode code = ExitCode::done;
  try {
    code = SweepRun(options, types, log, signals, mutex, directory).run();
  } catch (...) {
    const Failure failure = explain(std::current_exception());
    log.console().clear_bar();
    log.error(failure.message);
    code = failure.code;
  }
  log.file_only(fmt::format("exit code {}", static_cast<int>(code)));
  return code;
}

}  // namespace ergode::sim
