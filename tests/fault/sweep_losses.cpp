#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>

#include "tests/sim/program.hpp"

// What a sweep must notice of its files and of what it was begun with: members that vanish, inputs that change, results
// that are not its own.

using namespace ergode;
using namespace ergode::testing;

namespace {

struct Place : TemporaryDirectory {
  explicit Place(const std::string& sweep, const std::string& more = "units: 40\n") {
    spill(config(),
          "simulation: toy\nname: chain\nseed: 7\ninterval: 10\ndevice: cpu\ncheckpoint: {every: 20 steps}\n" + more +
              "sweep:\n" + sweep);
  }
  std::string config() const { return *this / "toy.yaml"; }
  std::vector<std::string> command(const std::string& directory, const std::vector<std::string>& more) const {
    std::vector<std::string> all{"run", config(), "-o", *this / directory, "--progress", "none"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Outcome run(const std::string& directory = "sweep", const std::vector<std::string>& more = {}) const {
    return run_toy(path(), command(directory, more));
  }
  int verify() const { return run_toy(path(), {"verify", *this / "sweep"}).code; }
  bool equal(const std::string& a, const std::string& b) const {
    return run_toy(path(), {"diff", *this / a, *this / b}).code == 0;
  }
  fs::path member(int number) const { return *this / "sweep/members" / ("member_00000" + std::to_string(number)); }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const char* const packed = "  seeds: 24\n  packed: true\n";
const char* const directories = "  seeds: 3\n  packed: false\n";

/// A packed sweep of about five seconds of which the first members are sealed.
Child start_and_seal(const Place& p) {
  Child child = start_toy(p.path(), p.command("sweep", {"--set", "microseconds=5000"}));
  REQUIRE(eventually([&] { return fs::exists(p / "sweep/origin.json"); }));
  REQUIRE(eventually([&] {
    child.kill(SIGUSR2);
    return fs::exists(p / "sweep/members/members_000000.h5");
  }));
  return child;
}

}  // namespace

TEST_CASE("a sweep whose sealed members vanish meanwhile ends with 7, and a resume makes them again") {
  const Place p(packed);
  const Child child = start_and_seal(p);
  fs::remove(p / "sweep/members/members_000000.h5");
  const Outcome outcome = child.wait();
  INFO(outcome.out << outcome.error);
  CHECK(outcome.code == 7);
  CHECK(has(outcome.error, "member_000000 the first of them, are not in it any more"));
  CHECK(p.run("sweep", {"--resume", "--set", "microseconds=5000"}).code == 0);
  REQUIRE(p.run("whole").code == 0);
  CHECK(p.equal("whole", "sweep"));
}

TEST_CASE("a sweep whose directory is moved meanwhile ends with 7 and does not make it anew") {
  for (const char* sweep : {packed, "  seeds: 24\n  packed: false\n"}) {
    const Place p(sweep);
    const Child child = start_toy(p.path(), p.command("sweep", {"--set", "microseconds=5000"}));
    REQUIRE(eventually([&] { return has(slurp(p / "sweep/run.log"), "command: "); }));
    fs::rename(p / "sweep", p / "moved");
    child.kill(SIGUSR2);  // seals, and so looks for its directory
    const Outcome outcome = child.wait();
    INFO(sweep << outcome.out << outcome.error);
    CHECK(outcome.code == 7);
    if (sweep == packed) CHECK(has(outcome.error, "lock.json is gone"));
    CHECK_FALSE(fs::exists(p / "sweep/summary.json"));
  }
}

TEST_CASE("an input file that is not what it was when the sweep was begun is refused by name") {
  for (const char* sweep : {packed, directories}) {
    INFO(sweep);
    const Place p(sweep);
    const std::string input = "input=" + std::string(p / "input.csv");
    spill(p / "input.csv", "1,2,3\n");
    REQUIRE(p.run("sweep", {"--set", input, "--task", "0/2"}).code == 0);
    spill(p / "input.csv", "1,2,3,4\n");
    for (const std::vector<std::string>& more :
         std::vector<std::vector<std::string>>{{"--task", "1/2"}, {"--resume"}, {"--task", "0/2", "--resume"}}) {
      std::vector<std::string> arguments{"--set", input};
      arguments.insert(arguments.end(), more.begin(), more.end());
      const Outcome outcome = p.run("sweep", arguments);
      INFO(outcome.error);
      CHECK(outcome.code == 3);
      CHECK(has(outcome.error, "input.csv: its SHA-256 was"));
    }
    spill(p / "input.csv", "1,2,3\n");
    CHECK(p.run("sweep", {"--set", input, "--task", "1/2"}).code == 0);
    REQUIRE(p.run("whole", {"--set", input}).code == 0);
    CHECK(p.equal("whole", "sweep"));
  }
}

TEST_CASE("an input file that changes while a sweep runs ends it with 3, and no member has the other content") {
  const Place p(packed, "units: 40\nmicroseconds: 5000\n");
  const std::string input = "input=" + std::string(p / "input.csv");
  spill(p / "input.csv", "1,2,3\n");
  const Child child = start_toy(p.path(), p.command("sweep", {"--set", input}));
  REQUIRE(eventually([&] { return fs::exists(p / "sweep/origin.json"); }));
  spill(p / "input.csv", "1,2,3,4\n");
  const Outcome outcome = child.wait();
  INFO(outcome.error);
  CHECK(outcome.code == 3);
  CHECK(has(outcome.error, "input.csv"));
  spill(p / "input.csv", "1,2,3\n");
  REQUIRE(p.run("sweep", {"--set", input, "--resume"}).code == 0);
  REQUIRE(p.run("whole", {"--set", input, "--set", "microseconds=0"}).code == 0);
  CHECK(p.equal("whole", "sweep"));
}

TEST_CASE("a run of its own is not resumed with another input file") {
  const TemporaryDirectory d;
  spill(d / "input.csv", "1,2,3\n");
  spill(d / "toy.yaml",
        "simulation: toy\nunits: 40\nfailure_at: 20\nfailure: nan\ncheckpoint: {every: 10 steps}\ninput: " +
            std::string(d / "input.csv") + "\n");
  const std::vector<std::string> run{"run", d / "toy.yaml", "-o", d / "run"};
  const std::vector<std::string> resume{"run",          d / "toy.yaml", "-o",    d / "run",      "--set",
                                        "failure=none", "--resume",     "--set", "failure_at=-1"};
  REQUIRE(run_toy(d.path(), run).code == 8);
  spill(d / "input.csv", "1,2,3,4\n");
  const Outcome outcome = run_toy(d.path(), resume);
  INFO(outcome.error);
  CHECK(outcome.code == 3);
  CHECK(has(outcome.error, "input.csv: its SHA-256 was"));
  spill(d / "input.csv", "1,2,3\n");
  CHECK(run_toy(d.path(), resume).code == 0);
}

TEST_CASE("results that a member has lost are written again, or the member is run again") {
  const Place p(directories);
  REQUIRE(p.run().code == 0);
  REQUIRE(p.run("whole").code == 0);
  CHECK(p.verify() == 0);
  const std::string cut = slurp(p.member(1) / "series.h5").substr(0, 700);
  struct Loss {
    std::function<void()> lose;
    std::string said;
    bool from_checkpoint;
  };
  for (const Loss& loss : std::vector<Loss>{
           {[&] { fs::remove(p.member(1) / "results.h5"); }, "written again from the checkpoint: results.h5", true},
           {[&] { spill(p.member(1) / "results.h5", "cut"); }, "written again from the checkpoint: results.h5", true},
           {[&] { fs::remove(p.member(1) / "series.h5"); }, "series.h5; this member is run again", false},
           {[&] { spill(p.member(1) / "series.h5", cut); }, "series.h5; this member is run again", false},
           {[&] {
              for (const char* name : {"checkpoint.h5", "checkpoint.prev.h5", "results.h5"})
                fs::remove(p.member(1) / name);
            },
            "results.h5; this member is run again", false}}) {
    loss.lose();
    CHECK(p.verify() == 4);
    CHECK(has(p.run("sweep", {"--resume", "--task", "0/2"}).out, "nothing to do"));  // it is another task's
    const Outcome outcome = p.run("sweep", {"--resume"});
    INFO(outcome.out << outcome.error);
    CHECK(outcome.code == 0);
    CHECK(has(outcome.error, loss.said));
    CHECK(has(slurp(p.member(1) / "run.log"), "resuming from the checkpoint") == loss.from_checkpoint);
    CHECK(p.verify() == 0);
    CHECK(p.equal("whole", "sweep"));
    fs::remove(p.member(1) / "run.log");
  }
}

TEST_CASE("an interrupted member whose series is gone is run again from its beginning") {
  const Place p(directories);
  REQUIRE(p.run("sweep", {"--set", "failure_at=30", "--set", "failure=nan"}).code == 10);
  fs::remove(p.member(1) / "series.h5");
  const Outcome outcome = p.run("sweep", {"--resume", "--set", "failure_at=30", "--set", "failure=nan"});
  INFO(outcome.error);
  CHECK(outcome.code == 10);
  CHECK(has(outcome.error, "series.h5; this member is run again"));
}

TEST_CASE("what a finished run of its own has lost is named by verify, and mended or refused by a resume") {
  const TemporaryDirectory d;
  spill(d / "toy.yaml", "simulation: toy\nunits: 40\n");
  const auto run = [&](std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", d / "toy.yaml", "-o", d / "run"});
    return run_toy(d.path(), more);
  };
  const auto verify = [&] { return run_toy(d.path(), {"verify", d / "run"}); };
  REQUIRE(run().code == 0);
  CHECK(verify().code == 0);
  fs::remove(d / "run/results.h5");
  CHECK(has(verify().error, "results.h5: missing"));
  CHECK(run({"--resume"}).code == 0);
  CHECK(verify().code == 0);
  fs::remove(d / "run/series.h5");
  CHECK(has(verify().error, "series.h5: missing"));
  const std::string checkpoint = slurp(d / "run/checkpoint.h5");
  const Outcome outcome = run({"--resume"});
  INFO(outcome.error);
  CHECK(outcome.code == 7);
  CHECK(has(outcome.error, "series.h5"));
  CHECK(has(outcome.error, "--exists backup"));
  CHECK(slurp(d / "run/checkpoint.h5") == checkpoint);
}

TEST_CASE("all tasks of a sweep take the instruction set of the first") {
  for (const char* sweep : {packed, directories}) {
    const Place p(sweep);
    REQUIRE(p.run("sweep", {"--task", "0/2", "--isa", "baseline"}).code == 0);
    const Outcome other = p.run("sweep", {"--task", "1/2", "--isa", "avx2"});
    INFO(other.error);
    CHECK(other.code == 2);
    CHECK(has(other.error, "the sweep was computed with baseline"));
    const Outcome same = p.run("sweep", {"--task", "1/2"});
    CHECK(same.code == 0);
    CHECK(has(same.out, "cpu, baseline"));
    if (std::string(sweep) == directories) CHECK(has(slurp(p.member(1) / "summary.json"), "\"isa\": \"baseline\""));
    // A set that is not there, or none: the file is damaged or of another program.
    spill(p / "sweep/origin.json", "{\"config_sha256\": \"1\", \"backend\": \"cpu\", \"isa\": \"sse9\"}\n");
    CHECK(p.run("sweep", {"--resume"}).code == 4);
    spill(p / "sweep/origin.json", "{");
    CHECK(p.run("sweep", {"--resume"}).code == 4);
  }
}

TEST_CASE("results of another member or sweep are not taken for a member's own") {
  const Place p(directories);
  REQUIRE(p.run().code == 0);
  REQUIRE(p.run("whole").code == 0);
  fs::rename(p.member(1), p / "aside");
  fs::rename(p.member(2), p.member(1));
  fs::rename(p / "aside", p.member(2));
  const Outcome swapped = p.run("sweep", {"--resume"});
  INFO(swapped.error);
  CHECK(swapped.code == 10);
  CHECK(has(swapped.error, "member 1 (seed = 8)"));
  CHECK(has(swapped.error, "seed: stored 9, now 8"));
  CHECK(has(run_toy(p.path(), {"info", p / "sweep"}).out, "1 done, 2 failed"));
  for (const int m : {1, 2}) fs::remove_all(p.member(m));
  CHECK(p.run("sweep", {"--resume"}).code == 0);
  CHECK(p.equal("whole", "sweep"));
}

TEST_CASE("a shared file of members of another sweep is set aside") {
  const Place p(packed), other(packed, "units: 41\n");
  REQUIRE(p.run().code == 0);
  REQUIRE(p.run("whole").code == 0);
  REQUIRE(other.run().code == 0);
  const std::string file = "sweep/members/members_000000.h5";
  fs::copy_file(other / file, p / file, fs::copy_options::overwrite_existing);
  CHECK(has(run_toy(p.path(), {"info", p / "sweep"}).out, "0 done"));
  const Outcome outcome = p.run("sweep", {"--resume"});
  INFO(outcome.error);
  CHECK(outcome.code == 0);
  CHECK(has(outcome.error, "member_000000 in it is of another sweep"));
  CHECK((slurp((p / file).string() + ".damaged") == slurp(other / file)));
  CHECK(p.equal("whole", "sweep"));
}

TEST_CASE("what a sweep was begun with is found again where only that file was lost") {
  const Place p(packed);
  REQUIRE(p.run().code == 0);
  const std::string origin = slurp(p / "sweep/origin.json");
  fs::remove(p / "sweep/origin.json");
  CHECK(has(p.run("sweep", {"--resume"}).out, "nothing to do"));
  fs::remove(p / "sweep/members/members_000000.h5");
  CHECK(p.run("sweep", {"--resume"}).code == 0);
  CHECK(slurp(p / "sweep/origin.json") == origin);
}

TEST_CASE("a FIFO in the place of a shared file is set aside, and not waited for") {
  const Place p(packed);
  REQUIRE(p.run().code == 0);
  const std::string file = p / "sweep/members/members_000000.h5";
  fs::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  const Outcome outcome = p.run("sweep", {"--resume"});
  INFO(outcome.error);
  CHECK(outcome.code == 0);
  CHECK(has(outcome.error, "regular file"));
  CHECK(fs::is_fifo(file + ".damaged"));
}

TEST_CASE("a task says what it has done, and of the whole sweep beside it") {
  const Place p(packed);
  const Outcome outcome = p.run("sweep", {"--task", "1/3"});
  CHECK(outcome.code == 0);
  CHECK(has(outcome.out, "finished: 8 of 8 members of this task done, 0 failed (8 of 24 of the whole sweep done)"));
}
