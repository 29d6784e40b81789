// Gadget-HDF5 files as initial conditions: those that other codes write, and snapshots of our own runs.
#include <hdf5.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>

#include "io/hdf5/sealed_file.hpp"
#include "sim/nbody/body_input.hpp"
#include "sim/nbody/initial_conditions.hpp"
#include "sim/nbody/simulation.hpp"
#include "sim/nbody/snapshot.hpp"
#include "tests/physics/naive_engine.hpp"
#include "tests/physics/runs.hpp"

using namespace ergode;
using namespace ergode::sim::nbody;
using Catch::Matchers::ContainsSubstring;
using io::Array;
using test::code_of;
using test::Folder;
namespace fs = std::filesystem;

namespace {

template <class T>
io::Dataset dataset(std::vector<T> values, std::vector<std::int64_t> shape) {
  return {Array::from<T>(values.data(), std::move(shape)), {}};
}

// As Gadget-2 and its kin write: positions and velocities in single precision, 32-bit ids, three gas particles whose
// common mass is in the MassTable, two stars with masses of their own, an empty group of halo particles, no /Units.
io::FileContent foreign() {
  io::FileContent c;
  const std::vector<std::int32_t> count{3, 0, 0, 0, 2, 0};
  c.groups["/Header"] = {{"NumPart_ThisFile", Array::from(count)},
                         {"NumPart_Total", Array::from(count)},
                         {"MassTable", Array::from(std::vector<double>{0.25, 0, 0, 0, 0, 0})},
                         {"Time", 7.5},
                         {"Redshift", 0.0},
                         {"BoxSize", 0.0},
                         {"NumFilesPerSnapshot", std::int64_t{1}},
                         {"Flag_Sfr", std::int64_t{0}}};
  c.groups["/PartType1"] = {};
  c.datasets["/PartType0/Coordinates"] = dataset<float>({0.1f, 0, 0, 1, 2, 3, -1, -2, -3}, {3, 3});
  c.datasets["/PartType0/Velocities"] = dataset<float>({0, 0.5f, 0, 0, 0, 0, 0, 0, 1}, {3, 3});
  c.datasets["/PartType0/ParticleIDs"] = dataset<std::int32_t>({30, 10, 20}, {3});
  c.datasets["/PartType0/InternalEnergy"] = dataset<float>({1, 1, 1}, {3});
  c.datasets["/PartType4/Coordinates"] = dataset<float>({5, 0, 0, 0, 5, 0}, {2, 3});
  c.datasets["/PartType4/Velocities"] = dataset<float>({0, 0, 0, 0, 0, -2}, {2, 3});
  c.datasets["/PartType4/Masses"] = dataset<float>({2, 0.1f}, {2});
  c.datasets["/PartType4/ParticleIDs"] = dataset<std::int32_t>({2000000000, 40}, {2});
  return c;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const io::Error& e) {
    return e.what();
  }
  return "";
}

Settings from_file(const fs::path& file) {
  Settings s;
  s.initial_conditions.resize(1);
  s.initial_conditions[0].source = FileSettings{file};
  s.gravity.softening = 0.3;
  s.gravity.precision = kernels::Precision::float64;
  s.integrator.timestep = 0.01;
  s.integrator.end_time = 0.2;
  s.output.series.interval = s.output.snapshots.interval = 0.2;
  return s;
}

}  // namespace

TEST_CASE("a Gadget file of another code: single precision, 32-bit ids, MassTable, several types") {
  const Folder f("foreign");
  io::write_sealed(f.path / "ic.hdf5", foreign());
  const auto s = initial_state(from_file("ic.hdf5"), 0, f.path);
  REQUIRE(s.size() == 5);
  CHECK(s.sources == 5);
  CHECK(s.id == std::vector<std::uint64_t>{30, 10, 20, 2000000000, 40});
  CHECK(s.mass == std::vector<double>{0.25, 0.25, 0.25, 2, static_cast<double>(0.1f)});
  CHECK(s.softening == std::vector<double>(5, 0.3));
  CHECK(s.position[0].x == static_cast<double>(0.1f));
  CHECK(test::distance(s.position[2], {-1, -2, -3}) == 0);
  CHECK(test::distance(s.position[4], {0, 5, 0}) == 0);
  CHECK(s.velocity[0].y == 0.5);
  CHECK(s.velocity[4].z == -2);
  CHECK(count_bodies(from_file("ic.hdf5"), f.path) == std::pair<std::int64_t, std::int64_t>{5, 5});

  // Without ids they are numbered; with a softening of the component it holds; a run starts at time 0.
  auto content = foreign();
  content.datasets.erase("/PartType4/ParticleIDs");
  io::write_sealed(f.path / "ic.hdf5", content);
  auto settings = from_file("ic.hdf5");
  settings.initial_conditions[0].softening = 0.01;
  const auto numbered = initial_state(settings, 0, f.path);
  CHECK(numbered.id == std::vector<std::uint64_t>{1, 2, 3, 4, 5});
  CHECK(numbered.softening == std::vector<double>(5, 0.01));
  auto simulation = make_simulation(settings, test::context(f.path), f.path);
  simulation->initialise();
  test::run(*simulation, 20, 20);
  simulation->finish();
  const auto end = io::read_file(f.path / "snapshots" / "snapshot_0001.hdf5");
  CHECK(std::get<double>(end.groups.at("/Header").at("Time")) == 0.2);
}

