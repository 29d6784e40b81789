#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "sim/ranks/ranks.hpp"
#include "sim/ranks/same_run.hpp"
#include "tests/mpi/launch.hpp"

// Signals and failures that meet one rank of several.

using namespace ergode;
using namespace ergode::testing;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Enough steps that no test sees the last of them.
const std::vector<std::string> endless{"--set", "integrator.end_time=10000",  "--set", "output.snapshots.interval=1000",
                                       "--set", "output.series.interval=1000"};

/// Runs of some ranks without an end, and what is left when they were stopped.
struct Endless : TemporaryDirectory {
  explicit Endless(int ranks)
      : child((write_bodies(*this), start_ranks(*this, ranks, run_of(*this, "bodies.yaml", "run", endless)))) {
    REQUIRE(eventually([&] { return fs::exists(*this / "run/checkpoint.h5"); }));
    for (int r = 0; r < ranks; ++r) {
      pids.push_back(process_of_rank(child.pid(), r));
      REQUIRE(pids.back() > 0);
    }
  }
  pid_t rank(int r) const { return pids.at(static_cast<std::size_t>(r)); }
  /// Of the launcher, when it has ended, and its ranks, of which a killed one may outlive it for a moment, are gone.
  Outcome outcome() const {
    if (!eventually([&] { return !child.running(); })) {
      child.kill(SIGKILL);
      FAIL("the launcher did not end");
    }
    for (const pid_t pid : pids) CHECK(eventually([&] { return !is_rank(pid); }));
    return child.wait();
  }
  /// Goes on alone for a while, and shows that the bits are those of a run that nothing disturbed.
  void check_resumable() const {
    const Outcome info = run_alone(*this, {"info", *this / "run"});
    INFO(info.out);
    const std::string end = "integrator.end_time=" + std::to_string(steps_done() / 64 + 1);
    const std::vector<std::string> to_end{
        "--set", end, "--set", "output.snapshots.interval=1000", "--set", "output.series.interval=1000"};
    auto resumed = run_of(*this, "bodies.yaml", "run", to_end);
    resumed.push_back("--resume");
    const Outcome rest = run_alone(*this, resumed);
    INFO(rest.error);
    REQUIRE(rest.code == 0);
    REQUIRE(run_alone(*this, run_of(*this, "bodies.yaml", "alone", to_end)).code == 0);
    check_equal(*this, "alone", "run");
  }
  std::int64_t steps_done() const {
    const std::string summary = slurp(*this / "run/summary.json");
    const auto at = summary.find("\"checkpoint_unit\": ");
    REQUIRE(at != std::string::npos);
    return std::stoll(summary.substr(at + 19));
  }
  Child child;
  std::vector<pid_t> pids;
};

}  // namespace

TEST_CASE("a signal that the launcher forwards stops all ranks with 75") {
  need_mpi();
  const Endless run(3);
  run.child.kill(SIGUSR1);
  const Outcome outcome = run.outcome();
  INFO(outcome.error);
  CHECK(outcome.code == 75);
  CHECK(has(outcome.out, "stopped with a checkpoint"));
  run.check_resumable();
}

TEST_CASE("a signal that reaches one rank stops all with 75") {
  need_mpi();
  const int rank = GENERATE(0, 1);
  const Endless run(2);
  ::kill(run.rank(rank), SIGTERM);
  const Outcome outcome = run.outcome();
  INFO("rank " << rank << "\n" << outcome.error);
  CHECK(outcome.code == 75);
  CHECK(has(outcome.out, "SIGTERM received"));
  run.check_resumable();
}

TEST_CASE("SIGTERM to the launcher, which then ends its ranks by its own rules, leaves what can be resumed") {
  need_mpi();
  const Endless run(2);
  run.child.kill(SIGTERM);
  const Outcome outcome = run.outcome();
  CHECK((outcome.code > 0 || outcome.signal > 0));
  run.check_resumable();
}

TEST_CASE("a rank that is killed ends all, and the run can be resumed") {
  need_mpi();
  const int rank = GENERATE(0, 1);
  const Endless run(2);
  ::kill(run.rank(rank), SIGKILL);
  const Outcome outcome = run.outcome();
  CHECK((outcome.code > 0 || outcome.signal > 0));
  run.check_resumable();
}

TEST_CASE("a rank that fails ends all with its message and its exit class") {
  need_mpi();
  const TemporaryDirectory d;
  write_bodies(d);
  write_book(d);
  struct Case {
    const char* config;
    RankFault fault;
  };
  for (const Case& c : {Case{"bodies.yaml", {0, "host_alloc:1"}}, Case{"bodies.yaml", {2, "host_alloc:1"}},
                        Case{"book.yaml", {1, "host_alloc:1"}}, Case{"book.yaml", {1, "host_alloc:4"}}}) {
    const Outcome outcome = run_ranks(d, 3, run_of(d, c.config, "run", {"--exists", "overwrite"}), c.fault);
    INFO(c.config << " rank " << c.fault.faulty << "\n" << outcome.error);
    CHECK(outcome.code == 6);
    const auto said = outcome.error.find("out of host memory");
    REQUIRE(said != std::string::npos);
    // Before the launcher says that all were ended (MPI may have had remarks on the machine), and once.
    CHECK(outcome.error.substr(0, said).find("MPI_ABORT") == std::string::npos);
    CHECK(outcome.error.find("out of host memory", said + 1) == std::string::npos);
    if (c.fault.faulty > 0) CHECK(has(outcome.error.substr(0, said), "rank " + std::to_string(c.fault.faulty)));
    CHECK_FALSE(fs::exists(d / "run/lock.json"));
  }
}

