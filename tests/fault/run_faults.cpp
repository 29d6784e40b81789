#include <catch2/catch_test_macros.hpp>
#include <cerrno>

#include "io/checkpoint.hpp"
#include "io/diff.hpp"
#include "io/fs/fault.hpp"
#include "io/run/console.hpp"
#include "tests/sim/program.hpp"

// Faults that the runner must meet, with the toy simulation as what is run.

using namespace ergode;
using namespace ergode::testing;

namespace {

struct Place : TemporaryDirectory {
  Place() {
    spill(config(), "simulation: toy\nname: chain\nseed: 7\nunits: 200\ninterval: 10\ncheckpoint: {every: 20 steps}\n");
  }
  std::string config() const { return *this / "toy.yaml"; }
  std::string run_directory() const { return *this / "run"; }
  Outcome run(std::vector<std::string> more = {}, const std::function<void()>& setup = {}) const {
    std::vector<std::string> all{"run", config(), "-o", run_directory()};
    all.insert(all.end(), more.begin(), more.end());
    return run_toy(path(), all, setup);
  }
  std::string summary() const { return slurp(*this / "run/summary.json"); }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an existing run is refused, moved aside, replaced or continued as asked") {
  const Place p;
  REQUIRE(p.run().code == 0);
  const Outcome refused = p.run();
  CHECK(refused.code == 7);
  CHECK(has(refused.error, "--resume"));
  CHECK(p.run({"--exists", "backup"}).code == 0);
  CHECK(fs::exists(p / "run.1/results.h5"));
  CHECK(p.run({"--exists", "backup"}).code == 0);
  CHECK(fs::exists(p / "run.2/results.h5"));
  spill(p / "run/notes.txt", "mine");
  CHECK(p.run({"--exists", "overwrite"}).code == 0);
  CHECK(slurp(p / "run/notes.txt") == "mine");
}

TEST_CASE("a run that is refused before its first state leaves the place as it was") {
  const Place p;
  const auto refused = [&](const fs::path& directory) {
    const Outcome outcome = run_toy(p.path(), {"run", p.config(), "-o", directory, "--set", "failure=input"});
    CHECK(outcome.code == 4);
    CHECK(has(outcome.error, "row 3"));
  };
  refused(p / "deep/er/run");
  CHECK_FALSE(fs::exists(p / "deep"));
  fs::create_directory(p / "run");
  refused(p / "run");
  REQUIRE(fs::exists(p / "run"));
  CHECK(fs::is_empty(p / "run"));
  spill(p / "run/thesis.tex", "mine");
  refused(p / "run");
  CHECK(slurp(p / "run/thesis.tex") == "mine");
  CHECK(std::distance(fs::directory_iterator(p / "run"), fs::directory_iterator()) == 1);
  CHECK(p.run().code == 0);
}

TEST_CASE("a directory that is not ours is not overwritten") {
  const Place p;
  fs::create_directory(p.run_directory());
  spill(p / "run/thesis.tex", "mine");
  CHECK(p.run({"--exists", "overwrite"}).code == 7);
  CHECK(slurp(p / "run/thesis.tex") == "mine");
  CHECK_FALSE(fs::exists(p / "run/lock.json"));
}

TEST_CASE("a file in the place of the output directory is found before the first step") {
  const Place p;
  spill(p.run_directory(), "a file");
  const Outcome outcome = p.run();
  CHECK(outcome.code == 7);
  CHECK(has(outcome.error, "is a file"));
}

TEST_CASE("a second run in one directory ends with 7 and names the first") {
  const Place p;
  const Child first = start_toy(
      p.path(), {"run", p.config(), "-o", p.run_directory(), "--set", "microseconds=100000", "--set", "units=100000"});
  REQUIRE(eventually([&] { return fs::exists(p / "run/lock.json"); }));
  for (const char* flag : {"--exists=overwrite", "--exists=backup", "--resume"}) {
    const Outcome second = p.run({flag});
    CHECK(second.code == 7);
    CHECK(has(second.error, "process " + std::to_string(first.pid())));
  }
  first.kill(SIGTERM);
  CHECK(first.wait().code == 75);
}

TEST_CASE("a disk that stays full stops a run with 7 and keeps the checkpoint before") {
  const Place p;
  // The first writes go well; from the 30th on there is no space.
  const Outcome full = p.run({"--set", "units=100000"}, [] {
    io::fs::arm({io::fs::Call::write, 30, ENOSPC, true});
    ::setenv("ERGODE_CHECKPOINT_RETRY", "0", 1);
  });
  INFO(full.error);
  CHECK(full.code == 7);
  CHECK(has(full.error, "last good checkpoint"));
  const auto kept = io::read_checkpoint(p.run_directory(), [](const std::string&) { FAIL_CHECK("damaged"); });
  REQUIRE(kept);
  CHECK(kept->unit > 0);
  CHECK(p.run({"--resume"}).code == 0);
}

TEST_CASE("a disk that is full for a moment is waited for") {
  const Place p;
  const Outcome outcome = p.run({}, [] { io::fs::arm({io::fs::Call::fsync, 12, ENOSPC, false}); });
  INFO(outcome.error);
  CHECK(outcome.code == 0);
}

TEST_CASE("a real limit on the size of files ends a run with 7 and without a crash") {
  const Place p;
  const Outcome outcome = p.run({"--set", "padding=300000"}, [] {
    const rlimit limit{100000, 100000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::setenv("ERGODE_CHECKPOINT_RETRY", "0", 1);
  });
  CHECK(outcome.signal == 0);
  CHECK(outcome.code == 7);
}

// That it is kept to the second is shown with a clock of its own in tests/sim/loop_test.cpp.
TEST_CASE("a wall-time limit ends a run with 75 and a checkpoint, and the run resumes") {
  const Place p;
  const Outcome outcome = p.run({"--set", "units=100000000", "--set", "microseconds=1000", "--set",
                                 "checkpoint.every=1 h", "--max-walltime", "2"});
  CHECK(outcome.code == 75);
  CHECK(has(p.summary(), "wall-time"));
  const auto kept = io::read_checkpoint(p.run_directory(), {});
  REQUIRE(kept);
  CHECK(p.run({"--resume", "--set", "units=" + std::to_string(kept->unit + 5)}).code == 0);
}

TEST_CASE("a damaged checkpoint is said, the one before used, and two bad ones are refused") {
  const Place p;
  REQUIRE(p.run({"--set", "failure=nan", "--set", "failure_at=150"}).code == 8);
  const auto flip = [](const fs::path& file) {
    std::string bytes = slurp(file);
    bytes[bytes.size() / 2] ^= 1;
    spill(file, bytes);
  };
  flip(p / "run/checkpoint.h5");
  const Outcome resumed = p.run({"--resume", "--set", "failure=nan", "--set", "failure_at=125"});
  CHECK(resumed.code == 8);
  CHECK(has(resumed.error, "warning"));
  flip(p / "run/checkpoint.prev.h5");
  CHECK(p.run({"--resume"}).code == 4);
}

TEST_CASE("a resume with another config is refused by the names of the keys") {
  const Place p;
  REQUIRE(p.run({"--device", "cpu", "--set", "failure=nan", "--set", "failure_at=150"}).code == 8);
  const Outcome outcome = p.run({"--resume", "--set", "seed=8", "--set", "interval=11"});
  CHECK(outcome.code == 3);
  CHECK(has(outcome.error, "seed"));
  CHECK(has(outcome.error, "interval"));
  CHECK(p.run({"--device", "cpu", "--resume", "--isa", "baseline"}).code ==
        (has(p.summary(), "\"isa\": \"baseline\"") ? 0 : 2));
}

TEST_CASE("a resume to an end before the checkpoint is refused and changes nothing") {
  const Place p;
  REQUIRE(p.run({"--set", "failure=nan", "--set", "failure_at=150"}).code == 8);
  const std::string used = slurp(p / "run/config.used.yaml"), before = p.summary();
  const Outcome outcome = p.run({"--resume", "--set", "units=60"});
  CHECK(outcome.code == 3);
  CHECK(has(outcome.error, "at link 140"));
  CHECK(has(outcome.error, "ends at link 60"));
  CHECK(slurp(p / "run/config.used.yaml") == used);
  CHECK(p.summary() == before);
  CHECK(p.run({"--resume"}).code == 0);
}

TEST_CASE("the resume of a finished run says so, writes nothing and ends with 0") {
  const Place p;
  REQUIRE(p.run().code == 0);
  const std::string before = p.summary(), log = slurp(p / "run/run.log");
  const Outcome outcome = p.run({"--resume", "--threads", "3"});
  CHECK(outcome.code == 0);
  CHECK(has(outcome.out, "finished"));
  CHECK(p.summary() == before);
  CHECK(slurp(p / "run/run.log") == log);
}

TEST_CASE("every failure in mid-run has its exit code, keeps the checkpoint and leaves no lock") {
  const std::vector<std::pair<std::string, int>> failures{{"nan", 8},    {"gpu", 9},  {"gpu_memory", 6},
                                                          {"memory", 6}, {"bug", 70}, {"unknown", 70}};
  for (const auto& [how, code] : failures) {
    INFO(how);
    const Place p;
    const Outcome outcome = p.run({"--set", "failure=" + how, "--set", "failure_at=130"});
    CHECK(outcome.code == code);
    CHECK(outcome.signal == 0);
    CHECK(has(outcome.error, "last good checkpoint"));
    if (code == 9) CHECK(has(outcome.error, "of 200 links were done"));
    CHECK(has(p.summary(), "\"state\": \"failed\""));
    CHECK(has(slurp(p / "run/run.log"), "error"));
    CHECK_FALSE(fs::exists(p / "run/lock.json"));
    CHECK(p.run({"--resume"}).code == 0);
  }
}

TEST_CASE("auto without a GPU takes the CPU, says so once and records it") {
  const Place p;
  const Outcome outcome = p.run({"--device", "auto"});
  REQUIRE(outcome.code == 0);
  if (has(p.summary(), "\"backend\": \"cuda\"")) SKIP("there is a GPU");
  CHECK(has(outcome.out, "no GPU is used"));
  CHECK(has(p.summary(), "\"device_fallback\""));
}

TEST_CASE("cuda without a usable GPU is an error, and nothing is written") {
  const Place p;
  const Outcome outcome = p.run({"--device", "cuda"});
  if (outcome.code == 0) SKIP("there is a GPU");
  CHECK(outcome.code == 5);
  CHECK_FALSE(fs::exists(p.run_directory()));
}

TEST_CASE("closed streams, no TERM, a decimal-comma locale and a read-only home disturb nothing") {
  const Place p;
  REQUIRE(p.run().code == 0);
  fs::rename(p / "run", p / "plain");
  const Outcome outcome = p.run({"--progress", "auto"}, [] {
    ::unsetenv("TERM");
    ::setenv("LC_ALL", "de_DE.UTF-8", 1);
    ::setenv("HOME", "/proc", 1);
    ::close(0), ::close(1), ::close(2);
    io::keep_standard_descriptors();  // as main() does
  });
  CHECK(outcome.code == 0);
  CHECK(io::diff(p / "plain", p / "run").empty());
}

TEST_CASE("a stdout whose reader has gone does not end a run") {
  const Place p;
  const Outcome outcome = p.run({}, [] {
    int ends[2];
    static_cast<void>(!::pipe(ends));
    ::dup2(ends[1], 1);
    ::close(ends[0]), ::close(ends[1]);
  });
  CHECK(outcome.signal == 0);
  CHECK(outcome.code == 0);
}

TEST_CASE("nothing to do is done at once, and a wrong command line ends with 2 and a hint") {
  const Place p;
  CHECK(p.run({"--set", "units=0"}).code == 0);
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{},
                                             {"runn"},
                                             {"run"},
                                             {"run", p.config(), "--devcie", "cpu"},
                                             {"run", p.config(), "--device", "gpu"},
                                             {"run", p.config(), "--max-walltime", "soon"},
                                             {"run", p.config(), "--threads", "0"},
                                             {"run", p.config(), "--exists", "maybe"},
                                             {"run", p.config(), "--exists", "overwrite", "--resume"},
                                             {"run", p.config(), "--set", "unitz=3"},
                                             {"new", "nothing"}}) {
    const Outcome outcome = run_toy(p.path(), wrong);
    INFO(outcome.error);
    CHECK(outcome.code == 2);
    CHECK_FALSE(outcome.error.empty());
  }
  const Outcome twice = p.run({"--threads", "1", "--threads", "3", "--exists", "overwrite"});
  CHECK(twice.code == 0);
  CHECK(has(slurp(p / "run/config.used.yaml"), "threads: 3"));
  CHECK(has(run_toy(p.path(), {"frobnicate"}).error, "unknown command `frobnicate`; there are: run, "));
  CHECK(run_toy(p.path(), {"--help"}).code == 0);
  CHECK(run_toy(p.path(), {"--version"}).code == 0);
}