TEST_CASE("a Gadget file with a fault is refused with exit 4, its path and the object") {
  const Folder f("faulty");
  struct Fault {
    const char* object;
    const char* says;
    void (*make)(io::FileContent&);
  };
  const Fault faults[] = {
      {"/PartType0/Velocities", "is missing", [](auto& c) { c.datasets.erase("/PartType0/Velocities"); }},
      {"/PartType4/Coordinates", "is missing", [](auto& c) { c.datasets.erase("/PartType4/Coordinates"); }},
      {"/PartType4/Masses", "MassTable", [](auto& c) { c.datasets.erase("/PartType4/Masses"); }},
      {"/PartType4/Masses", "shape (2)", [](auto& c) { c.datasets["/PartType4/Masses"] = dataset<float>({1}, {1}); }},
      {"/PartType0/Velocities", "shape (3, 3)",
       [](auto& c) {
         c.datasets["/PartType0/Velocities"] = dataset<float>({1, 2, 3}, {3});
       }},
      {"/PartType4", "the header says 3",
       [](auto& c) {
         c.groups["/Header"]["NumPart_ThisFile"] = Array::from(std::vector<std::int32_t>{3, 0, 0, 0, 3, 0});
       }},
      {"/PartType2", "is missing",
       [](auto& c) {
         c.groups["/Header"]["NumPart_ThisFile"] = Array::from(std::vector<std::int32_t>{3, 0, 9, 0, 2, 0});
       }},
      {"/Header", "is missing", [](auto& c) { c.groups.erase("/Header"); }},
      {"/Header", "several files", [](auto& c) { c.groups["/Header"]["NumFilesPerSnapshot"] = std::int64_t{8}; }},
      {"/Header", "cosmological", [](auto& c) { c.groups["/Header"]["Redshift"] = 0.5; }},
      {"/Units", "UnitLength_in_cm", [](auto& c) {
         c.groups["/Units"] = {{"UnitLength_in_cm", 3.085678e21}};
       }}};
  for (const auto& fault : faults) {
    INFO(fault.object << " " << fault.says);
    auto content = foreign();
    fault.make(content);
    io::write_sealed(f.path / "bad.hdf5", content);
    const auto settings = from_file("bad.hdf5");
    CHECK(code_of([&] { initial_state(settings, 0, f.path); }) == io::ExitCode::input_file);
    const std::string said = message_of([&] { initial_state(settings, 0, f.path); });
    CHECK_THAT(said, ContainsSubstring("bad.hdf5") && ContainsSubstring(std::string(fault.object) + ": ") &&
                         ContainsSubstring(fault.says));
    CHECK(message_of([&] { count_bodies(settings, f.path); }) == said);  // `validate` finds these too
  }
  // What only the values show.
  const Fault values[] = {
      {"particle 4", "not finite",
       [](auto& c) {
         c.datasets["/PartType4/Velocities"] = dataset<float>({0, 0, 0, 0, 0, std::nanf("")}, {2, 3});
       }},
      {"particle 3", "id 10",
       [](auto& c) {
         c.datasets["/PartType4/ParticleIDs"] = dataset<std::int32_t>({10, 41}, {2});
       }},
      {"/PartType0/ParticleIDs", "-1", [](auto& c) {
         c.datasets["/PartType0/ParticleIDs"] = dataset<std::int32_t>({1, -1, 2}, {3});
       }}};
  for (const auto& fault : values) {
    INFO(fault.object << " " << fault.says);
    auto content = foreign();
    fault.make(content);
    io::write_sealed(f.path / "bad.hdf5", content);
    CHECK(code_of([&] { initial_state(from_file("bad.hdf5"), 0, f.path); }) == io::ExitCode::input_file);
    CHECK_THROWS_WITH(initial_state(from_file("bad.hdf5"), 0, f.path), ContainsSubstring("bad.hdf5") &&
                                                                           ContainsSubstring(fault.object) &&
                                                                           ContainsSubstring(fault.says));
  }
}

