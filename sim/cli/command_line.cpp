#include "sim/cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "io/run/build_info.hpp"
#include "kernels/device/device_sum.hpp"
#include "sim/cli/arguments.hpp"
#include "sim/cli/bench.hpp"
#include "sim/cli/commands.hpp"
#include "sim/device/choose.hpp"
#include "sim/ranks/leader.hpp"
#include "sim/ranks/same_run.hpp"
#include "sim/ranks/serve.hpp"
#include "sim/runner/failure.hpp"
#include "sim/runner/signals.hpp"
#include "sim/sweep/plan.hpp"
#include "sim/sweep/run_sweep.hpp"

namespace ergode::sim {
namespace {

using io::ExitCode;

/// What the options of all commands are read into.
struct Arguments {
  RunOptions run;
  std::string directory;
  std::vector<std::string> set;
  std::string device;
  int threads = 0;
  std::string walltime;
  std::string task;
  std::string exists = "fail";
  std::string progress = "auto";
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  bool markdown = false;
  std::string path;
  std::string other_path;
  std::string type;
  double rtol = 0;
  BenchOptions bench;
};

std::string check_device(const std::string& text) {
  return is_device_name(text) ? "" : fmt::format("`{}` is no device; allowed are auto, cpu, cuda and cuda:N", text);
}

CLI::IsMember one_of(std::vector<std::string> words) {
  return CLI::IsMember(std::move(words));
}

std::string check_walltime(const std::string& text) {
  return parse_walltime(text) ? "" : fmt::format("`{}` is no time; write H:MM:SS, MM:SS, D-H:MM:SS or seconds", text);
}

std::string check_task(const std::string& text) {
  return parse_task(text) ? "" : fmt::format("`{}` is no task; write I/N with I from 0 to N - 1", text);
}

void add_config_options(CLI::App& command, Arguments& a) {
  command.add_option("config", a.path, "the YAML file")->required()->type_name("CONFIG");
  command.add_option("-o,--output", a.directory, "run directory (output.directory)")->type_name("DIR");
  command.add_option("--set", a.set, "replace one value of the config; may be given several times")
      ->type_name("key.path=value")
      ->expected(1)
      ->take_all();
  command.add_option("--device", a.device, "auto, cpu, cuda or cuda:N")->type_name("DEVICE")->check(check_device);
  // Of several the last counts, so that a job script can give one.
  command.add_option("--threads", a.threads, "CPU threads")->type_name("N")->check(CLI::Range(1, 65536))->take_last();
  command.add_option("--isa", a.run.isa, "instruction set of the CPU loops: auto, baseline, avx2 or avx512")
      ->type_name("ISA")
      ->check(one_of({"auto", "baseline", "avx2", "avx512"}));
}

void add_run(CLI::App& program, Arguments& a) {
  CLI::App& run = *program.add_subcommand("run", "run a simulation");
  add_config_options(run, a);
  run.add_flag("--resume", a.run.resume, "continue where there is a checkpoint, start where there is none");
  run.add_option("--exists", a.exists, "what to do with a run that is in the directory: fail, backup or overwrite")
      ->type_name("WHAT")
      ->check(one_of({"fail", "backup", "overwrite"}));
  run.add_option("--max-walltime", a.walltime, "checkpoint and stop (exit 75) before this much time has passed")
      ->type_name("H:MM:SS")
      ->check(check_walltime);
  run.add_option("--task", a.task,
                 "of a sweep the share of one of N tasks, counted from 0; a Slurm job array says it itself")
      ->type_name("I/N")
      ->check(check_task);
  run.add_flag("--share-devices", a.run.share_devices, "let MPI ranks of a node share a GPU");
  run.add_flag("--profile", a.run.profile, "say where the time went, and write it to profile.json");
  run.add_option("--progress", a.progress, "auto, bar, lines or none")
      ->type_name("STYLE")
      ->check(one_of({"auto", "bar", "lines", "none"}))
      ->take_last();
  CLI::Option* quiet = run.add_flag("-q,--quiet", a.quiet, "warnings and errors only");
  run.add_flag("-v,--verbose", a.verbose, "say more")->excludes(quiet);
}

void add_others(CLI::App& program, Arguments& a) {
  add_config_options(*program.add_subcommand("validate", "check a config, estimate memory, disk and work; run nothing"),
                     a);
  program.add_subcommand("devices", "list every device: name, memory, usable or why not")
      ->add_flag("--json", a.json, "for programs to read");
  program.add_subcommand("info", "what a file or run directory is, and how far it got")
      ->add_option("path", a.path)
      ->required();
  program.add_subcommand("verify", "check the checksums of a file or run directory")
      ->add_option("path", a.path)
      ->required();
  CLI::App& diff = *program.add_subcommand(
      "diff", "compare the scientific content of two runs or files: exit 0 when equal, 1 when not");
  diff.add_option("a", a.path)->required();
  diff.add_option("b", a.other_path)->required();
  diff.add_option("--rtol", a.rtol, "largest relative difference that counts as equal (0: bitwise)")
      ->type_name("X")
      ->check(CLI::NonNegativeNumber);
  CLI::App& schema = *program.add_subcommand("schema", "every key of a config with type, unit, default and meaning");
  schema.add_option("type", a.type, "a simulation type; all when left out");
  schema.add_flag("--markdown", a.markdown, "as it is in docs/configuration.md");
  program.add_subcommand("new", "print a commented config to start from")
      ->add_option("type", a.type, "a simulation type")
      ->required();
}

void add_bench(CLI::App& program, Arguments& a) {
  CLI::App& bench = *program.add_subcommand("bench", "measure this machine's rates, and the ceilings beside them");
  bench.add_option("what", a.bench.what, "nbody: direct summation; options: Monte Carlo paths; both when left out")
      ->check(one_of({"nbody", "options"}));
  bench.add_option("--json", a.bench.json, "write the figures to this file too, with every row anew")
      ->type_name("FILE");
  bench.add_option("--device", a.bench.device, "auto, cpu, cuda or cuda:N")->type_name("DEVICE")->check(check_device);
  bench.add_option("--threads", a.bench.threads, "CPU threads")->type_name("N")->check(CLI::Range(1, 65536));
  bench.add_option("--isa", a.bench.isa, "instruction set of the CPU loops: auto, baseline, avx2 or avx512")
      ->type_name("ISA")
      ->check(one_of({"auto", "baseline", "avx2", "avx512"}));
  bench.add_flag("--quick", a.bench.quick, "small sizes and short samples: to see that it works");
  bench.add_option("--seconds", a.bench.seconds, "about how long one figure may take (2)")
      ->type_name("S")
      ->check(CLI::Range(1e-6, 1e6));
  bench.add_option("--longest", a.bench.longest, "leave out sizes of which one step or pricing takes longer (4)")
      ->type_name("S")
      ->check(CLI::Range(1e-6, 1e6));
  const auto sizes = [&](const char* name, std::vector<std::int64_t>& into, const char* what, std::int64_t most) {
    bench.add_option(name, into, what)->type_name("N")->check(CLI::Range(std::int64_t{1}, most));
  };
  sizes("--bodies", a.bench.bodies, "numbers of bodies, of nbody", 100'000'000);
  sizes("--paths", a.bench.paths, "numbers of paths of one option, of options", 1'000'000'000'000);
  sizes("--batch", a.bench.batches, "numbers of options in a batch, of options", 1'000'000);
}

/// Flags that stand for a key of the config become overrides, so that config.used.yaml can be run as it is.
void complete(Arguments& a, int argc, const char* const* argv) {
  RunOptions& run = a.run;
  run.config = a.path;
  run.overrides = a.set;
  if (!a.directory.empty()) run.overrides.push_back("output.directory=" + yaml_quote(a.directory));
  if (!a.device.empty()) run.overrides.push_back("device=" + yaml_quote(a.device));
  if (a.threads > 0) run.overrides.push_back("threads=" + std::to_string(a.threads));
  if (!a.device.empty()) run.device = a.device;
  if (!a.walltime.empty()) run.max_walltime = parse_walltime(a.walltime);
  if (!a.task.empty()) run.task = parse_task(a.task);
  if (run.resume && a.exists != "fail")
    throw io::Error(
        ExitCode::command_line,
        fmt::format("--exists {} and --resume (which job scripts give by themselves) exclude each other: the "
                    "one is for a new run, the other goes on with the old one; leave one out, or choose "
                    "another directory (-o DIR)",
                    a.exists));
  run.exists = a.exists == "backup" ? Exists::backup : a.exists == "overwrite" ? Exists::overwrite : Exists::fail;
  run.progress = a.progress == "bar"     ? io::ProgressStyle::bar
                 : a.progress == "lines" ? io::ProgressStyle::lines
                 : a.progress == "none"  ? io::ProgressStyle::none
                                         : io::ProgressStyle::automatic;
  run.command_line = join_command(argc, argv);
}

ExitCode run_config(const RunOptions& options, const std::vector<SimulationType>& types, io::Log& log) {
  if (has_sweep(options.config, options.overrides)) {
    if (options.leader != nullptr)
      throw io::Error(ExitCode::command_line,
                      fmt::format("{} has a sweep, whose members are runs of their own and are not shared out over MPI "
                                  "ranks: start it without mpirun, or as tasks (`--task I/N`, or a Slurm job array)",
                                  options.config.string()));
    return run_sweep(options, types, log);
  }
  if (options.task)
    throw io::Error(ExitCode::command_line,
                    fmt::format("--task is for configs with a sweep, and {} has none", options.config.string()));
  return run(options, types, log);
}

/// As one of several processes that a launcher started together: rank 0 runs, the others help it.
ExitCode run_as_rank(const Launch& launch, RunOptions options, const std::vector<SimulationType>& types, io::Log& log) {
  const std::unique_ptr<Ranks> ranks = connect_ranks(launch, build_name());
  if (!ranks) return ExitCode::done;
  const std::vector<Bytes> wanted = ranks->gather(wanted_run(options));
  if (ranks->rank() != 0) return serve(*ranks);
  Leader leader(*ranks);
  options.leader = &leader;
  ExitCode code = ExitCode::internal;
  try {
    check_same_run(wanted);
    code = run_config(options, types, log);
  } catch (...) {
    const Failure failure = explain(std::current_exception());
    log.error(failure.message);
    code = failure.code;
  }
  leader.finish(code);
  return code;
}

ExitCode dispatch(const std::string& command, Arguments& a, const Launch& launch,
                  const std::vector<SimulationType>& types, io::Log& log) {
  const std::optional<std::string> type = a.type.empty() ? std::nullopt : std::optional(a.type);
  if (command == "run") return launch.size > 1 ? run_as_rank(launch, a.run, types, log) : run_config(a.run, types, log);
  if (command == "validate")
    return has_sweep(a.run.config, a.run.overrides) ? validate_sweep(a.run, types, log) : validate(a.run, types, log);
  if (command == "devices") return list_devices(a.json, log);
  if (command == "info") return show_info(a.path, types, log);
  if (command == "verify") return verify_checksums(a.path, types, log);
  if (command == "diff") return show_difference(a.path, a.other_path, a.rtol, types, log);
  if (command == "schema") return show_schema(type, a.markdown, types, log);
  if (command == "bench") return bench(a.bench, log);
  if (command == "new") return show_example(a.type, types, log);
  throw io::Error(ExitCode::internal, "command `" + command + "` has no code");
}

std::string version_text() {
  const io::BuildInfo b = io::build_info();
  const std::string sums = kernels::device_sum_library();
  return fmt::format("ergode {} (commit {}, {}, {}, HDF5 {}, CUDA {}, MPI {}{})", b.version, b.commit, b.compiler,
                     b.build_type, b.hdf5, b.cuda_compiler.empty() ? "no" : b.cuda_compiler,
                     mpi_version().empty() ? "no" : mpi_version(), sums.empty() ? "" : ", " + sums);
}

/// Help and version are no errors; all else is exit 2 with what is wrong and where to look.
ExitCode parse_problem(const CLI::App& program, const CLI::ParseError& problem, io::Console& console) {
  std::ostringstream out, error;
  const int code = program.exit(problem, out, error);
  std::string text = code == 0 ? out.str() : problem.what();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (code == 0) {
    console.out(text);
    return ExitCode::done;
  }
  std::string where = "ergode";
  for (const CLI::App* command : program.get_subcommands()) where += " " + command->get_name();
  console.error(fmt::format("error: {}\n`{} --help` shows what is allowed", text, where));
  return ExitCode::command_line;
}

/// What is wrong with the first word when it is no command; empty when it is one, or an option.
std::string unknown_command(const CLI::App& program, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  std::string names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[1]) return {};
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return fmt::format("error: unknown command `{}`; there are: {}", argv[1], names);
}

}  // namespace

