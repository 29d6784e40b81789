#include "io/checkpoint.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cerrno>

#include "io/fs/fault.hpp"
#include "io/fs/file.hpp"
#include "io/hdf5/sealed_file.hpp"
#include "tests/io/files/temporary_directory.hpp"

using namespace ergode;
using namespace ergode::io;
using Catch::Matchers::ContainsSubstring;
using test::TemporaryDirectory;

namespace {

Checkpoint make(std::int64_t unit) {
  Checkpoint c;
  c.simulation = "nbody";
  c.config = "name: plummer\nseed: 42\ntitle: \xc3\x9c" + std::string(100000, '#') + "\n";
  c.backend = "cpu";
  c.isa = "avx2";
  c.unit = unit;
  c.state.arrays["position"] =
      Array::from<double>(std::vector<double>(300, static_cast<double>(unit)).data(), {100, 3});
  c.state.arrays["id"] = Array::from(std::vector<std::uint64_t>{1, 2, 3});
  c.state.attributes["time"] = 0.1 * static_cast<double>(unit);
  c.state.attributes["rows"] = unit;
  return c;
}

void nothing(const std::string& text) {
  FAIL("unexpected warning: " << text);
}

std::int64_t unit_in(const std::filesystem::path& path) {
  return read_checkpoint_file(path).unit;
}

}  // namespace

TEST_CASE("a checkpoint gives back what was written") {
  const TemporaryDirectory directory;
  CHECK_FALSE(read_checkpoint(directory.path(), nothing));
  Checkpoint written = make(7);
  written.finished = true;
  const auto size = write_checkpoint(directory.path(), written, 2);
  CHECK(size == static_cast<std::int64_t>(std::filesystem::file_size(directory / "checkpoint.h5")));
  const auto read = read_checkpoint(directory.path(), nothing);
  REQUIRE(read);
  CHECK(read->simulation == "nbody");
  CHECK(read->config == written.config);
  CHECK(read->backend == "cpu");
  CHECK(read->isa == "avx2");
  CHECK(read->unit == 7);
  CHECK(read->finished);
  CHECK(read->state.arrays == written.state.arrays);
  CHECK(read->state.attributes == written.state.attributes);
}

TEST_CASE("as many checkpoints are kept as were asked for") {
  for (const int keep : {1, 2, 3, 4}) {
    const TemporaryDirectory directory;
    for (int unit = 1; unit <= 6; ++unit) write_checkpoint(directory.path(), make(unit), keep);
    CHECK(test::entries(directory.path()) == static_cast<std::size_t>(keep));
    for (int generation = 0; generation < keep; ++generation)
      CHECK(unit_in(checkpoint_path(directory.path(), generation)) == 6 - generation);
    write_checkpoint(directory.path(), make(7), 1);
    CHECK(test::entries(directory.path()) == 1);
  }
}

TEST_CASE("a checkpoint cut short at every 512 bytes is refused and the previous one used") {
  const TemporaryDirectory directory;
  Checkpoint small = make(1);
  small.config = "name: a\n";
  write_checkpoint(directory.path(), small, 2);
  small.unit = 2;
  write_checkpoint(directory.path(), small, 2);
  const std::string bytes = test::slurp(directory / "checkpoint.h5");
  REQUIRE(bytes.size() > 4096);
  for (std::size_t cut = 0; cut < bytes.size(); cut += 512) {
    test::spill(directory / "checkpoint.h5", bytes.substr(0, cut));
    std::string warning;
    const auto read = read_checkpoint(directory.path(), [&](const std::string& text) { warning = text; });
    REQUIRE(read);
    CHECK(read->unit == 1);
    CHECK_THAT(warning, ContainsSubstring("SHA-256") && ContainsSubstring("checkpoint.prev.h5"));
  }
}

TEST_CASE("a checkpoint with a flipped bit is refused with both sums, and with all bad it is exit 4") {
  const TemporaryDirectory directory;
  write_checkpoint(directory.path(), make(1), 2);
  write_checkpoint(directory.path(), make(2), 2);
  const auto flip = [&](const std::string& name, std::size_t at) {
    std::string bytes = test::slurp(directory / name);
    bytes[at % bytes.size()] ^= static_cast<char>(1 << (at % 8));
    test::spill(directory / name, bytes);
  };
  const auto size = std::filesystem::file_size(directory / "checkpoint.h5");
  for (std::size_t at = 0; at < size - 90; at += size / 37) {
    flip("checkpoint.h5", at);
    std::string warning;
    const auto read = read_checkpoint(directory.path(), [&](const std::string& text) { warning = text; });
    REQUIRE(read);
    CHECK(read->unit == 1);
    CHECK_THAT(warning, ContainsSubstring("expected SHA-256") && ContainsSubstring("found"));
    flip("checkpoint.h5", at);
    CHECK(read_checkpoint(directory.path(), nothing)->unit == 2);
  }
  flip("checkpoint.h5", 1000);
  flip("checkpoint.prev.h5", 2000);
  try {
    read_checkpoint(directory.path(), nothing);
    FAIL("a damaged checkpoint was used");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::input_file);
    CHECK_THAT(error.what(), ContainsSubstring("checkpoint.h5") && ContainsSubstring("checkpoint.prev.h5"));
  }
}

TEST_CASE("a checkpoint of another format is refused with both numbers") {
  const TemporaryDirectory directory;
  FileContent content;
  content.groups["/"] = {{"format", std::int64_t{99}}, {"simulation", std::string("nbody")}};
  write_sealed(directory / "checkpoint.h5", content);
  CHECK_THROWS_WITH(
      read_checkpoint(directory.path(), nothing),
      ContainsSubstring("format 99") && ContainsSubstring("format " + std::to_string(Checkpoint::format)));
}

TEST_CASE("a full disk at a checkpoint is waited for, then reported") {
  const TemporaryDirectory directory;
  write_checkpoint(directory.path(), make(1), 2);
  double slept = 0;
  int warnings = 0;
  DiskRetry retry{60, 5, {}, [&](const std::string&) { ++warnings; }};
  fs::arm({fs::Call::write, 1, ENOSPC, true});
  retry.sleep = [&](double seconds) {
    slept += seconds;
    if (slept >= 20) fs::disarm();
    return true;
  };
  write_checkpoint(directory.path(), make(2), 2, retry);
  CHECK(slept == 20);
  CHECK(warnings == 4);
  CHECK(read_checkpoint(directory.path(), nothing)->unit == 2);

  slept = -1000;
  fs::arm({fs::Call::write, 1, EDQUOT, true});
  try {
    write_checkpoint(directory.path(), make(3), 2, retry);
    FAIL("written on a full disk");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::io);
    CHECK_THAT(error.what(), ContainsSubstring("EDQUOT") && ContainsSubstring("checkpoint.h5"));
  }
  fs::disarm();
  CHECK(slept == -940);
  CHECK(read_checkpoint(directory.path(), nothing)->unit == 2);
  CHECK(test::entries(directory.path()) == 2);
}