TEST_CASE("bodies of an HDF5 file are counted from header and shapes, not by reading them") {
  const Folder f("large");
  io::FileContent header;
  // Datasets of 2e9 bodies that were never written take no room on the disk, but would take 128 GB in memory.
  constexpr std::int64_t n = 2'000'000'000;
  header.groups["/Header"] = {
      {"NumPart_ThisFile", Array::from(std::vector<std::int64_t>{0, n, 0, 0, 0, 0})},
      {"MassTable", Array::from(std::vector<double>{0, 1, 0, 0, 0, 0})},
  };
  header.groups["/PartType1"] = {};
  const fs::path path = f.path / "large.hdf5";
  io::write_sealed(path, header);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  REQUIRE(file >= 0);
  const hsize_t extent[] = {static_cast<hsize_t>(n), 3};
  const hid_t space = H5Screate_simple(2, extent, nullptr);
  for (const char* name : {"/PartType1/Coordinates", "/PartType1/Velocities"})
    REQUIRE(H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) >= 0);
  H5Sclose(space);
  REQUIRE(H5Fclose(file) >= 0);
  CHECK(count_bodies(from_file("large.hdf5"), f.path) == std::pair<std::int64_t, std::int64_t>{n, n});
}

TEST_CASE("a run's last snapshot as initial condition goes on with the same bodies, ids and softenings") {
  const Folder f("goes_on");
  Settings s;
  PlummerSettings p;
  p.particles = 60;
  BodiesSettings test_particle;
  test_particle.bodies.resize(1);
  test_particle.bodies[0].position = {3, 0, 0};
  test_particle.bodies[0].softening = 0;
  s.initial_conditions.resize(2);
  s.initial_conditions[0].source = test_particle;
  s.initial_conditions[1].source = p;
  s.gravity = from_file("").gravity;
  s.integrator.timestep = 0.01;
  s.integrator.end_time = 0.4;
  s.output.series.interval = s.output.snapshots.interval = 0.2;
  const auto finish = [&](const Settings& settings, const fs::path& directory) {
    fs::create_directories(directory);
    auto simulation = make_simulation(settings, test::context(directory), f.path);
    simulation->initialise();
    test::run(*simulation, 1000, 1000);
    simulation->finish();
  };
  finish(s, f.path / "whole");
  const auto middle = fs::path("whole") / "snapshots" / "snapshot_0001.hdf5";
  auto rest = from_file(middle);
  rest.gravity.softening = 7;  // the file's softenings count
  const auto read = initial_state(rest, 0, f.path);
  CHECK(read.sources == 60);
  REQUIRE(read.size() == 61);
  CHECK(read.id.back() == 1);
  CHECK(read.softening.front() == 0.3);
  CHECK(read.softening.back() == 0);
  CHECK(count_bodies(rest, f.path) == std::pair<std::int64_t, std::int64_t>{61, 60});
  finish(rest, f.path / "rest");
  const auto whole = io::read_file(f.path / "whole" / "snapshots" / "snapshot_0002.hdf5"),
             joined = io::read_file(f.path / "rest" / "snapshots" / "snapshot_0001.hdf5");
  for (const char* type : {"/PartType1", "/PartType2"}) {
    const std::string group = type;
    for (const char* same : {"/ParticleIDs", "/Masses", "/Softening"})
      CHECK(whole.datasets.at(group + same).data == joined.datasets.at(group + same).data);
    const auto x = whole.datasets.at(group + "/Coordinates").data.as<double>(),
               y = joined.datasets.at(group + "/Coordinates").data.as<double>();
    REQUIRE(x.size() == y.size());
    // Steps are counted anew, so tiles are ordered at other moments, and sums are rounded differently.
    for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(std::fabs(x[i] - y[i]) < 1e-12);
  }
  CHECK(std::get<std::string>(joined.groups.at("/Ergode").at("name")) == "a-run");

  rest.units = Units::galactic;
  CHECK(code_of([&] { initial_state(rest, 0, f.path); }) == io::ExitCode::input_file);
  CHECK_THROWS_WITH(count_bodies(rest, f.path), ContainsSubstring("/Units") && ContainsSubstring("units: galactic"));
}

TEST_CASE("the VTK view of a snapshot costs under two per cent of its size") {
  const Folder f("view");
  PlummerSettings p;
  p.particles = 20000;
  auto settings = from_file("");
  settings.initial_conditions[0].source = p;
  const auto state = initial_state(settings, 0, ".");
  io::write_sealed(f.path / "s.hdf5", snapshot(state, {}, unit_system(Units::nbody), {}));
  auto plain = snapshot(state, {}, unit_system(Units::nbody), {});
  std::erase_if(plain.datasets, [](const auto& d) { return d.first.starts_with("/VTKHDF"); });
  std::erase_if(plain.links, [](const auto& l) { return l.first.starts_with("/VTKHDF"); });
  plain.groups.erase("/VTKHDF");
  io::write_sealed(f.path / "plain.hdf5", plain);
  const auto with = static_cast<double>(fs::file_size(f.path / "s.hdf5")),
             without = static_cast<double>(fs::file_size(f.path / "plain.hdf5"));
  CHECK(with > without);
  CHECK(with < 1.02 * without);
  // And it still says 0 ... N-1.
  const auto index = io::read_file(f.path / "s.hdf5").datasets.at("/VTKHDF/Connectivity").data;
  REQUIRE(index.count() == 20000);
  for (std::size_t i = 0; i < 20000; ++i) REQUIRE(index.as<std::int64_t>()[i] == static_cast<std::int64_t>(i));
}