TEST_CASE("info says how far a failed, a live and a killed run are") {
  const Place p;
  const auto info = [&] { return run_toy(p.path(), {"info", p.run_directory()}).out; };
  REQUIRE(p.run({"--set", "failure=nan", "--set", "failure_at=137"}).code == 8);
  CHECK(has(info(), "failed after link 137 of 200"));
  fs::remove_all(p.run_directory());
  const Child live = start_toy(p.path(), {"run", p.config(), "-o", p.run_directory(), "--set", "microseconds=100000",
                                          "--set", "units=100000", "--set", "checkpoint.every=2 steps"});
  REQUIRE(eventually([&] { return fs::exists(p / "run/summary.json") && !has(p.summary(), "\"unit\": 0,"); }));
  CHECK(has(info(), "running, at or after link"));
  live.kill(SIGKILL);
  CHECK(live.wait().signal == SIGKILL);
  const std::string killed = info();
  INFO(killed);
  CHECK(has(killed, "killed at or after link"));
  CHECK_FALSE(has(killed, "link 0 of"));
  CHECK(has(killed, "is gone"));
}

TEST_CASE("a failure before the first checkpoint does not speak of one") {
  const Place p;
  const Outcome outcome = p.run({"--set", "failure=nan", "--set", "failure_at=5"});
  CHECK(outcome.code == 8);
  CHECK_FALSE(has(outcome.error, "checkpoint"));
  CHECK_FALSE(has(outcome.error, "--resume"));
}