int command_line(int argc, const char* const* argv, const std::vector<SimulationType>& types) {
  using namespace std::chrono_literals;
  Launch launch = find_launch([](const char* name) { return std::getenv(name); });
  // What is wrong with the command line is the same for all that were started together, and of a run only rank 0
  // speaks.
  io::Console person, nobody(-1, -1);
  io::Console& console = launch.rank > 0 ? nobody : person;
  // Launchers kill all at the error of one: rank 0 is given the time to have spoken. Where it has, its own error ends
  // this wait.
  const auto refuse = [&launch](ExitCode code) {
    if (launch.rank > 0 && code != ExitCode::done) std::this_thread::sleep_for(10s);
    return static_cast<int>(code);
  };
  try {
    ignore_write_signals();
    Arguments arguments;
    CLI::App program("Simulations from one YAML file to HDF5, on a GPU or on CPU threads.", "ergode");
    program.set_version_flag("--version", version_text());
    program.failure_message(CLI::FailureMessage::simple);
    program.require_subcommand(1);
    add_run(program, arguments);
    add_others(program, arguments);
    add_bench(program, arguments);
    if (const std::string problem = unknown_command(program, argc, argv); !problem.empty()) {
      console.error(problem);
      return refuse(ExitCode::command_line);
    }
    try {
      program.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
      return refuse(parse_problem(program, problem, console));
    }
    complete(arguments, argc, argv);
    const std::string command = program.get_subcommands().front()->get_name();
    // Tasks of a sweep, and other commands, have nothing to say to each other, whoever started them.
    if (command != "run" || arguments.run.task) launch = {};
    const auto verbosity = arguments.quiet     ? io::Verbosity::quiet
                           : arguments.verbose ? io::Verbosity::verbose
                                               : io::Verbosity::normal;
    io::Log log(launch.rank > 0 ? nobody : person, verbosity);
    const ExitCode code = dispatch(command, arguments, launch, types, log);
    // A run leaves its results in files; of the others the output is all there is.
    if (console.lost_output() && command != "run" && code == ExitCode::done)
      throw io::Error(ExitCode::io, "the output could not be written: no space left");
    return static_cast<int>(code);
  } catch (...) {
    const Failure failure = explain(std::current_exception());
    console.error("error: " + failure.message);
    return refuse(failure.code);
  }
}

}  // namespace ergode::sim
