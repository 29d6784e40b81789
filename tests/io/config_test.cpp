#include "io/config/config.hpp"

#include <catch2/catch_test_macros.hpp>
#include <random>

using namespace ergode::io;

namespace {

struct Plummer {
  static constexpr const char* tag = "plummer";
  static constexpr const char* meaning = "Plummer sphere";
  std::int64_t particles = 0;
  double radius = 0.1;
  void declare(Section& s) {
    s.key("particles", particles, "number of bodies").required().at_least(1);
    s.key("radius", radius, "scale radius").unit("length").greater_than(0).warn_above(5, "looks like per cent");
  }
};
struct File {
  static constexpr const char* tag = "file";
  static constexpr const char* meaning = "a file";
  static constexpr const char* implied_by = "path";
  std::filesystem::path path;
  void declare(Section& s) { s.key("path", path, "the file").required(); }
};
struct Initial {
  std::variant<Plummer, File> what;
  void declare(Section& s) { s.alternatives("type", what); }
};
struct Time {
  double begin = 0, end = 1;
  Interval every{0, 10};
  std::optional<double> limit;
  void declare(Section& s) {
    s.key("begin", begin, "first time");
    s.key("end", end, "last time").may_change_on_resume();
    s.key("every", every, "between outputs");
    s.key("limit", limit, "largest step");
    s.check([this](const auto& complain) {
      if (end < begin) complain("end", "is before begin");
    });
  }
};
struct Root {
  std::string name = "run: 1";
  Time time;
  std::vector<Initial> initial;
  MemorySize memory;
  void declare(Section& s) {
    s.key("name", name, "of the run");
    s.key("memory", memory, "at most");
    s.section("time", time, "when");
    s.list("initial", initial, "bodies", true);
  }
};

const std::string valid =
    "name: \"a: b\"\nmemory: 12 GiB\ntime:\n  begin: 0.5\n  end: 2\n  every: 1:30:00\ninitial:\n  - type: plummer\n    "
    "particles: 1e6\n  - path: x.csv\n";

ReadResult read(const Document& d, Root& root) {
  return read_config(d, [&](Section& s) { root.declare(s); });
}
std::string failure(const std::string& text, ExitCode code = ExitCode::config, const std::string& set = "") {
  try {
    Document d = Document::parse(text, "c.yaml");
    if (!set.empty()) d.set(set);
    Root root;
    read(d, root);
  } catch (const Error& e) {
    CHECK(e.code() == code);
    return e.what();
  }
  return "";
}
bool has(const std::string& text, const std::string& part) {
  UNSCOPED_INFO(text);
  return text.find(part) != std::string::npos;
}
const std::string bodies = "initial: {type: plummer, particles: 3}\n";

}  // namespace

TEST_CASE("A valid config sets its targets, and the written config gives the same run") {
  Root root, again;
  const ReadResult first = read(Document::parse(valid, "c"), root);
  CHECK(root.name == "a: b");
  CHECK(root.memory.bytes == std::int64_t{12} << 30);
  CHECK(root.time.every.seconds == 5400);
  REQUIRE(root.initial.size() == 2);
  CHECK(std::get<Plummer>(root.initial[0].what).particles == 1000000);
  CHECK(std::get<File>(root.initial[1].what).path == "x.csv");
  const ReadResult second = read(Document::parse(first.used_yaml, "used"), again);
  CHECK(second.used_yaml == first.used_yaml);
  CHECK(has(first.used_yaml, "radius: 0.1\n"));
  CHECK(differing_keys(first.flat, second.flat).empty());
}

TEST_CASE("Unknown, duplicate and merge keys are refused with positions") {
  CHECK(has(failure(bodies + "nmae: x\n"), "c.yaml:2:1: unknown key 'nmae'; did you mean 'name'?"));
  CHECK(has(failure(bodies + "zzzzzzzz: x\n"), "allowed here: name, memory, time, initial"));
  CHECK(has(failure("name: a\nname: b\n"),
            "c.yaml:2:1: the key 'name' stands here a second time; the first is at line 1, column 1"));
  CHECK(has(failure("time: {<<: 3}\n"), "merge key"));
}

TEST_CASE("Wrong types and ranges are refused with what was found and what is allowed") {
  for (const char* bad : {"1.5", "08", "0x10", "yes", "\"3\"", "1_000", ".nan", "1e30", "[1]"})
    CHECK(has(failure("initial: {type: plummer, particles: " + std::string(bad) + "}\n"), "expected an integer"));
  CHECK(has(failure("initial: {type: plummer, particles: 0}\n"),
            "c.yaml:1:37: 'initial.0.particles': found '0', allowed is at least 1"));
  for (const char* bad : {"nan", ".inf", "-inf", "1e999", "yes"})
    CHECK(has(failure(bodies + "time: {begin: " + bad + "}\n"), "a finite number"));
  CHECK(has(failure(bodies + "time: {end: -1}\n"), "c.yaml:2:13: 'time.end': is before begin"));
  CHECK(has(failure("initial: {type: cube}\n"), "plummer | file"));
  CHECK(has(failure("name: x\n"), "'initial' is required"));
  Root root;
  CHECK(read(Document::parse("initial: {type: plummer, particles: 3, radius: 20}\n", "c"), root).warnings.size() == 1);
}

