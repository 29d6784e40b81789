// Writes a snapshot and series through our own functions and opens them with the tools that people use.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "io/hdf5/sealed_file.hpp"
#include "io/series.hpp"
#include "tests/io/files/temporary_directory.hpp"
#include "tests/io/series/example.hpp"
#include "tests/tools/python.hpp"

using namespace ergode;
using namespace ergode::io;
using test::python;
using test::run;
using test::TemporaryDirectory;

namespace {

/// Three particles of type 1, in the layout of our snapshots.
FileContent snapshot() {
  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8, 9};
  FileContent c;
  const auto six = [](std::uint32_t n) { return Array::from(std::vector<std::uint32_t>{0, n, 0, 0, 0, 0}); };
  c.groups["/Header"] = {{"NumPart_ThisFile", six(3)},
                         {"NumPart_Total", six(3)},
                         {"NumPart_Total_HighWord", six(0)},
                         {"MassTable", Array::from(std::vector<double>(6, 0.0))},
                         {"Time", 0.5},
                         {"BoxSize", 100.0},
                         {"NumFilesPerSnapshot", std::int64_t{1}}};
  c.groups["/Units"] = {{"UnitLength_in_cm", 1.0}, {"UnitMass_in_g", 1.0}, {"UnitVelocity_in_cm_per_s", 1.0}};
  c.groups["/provenance"] = {{"name", std::string("three")}};
  const auto add = [&](const std::string& name, Array data) {
    c.datasets["/PartType1/" + name] = {std::move(data),
                                        {{"VarDescription", name},
                                         {"CGSConversionFactor", 1.0},
                                         {"aexp-scale-exponent", 0.0},
                                         {"h-scale-exponent", 0.0}}};
  };
  add("Coordinates", Array::from<double>(x.data(), {3, 3}));
  add("Velocities", Array::from<double>(x.data(), {3, 3}));
  add("Masses", Array::from(std::vector<double>{1, 2, 3}));
  add("ParticleIDs", Array::from(std::vector<std::uint64_t>{10, 11, 12}));
  c.groups["/VTKHDF"] = {{"Version", Array::from(std::vector<std::int64_t>{1, 0})},
                         {"Type", std::string("UnstructuredGrid")}};
  const auto vtk = [&](const std::string& name, Array data) { c.datasets["/VTKHDF/" + name] = {std::move(data), {}}; };
  vtk("NumberOfPoints", Array::from(std::vector<std::int64_t>{3}));
  vtk("NumberOfCells", Array::from(std::vector<std::int64_t>{1}));
  vtk("NumberOfConnectivityIds", Array::from(std::vector<std::int64_t>{3}));
  vtk("Connectivity", Array::from(std::vector<std::int64_t>{0, 1, 2}));
  vtk("Offsets", Array::from(std::vector<std::int64_t>{0, 3}));
  vtk("Types", Array::from(std::vector<std::uint8_t>{2}));
  c.links = {{"/VTKHDF/Points", "/PartType1/Coordinates"},
             {"/VTKHDF/PointData/velocity", "/PartType1/Velocities"},
             {"/VTKHDF/PointData/mass", "/PartType1/Masses"},
             {"/VTKHDF/PointData/id", "/PartType1/ParticleIDs"}};
  return c;
}

void check_with(const std::string& tool, const std::string& file) {
  test::check_with("files_open.py", tool, "'" + file + "'");
}

struct Files {
  TemporaryDirectory directory;
  std::string snapshot_path = directory / "snapshot_0000.hdf5";
  std::string series_path = directory / "series.h5";
  Files() {
    write_sealed(snapshot_path, snapshot());
    SeriesWriter series(series_path, test::series_layout());
    for (int i = 0; i < 600; ++i) series.append(test::series_row(i));
    series.seal();
  }
};

}  // namespace

TEST_CASE("h5py reads a sealed snapshot") {
  check_with("h5py-snapshot", Files().snapshot_path);
}
TEST_CASE("VTK's HDF reader reads a sealed snapshot") {
  check_with("vtk", Files().snapshot_path);
}
TEST_CASE("yt reads a sealed snapshot") {
  check_with("yt", Files().snapshot_path);
}
TEST_CASE("pynbody reads a sealed snapshot") {
  check_with("pynbody", Files().snapshot_path);
}
TEST_CASE("h5py reads a sealed series") {
  check_with("h5py-series", Files().series_path);
}
TEST_CASE("xarray reads a sealed series with its coordinates") {
  check_with("xarray", Files().series_path);
}
TEST_CASE("pandas takes a series from xarray") {
  check_with("pandas", Files().series_path);
}

TEST_CASE("h5dump reads sealed files") {
  const Files files;
  std::string output;
  if (run("command -v h5dump", output) != 0) SKIP("h5dump is not installed");
  CHECK(run("h5dump '" + files.snapshot_path + "'", output) == 0);
  CHECK(output.find("HARDLINK") != std::string::npos);
  CHECK(run("h5dump '" + files.series_path + "'", output) == 0);
}

TEST_CASE("ncdump reads the header of a sealed series") {
  const Files files;
  std::string output;
  if (run("command -v ncdump", output) != 0) SKIP("ncdump is not installed");
  const int status = run("ncdump -h '" + files.series_path + "'", output);
  INFO(output);
  CHECK(status == 0);
  CHECK(output.find("double momentum(time, component)") != std::string::npos);
}

TEST_CASE("h5py opens a live series with swmr=True, and again after its writer was killed") {
  const TemporaryDirectory directory;
  const std::string path = directory / "series.h5";
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    SeriesWriter series(path, test::series_layout());
    for (int i = 0; i < 600; ++i) series.append(test::series_row(i));
    series.flush();
    if (::write(ready[1], "r", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  std::string output;
  const std::string command = python() + " '" ERGODE_SOURCE_DIR "/tests/tools/files_open.py' h5py-live '" + path + "'";
  const int live = run(command, output);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const int dead = run(command, output);
  ::close(ready[0]);
  ::close(ready[1]);
  INFO(output);
  if (live == 77) SKIP(output);
  CHECK(live == 0);
  CHECK(dead == 0);
}
