// Every call of a file function fails or dies in turn; what must be on the disk afterwards is there each time.
#include <sys/resource.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "io/checkpoint.hpp"
#include "io/fs/fault.hpp"
#include "io/fs/file.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/sealed_file.hpp"
#include "io/series.hpp"
#include "tests/fault/files_child.hpp"
#include "tests/io/files/temporary_directory.hpp"
#include "tests/io/series/example.hpp"

using namespace ergode;
using namespace ergode::io;
using Catch::Matchers::ContainsSubstring;
using test::start_child;
using test::TemporaryDirectory;
using test::wait_for;

namespace {

FileContent content(double value) {
  FileContent c;
  c.datasets["/x"] = {Array::from(std::vector<double>(1000, value)), {}};
  return c;
}

Checkpoint checkpoint(std::int64_t unit) {
  Checkpoint c;
  c.simulation = "nbody";
  c.backend = "cpu";
  c.unit = unit;
  c.state.arrays["position"] = Array::from(std::vector<double>(1000, static_cast<double>(unit)));
  return c;
}

double value_in(const std::filesystem::path& path) {
  return read_dataset(path, "/x").as<double>()[0];
}

/// Calls that `work` makes.
template <class Work>
std::int64_t count_calls(Work work) {
  fs::arm({fs::Call::any, 0, 0, false});
  work();
  const auto count = fs::calls_seen();
  fs::disarm();
  return count;
}

}  // namespace

TEST_CASE("write_sealed failing at any call leaves the old file or the new one, and nothing else") {
  const TemporaryDirectory directory;
  const auto path = directory / "a.h5";
  const auto calls = count_calls([&] { write_sealed(path, content(0)); });
  REQUIRE(calls == 6);  // create, two writes, fsync, rename, fsync of the directory
  for (const int error : {ENOSPC, EDQUOT, EIO})
    for (std::int64_t k = 1; k <= calls; ++k) {
      write_sealed(path, content(1));
      fs::arm({fs::Call::any, k, error, false});
      try {
        write_sealed(path, content(2));
        FAIL("the fault was not noticed");
      } catch (const fs::SystemError& e) {
        CHECK(e.code() == ExitCode::io);
        CHECK(e.number() == error);
        CHECK_THAT(e.what(), ContainsSubstring(directory.path().string()));
      }
      fs::disarm();
      CHECK(check_seal(path) == SealState::intact);
      CHECK(value_in(path) == (k == calls ? 2 : 1));
      CHECK(test::entries(directory.path()) == 1);
    }
}

TEST_CASE("write_sealed killed at any call leaves the old file or the new one whole") {
  const TemporaryDirectory directory;
  const auto path = directory / "a.h5";
  const auto calls = count_calls([&] { write_sealed(path, content(0)); });
  for (std::int64_t k = 1; k <= calls; ++k) {
    write_sealed(path, content(1));
    const auto ending = wait_for(start_child([&] {
      fs::arm({fs::Call::any, k, 0, false});
      write_sealed(path, content(2));
      return 0;
    }));
    CHECK(ending.signal == SIGKILL);
    CHECK(check_seal(path) == SealState::intact);
    CHECK(value_in(path) == (k == calls ? 2 : 1));
    fs::remove_temporaries(directory.path());
    CHECK(test::entries(directory.path()) == 1);
  }
}

TEST_CASE("a checkpoint killed or failing at any call leaves a whole one, and the next one works") {
  const int keep = GENERATE(1, 2, 3);
  const bool kill = GENERATE(false, true);
  const TemporaryDirectory directory;
  const auto& run = directory.path();
  for (int unit = 1; unit <= 4; ++unit) write_checkpoint(run, checkpoint(unit), keep);
  const auto calls = count_calls([&] { write_checkpoint(run, checkpoint(5), keep); });
  REQUIRE(calls >= 7);
  std::int64_t unit = 5;
  for (std::int64_t k = 1; k <= calls; ++k) {
    INFO("keep " << keep << ", call " << k << " of " << calls);
    if (kill) {
      const auto ending = wait_for(start_child([&] {
        fs::arm({fs::Call::any, k, 0, false});
        write_checkpoint(run, checkpoint(unit + 1), keep);
        return 0;
      }));
      // The retention of older ones may take fewer calls after a kill: then the child ends well.
      CHECK((ending.signal == SIGKILL || ending.exit == 0));
    } else {
      fs::arm({fs::Call::any, k, EIO, false});
      try {
        write_checkpoint(run, checkpoint(unit + 1), keep);
      } catch (const Error& error) {
        CHECK(error.code() == ExitCode::io);
      }
      fs::disarm();
    }
    const auto read = read_checkpoint(run, [](const std::string& text) { FAIL("damaged: " << text); });
    REQUIRE(read);
    CHECK((read->unit == unit || read->unit == unit + 1));
    unit += 2;
    write_checkpoint(run, checkpoint(unit), keep);
    CHECK(read_checkpoint(run, {})->unit == unit);
  }
  fs::remove_temporaries(run);
  CHECK(test::entries(run) == static_cast<std::size_t>(keep));
}