TEST_CASE("All problems come at once in the order of the file") {
  const std::string all = failure("memory: big\nnmae: x\ninitial: {type: plummer}\n");
  CHECK(has(all, "c.yaml:1:9"));
  CHECK(all.find("c.yaml:1:") < all.find("c.yaml:2:"));
  CHECK(all.find("c.yaml:2:") < all.find("c.yaml:3:"));
}

TEST_CASE("Text that is no single small YAML mapping is refused") {
  for (const std::string& bad :
       {std::string(), std::string("time:\n\tend: 1\n"), std::string("a: [1"), std::string("name: 'x\n"),
        std::string("a\0b", 3), std::string("- 1"), std::string("a: &x 1"), std::string("a: *x"),
        std::string("a: 1\n---\nb: 2\n"), std::string(100000, '['), std::string((16u << 20) + 1, 'a'),
        std::string("a: !!int 3")})
    CHECK(has(failure(bad), "c.yaml:"));
  CHECK_THROWS_AS(Document::load("/"), Error);
  CHECK_THROWS_AS(Document::load("no/such/file"), Error);
}

TEST_CASE("Values set on the command line reach lists and are refused as such") {
  Document d = Document::parse(bodies, "c");
  d.set("initial.0.particles=10");
  d.set("time.end=7");
  Root root;
  read(d, root);
  CHECK(std::get<Plummer>(root.initial[0].what).particles == 10);
  CHECK(root.time.end == 7);
  CHECK(has(failure(bodies, ExitCode::command_line, "time.ned=1"),
            "--set time.ned: unknown key 'ned'; did you mean 'end'?"));
  for (const char* bad : {"time", "=1", "time..end=1", "time.end=[", "time.end="})
    CHECK_FALSE(failure(bodies, ExitCode::command_line, bad).empty());
}

TEST_CASE("A resume names what differs and may not") {
  Root a, b;
  const auto stored = read(Document::parse(bodies, "c"), a).flat;
  const auto now = read(Document::parse(bodies + "time: {end: 5, begin: 1}\n", "c"), b).flat;
  CHECK(differing_keys(stored, now) == std::vector<std::string>{"time.begin: stored 0, now 1"});
}

TEST_CASE("The schema shows every alternative's keys") {
  Root root;
  const auto schema = describe([&](Section& s) { root.declare(s); });
  CHECK(has(schema_text(*schema), "radius: scale radius (number [length], greater than 0, default 0.1)"));
  CHECK(has(schema_markdown(*schema), "with `type: file`: a file"));
}

TEST_CASE("Random changes of a config are read or refused, never worse") {
  std::mt19937 random(1);
  const std::string alphabet = ":-[]{}#&*!|>'\"%@`,? \n\t08e.<~";
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text = valid;
    for (unsigned n = 1 + random() % 4; n > 0; --n) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 5);
      else if (random() % 2)
        text.insert(at, 1, alphabet[random() % alphabet.size()]);
      else
        text[at] = static_cast<char>(random() % 256);
      if (text.empty()) text = "a";
    }
    refused += !failure(text).empty();
  }
  CHECK(refused > 2500);
  CHECK(refused < 5000);
}

