#include "io/diff.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/checkpoint.hpp"
#include "io/hdf5/sealed_file.hpp"
#include "io/series.hpp"
#include "io/verify.hpp"
#include "tests/io/files/temporary_directory.hpp"
#include "tests/io/series/example.hpp"

using namespace ergode;
using namespace ergode::io;
using Catch::Matchers::ContainsSubstring;
using Kind = Difference::Kind;
using test::TemporaryDirectory;

namespace {

FileContent base() {
  FileContent c;
  c.groups["/Header"] = {{"Time", 1.0},
                         {"NumPart_ThisFile", Array::from(std::vector<std::uint32_t>{0, 4, 0, 0, 0, 0})}};
  c.groups["/provenance"] = {{"host", std::string("here")}, {"name", std::string("test")}};
  c.datasets["/PartType1/Coordinates"] = {Array::from<double>(std::vector<double>(12, 2.0).data(), {4, 3}), {}};
  c.datasets["/PartType1/ParticleIDs"] = {Array::from(std::vector<std::uint64_t>{1, 2, 3, ~std::uint64_t{0}}), {}};
  c.strings["/names"] = {"a", "b"};
  return c;
}

void set(FileContent& c, std::size_t i, double value) {
  std::memcpy(c.datasets["/PartType1/Coordinates"].data.bytes.data() + 8 * i, &value, 8);
}

struct Pair {
  TemporaryDirectory directory;
  std::vector<Difference> compare(const FileContent& a, const FileContent& b, double rtol = 0) const {
    write_sealed(directory / "a.h5", a);
    write_sealed(directory / "b.h5", b);
    return diff(directory / "a.h5", directory / "b.h5", rtol);
  }
};

}  // namespace

TEST_CASE("equal files have no difference, whatever their provenance and layout on the disk") {
  const Pair pair;
  FileContent other = base();
  other.groups["/provenance"] = {{"host", std::string("elsewhere")}, {"more", 1.0}};
  other.compress = true;
  CHECK(pair.compare(base(), other).empty());
}

TEST_CASE("a difference is found with its size, and tolerated within rtol") {
  const Pair pair;
  FileContent other = base();
  set(other, 5, 2.5);
  set(other, 6, 2.0 + 1e-12);
  auto found = pair.compare(base(), other);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::values);
  CHECK(found[0].object == "/PartType1/Coordinates");
  CHECK(found[0].count == 2);
  CHECK(found[0].largest_absolute == 0.5);
  CHECK(found[0].largest_relative == 0.2);
  found = pair.compare(base(), other, 1e-9);
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 1);
  CHECK(pair.compare(base(), other, 0.2).empty());
}

TEST_CASE("without a tolerance the bits count: NaN equals itself, and zero is not minus zero") {
  const Pair pair;
  FileContent a = base(), b = base();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  set(a, 0, nan);
  set(b, 0, nan);
  CHECK(pair.compare(a, b).empty());
  set(a, 1, 0.0);
  set(b, 1, -0.0);
  REQUIRE(pair.compare(a, b).size() == 1);
  CHECK(pair.compare(a, b, 1e-15).empty());
  set(b, 0, 1);
  const auto found = pair.compare(a, b, 0.5);
  REQUIRE(found.size() == 1);
  CHECK(std::isinf(found[0].largest_absolute));
}

TEST_CASE("large integers that a double cannot tell apart differ") {
  const Pair pair;
  FileContent other = base();
  other.datasets["/PartType1/ParticleIDs"].data =
      Array::from(std::vector<std::uint64_t>{1, 2, 3, ~std::uint64_t{0} - 1});
  const auto found = pair.compare(base(), other);
  REQUIRE(found.size() == 1);
  CHECK(found[0].largest_absolute == 1);
}

TEST_CASE("missing objects, other types, shapes, strings and attributes are differences") {
  const Pair pair;
  FileContent other = base();
  other.datasets.erase("/PartType1/ParticleIDs");
  other.datasets["/extra"] = {Array::from(std::vector<double>{1}), {}};
  other.datasets["/PartType1/Coordinates"].data = Array::from<double>(std::vector<double>(9, 2.0).data(), {3, 3});
  other.groups["/Header"]["Time"] = 1.5;
  other.strings["/names"] = {"a", "c"};
  const auto found = pair.compare(base(), other);
  const auto kind_of = [&](const std::string& object) {
    for (const auto& d : found)
      if (d.object == object) return d.kind;
    FAIL("no difference reported for " << object);
    return Kind::values;
  };
  CHECK(found.size() == 5);
  CHECK(kind_of("/PartType1/ParticleIDs") == Kind::missing_in_b);
  CHECK(kind_of("/extra") == Kind::missing_in_a);
  CHECK(kind_of("/PartType1/Coordinates") == Kind::shape);
  CHECK(kind_of("/Header@Time") == Kind::attribute);
  CHECK(kind_of("/names") == Kind::values);
  FileContent typed = base();
  typed.datasets["/PartType1/Coordinates"].data = Array::from<float>(std::vector<float>(12, 2.0f).data(), {4, 3});
  CHECK(pair.compare(base(), typed).at(0).kind == Kind::type);
}