TEST_CASE(
    "what meets the directory of a run meets ranks as it does one process: taken, a file, another run's, finished") {
  need_mpi();
  const TemporaryDirectory d;
  write_bodies(d);
  const auto run = [&](const std::vector<std::string>& more) {
    return run_ranks(d, 2, run_of(d, "bodies.yaml", "run", more));
  };
  REQUIRE(run({}).code == 0);
  CHECK(run({}).code == 7);
  CHECK(run({"--exists", "backup"}).code == 0);
  const std::string before = slurp(d / "run/summary.json");
  const Outcome finished = run({"--resume"});
  CHECK(finished.code == 0);
  CHECK(has(finished.out, "finished"));
  CHECK(slurp(d / "run/summary.json") == before);
  const Outcome other = run({"--resume", "--set", "seed=4", "--set", "integrator.end_time=0.5"});
  CHECK(other.code == 3);
  CHECK(has(other.error, "seed"));
  CHECK(slurp(d / "run/summary.json") == before);
  spill(d / "file", "mine");
  CHECK(run_ranks(d, 2, run_of(d, "bodies.yaml", "file")).code == 7);
  CHECK(slurp(d / "file") == "mine");
}

TEST_CASE("ranks in a directory where others are at work end with 7 and name them") {
  need_mpi();
  const Endless run(2);
  const Outcome second = run_ranks(run, 2, run_of(run, "bodies.yaml", "run", {"--resume"}));
  INFO(second.error);
  CHECK(second.code == 7);
  CHECK(has(second.error, "process " + std::to_string(run.rank(0))));
  ::kill(run.rank(0), SIGTERM);
  CHECK(run.outcome().code == 75);
  run.check_resumable();
}

TEST_CASE("a wall-time limit stops ranks with 75, and damaged checkpoints are met as without ranks") {
  need_mpi();
  const TemporaryDirectory d;
  write_bodies(d);
  const auto limited = [&](int seconds) {
    std::vector<std::string> more{"--resume", "--max-walltime", std::to_string(seconds)};
    more.insert(more.end(), endless.begin(), endless.end());
    return run_ranks(d, 2, run_of(d, "bodies.yaml", "run", more));
  };
  const auto flip = [&](const char* file, std::size_t at) {
    std::string bytes = slurp(d / file);
    REQUIRE(bytes.size() > at);
    bytes[at] ^= 1;
    spill(d / file, bytes);
  };
  // A slow machine may be at its second checkpoint only after a longer time.
  for (int seconds = 4; !fs::exists(d / "run/checkpoint.prev.h5"); seconds *= 2) {
    REQUIRE(seconds <= 64);
    REQUIRE(limited(seconds).code == 75);
  }
  flip("run/checkpoint.h5", 5000);
  const Outcome resumed = limited(4);
  INFO(resumed.error);
  CHECK(resumed.code == 75);
  CHECK(has(resumed.error, "warning"));
  flip("run/checkpoint.h5", 6000);  // another one: where the time was too short for a checkpoint, it is the damaged one
  flip("run/checkpoint.prev.h5", 6000);
  CHECK(limited(4).code == 4);
}

TEST_CASE("a limit on the size of files stops ranks with 7 and leaves a place that can be used again") {
  need_mpi();
  const TemporaryDirectory d;
  write_bodies(d);
  REQUIRE(run_alone(d, run_of(d, "bodies.yaml", "alone")).code == 0);
  // Series and snapshots fit, a checkpoint does not: in blocks of 512 bytes.
  std::vector<std::string> all{
      "-n", "2", "/bin/sh", "-c", "ulimit -f 100; ERGODE_CHECKPOINT_RETRY=0 exec \"$@\"", "sh", ERGODE_PROGRAM};
  for (const std::string& argument : run_of(d, "bodies.yaml", "run")) all.push_back(argument);
  const Outcome full = Child(d.path(), all, permit, ERGODE_MPIEXEC).wait();
  INFO(full.error);
  CHECK(full.code == 7);
  CHECK_FALSE(fs::exists(d / "run/lock.json"));
  CHECK(run_ranks(d, 2, run_of(d, "bodies.yaml", "run", {"--exists", "overwrite"})).code == 0);
  check_equal(d, "alone", "run");
}