namespace {

struct Star {
  std::string name;
  double mass = 1;
  void declare(Section& s) { s.key("mass", mass, "of it").greater_than(0); }
};
struct Pull {
  double all = 0, other = 1;
  void declare(Section& s) {
    s.key("all", all, "of all pairs");
    s.key("other", other, "something else");
  }
};
struct Sky {
  std::string today;
  std::vector<Star> stars, table;
  std::optional<Pull> pull;
  Rows matrix;
  double when = 0;
  void declare(Section& s) {
    s.key("today", today, "a day");
    s.settle();
    s.dates([this](const std::string& date, std::string& why) -> std::optional<double> {
      if (today.empty()) return why = "there is no today", std::nullopt;
      return date == today ? 0.0 : 1.0;
    });
    s.key("when", when, "years").or_date();
    s.key("matrix", matrix, "rows").at_least(-1);
    s.names("stars", stars, "all of them", "a star", true);
    s.section("pull", pull, "between them", "all");
    s.list_or_file(
        "table", table, "more", false,
        [](const std::filesystem::path& path) {
          Node row, list;
          row.kind = Node::Kind::mapping;
          row.at = {"", 7, 1, path.string()};
          row.keys = {"mass"};
          row.key_at = {row.at};
          row.items.resize(1);
          row.items[0].kind = Node::Kind::scalar;
          row.items[0].text = path.stem().string();
          row.items[0].at = {"", 7, 3, path.string()};
          list.kind = Node::Kind::sequence;
          list.items = {row};
          return list;
        },
        [](Section& item, Star& star, std::size_t index) {
          star.name = std::to_string(index);
          star.declare(item);
        });
    s.doubt([this](const auto& warn) {
      if (stars.size() > 2) warn("stars", "three are many");
    });
  }
};

ReadResult read(const std::string& text, Sky& sky) {
  return read_config(Document::parse(text, "/home/s.yaml"), [&](Section& s) { sky.declare(s); });
}
std::string sky_failure(const std::string& text, ExitCode code = ExitCode::config) {
  try {
    Sky sky;
    read(text, sky);
  } catch (const Error& e) {
    CHECK(e.code() == code);
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A mapping with names of the user's keeps its order, and is written so that it is read again") {
  Sky first, second;
  const std::string text = "stars: {z: {mass: 2}, 'a: #b': {}, 'null': {mass: 3}}\nmatrix: [[1, 2], [3]]\npull: 0.5\n";
  const ReadResult result = read(text, first);
  REQUIRE(first.stars.size() == 3);
  CHECK(first.stars[0].name == "z");
  CHECK(first.stars[1].name == "a: #b");
  CHECK(first.stars[2].mass == 3);
  CHECK(first.pull->all == 0.5);
  CHECK(first.matrix == Rows{{1, 2}, {3}});
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0] == "/home/s.yaml:1:8: 'stars': three are many");
  CHECK(read(result.used_yaml, second).used_yaml == result.used_yaml);
  CHECK(second.stars[1].name == "a: #b");

  CHECK(has(sky_failure("stars: {z: {mas: 2}}\n"), "s.yaml:1:13: unknown key 'mas'; did you mean 'mass'?"));
  CHECK(has(sky_failure("stars: {z: {mass: 0}}\n"), "'stars.z.mass': found '0'"));
  CHECK(has(sky_failure("stars: {z: 3}\n"), "s.yaml:1:9: 'stars.z': expected a mapping"));
  CHECK(has(sky_failure("stars: [z]\n"), "expected a mapping (name: {...}), found a list"));
  CHECK(has(sky_failure("stars: {}\n"), "'stars' is required and is empty"));
  CHECK(has(sky_failure("pull: 1\n"), "'stars' is required and is empty"));
  CHECK(has(sky_failure("stars: {'': {}}\n"), "a name is empty"));
  CHECK(has(sky_failure("stars: {z: {}}\nmatrix: [[1, -2]]\n"), "s.yaml:2:14: 'matrix': found '-2'"));
  CHECK(has(sky_failure("stars: {z: {}}\npull: [1]\n"), "'pull': expected a mapping"));
  CHECK(has(schema_text(*describe([](Section& s) { Sky().declare(s); })), "  <name>: a star\n    mass: of it (number"));
}

TEST_CASE("A date stands for years where the key allows it and the declaration knows how") {
  Sky sky;
  const std::string stars = "stars: {z: {}}\n";
  read(stars + "when: 2026-01-02\ntoday: 2026-01-01\n", sky);
  CHECK(sky.when == 1);
  CHECK(has(sky_failure(stars + "when: 2026-01-02\n"), "'when': found the date 2026-01-02: there is no today"));
  CHECK(has(sky_failure(stars + "when: 2026-1-2\n"), "'when': expected a finite number"));
  CHECK(has(sky_failure("stars: {z: {mass: 2026-01-02}}\ntoday: 2026-01-01\n"), "'stars.z.mass': expected a finite"));
}

TEST_CASE("A list may come from a file, whose rows are checked and named like those of a config") {
  Sky sky, again;
  const std::string stars = "stars: {z: {}}\n";
  const ReadResult result = read(stars + "table: {file: 12.csv}\n", sky);
  REQUIRE(sky.table.size() == 1);
  CHECK(sky.table[0].mass == 12);
  CHECK(has(result.used_yaml, "table:\n  - mass: 12\n"));
  CHECK(read(result.used_yaml, again).used_yaml == result.used_yaml);
  CHECK(has(sky_failure(stars + "table: {file: -3.csv}\n", ExitCode::input_file),
            "/home/-3.csv:7:3: 'table.0.mass': found '-3'"));
  CHECK(has(sky_failure(stars + "pull: x\ntable: {file: -3.csv}\n"), "/home/-3.csv:7:3: 'table.0.mass': found '-3'"));
  CHECK(has(sky_failure(stars + "table: {file: [1]}\n"), "'table.file': expected a path"));
  CHECK(has(sky_failure(stars + "table: {file: 1.csv, mass: 2}\n"), "found 'mass' beside `file`, which stands alone"));
}
