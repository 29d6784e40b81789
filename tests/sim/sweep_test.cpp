// How a sweep is taken apart into members, and how tasks share them out.
#include <catch2/catch_test_macros.hpp>
#include <map>

#include "sim/sweep/index.hpp"
#include "sim/sweep/plan.hpp"
#include "sim/sweep/task.hpp"
#include "tests/sim/temporary.hpp"
#include "tests/sim/toy_simulation.hpp"

using namespace ergode;
using namespace ergode::testing;

namespace {

struct Config : TemporaryDirectory {
  explicit Config(const std::string& sweep) {
    spill(file(), "simulation: toy\nname: chain\nseed: 7\nunits: 20\ninterval: 5\n" + sweep);
  }
  fs::path file() const { return *this / "toy.yaml"; }
  sim::SweepPlan plan(const std::vector<std::string>& overrides = {}) const {
    return {file(), overrides, {toy::simulation_type()}};
  }
  /// What it is refused with, and the exit class before it.
  std::string refusal(const std::vector<std::string>& overrides = {}) const {
    try {
      const auto p = plan(overrides);
      p.check();
    } catch (const io::Error& e) {
      return std::to_string(static_cast<int>(e.code())) + " " + e.what();
    }
    return "";
  }
};

using Table = std::vector<std::vector<std::string>>;

/// One row a member.
Table values(const sim::SweepPlan& plan) {
  Table table;
  for (std::int64_t m = 0; m < plan.members(); ++m) {
    auto& row = table.emplace_back();
    for (std::size_t c = 0; c < plan.columns().size(); ++c) row.push_back(plan.value(c, m));
  }
  return table;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("crossed axes give every combination, the last axis fastest, the seeds first") {
  const Config c("sweep:\n  seeds: 2\n  parameters:\n    units: [10, 20]\n    interval: [1, 2, 5]\n");
  const auto plan = c.plan();
  CHECK(plan.axes() == std::vector<std::int64_t>{2, 2, 3});
  CHECK(values(plan) == Table{{"7", "10", "1"},
                              {"7", "10", "2"},
                              {"7", "10", "5"},
                              {"7", "20", "1"},
                              {"7", "20", "2"},
                              {"7", "20", "5"},
                              {"8", "10", "1"},
                              {"8", "10", "2"},
                              {"8", "10", "5"},
                              {"8", "20", "1"},
                              {"8", "20", "2"},
                              {"8", "20", "5"}});
  const auto member = plan.load_member(9);
  CHECK(member.common.seed == 8);
  const auto& config = dynamic_cast<const toy::Config&>(*member.simulation);
  CHECK(config.units == 20);
  CHECK(config.interval == 1);
  CHECK(member.common.name == "chain");
  CHECK(member.common.output.directory == fs::path("runs/chain/members/member_000009"));
  CHECK(plan.describe(9) == "member 9 (seed = 8, units = 20, interval = 1)");
}

TEST_CASE("zipped parameters go together, crossed with the seeds") {
  const Config c("sweep:\n  mode: zipped\n  seeds: 2\n  parameters: {units: [10, 20, 30], interval: [1, 2, 5]}\n");
  const auto plan = c.plan();
  CHECK(plan.axes() == std::vector<std::int64_t>{2, 3});
  CHECK(plan.columns()[1].axis == 1);
  CHECK(plan.columns()[2].axis == 1);
  CHECK(
      values(plan) ==
      Table{
          {"7", "10", "1"}, {"7", "20", "2"}, {"7", "30", "5"}, {"8", "10", "1"}, {"8", "20", "2"}, {"8", "30", "5"}});
}

TEST_CASE("ranges have both ends, in equal steps or equal factors, and round decimal numbers") {
  const Config c(
      "sweep:\n  mode: zipped\n  parameters:\n    units: {from: 0, to: 40, count: 5}\n"
      "    padding: {from: 1, to: 10000, count: 5, spacing: log}\n");
  CHECK(values(c.plan()) == Table{{"0", "1"}, {"10", "10"}, {"20", "100"}, {"30", "1000"}, {"40", "10000"}});
  const Config decimal("sweep: {parameters: {failure: {from: 0.1, to: 0.5, count: 5}}}\n");
  CHECK(values(decimal.plan()) == Table{{"0.1"}, {"0.2"}, {"0.3"}, {"0.4"}, {"0.5"}});
  const Config down("sweep: {parameters: {units: {from: 4, to: 2, count: 3}}}\n");
  CHECK(values(down.plan()) == Table{{"4"}, {"3"}, {"2"}});
}

TEST_CASE("config.used.yaml of a sweep is the same sweep") {
  const Config c(
      "sweep:\n  seeds: 3\n  parameters:\n    units: {from: 0, to: 0.9, count: 10}\n    checkpoint.every: [15 min, "
      "\"10 steps\"]\n    failure: [none, 'a, b']\n");
  const auto plan = c.plan();
  CHECK(plan.members() == 120);
  const TemporaryDirectory d;
  spill(d / "used.yaml", plan.config().used_yaml);
  const sim::SweepPlan again(d / "used.yaml", {}, {toy::simulation_type()});
  CHECK(values(again) == values(plan));
  CHECK(again.config().used_yaml == plan.config().used_yaml);
}

TEST_CASE("key paths may be nested, and --set can make a sweep of any config") {
  const Config c("sweep:\n  parameters:\n    checkpoint:\n      keep: [1, 2]\n");
  CHECK(c.plan().columns()[0].path == "checkpoint.keep");
  const Config none("");
  CHECK_FALSE(sim::has_sweep(none.file(), {}));
  CHECK(sim::has_sweep(none.file(), {"sweep.seeds=3"}));
  CHECK(none.plan({"sweep.parameters.checkpoint.keep=[1, 2]", "sweep.seeds=3"}).members() == 6);
}

TEST_CASE("a swept key that is written with points is replaced by --set, and one that is not there added") {
  const Config c("sweep:\n  parameters:\n    checkpoint.keep: [1, 2]\n    checkpoint:\n      every: [1 s, 2 s]\n");
  const auto plan = c.plan({"sweep.parameters.checkpoint.keep=[5]", "sweep.parameters.checkpoint.every=[3 s]",
                            "sweep.parameters.interval=[2]"});
  REQUIRE(plan.columns().size() == 3);
  CHECK(values(plan) == Table{{"5", "3 s", "2"}});
  CHECK(has(c.refusal({"sweep.parameters.checkpoint.kept=[5]"}), "kept"));
}

TEST_CASE("texts that look like numbers stay texts in the index") {
  const Config c(
      "sweep:\n  mode: zipped\n  parameters:\n    failure: [001, 002]\n    input: [\"1.0\", \"2.0\"]\n"
      "    units: [3, 4]\n");
  const auto plan = c.plan();
  std::vector<sim::MemberRecord> records(2);
  records[1].member = 1;
  const auto content = sim::index_content(plan, records);
  CHECK(content.strings.at("/parameters/failure") == std::vector<std::string>{"001", "002"});
  CHECK(content.strings.at("/parameters/input") == std::vector<std::string>{"1.0", "2.0"});
  CHECK(content.datasets.contains("/parameters/units"));
}

TEST_CASE("a misspelt key of a sweep is refused with its line and the nearest key") {
  const std::string text = Config("sweep:\n  parameters:\n    intervall: [1, 2]\n").refusal();
  INFO(text);
  CHECK(text.starts_with("3 "));
  CHECK(has(text, "toy.yaml:8:5: unknown key 'intervall'; did you mean 'interval'?"));
}

TEST_CASE("every member's config is checked, and the members are named") {
  const std::string text = Config("sweep:\n  seeds: 2\n  parameters: {interval: [1, 0, 5]}\n").refusal();
  INFO(text);
  CHECK(text.starts_with("3 "));
  CHECK(has(text, "member 1 (seed = 7, interval = 0) and 1 more:\n"));
  CHECK(has(text, "toy.yaml:8:30: 'interval': found '0', allowed is at least 1"));
  // A seed has 32 bits; the third of these would be beyond.
  const std::string seeds = Config("sweep: {seeds: 3}\n").refusal({"seed=4294967294"});
  CHECK(has(seeds, "member 2 (seed = 4294967296)"));
}

TEST_CASE("what is wrong with a sweep is said with what is wrong elsewhere") {
  const std::string text = Config("sweep: {seeds: 0, mode: mixed}\nintervals: 3\n").refusal();
  INFO(text);
  CHECK(has(text, "'sweep.seeds': found '0', allowed is at least 1"));
  CHECK(has(text, "'sweep.mode': expected one of crossed | zipped"));
  CHECK(has(text, "unknown key 'intervals'"));
}

TEST_CASE("sweeps that cannot be are refused") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"sweep: {}\n", "nothing is swept"},
      {"sweep: {mode: zipped, parameters: {units: [1, 2], interval: [1, 2, 3]}}\n", "equally many values"},
      {"sweep: {seeds: 2, parameters: {seed: [1, 2]}}\n", "`seed` is swept by `seeds`"},
      {"sweep: {parameters: {units: []}}\n", "the list has no values"},
      {"sweep: {parameters: {units: 3}}\n", "expected a list"},
      {"sweep: {parameters: {units: [[1]]}}\n", "found a list"},
      {"sweep: {parameters: {units: {from: 1, to: 2}}}\n", "`count` is missing"},
      {"sweep: {parameters: {units: {from: 1, to: 2, count: 1}}}\n", "allowed is at least 2"},
      {"sweep: {parameters: {units: {from: 0, to: 2, count: 3, spacing: log}}}\n", "greater than 0"},
      {"sweep: {parameters: {units: {from: 1, to: 2, count: 3, steps: 4}}}\n", "unknown key 'steps'"},
      {"sweep: {parameters: {name: [a, b]}}\n", "cannot be swept"},
      {"sweep: {parameters: {output.directory: [a, b]}}\n", "cannot be swept"},
      {"sweep: {parameters: {units.0.x: [1]}}\n", "would stand inside a value"},
      {"sweep: {parameters: {units: [1], units: [2]}}\n", "a second time"},
      {"sweep: {seeds: 1e5, parameters: {units: [1, 2]}}\n", "a sweep of 200000 members"}};
  for (const auto& [config, message] : cases) {
    const std::string text = Config(config).refusal();
    INFO(config << text);
    CHECK(text.starts_with("3 "));
    CHECK(has(text, message));
  }
}