TEST_CASE("what is wrong with the input is said once, by rank 0") {
  need_mpi();
  const TemporaryDirectory d;
  write_bodies(d);
  spill(d / "bad.yaml", "simulation: nbody\nseed: -1\n");
  struct Case {
    int code;
    const char* config;
    std::vector<std::string> more;
    const char* said;
  };
  for (const Case& c : {Case{3, "bad.yaml", {}, "seed"}, Case{2, "bodies.yaml", {"--no-such-flag"}, "--no-such-flag"},
                        Case{2, "bodies.yaml", {"--set", "sweep={seeds: 3}"}, "has a sweep"}}) {
    const Outcome outcome = run_ranks(d, 3, run_of(d, c.config, "run", c.more));
    INFO(outcome.error);
    CHECK(outcome.code == c.code);
    const auto first = outcome.error.find("error: ");
    REQUIRE(first != std::string::npos);
    CHECK(has(outcome.error, c.said));
    CHECK(outcome.error.find("error: ", first + 1) == std::string::npos);
    CHECK_FALSE(fs::exists(d / "run"));
  }
}

TEST_CASE("rank 0 has said what is wrong before another rank's error lets the launcher kill it") {
  need_mpi();
  const TemporaryDirectory d;
  const std::string late =
      "[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 0 ] && sleep 2; exec \"$0\" run bodies.yaml --no-such-flag";
  const Outcome outcome =
      Child(d.path(), {"-n", "2", "/bin/sh", "-c", late, ERGODE_PROGRAM}, permit, ERGODE_MPIEXEC).wait();
  INFO(outcome.out << outcome.error);
  CHECK(outcome.code == 2);
  CHECK(has(outcome.error, "--no-such-flag"));
}

TEST_CASE("ranks that were given different runs are refused, in config, options and folder") {
  need_mpi();
  const TemporaryDirectory d;
  write_bodies(d);
  for (const char* folder : {"0", "1", "2"}) {
    fs::create_directory(d / folder);
    fs::copy_file(d / "bodies.yaml", d / folder / "bodies.yaml");
  }
  for (const char* started :
       {"exec \"$0\" run bodies.yaml -o run $([ $rank = 0 ] || echo --resume)",
        "exec \"$0\" run $rank/bodies.yaml -o run", "exec \"$0\" run bodies.yaml -o run$rank",
        "exec \"$0\" run bodies.yaml -o run --set seed=$rank", "cd $rank && exec \"$0\" run bodies.yaml -o run"}) {
    const std::string script = std::string("rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; ") + started;
    const Outcome outcome =
        Child(d.path(), {"-n", "3", "-wdir", d.path(), "/bin/sh", "-c", script, ERGODE_PROGRAM}, permit, ERGODE_MPIEXEC)
            .wait();
    INFO(started << "\n" << outcome.out << outcome.error);
    CHECK(outcome.code == 2);
    CHECK(has(outcome.error, "not given the same one"));
    CHECK(has(outcome.error, "rank 0: "));
    CHECK(has(outcome.error, "rank 1: "));
    for (const char* nothing : {"run", "run0", "0/run", "1/run"}) CHECK_FALSE(fs::exists(d / nothing));
  }
}

TEST_CASE("ranks of two builds are refused, whichever of them is rank 0") {
  need_mpi();
  const TemporaryDirectory d;
  write_bodies(d);
  const std::string other = fs::read_symlink("/proc/self/exe");
  for (const int foreign : {0, 1}) {
    INFO("rank " << foreign << " is of another build");
    std::vector<std::string> arguments;
    for (const int rank : {0, 1}) {
      auto one = run_of(d, "bodies.yaml", "run");
      if (rank == foreign) one = {"joins as another build"};
      arguments.insert(arguments.end(), {"-n", "1", rank == foreign ? other : ERGODE_PROGRAM});
      arguments.insert(arguments.end(), one.begin(), one.end());
      if (rank == 0) arguments.emplace_back(":");
    }
    const Outcome outcome = Child(d.path(), arguments, permit, ERGODE_MPIEXEC).wait();
    INFO(outcome.out << outcome.error);
    CHECK(outcome.code == 2);
    CHECK(has(outcome.error, "different builds"));
    CHECK(has(outcome.error, "ergode " + sim::build_name() + "\n"));
    CHECK(has(outcome.error, "ergode 0.0.9 (commit other)\n"));
    CHECK_FALSE(fs::exists(d / "run"));
  }
}

TEST_CASE("joins as another build", "[.another-build]") {
  const sim::Launch launch = sim::find_launch([](const char* name) { return std::getenv(name); });
  try {
    sim::connect_ranks(launch, "0.0.9 (commit other)");
  } catch (const io::Error& e) {
    // A launcher that kills at another rank's error has had the time for it.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::fprintf(stderr, "%s\n", e.what());
    std::_Exit(static_cast<int>(e.code()));
  }
}

TEST_CASE("several processes that do not find each other are no ranks, and refused") {
  const TemporaryDirectory d;
  write_bodies(d);
  const auto setup = [] {
    ::setenv("SLURM_STEP_NUM_TASKS", "2", 1);
    ::setenv("SLURM_PROCID", "0", 1);
  };
  const Outcome outcome = Child(d.path(), run_of(d, "bodies.yaml", "run"), setup, ERGODE_PROGRAM).wait();
  INFO(outcome.error);
  CHECK(outcome.code == 2);
  CHECK(has(outcome.error, "started 2 times together"));
  CHECK_FALSE(fs::exists(d / "run"));
}
