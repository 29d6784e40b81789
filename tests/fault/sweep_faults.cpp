#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <map>

#include "io/fs/fault.hpp"
#include "io/hdf5/sealed_file.hpp"
#include "tests/sim/program.hpp"

// Faults that a sweep must meet: those of a run, and one member that fails among many.

using namespace ergode;
using namespace ergode::testing;

namespace {

struct Place : TemporaryDirectory {
  explicit Place(const std::string& sweep = "  seeds: 24\n") {
    spill(config(),
          "simulation: toy\nname: chain\nseed: 7\nunits: 40\ninterval: 10\ncheckpoint: {every: 20 steps}\n"
          "sweep:\n" +
              sweep);
  }
  std::string config() const { return *this / "toy.yaml"; }
  std::string directory() const { return *this / "sweep"; }
  std::vector<std::string> command(const std::vector<std::string>& more) const {
    std::vector<std::string> all{"run", config(), "-o", directory()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Outcome run(const std::vector<std::string>& more = {}, const std::function<void()>& setup = {}) const {
    return run_toy(path(), command(more), setup);
  }
  std::string csv() const { return slurp(*this / "sweep/sweep.csv"); }
  /// Every file of the sweep but its log, with its bytes.
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(directory()))
      if (entry.is_regular_file()) files[fs::relative(entry.path(), directory())] = slurp(entry.path());
    return files;
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::int64_t lines_with(const std::string& text, const std::string& part) {
  std::int64_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void flip_bit(const fs::path& path) {
  std::string bytes = slurp(path);
  REQUIRE(bytes.size() > 1000);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 16);
  spill(path, bytes);
}

}  // namespace

TEST_CASE("failed members do not stop the others, are named with their errors, and the exit code is 10") {
  for (const char* packed : {"true", "false"}) {
    INFO(packed);
    const Place p(std::string("  packed: ") + packed +
                  "\n  mode: zipped\n  parameters:\n    failure: [none, nan, none, input, bug, memory]\n"
                  "    failure_at: [-1, 25, -1, 0, 30, 0]\n");
    const Outcome outcome = p.run();
    INFO(outcome.out << outcome.error);
    CHECK(outcome.code == 10);
    CHECK(has(outcome.error, "member 1 (failure = nan, failure_at = 25): not a number at unit 25"));
    CHECK(has(outcome.error, "member 3 (failure = input, failure_at = 0): bodies.csv: row 3"));
    CHECK(has(outcome.error, "member 4 (failure = bug, failure_at = 30): internal error"));
    CHECK(has(outcome.error, "member 5 (failure = memory, failure_at = 0): out of host memory"));
    CHECK(has(outcome.out, "2 of 6 members done, 4 failed"));
    CHECK(lines_with(p.csv(), ",done,") == 2);
    CHECK(lines_with(p.csv(), ",failed,") == 4);
    CHECK(has(p.csv(), "bodies.csv: row 3"));
    CHECK_FALSE(fs::exists(p / "sweep/lock.json"));
    // What failed is tried again, what is done is not.
    const Outcome again = p.run({"--resume"});
    CHECK(again.code == 10);
    CHECK(has(again.out, "2 of 6 members are done already"));
    CHECK(lines_with(p.csv(), ",done,") == 2);
    CHECK(lines_with(p.csv(), ",failed,") == 4);
    CHECK(has(run_toy(p.path(), {"info", p.directory()}).out, "members     6: 2 done, 4 failed, 0 to be done"));
    CHECK(run_toy(p.path(), {"verify", p.directory()}).code == 0);
  }
}

TEST_CASE("a broken GPU stops the sweep with 9, and what was done before it is kept") {
  const Place p(
      "  packed: true\n  mode: zipped\n  parameters:\n    failure: [none, none, gpu, none]\n"
      "    failure_at: [-1, -1, 25, -1]\n");
  const Outcome outcome = p.run();
  INFO(outcome.error);
  CHECK(outcome.code == 9);
  CHECK(has(outcome.error, "member 2 (failure = gpu"));
  CHECK(has(run_toy(p.path(), {"info", p.directory()}).out, "members     4: 2 done, 0 failed, 2 to be done"));
}

TEST_CASE("an existing sweep is refused, moved aside, replaced or continued as asked") {
  const Place p;
  REQUIRE(p.run().code == 0);
  const Outcome refused = p.run();
  CHECK(refused.code == 7);
  CHECK(has(refused.error, "--resume"));
  CHECK(p.run({"--exists", "backup"}).code == 0);
  CHECK(fs::exists(p / "sweep.1/sweep.h5"));
  CHECK(fs::exists(p / "sweep.1/members/members_000000.h5"));
  spill(p / "sweep/notes.txt", "mine");
  spill(p / "sweep/members/notes.txt", "mine");
  CHECK(p.run({"--exists", "overwrite", "--set", "sweep.packed=false"}).code == 0);
  CHECK(slurp(p / "sweep/notes.txt") == "mine");
  CHECK(slurp(p / "sweep/members/notes.txt") == "mine");
  CHECK_FALSE(fs::exists(p / "sweep/members/members_000000.h5"));
  // The members' directories go too when a plain run takes the place.
  spill(p / "plain.yaml", "simulation: toy\nunits: 10\n");
  CHECK(run_toy(p.path(), {"run", p / "plain.yaml", "-o", p.directory(), "--resume"}).code == 3);
  CHECK(run_toy(p.path(), {"run", p / "plain.yaml", "-o", p.directory(), "--exists", "overwrite"}).code == 0);
  CHECK_FALSE(fs::exists(p / "sweep/members/member_000000"));
  CHECK_FALSE(fs::exists(p / "sweep/sweep.h5"));
  // And the other way round a plain run is not taken for a sweep to be resumed.
  CHECK(p.run({"--resume"}).code == 3);
}

TEST_CASE("the resume of a finished sweep says so, writes nothing and ends with 0") {
  const Place p;
  REQUIRE(p.run().code == 0);
  const auto before = p.content();
  const Outcome outcome = p.run({"--resume", "--threads", "3"});
  CHECK(outcome.code == 0);
  CHECK(has(outcome.out, "the 24 members are finished: nothing to do"));
  CHECK(p.content() == before);
}

TEST_CASE("the resume of a sweep with another config is refused by the names of the keys") {
  const Place p;
  REQUIRE(p.run().code == 0);
  const auto before = p.content();
  const Outcome outcome = p.run({"--resume", "--set", "sweep.seeds=30", "--set", "interval=11"});
  CHECK(outcome.code == 3);
  CHECK(has(outcome.error, "sweep.seeds: stored 24, now 30"));
  CHECK(has(outcome.error, "interval"));
  // A later end may be asked for of a run, but members that are done have no checkpoint to go on from.
  const Outcome later = p.run({"--resume", "--set", "units=50"});
  CHECK(later.code == 3);
  CHECK(has(later.error, "units: stored 40, now 50"));
  CHECK(p.content() == before);
}

TEST_CASE("two processes do not meet in one sweep unless they are tasks of the same number") {
  const Place p("  seeds: 24\n  packed: true\n");
  const std::string slow = "microseconds=200000";  // a member takes 8 s, so the first process is there to the end
  const Child first = start_toy(p.path(), p.command({"--task", "0/2", "--set", slow}));
  REQUIRE(eventually([&] { return fs::exists(p / "sweep/config.used.yaml"); }));
  const std::string owner = "process " + std::to_string(first.pid());
  for (const std::vector<std::string>& other : std::vector<std::vector<std::string>>{
           {"--task", "0/2", "--resume"}, {"--task", "1/3", "--resume"}, {"--resume"}}) {
    auto arguments = other;
    arguments.insert(arguments.end(), {"--set", slow});
    const Outcome outcome = p.run(arguments);
    INFO(outcome.error);
    CHECK(outcome.code == 7);
    CHECK(has(outcome.error, owner));
  }
  CHECK(p.run({"--task", "1/2", "--set", "units=50"}).code == 3);  // another sweep
  CHECK(p.run({"--task", "1/2", "--exists", "backup"}).code == 2);
  first.kill(SIGTERM);
  CHECK(first.wait().code == 75);
  CHECK(p.run({"--set", slow}).code == 7);  // there is a sweep in it
}

TEST_CASE("a task without a sweep, or of no form, is refused with 2; a job array without a sweep is not looked at") {
  const Place p;
  spill(p / "plain.yaml", "simulation: toy\nunits: 10\n");
  const Outcome outcome = run_toy(p.path(), {"run", p / "plain.yaml", "-o", p / "plain", "--task", "0/2"});
  CHECK(outcome.code == 2);
  CHECK(has(outcome.error, "has none"));
  CHECK(p.run({"--task", "2/2"}).code == 2);
  CHECK(run_toy(p.path(), {"run", p / "plain.yaml", "-o", p / "plain"}, [] {
          ::setenv("SLURM_ARRAY_TASK_ID", "1", 1);
          ::setenv("SLURM_ARRAY_TASK_COUNT", "4", 1);
        }).code == 0);
  CHECK(fs::exists(p / "plain/results.h5"));
}

TEST_CASE("a damaged file of members is said and set aside, and its members are run again") {
  const Place p;
  REQUIRE(p.run().code == 0);
  fs::rename(p / "sweep", p / "whole");
  REQUIRE(p.run().code == 0);
  flip_bit(p / "sweep/members/members_000000.h5");
  CHECK(run_toy(p.path(), {"verify", p.directory()}).code == 4);
  const Outcome outcome = p.run({"--resume"});
  INFO(outcome.error);
  CHECK(outcome.code == 0);
  CHECK(has(outcome.error, "members_000000.h5.damaged"));
  CHECK(run_toy(p.path(), {"verify", p.directory()}).code == 0);
  CHECK(run_toy(p.path(), {"diff", p / "whole", p.directory()}).code == 0);
}

TEST_CASE("a file of members with a right seal and columns of unlike lengths is said, set aside and made again") {
  const Place p;
  REQUIRE(p.run().code == 0);
  fs::rename(p / "sweep", p / "whole");
  const std::string name = "members/members_000000.h5";
  const io::FileContent whole = io::read_file(p / "whole" / name);
  const auto check = [&](const std::string& column, const std::function<void(io::FileContent&)>& change) {
    INFO(column);
    fs::remove_all(p / "sweep");
    fs::copy(p / "whole", p / "sweep", fs::copy_options::recursive);
    io::FileContent content = whole;
    change(content);
    io::write_sealed(p / "sweep" / name, content);
    const Outcome outcome = p.run({"--resume"});
    INFO(outcome.error);
    CHECK(outcome.code == 0);
    CHECK(has(outcome.error, "members_000000.h5: data set '" + column + "' in it has "));
    CHECK(has(outcome.error, "members_000000.h5.damaged"));
    CHECK(run_toy(p.path(), {"diff", p / "whole", p.directory()}).code == 0);
  };
  const auto rows = whole.strings.at("/index/status").size();
  check("/index/member", [&](io::FileContent& c) {
    c.datasets.at("/index/member").data = io::Array::from(std::vector<std::int64_t>(rows - 1, 0));
  });
  for (const std::string column : {"/index/error", "/index/identity"})
    check(column, [&](io::FileContent& c) { c.strings.at(column).pop_back(); });
  for (const auto& [path, dataset] : whole.datasets)
    if (path.starts_with("/results/"))
      check(path, [&, column = path](io::FileContent& c) {
        c.datasets.at(column).data = io::Array::from(std::vector<double>(rows - 1, 0.0));
      });
}

TEST_CASE("a damaged file of members is set aside by the task of its first member alone") {
  const Place p("  seeds: 8\n  packed: true\n");
  REQUIRE(p.run({"--task", "0/2"}).code == 0);
  REQUIRE(p.run({"--task", "1/2"}).code == 0);
  fs::copy(p / "sweep", p / "whole", fs::copy_options::recursive);
  const fs::path file = p / "sweep/members/members_000000.h5", aside = file.string() + ".damaged";
  flip_bit(file);
  const Outcome other = p.run({"--task", "1/2", "--resume"});
  CHECK(other.code == 0);
  CHECK(has(other.error, "members_000000.h5"));
  CHECK_FALSE(fs::exists(aside));
  const Outcome owner = p.run({"--task", "0/2", "--resume"});
  INFO(owner.error);
  CHECK(owner.code == 0);
  CHECK(fs::exists(aside));
  CHECK(run_toy(p.path(), {"diff", p / "whole", p.directory()}).code == 0);
}

TEST_CASE("members without the config of their sweep are not resumed, and not touched") {
  const Place p;
  REQUIRE(p.run().code == 0);
  fs::remove(p / "sweep/config.used.yaml");
  const auto before = p.content();
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{{}, {"--task", "0/2"}}) {
    std::vector<std::string> arguments{"--resume"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = p.run(arguments);
    INFO(outcome.error);
    CHECK(outcome.code == 7);
    CHECK(has(outcome.error, "config.used.yaml"));
    CHECK(p.content() == before);
  }
}

TEST_CASE("a member that ran and now fails before its first state is indexed as failed") {
  const Place p("  seeds: 3\n  packed: false\n");
  REQUIRE(p.run().code == 0);
  const std::string member = p / "sweep/members/member_000001/";
  std::string summary = slurp(member + "summary.json");
  const std::size_t at = summary.find("finished");
  REQUIRE(at != std::string::npos);
  spill(member + "summary.json", summary.replace(at, 8, "running"));  // as a kill leaves it
  for (const char* name : {"checkpoint.h5", "checkpoint.prev.h5"}) flip_bit(member + name);
  const Outcome outcome = p.run({"--resume"});
  INFO(outcome.error);
  CHECK(outcome.code == 10);
  CHECK(has(p.csv(), "\n1,failed,"));
  CHECK(has(p.csv(), "no checkpoint left to resume from"));
  CHECK(has(run_toy(p.path(), {"info", p.directory()}).out, "members     3: 2 done, 1 failed, 0 to be done"));
}

TEST_CASE("a member that another process has in use is left to it and named") {
  const Place p("  seeds: 3\n  packed: false\n");
  REQUIRE(p.run().code == 0);
  fs::rename(p / "sweep", p / "whole");
  fs::create_directories(p.directory());
  fs::copy(p / "whole/config.used.yaml", p.directory());
  const std::string member = p / "sweep/members/member_000001";
  spill(p / "member.yaml", "simulation: toy\nname: chain\nseed: 8\nunits: 1000\nmicroseconds: 100000\n");
  const Child other = start_toy(p.path(), {"run", p / "member.yaml", "-o", member});
  REQUIRE(eventually([&] { return fs::exists(member + "/summary.json"); }));
  const Outcome outcome = p.run({"--resume"});
  INFO(outcome.out << outcome.error);
  CHECK(outcome.code == 75);
  CHECK(has(outcome.error, "member_000001: in use by"));
  CHECK(has(outcome.error, "process " + std::to_string(other.pid())));
  CHECK(has(outcome.out, "2 of 3 members done, 0 failed, 1 to be done"));
  other.kill(SIGKILL);
  CHECK(other.wait().signal == SIGKILL);
  fs::remove_all(member);
  CHECK(p.run({"--resume"}).code == 0);
  CHECK(run_toy(p.path(), {"diff", p / "whole", p.directory()}).code == 0);
}

TEST_CASE("the second signal gives the locks of the sweep and of its member back") {
  const Place p("  seeds: 3\n  packed: false\n");
  const Child child = start_toy(p.path(), p.command({"--set", "failure=hang", "--set", "failure_at=20"}));
  const std::string member = p / "sweep/members/member_000000/";
  // What follows this checkpoint has no end, so the first signal alone stops nothing.
  REQUIRE(eventually([&] { return fs::exists(member + "checkpoint.h5"); }));
  CHECK(fs::exists(member + "lock.json"));
  child.kill(SIGTERM);
  child.kill(SIGINT);  // another one, as two of a kind that are pending are one
  const int code = child.wait().code;
  CHECK((code == 128 + SIGTERM || code == 128 + SIGINT));
  CHECK_FALSE(fs::exists(p / "sweep/lock.json"));
  CHECK_FALSE(fs::exists(member + "lock.json"));
}

TEST_CASE("an index that is lost or damaged is made again from the members") {
  const Place p;
  REQUIRE(p.run().code == 0);
  const auto whole = p.content();
  const auto same_index = [&] {
    const auto now = p.content();
    for (const char* name : {"sweep.h5", "sweep.csv", "summary.json"}) {
      INFO(name);
      REQUIRE(now.contains(name));
      CHECK(now.at(name) == whole.at(name));
    }
  };
  flip_bit(p / "sweep/sweep.h5");
  CHECK(p.run({"--resume"}).code == 0);
  same_index();
  fs::remove(p / "sweep/sweep.h5");
  fs::remove(p / "sweep/sweep.csv");
  CHECK(run_toy(p.path(), {"info", p.directory()}).code == 0);
  same_index();
}

TEST_CASE("a disk that stays full stops a sweep with 7, and it resumes") {
  const Place p;
  REQUIRE(p.run().code == 0);
  fs::rename(p / "sweep", p / "whole");
  for (const char* packed : {"true", "false"})
    for (const std::int64_t at : {8, 20}) {
      INFO(packed << " " << at);
      fs::remove_all(p / "sweep");
      const std::string packing = std::string("sweep.packed=") + packed;
      const Outcome full = p.run({"--set", packing}, [&] {
        io::fs::arm({io::fs::Call::write, std::string(packed) == "true" ? at / 4 : at, ENOSPC, true});
        ::setenv("ERGODE_CHECKPOINT_RETRY", "0", 1);
      });
      INFO(full.error);
      CHECK(full.signal == 0);
      CHECK(full.code == 7);
      CHECK(has(full.error, "no space left"));
      CHECK(p.run({"--resume", "--set", packing}).code == 0);
      CHECK(run_toy(p.path(), {"diff", p / "whole", p.directory()}).code == 0);
    }
}

TEST_CASE("a full disk is waited for once") {
  const Place p("  seeds: 8\n  packed: true\n");
  const Outcome full = p.run({}, [] {
    // The first writes are of the config and of origin.json; a wait of 0.5 s has one trial more, after 1 s.
    io::fs::arm({io::fs::Call::write, 4, ENOSPC, true});
    ::setenv("ERGODE_CHECKPOINT_RETRY", "0.5", 1);
  });
  INFO(full.error);
  CHECK(full.code == 7);
  CHECK(lines_with(full.error, "trying again") == 1);
}

TEST_CASE("a sweep killed at any call of a file function resumes to the same members", "[slow]") {
  for (const char* sweep :
       {"  seeds: 24\n  packed: true\n", "  seeds: 1\n  packed: false\n  parameters: {units: [10]}\n"}) {
    INFO(sweep);
    const Place p(sweep);
    REQUIRE(p.run().code == 0);
    fs::rename(p / "sweep", p / "whole");
    std::int64_t at = 1;
    for (;; ++at) {
      INFO("killed at call " << at);
      REQUIRE(at < 200);
      fs::remove_all(p / "sweep");
      const Outcome killed = p.run({}, [&] { io::fs::arm({io::fs::Call::any, at, 0, false}); });
      if (killed.signal != SIGKILL) {
        CHECK(killed.code == 0);
        break;
      }
      const Outcome resumed = p.run({"--resume"});
      INFO(resumed.error);
      CHECK(resumed.code == 0);
      CHECK(run_toy(p.path(), {"diff", p / "whole", p.directory()}).code == 0);
      CHECK(run_toy(p.path(), {"verify", p.directory()}).code == 0);
      CHECK_FALSE(has(p.csv(), ",pending,"));
    }
    CHECK(at > 10);
  }
}

TEST_CASE("a file in the place of the sweep's directory is found before the first member") {
  const Place p;
  spill(p.directory(), "a file");
  const Outcome outcome = p.run();
  CHECK(outcome.code == 7);
  CHECK(has(outcome.error, "is a file"));
}

TEST_CASE("validate says what a sweep needs in all, and nothing is written") {
  const Place p("  parameters: {units: [10, 20, 30], padding: [0, 1000]}\n");
  const Outcome outcome = run_toy(p.path(), {"validate", p.config(), "-o", p.directory()});
  INFO(outcome.out);
  CHECK(outcome.code == 0);
  CHECK(has(outcome.out, "a sweep of 6 members, 6 of them small"));
  CHECK(has(outcome.out, "member 1 (units = 10, padding = 1000)"));
  CHECK(has(outcome.out, "work            120 links"));
  CHECK(has(outcome.out, "disk            6.0 KiB"));
  CHECK_FALSE(fs::exists(p.directory()));
}