TEST_CASE("the other commands answer with their exit codes") {
  const Place p;
  REQUIRE(p.run().code == 0);
  const Outcome valid = run_toy(p.path(), {"validate", p.config()});
  CHECK(valid.code == 0);
  CHECK(has(valid.out, "host memory"));
  CHECK(run_toy(p.path(), {"validate", p.config(), "--set", "padding=1e15"}).code == 6);
  CHECK(run_toy(p.path(), {"validate", p.config(), "--set", "units=-1"}).code != 0);
  CHECK(run_toy(p.path(), {"devices", "--json"}).code == 0);
  CHECK(has(run_toy(p.path(), {"info", p.run_directory()}).out, "unit 200 (the end)"));
  CHECK(run_toy(p.path(), {"verify", p.run_directory()}).code == 0);
  CHECK(run_toy(p.path(), {"diff", p.run_directory(), p.run_directory()}).code == 0);
  CHECK(has(run_toy(p.path(), {"diff", p.run_directory(), p / "nosuch"}).error, "there is no file or directory"));
  CHECK(has(run_toy(p.path(), {"schema", "toy"}).out, "interval"));
  CHECK(has(run_toy(p.path(), {"new", "toy"}).out, "simulation: toy"));
  REQUIRE(run_toy(p.path(), {"run", p.config(), "-o", p / "seed8", "--set", "seed=8"}).code == 0);
  CHECK(run_toy(p.path(), {"diff", p.run_directory(), p / "seed8"}).code == 1);
}