TEST_CASE("a damaged newest checkpoint is never moved over a good previous one") {
  const TemporaryDirectory directory;
  const auto& run = directory.path();
  const auto calls = count_calls([&] {
    write_checkpoint(run, checkpoint(1), 2);
    write_checkpoint(run, checkpoint(2), 2);
  });
  for (std::int64_t k = 1; k <= calls; ++k) {
    write_checkpoint(run, checkpoint(1), 2);
    write_checkpoint(run, checkpoint(2), 2);
    test::spill(run / "checkpoint.h5", "damaged");
    wait_for(start_child([&] {
      fs::arm({fs::Call::any, k, 0, false});
      write_checkpoint(run, checkpoint(3), 2);
      return 0;
    }));
    const auto read = read_checkpoint(run, {});
    REQUIRE(read);
    CHECK((read->unit == 1 || read->unit == 3));
  }
}

TEST_CASE("a real limit on file size is met by sealed files and series alike with exit 7 and no crash at exit") {
  const TemporaryDirectory directory;
  write_checkpoint(directory.path(), checkpoint(1), 2);
  const auto limited = [&](const std::function<void()>& work) {
    return wait_for(start_child([&] {
      fs::ignore_file_size_signal();
      const rlimit limit{40000, 40000};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 101;
      try {
        work();
        return 0;
      } catch (const Error& error) {
        return static_cast<int>(error.code());
      }
    }));
  };
  SECTION("sealed file") {
    FileContent big = content(1);
    big.datasets["/x"].data = Array::from(std::vector<double>(10000, 1));
    const auto ending = limited([&] { write_sealed(directory / "a.h5", big); });
    CHECK(ending.signal == 0);
    CHECK(ending.exit == 7);
  }
  SECTION("series, noticed by flush()") {
    const auto ending = limited([&] {
      SeriesWriter series(directory / "series.h5", test::series_layout());
      for (int i = 0; i < 20000; ++i) {
        series.append(test::series_row(i));
        if (i % 100 == 0) series.flush();
      }
    });
    CHECK(ending.signal == 0);
    CHECK(ending.exit == 7);
    const FileReader file(directory / "series.h5");  // what was flushed before is still readable
    CHECK(file.dataset("/time").count() > 0);
  }
  SECTION("series, noticed by nobody but the destructor") {
    const auto ending = limited([&] {
      SeriesWriter series(directory / "series.h5", test::series_layout());
      for (int i = 0; i < 20000; ++i) series.append(test::series_row(i));
    });
    CHECK(ending.signal == 0);
    CHECK(ending.exit == 0);
  }
  SECTION("series, at its sealing") {
    const auto ending = limited([&] {
      SeriesWriter series(directory / "series.h5", test::series_layout());
      for (int i = 0; i < 20000; ++i) series.append(test::series_row(i));
      series.seal();
    });
    CHECK(ending.signal == 0);
    CHECK(ending.exit == 7);
  }
  CHECK(read_checkpoint(directory.path(), {})->unit == 1);
}

TEST_CASE("a series continued while any of the file calls fails keeps the old file") {
  const TemporaryDirectory directory;
  const auto path = directory / "series.h5";
  {
    SeriesWriter series(path, test::series_layout());
    for (int i = 0; i < 100; ++i) series.append(test::series_row(i));
  }
  const auto calls = count_calls([&] { SeriesWriter series(path, test::series_layout(), 100); });
  REQUIRE(calls >= 3);
  for (std::int64_t k = 1; k <= calls; ++k) {
    const auto ending = wait_for(start_child([&] {
      fs::arm({fs::Call::any, k, ENOSPC, false});
      try {
        SeriesWriter series(path, test::series_layout(), 100);
      } catch (const Error& error) {
        return static_cast<int>(error.code());
      }
      return 0;
    }));
    CHECK(ending.exit == 7);
    CHECK(read_dataset(path, "/time").count() == 100);
    CHECK(test::entries(directory.path()) == 1);
  }
}

