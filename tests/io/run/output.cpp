#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <csignal>
#include <locale>

#include "io/error.hpp"
#include "io/run/log.hpp"
#include "io/run/progress.hpp"
#include "io/run/text_file.hpp"
#include "tests/sim/temporary.hpp"

using namespace ergode::io;
using ergode::testing::slurp;
using ergode::testing::TemporaryDirectory;

namespace {

/// A console whose two streams are files.
struct Recorded {
  TemporaryDirectory directory;
  int out = ::open((directory / "out").c_str(), O_CREAT | O_WRONLY, 0644);
  int error = ::open((directory / "error").c_str(), O_CREAT | O_WRONLY, 0644);
  Console console{out, error};
  ~Recorded() { ::close(out), ::close(error); }
  std::string printed() const { return slurp(directory / "out"); }
  std::string complained() const { return slurp(directory / "error"); }
};

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

TEST_CASE("the log shows the person what they asked for and keeps everything in the file") {
  Recorded r;
  {
    Log log(r.console, Verbosity::normal);
    log.info("before the file");
    log.open(r.directory / "run.log");
    log.detail("a detail");
    log.warning("a warning");
    log.error("an error");
  }
  CHECK(r.printed() == "before the file\n");
  CHECK(r.complained() == "warning: a warning\nerror: an error\n");
  const std::string file = slurp(r.directory / "run.log");
  for (const char* line : {"before the file", "a detail", "a warning", "an error"})
    CHECK(file.find(line) != std::string::npos);
  CHECK(file.find("before the file") < file.find("a detail"));
  CHECK(file.substr(4, 1) == "-");  // 2031-05-04T...
  CHECK(file.substr(10, 1) == "T");
  {
    Log log(r.console, Verbosity::quiet);
    log.open(r.directory / "run.log");
    log.info("after a resume");
  }
  CHECK(slurp(r.directory / "run.log").starts_with(file));
  CHECK(slurp(r.directory / "run.log").find("after a resume") != std::string::npos);
  CHECK(r.printed() == "before the file\n");
}

TEST_CASE("a log in a folder that is not there is an I/O error") {
  Recorded r;
  write_text(r.directory / "file", "");
  Log log(r.console, Verbosity::normal);
  CHECK_THROWS_AS(log.open(r.directory / "file" / "run.log"), Error);
}

TEST_CASE("durations and progress have a point and no grouping in every locale") {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  CHECK(duration_text(3.14159) == "3.1 s");
  CHECK(duration_text(3723) == "1:02:03");
  CHECK(duration_text(4 * 86400 + 3723) == "4 d 1:02:03");
  CHECK(duration_text(std::nan("")) == "?");
  CHECK(progress_text({12345, 20000, "step", "t = 1.5"}, 2500.5) ==
        "step 12345 of 20000 (61.7 %)  2500 steps/s  left 3.1 s  t = 1.5");
  CHECK(progress_text({19999999, 20000000, "step", ""}, 0) == "step 19999999 of 20000000 (99.9 %)");
  CHECK(progress_text({7, 0, "path", ""}, 1.5e9) == "path 7  1.5e+09 paths/s");
  std::locale::global(before);
}

TEST_CASE("progress as lines comes at each quarter and every ten seconds") {
  Recorded r;
  Log log(r.console, Verbosity::normal);
  ProgressDisplay display(log, ProgressStyle::automatic);  // a file is no terminal
  display.start({0, 1000, "step", ""}, 0);
  for (int i = 1; i <= 1000; ++i) display.show({i, 1000, "step", ""}, 0.001 * i);
  display.finish();
  const std::string out = r.printed();
  CHECK(std::count(out.begin(), out.end(), '\n') == 4);
  CHECK(out.find('\r') == std::string::npos);
  CHECK(out.find("step 250 of 1000 (25.0 %)") != std::string::npos);
  CHECK(out.find("step 1000 of 1000 (100.0 %)") != std::string::npos);

  Recorded slow;
  Log slow_log(slow.console, Verbosity::normal);
  ProgressDisplay slow_display(slow_log, ProgressStyle::lines);
  slow_display.start({0, 1000000, "step", ""}, 0);
  for (int i = 1; i <= 100; ++i) slow_display.show({i, 1000000, "step", ""}, i);
  const std::string lines = slow.printed();
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 10);
}

TEST_CASE("the rate of a resumed run does not count what was done before") {
  Recorded r;
  Log log(r.console, Verbosity::normal);
  ProgressDisplay display(log, ProgressStyle::lines);
  display.start({1000000, 1000040, "step", ""}, 100);
  for (int i = 1; i <= 20; ++i) display.show({1000000 + i, 1000040, "step", ""}, 100 + i);
  CHECK(r.printed().find("1 steps/s") != std::string::npos);
}

TEST_CASE("a bar is one line that a message does not tear") {
  Recorded r;
  r.console.bar("half");
  r.console.out("message");
  r.console.clear_bar();
  CHECK(r.printed() == "half\r\x1b[Kmessage\nhalf\r\x1b[K");
}

TEST_CASE("closed streams and broken pipes end nothing") {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  Console broken(ends[1], ends[1]);
  broken.out("to nobody");
  broken.bar("to nobody");
  ::close(ends[1]);
  Console closed(-1, -1);
  closed.out("to nobody");
  closed.error("to nobody");
  CHECK_FALSE(closed.interactive());
  std::signal(SIGPIPE, SIG_DFL);
}

TEST_CASE("a text file is replaced as a whole or not at all") {
  const TemporaryDirectory directory;
  write_text(directory / "a", "one");
  write_text(directory / "a", "two");
  CHECK(read_text(directory / "a") == "two");
  CHECK_FALSE(read_text(directory / "b"));
  CHECK_THROWS_AS(write_text(directory / "a" / "b", "x"), Error);
  std::filesystem::create_directory(directory / "folder");
  CHECK_THROWS_AS(write_text(directory / "folder", "x"), Error);
  CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 2);
}

TEST_CASE("an output directory that cannot be is found before anything is written") {
  const TemporaryDirectory directory;
  make_writable_directory(directory / "a/b/c");
  CHECK(std::filesystem::is_empty(directory / "a/b/c"));
  write_text(directory / "file", "x");
  const auto complaint = [](const std::filesystem::path& path) {
    try {
      make_writable_directory(path);
    } catch (const Error& e) {
      return e.code() == ExitCode::io ? std::string(e.what()) : "";
    }
    return std::string();
  };
  CHECK(complaint(directory / "file").find("is a file") != std::string::npos);
  CHECK(complaint(directory / "file/below").find("cannot be made") != std::string::npos);
  CHECK(complaint(directory.path() / std::string(300, 'n')).find("cannot be made") != std::string::npos);
  CHECK(complaint("/proc/ergode").find("cannot be made") != std::string::npos);
}
