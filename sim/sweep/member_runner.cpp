#include "sim/sweep/member_runner.hpp"

#include <exception>

#include "io/run/json.hpp"
#include "io/run/text_file.hpp"
#include "sim/runner/failure.hpp"
#include "sim/runner/loop.hpp"
#include "sim/sweep/directory.hpp"
#include "sim/sweep/plan.hpp"

namespace ergode::sim {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

RunContext context_of(std::int64_t member, const LoadedConfig& config, const MemberSurroundings& around,
                      std::shared_ptr<io::RunOutput> output) {
  RunContext context;
  context.name = config.common.name;
  context.output = std::move(output);
  context.device = around.device.choice.device;
  context.threads = around.device.threads;
  context.seed = config.common.seed;
  context.info = [](const std::string&) {};
  context.warning = [&around, member](const std::string& line) {
    around.log.warning(member_name(member) + ": " + line);
  };
  return context;
}

void set_failed(MemberOutcome& outcome, Failure failure) {
  outcome.code = failure.code;
  outcome.record.status = MemberRecord::Status::failed;
  outcome.record.error = std::move(failure.message);
}

/// A member that failed before its first state has left nothing, or what an earlier process said, so it is said here.
void leave_report(const std::filesystem::path& directory, const LoadedConfig& config, const MemberOutcome& outcome) {
  const std::string said = io::read_text(directory / "summary.json").value_or("");
  const auto state = io::json_field(said, "state");
  if (state == "finished" || (state == "failed" && io::json_field(said, "message") == outcome.record.error)) return;
  const EarlierRuns earlier = read_earlier_runs(directory);
  RunReport report;
  report.resumes = earlier.resumes;
  report.earlier_seconds = earlier.seconds;
  report.simulation = config.common.simulation;
  report.name = config.common.name;
  report.identity = outcome.record.identity;
  report.state = "failed";
  report.exit_code = outcome.code;
  report.message = outcome.record.error;
  io::make_writable_directory(directory);
  write_report(directory, report);
}

}  // namespace

bool is_fatal(io::ExitCode code) {
  return code == io::ExitCode::io || code == io::ExitCode::gpu || code == io::ExitCode::no_device;
}

MemberOutcome run_in_memory(std::int64_t member, const LoadedConfig& config, const MemberSurroundings& around) {
  MemberOutcome outcome;
  outcome.record.member = member;
  outcome.record.identity = around.identity(member);
  const auto output = std::make_shared<io::MemoryOutput>();
  std::unique_ptr<Simulation> simulation;
  try {
    simulation = config.simulation->make(context_of(member, config, around, output));
    simulation->initialise();
    LoopHooks hooks;
    hooks.now = [&] { return seconds_since(around.options.process_start); };
    hooks.stop_signal = [&] { return around.stop() ? SIGTERM : 0; };
    hooks.take_checkpoint_request = [] { return false; };
    hooks.show = [](const Progress&) {};
    const LoopResult result = run_loop(*simulation, {}, hooks);
    outcome.stopped = result.stop != Stop::done;
    if (outcome.stopped) return outcome;
    simulation->finish();
    outcome.record.results = simulation->summary();
    outcome.record.status = MemberRecord::Status::done;
    outcome.files = std::move(output->files());
  } catch (...) {
    set_failed(outcome, explain(std::current_exception()));
    // After an error of the GPU even freeing its memory would be a call to it.
    if (outcome.code == io::ExitCode::gpu) static_cast<void>(simulation.release());
  }
  return outcome;
}

MemberOutcome run_in_directory(std::int64_t member, LoadedConfig config, const MemberSurroundings& around) {
  MemberOutcome outcome;
  outcome.record.member = member;
  outcome.record.identity = around.identity(member);
  const std::filesystem::path directory = config.common.output.directory;
  RunOptions options = around.options;
  options.resume = true;
  options.exists = Exists::fail;
  options.profile = false;
  LoadedConfig failed_config;
  failed_config.common = config.common;
  io::Log log(around.log.console(), io::Verbosity::quiet);
  log.speak_as(member_name(member) + ": ");
  const RunReport report =
      run_shared(options, {std::move(config), outcome.record.identity, around.device, around.signals, around.show},
                 around.types, log);
  outcome.record.place = member_directory(member).string();
  if (report.exit_code == io::ExitCode::resume_me) {
    outcome.stopped = true;
  } else if (report.exit_code == io::ExitCode::io && live_owner(directory)) {
    outcome.in_use = true;  // the lock of this process is given back by now, so it is another's
  } else if (report.exit_code == io::ExitCode::done) {
    outcome.record.status = MemberRecord::Status::done;
    outcome.record.results = report.summary;
  } else {
    set_failed(outcome, {report.exit_code, report.message});
    if (!is_fatal(outcome.code)) leave_report(directory, failed_config, outcome);
  }
  return outcome;
}

}  // namespace ergode::sim
