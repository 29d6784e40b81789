#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>

#include "io/diff.hpp"
#include "io/fs/fault.hpp"
#include "io/hdf5/reader.hpp"
#include "sim/sweep/inspect.hpp"
#include "sim/sweep/record.hpp"
#include "tests/sim/program.hpp"

// Sweeps, whole and interrupted: each member has the bits of a run of its own, whatever happened on the way.

using namespace ergode;
using namespace ergode::testing;

namespace {

const std::vector<sim::SimulationType> toy_types{toy::simulation_type()};

struct Sweep : TemporaryDirectory {
  explicit Sweep(const std::string& more, const std::string& base = "units: 60\n") {
    spill(*this / "toy.yaml", "simulation: toy\nname: chain\nseed: 7\ninterval: 7\ncheckpoint: {every: 10 steps}\n" +
                                  base + "sweep:\n  seeds: 24\n" + more);
  }
  std::vector<std::string> command(const std::string& directory, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"run", *this / "toy.yaml", "-o", *this / directory, "--progress", "none"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Child start(const std::string& directory, const std::vector<std::string>& more = {},
              const std::function<void()>& setup = {}) const {
    return start_toy(path(), command(directory, more), setup);
  }
  Outcome run(const std::string& directory, const std::vector<std::string>& more = {},
              const std::function<void()>& setup = {}) const {
    return start(directory, more, setup).wait();
  }
  void check_equal(const std::string& a, const std::string& b) const {
    const Outcome outcome = run_toy(path(), {"diff", *this / a, *this / b});
    INFO(outcome.out << outcome.error);
    CHECK(outcome.code == 0);
  }
};

/// The packed files of a sweep by name, with their bytes.
std::map<std::string, std::string> packed_files(const fs::path& sweep) {
  std::map<std::string, std::string> files;
  if (fs::exists(sweep / "members"))
    for (const auto& entry : fs::directory_iterator(sweep / "members"))
      if (entry.path().extension() == ".h5") files[entry.path().filename()] = slurp(entry.path());
  return files;
}

/// How often each member is recorded as done.
std::map<std::int64_t, int> times_done(const fs::path& sweep) {
  std::map<std::int64_t, int> times;
  for (const auto& [name, bytes] : packed_files(sweep)) {
    const io::FileReader file(sweep / "members" / name);
    const auto status = file.strings("/index/status");
    const io::Array member = file.dataset("/index/member");
    for (std::size_t i = 0; i < status.size(); ++i)
      if (status[i] == "done") ++times[member.as<std::int64_t>()[i]];
  }
  return times;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a member in a shared file and one in a directory have the bits of a run of its own") {
  const Sweep s("");
  for (const char* packed : {"true", "false"}) {
    INFO(packed);
    const std::string directory = std::string("packed-") + packed;
    const Outcome outcome = s.run(directory, {"--set", std::string("sweep.packed=") + packed});
    INFO(outcome.error);
    REQUIRE(outcome.code == 0);
    CHECK(fs::exists(s / directory / "members/member_000003") == (std::string(packed) == "false"));
    spill(s / "solo.yaml", "simulation: toy\nname: chain\nseed: 10\ninterval: 7\nunits: 60\n");
    REQUIRE(run_toy(s.path(), {"run", s / "solo.yaml", "-o", s / "solo", "--exists", "overwrite"}).code == 0);
    s.check_equal(directory + "/members/member_000003", "solo");
    s.check_equal(directory + "/member_000003", "solo");
    // The comparison sees another member.
    CHECK(run_toy(s.path(), {"diff", s / directory / "members/member_000004", s / "solo"}).code == 1);
  }
  s.check_equal("packed-true", "packed-false");
}

TEST_CASE("N-body and option-pricing members in shared files have the bits of runs of their own") {
  const std::string nbody =
      "simulation: nbody\nname: cluster\nseed: 3\ndevice: cpu\nunits: nbody\n"
      "initial_conditions: [{type: plummer, particles: 40}]\ngravity: {softening: SOFTENING}\n"
      "integrator: {scheme: leapfrog, timestep: 0.015625, end_time: 0.5}\n"
      "output: {series: {interval: 0.0625}, snapshots: {interval: 0.25}}\n"
      "diagnostics: {lagrangian_radii: [0.1, 0.5]}\n";
  const std::string options =
      "simulation: option_pricing\nname: book\nseed: 3\ndevice: cpu\nmonte_carlo: {paths: 4096}\n"
      "market:\n  rate: 0.03\n  underlyings:\n    A: {spot: 100, model: gbm, volatility: SOFTENING}\n"
      "options:\n  - {id: call, product: european, type: call, strike: 100, maturity: 1, greeks: [delta, vega]}\n"
      "  - {id: asian, product: asian, average: arithmetic, type: call, strike: 100, fixings: 4, maturity: 1}\n";
  const auto with = [](std::string text, const std::string& value) {
    return text.replace(text.find("SOFTENING"), 9, value);
  };
  for (const auto& [text, key] :
       {std::pair{nbody, "gravity.softening"}, std::pair{options, "market.underlyings.A.volatility"}}) {
    const TemporaryDirectory d;
    const auto run = [&](std::vector<std::string> arguments) {
      const Outcome outcome = Child(d.path(), std::move(arguments), {}, ERGODE_PROGRAM).wait();
      UNSCOPED_INFO(outcome.out << outcome.error);
      return outcome.code;
    };
    spill(d / "sweep.yaml",
          with(text, "0.9") + "sweep:\n  seeds: 2\n  packed: true\n  parameters: {" + key + ": [0.1, 0.2, 0.3]}\n");
    REQUIRE(run({"run", d / "sweep.yaml", "-o", d / "sweep", "-q", "--threads", "2"}) == 0);
    spill(d / "solo.yaml", with(text, "0.2"));
    REQUIRE(run({"run", d / "solo.yaml", "-o", d / "solo", "-q", "--threads", "1", "--set", "seed=4"}) == 0);
    CHECK(run({"diff", d / "sweep/members/member_000004", d / "solo"}) == 0);
    CHECK(run({"diff", d / "sweep/members/member_000005", d / "solo"}) == 1);
    CHECK(run({"verify", d / "sweep"}) == 0);
    REQUIRE(run({"run", d / "sweep/config.used.yaml", "-o", d / "again", "-q", "--set", "sweep.packed=false"}) == 0);
    CHECK(run({"diff", d / "sweep", d / "again"}) == 0);
  }
}

TEST_CASE("a packed sweep killed at random moments repeats no recorded member and ends with the same bits") {
  // Each member takes about 100 ms; what is sealed is known by SIGUSR2, which seals at once.
  const Sweep s("", "units: 50\nmicroseconds: 2000\n");
  REQUIRE(s.run("whole", {"--set", "microseconds=0"}).code == 0);
  std::mt19937 random(20310504);
  int kills = 0;
  std::map<std::string, std::string> before;
  for (;;) {
    REQUIRE(kills < 200);
    const Child child = s.start("cut", {"--resume", "--set", "sweep.packed=true"});
    // The first two not before something was sealed, the others at random moments, later and later for a busy machine.
    if (kills < 2) {
      const std::string owner = "\"pid\": " + std::to_string(child.pid()) + ",";
      REQUIRE(eventually([&] { return has(slurp(s / "cut/lock.json"), owner); }));
      REQUIRE(eventually([&] {
        child.kill(SIGUSR2);
        return packed_files(s / "cut").size() > before.size();
      }));
    } else {
      sleep_ms(static_cast<int>(250 + random() % static_cast<unsigned>(200 + 20 * kills)));
      child.kill(SIGUSR2);
      sleep_ms(static_cast<int>(60 + random() % 60));
    }
    child.kill(SIGKILL);
    const Outcome outcome = child.wait();
    const auto now = packed_files(s / "cut");
    for (const auto& [name, bytes] : before) CHECK(now.at(name) == bytes);
    before = now;
    // SIGUSR2 kills too where it comes before there is somebody who waits for it.
    if (outcome.signal == SIGKILL || outcome.signal == SIGUSR2) {
      ++kills;
      continue;
    }
    INFO(outcome.error);
    REQUIRE(outcome.code == 0);
    break;
  }
  INFO(kills << " kills");
  CHECK(kills >= 2);
  CHECK(before.size() >= 2);
  s.check_equal("whole", "cut");
  const auto times = times_done(s / "cut");
  CHECK(times.size() == 24);
  for (const auto& [member, count] : times) CHECK(count == 1);
}

TEST_CASE("members in directories resume from their own checkpoints") {
  const Sweep s("  packed: false\n", "units: 400\n");
  const std::vector<std::string> few{"--set", "sweep.seeds=3"};
  const auto with_few = [&](std::vector<std::string> more) {
    more.insert(more.end(), few.begin(), few.end());
    return more;
  };
  REQUIRE(s.run("whole", with_few({})).code == 0);
  // A member has 40 checkpoints, and each but its first is a link more.
  const Outcome killed = s.run("cut", with_few({}), [] { io::fs::arm({io::fs::Call::link, 60, 0, false}); });
  CHECK(killed.signal == SIGKILL);
  REQUIRE(fs::exists(s / "cut/members/member_000001/checkpoint.h5"));
  const std::string first = slurp(s / "cut/members/member_000000/summary.json");
  const Outcome outcome = s.run("cut", with_few({"--resume"}));
  INFO(outcome.error);
  CHECK(outcome.code == 0);
  CHECK(has(slurp(s / "cut/members/member_000001/run.log"), "resuming from the checkpoint"));
  CHECK(slurp(s / "cut/members/member_000000/summary.json") == first);
  s.check_equal("whole", "cut");
}

TEST_CASE("a signal stops a sweep with 75 and what is done stays done") {
  for (const char* packed : {"true", "false"}) {
    INFO(packed);
    const Sweep s(std::string("  packed: ") + packed + "\n", "units: 50\nmicroseconds: 3000\n");
    const Child child = s.start("cut");
    REQUIRE(eventually([&] { return has(slurp(s / "cut/run.log"), "output: "); }));
    REQUIRE(eventually([&] {
      child.kill(SIGUSR2);  // seals what is in memory
      return fs::exists(s / "cut/members/members_000000.h5") || fs::exists(s / "cut/members/member_000001");
    }));
    child.kill(SIGTERM);
    const Outcome outcome = child.wait();
    INFO(outcome.error);
    CHECK(outcome.code == 75);
    CHECK(has(outcome.out, "SIGTERM received: `--resume` continues"));
    CHECK_FALSE(fs::exists(s / "cut/lock.json"));
    CHECK(has(slurp(s / "cut/sweep.csv"), ",done,"));
    CHECK(has(slurp(s / "cut/sweep.csv"), ",pending,"));
    CHECK(s.run("cut", {"--resume"}).code == 0);
    CHECK_FALSE(has(slurp(s / "cut/sweep.csv"), ",pending,"));
  }
}

TEST_CASE("a wall-time limit stops a packed sweep with 75") {
  const Sweep s("  packed: true\n", "units: 50\nmicroseconds: 10000\n");
  // More members than there is time for, and more and more time: a slow machine may need some until the first is done.
  for (int seconds = 3; !has(slurp(s / "cut/sweep.csv"), ",done,"); seconds *= 2) {
    REQUIRE(seconds < 100);
    CHECK(s.run("cut", {"--resume", "--set", "sweep.seeds=1000", "--max-walltime", std::to_string(seconds)}).code ==
          75);
  }
}

TEST_CASE("two tasks at the same time make the sweep that one process makes") {
  for (const char* packed : {"true", "false"}) {
    INFO(packed);
    const Sweep s(std::string("  packed: ") + packed + "\n", "units: 20\nmicroseconds: 1000\n");
    REQUIRE(s.run("one").code == 0);
    const Child a = s.start("two", {"--task", "0/2"});
    const Child b = s.start("two", {}, [] {
      for (const auto& [name, value] : {std::pair{"ID", "2"}, {"COUNT", "2"}, {"MIN", "1"}, {"MAX", "2"}})
        ::setenv((std::string("SLURM_ARRAY_TASK_") + name).c_str(), value, 1);
    });
    const Outcome first = a.wait(), second = b.wait();
    INFO(first.error << second.error);
    CHECK(first.code == 0);
    CHECK(second.code == 0);
    CHECK(has(second.out, "task 1 of 2 (counted from 0): 12 members, by SLURM_ARRAY_TASK_ID=2 of 2 tasks"));
    s.check_equal("one", "two");
    // Whoever ended last has written the whole index.
    const std::string csv = slurp(s / "two/sweep.csv");
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 25);
    CHECK_FALSE(has(csv, ",pending,"));
    // Once more without --resume is refused, with it there is nothing to do.
    CHECK(s.run("two", {"--task", "0/2"}).code == 7);
    CHECK(has(s.run("two", {"--task", "0/2", "--resume"}).out, "nothing to do"));
    CHECK(has(s.run("two", {"--resume"}).out, "nothing to do"));
  }
}

TEST_CASE("a task's members that another number of tasks resumes are not repeated") {
  const Sweep s("  packed: true\n", "units: 20\n");
  REQUIRE(s.run("one").code == 0);
  REQUIRE(s.run("parts", {"--task", "1/3"}).code == 0);
  CHECK(has(slurp(s / "parts/sweep.csv"), ",pending,"));
  REQUIRE(s.run("parts", {"--resume"}).code == 0);
  for (const auto& [member, count] : times_done(s / "parts")) CHECK(count == 1);
  s.check_equal("one", "parts");
}