TEST_CASE("run directories are compared file by file, without checkpoints") {
  const TemporaryDirectory a, b;
  for (const auto* run : {&a, &b}) {
    std::filesystem::create_directory(*run / "snapshots");
    write_sealed(*run / "snapshots/snapshot_0000.hdf5", base());
    Checkpoint c;
    c.unit = run == &a ? 1 : 2;
    write_checkpoint(run->path(), c, 2);
    test::spill(*run / "summary.json", run == &a ? "{1}" : "{2}");
  }
  CHECK(diff(a.path(), b.path()).empty());
  // a series that was never closed properly equals a sealed one
  SeriesWriter live(a / "series.h5", test::series_layout());
  live.append(test::series_row(0));
  live.seal();
  auto found = diff(a.path(), b.path());
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::missing_in_b);
  CHECK(found[0].file == "series.h5");
  {
    SeriesWriter other(b / "series.h5", test::series_layout());
    other.append(test::series_row(0));
  }
  CHECK(diff(a.path(), b.path()).empty());
  CHECK_THROWS_AS(diff(a.path(), b / "series.h5"), Error);
  CHECK_THROWS_AS(diff(a.path(), b / "none"), Error);
}

TEST_CASE("verify tells sealed, readable and damaged files apart") {
  const TemporaryDirectory run;
  write_sealed(run / "a.hdf5", base());
  { SeriesWriter(run / "series.h5", test::series_layout()).append(test::series_row(0)); }
  auto results = verify(run.path());
  REQUIRE(results.size() == 2);
  CHECK(results[0].state == Verified::State::intact);
  CHECK(results[1].state == Verified::State::readable);
  std::string bytes = test::slurp(run / "a.hdf5");
  bytes[bytes.size() / 2] ^= 1;
  test::spill(run / "a.hdf5", bytes);
  results = verify(run / "a.hdf5");
  REQUIRE(results.size() == 1);
  CHECK(results[0].state == Verified::State::damaged);
  CHECK_THAT(results[0].message, ContainsSubstring("expected SHA-256"));
  test::spill(run / "text.h5", "text");
  CHECK(verify(run / "text.h5")[0].state == Verified::State::damaged);
  CHECK_THROWS_AS(verify(run / "none"), Error);
}

TEST_CASE("verify misses snapshots in a gap and at the end") {
  const TemporaryDirectory run;
  std::filesystem::create_directory(run / "snapshots");
  const auto snapshot = [&](int n) { return run / ("snapshots/snapshot_000" + std::to_string(n) + ".hdf5"); };
  const auto missing = [&] {
    std::string text;
    for (const Verified& file : verify(run.path()))
      if (file.state == Verified::State::damaged)
        text += file.path.filename().string() + (file.message.find(" to ") == std::string::npos ? ";" : "...;");
    return text;
  };
  for (int n = 0; n < 6; ++n) write_sealed(snapshot(n), base());
  CHECK(missing().empty());
  std::filesystem::remove(snapshot(0));
  std::filesystem::remove(snapshot(2));
  std::filesystem::remove(snapshot(3));
  CHECK(missing() == "snapshot_0000.hdf5;snapshot_0002.hdf5...;");
  for (const int n : {0, 2, 3}) write_sealed(snapshot(n), base());
  Checkpoint checkpoint;
  checkpoint.state.attributes["snapshots"] = std::int64_t{6};
  write_checkpoint(run.path(), checkpoint, 2);
  CHECK(missing().empty());
  std::filesystem::remove(snapshot(5));
  CHECK(missing() == "snapshot_0005.hdf5;");
}

TEST_CASE("a file says what it is and how far it got") {
  const TemporaryDirectory run;
  write_sealed(run / "a.hdf5", base());
  CHECK_THAT(describe_file(run / "a.hdf5"), ContainsSubstring("N-body snapshot") &&
                                                ContainsSubstring("particles: 4 of type 1") &&
                                                ContainsSubstring("time: 1") && ContainsSubstring("name: test"));
  FileContent foreign = base();
  foreign.groups.erase("/provenance");
  write_sealed(run / "f.hdf5", foreign);
  CHECK_THAT(describe_file(run / "f.hdf5"), ContainsSubstring("another code"));
  Checkpoint c;
  c.simulation = "nbody";
  c.config = "simulation: nbody\nname: plummer-64k\n";
  c.unit = 12;
  write_checkpoint(run.path(), c, 1);
  CHECK_THAT(describe_file(run / "checkpoint.h5"),
             ContainsSubstring("checkpoint, format " + std::to_string(Checkpoint::format)) &&
                 ContainsSubstring("name: plummer-64k") && ContainsSubstring("units of work done: 12"));
  SeriesWriter series(run / "series.h5", test::series_layout());
  for (int i = 0; i < 5; ++i) series.append(test::series_row(i));
  series.seal();
  CHECK_THAT(describe_file(run / "series.h5"),
             ContainsSubstring("rows: 5") && ContainsSubstring("last time: 1 yr") && ContainsSubstring("seal: intact"));
  test::spill(run / "text", "hello");
  CHECK_THAT(describe_file(run / "text"), ContainsSubstring("not an HDF5 file"));
  CHECK_THROWS_AS(describe_file(run / "none"), Error);
}