TEST_CASE("a task is I/N with I from 0, and the tasks have each member once") {
  CHECK_FALSE(sim::parse_task("3"));
  CHECK_FALSE(sim::parse_task("3/3"));
  CHECK_FALSE(sim::parse_task("-1/3"));
  CHECK_FALSE(sim::parse_task("1/3x"));
  CHECK_FALSE(sim::parse_task("/"));
  constexpr std::int64_t members = 11, tasks = 4;
  std::vector<int> owners(members, 0);
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < tasks; ++i) {
    const auto task = sim::parse_task(std::to_string(i) + "/4");
    REQUIRE(task);
    std::int64_t mine = 0;
    for (std::int64_t m = 0; m < members; ++m)
      if (task->has(m)) ++owners[static_cast<std::size_t>(m)], ++mine;
    CHECK(task->share(members) == mine);
    total += mine;
  }
  CHECK(total == members);
  CHECK(owners == std::vector<int>(members, 1));
}

TEST_CASE("a Slurm job array gives the task, wherever its ids start and whatever their step is") {
  using Variables = std::map<std::string, std::string>;
  const auto find = [](const Variables& variables, const std::optional<sim::SweepTask>& flag = {}) {
    return sim::find_task(flag, [&](const char* name) -> const char* {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  const auto array = [](const std::string& id, const std::string& count, const std::string& first,
                        const std::string& last) {
    return Variables{{"SLURM_ARRAY_TASK_ID", id},
                     {"SLURM_ARRAY_TASK_COUNT", count},
                     {"SLURM_ARRAY_TASK_MIN", first},
                     {"SLURM_ARRAY_TASK_MAX", last}};
  };
  CHECK(find({}).count == 1);
  CHECK(find({}).source.empty());
  CHECK(find(array("3", "10", "0", "9")).index == 3);      // --array=0-9
  CHECK(find(array("10", "10", "1", "10")).index == 9);    // --array=1-10
  const auto stepped = find(array("20", "4", "0", "30"));  // --array=0-30:10
  CHECK(stepped.index == 2);
  CHECK(stepped.count == 4);
  CHECK(has(stepped.source, "SLURM_ARRAY_TASK_ID=20"));
  CHECK(find(array("5", "1", "5", "5")).index == 0);            // --array=5
  CHECK_THROWS_AS(find(array("2", "3", "1", "9")), io::Error);  // --array=1,2,9
  CHECK(find({{"SLURM_ARRAY_TASK_ID", "3"}, {"SLURM_ARRAY_TASK_COUNT", "10"}}).index == 3);
  CHECK(find({{"SLURM_ARRAY_TASK_COUNT", "x"}}).count == 1);  // no task of an array
  for (const Variables& hostile :
       {array("abc", "4", "0", "3"), array("-1", "4", "0", "3"), array("1", "0", "0", "3"), array("1", "", "0", "3"),
        array("1", "4x", "0", "3"), array("1", "4", "x", "3"), array("1", "4", "0", "-3"),
        array("99999999999999999999", "4", "0", "3"), array("1", "9000000000000000000", "0", "3"),
        Variables{{"SLURM_ARRAY_TASK_ID", "1"}}})
    try {
      find(hostile);
      FAIL("accepted");
    } catch (const io::Error& e) {
      INFO(e.what());
      CHECK(static_cast<int>(e.code()) == 2);
      CHECK(has(e.what(), "--task"));
    }
  const auto flag = find(array("3", "10", "0", "9"), sim::parse_task("1/2"));
  CHECK(flag.index == 1);
  CHECK(flag.count == 2);
}

TEST_CASE("a member's number is read from its name alone") {
  CHECK(sim::member_number("member_000012") == 12);
  CHECK(sim::member_number(sim::member_name(1234567)) == 1234567);
  for (const char* name : {"member_", "member_12x", "member_99999999999999999999", "members_000012", "12"}) {
    INFO(name);
    CHECK_FALSE(sim::member_number(name));
  }
  CHECK(sim::first_member("members/members_000012.h5") == 12);
  CHECK(sim::first_member("members/members_000012_3.h5") == 12);
  CHECK(sim::first_member("members/members_.h5") == 0);
}

namespace {

/// A sweep whose member directories say what is written here; the damaged file is met in a reading after them.
struct Directory : Config {
  Directory() : Config("sweep:\n  seeds: 3\n") { damage(0); }
  fs::path sweep() const { return *this / "sweep"; }
  void say(std::int64_t member, const std::string& text) const {
    fs::create_directories(sweep() / sim::member_directory(member));
    spill(sweep() / sim::member_directory(member) / "summary.json", text);
  }
  void damage(int number) const {
    fs::create_directories(sweep() / "members");
    spill(sweep() / "members" / ("members_" + std::to_string(number) + ".h5"), "damaged");
  }
};

}  // namespace

TEST_CASE("an index is written once beside a member that runs on") {
  const Directory d;
  d.say(0, R"({"state": "running", "unit": 1})");
  int readings = 0;
  sim::write_index(d.plan(), d.sweep(), [&](const fs::path&, const std::string&) {
    REQUIRE(++readings < 10);
    d.say(0, R"({"state": "running", "unit": 1)" + std::string(static_cast<std::size_t>(readings), '0') + "}");
  });
  CHECK(readings == 1);  // nor is a packed file read twice
}

TEST_CASE("an index has what another task records while it is written, and does not follow it for ever") {
  const Directory d;
  int readings = 0;
  const auto records = sim::write_index(d.plan(), d.sweep(), [&](const fs::path&, const std::string&) {
    REQUIRE(++readings < 10);
    d.say(0, R"({"state": "failed", "message": "number )" + std::to_string(readings) + "\"}");
    if (readings == 1) d.say(1, R"({"state": "finished", "results": {}})");
    d.damage(readings);
  });
  CHECK(readings == 3);
  CHECK(records[0].error == "number 2");
  CHECK(records[1].status == sim::MemberRecord::Status::done);
  CHECK(has(slurp(d.sweep() / "sweep.csv"), "\n1,done,"));
}