TEST_CASE("a series whose writer is killed at a random moment can be read and continued") {
  const TemporaryDirectory directory;
  const auto path = directory / "series.h5";
  std::mt19937 random(20240607);
  std::int64_t rows = 0;
  for (int trial = 0; trial < 20; ++trial) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = start_child([&] {
      SeriesWriter series(path, test::series_layout(), rows);
      for (std::int64_t i = rows;; ++i) {
        series.append(test::series_row(i));
        if (i % 7 == 0) {
          series.flush();
          const std::int64_t flushed = series.rows();
          if (::write(ready[1], &flushed, sizeof flushed) != sizeof flushed) return 1;
        }
      }
    });
    ::close(ready[1]);
    std::int64_t flushed = rows;
    REQUIRE(::read(ready[0], &flushed, sizeof flushed) == sizeof flushed);
    ::usleep(std::uniform_int_distribution<useconds_t>(0, 60000)(random));
    ::kill(child, SIGKILL);
    CHECK(wait_for(child).signal == SIGKILL);
    while (::read(ready[0], &flushed, sizeof flushed) == sizeof flushed) {
    }
    ::close(ready[0]);
    const FileReader file(path);
    const Array time = file.first_rows("/time", {}, flushed), step = file.first_rows("/step", {}, flushed);
    bool equal = true;
    for (std::int64_t i = 0; i < flushed; ++i)
      equal = equal && time.as<double>()[static_cast<std::size_t>(i)] == test::series_row(i)[0] &&
              step.as<std::int64_t>()[static_cast<std::size_t>(i)] == i;
    CHECK(equal);
    CHECK(flushed > rows);
    rows = flushed - 3;  // the checkpoint is a little behind
    if (rows < 0) rows = 0;
  }
  SeriesWriter series(path, test::series_layout(), rows);
  series.seal();
  CHECK(check_seal(path) == SealState::intact);
  CHECK(read_dataset(path, "/time").count() == rows);
}

TEST_CASE("a series waits for space on a full disk and loses no row") {
  const TemporaryDirectory directory;
  SeriesWriter series(directory / "series.h5", test::series_layout());
  double slept = 0;
  const auto sleep = [&](double seconds) {
    slept += seconds;
    if (slept >= 15) fs::disarm();
    return true;
  };
  series.retry_on_full_disk({60, 5, sleep, {}});
  series.append(test::series_row(0));
  fs::arm({fs::Call::write, 1, ENOSPC, true});
  series.flush();
  CHECK(slept == 15);
  series.append(test::series_row(1));
  slept = -1000;
  fs::arm({fs::Call::write, 1, ENOSPC, true});
  CHECK_THROWS_AS(series.flush(), fs::SystemError);
  CHECK(slept == -940);
  fs::disarm();
  series.seal();  // nothing was broken by giving up
  CHECK(read_dataset(directory / "series.h5", "/time").count() == 2);
  CHECK(test::entries(directory.path()) == 1);
}

// Run by the next case in a process of its own, since the variable is read once.
TEST_CASE("seals a file where told", "[.files-child]") {
  write_sealed(std::getenv("ERGODE_TEST_FILE"), content(1));
}

TEST_CASE("a fault can be armed from outside by ERGODE_FAULT, and a malformed one is refused") {
  const TemporaryDirectory directory;
  const auto path = directory / "a.h5";
  const auto run = [&](const char* fault) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("ERGODE_FAULT", fault, 1);
      ::setenv("ERGODE_TEST_FILE", path.c_str(), 1);
      if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(101);
      ::execl("/proc/self/exe", "test_fault", "[.files-child]", static_cast<char*>(nullptr));
      ::_exit(102);
    }
    return wait_for(child);
  };
  CHECK(run("write:2:ENOSPC").exit > 0);  // that of a failed case
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(run("rename:1:kill").signal == SIGKILL);
  CHECK_FALSE(std::filesystem::exists(path));
  for (const char* malformed : {"write", "write:0:kill", "write:1:EWHAT", "wrote:1:kill", "write:1:kill:often"}) {
    INFO(malformed);
    CHECK(run(malformed).exit > 0);
    CHECK_FALSE(std::filesystem::exists(path));
  }
  CHECK(run("write:3:kill").exit == 0);  // there is no third write
  CHECK(check_seal(path) == SealState::intact);
}
