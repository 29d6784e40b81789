#include "sim/nbody/simulation.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <fstream>
#include <functional>

#include "io/hdf5/sealed_file.hpp"
#include "sim/nbody/body_input.hpp"
#include "sim/nbody/initial_conditions.hpp"
#include "sim/nbody/orbit.hpp"
#include "sim/nbody/schedule.hpp"
#include "sim/nbody/snapshot.hpp"
#include "tests/physics/runs.hpp"

using namespace ergode;
using test::code_of;
using test::context;
using test::Folder;
using test::run;
using namespace ergode::sim::nbody;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

fs::path write(const Folder& f, const std::string& name, const std::string& content) {
  std::ofstream(f.path / name) << content;
  return f.path / name;
}

Settings small_cluster() {
  Settings s;
  PlummerSettings p;
  p.particles = 40;
  BodiesSettings b;
  b.bodies.resize(1);
  b.bodies[0].position = {3, 0, 0};
  s.initial_conditions.resize(2);
  s.initial_conditions[0].source = b;  // a test particle first: it goes behind the sources
  s.initial_conditions[1].source = p;
  s.gravity.softening = 0.05;
  s.gravity.precision = kernels::Precision::float64;
  s.integrator.timestep = 0.01;
  s.integrator.end_time = 0.4;
  s.output.series.interval = 0.04;
  s.output.snapshots.interval = 0.1;
  s.diagnostics.lagrangian_radii = {0.5};
  s.diagnostics.force_check = ForceCheckSettings{};
  return s;
}

}  // namespace

TEST_CASE("a run that is stopped and taken up writes the same files as one left alone") {
  const Folder alone("alone"), stopped("stopped");
  const Settings settings = small_cluster();
  auto a = make_simulation(settings, context(alone.path), ".");
  a->initialise();
  run(*a, 40, 1000);
  REQUIRE(a->done());
  a->finish();

  io::State saved;
  {
    auto b = make_simulation(settings, context(stopped.path), ".");
    b->initialise();
    run(*b, 13, 3);
    saved = b->save();
    run(*b, 35, 5);  // goes on, and dies after the checkpoint
    b->suspend();
  }
  auto b = make_simulation(settings, context(stopped.path), ".");
  b->restore(saved);
  CHECK(b->progress().unit == 13);
  CHECK(!fs::exists(stopped.path / "snapshots" / "snapshot_0003.hdf5"));
  run(*b, 40, 7);
  REQUIRE(b->done());
  b->finish();
  for (const auto* name : {"series.h5", "snapshots/snapshot_0000.hdf5", "snapshots/snapshot_0004.hdf5"}) {
    INFO(name);
    const auto x = io::read_file(alone.path / name), y = io::read_file(stopped.path / name);
    REQUIRE(x.datasets.size() == y.datasets.size());
    for (const auto& [path, dataset] : x.datasets) {
      INFO(path);
      CHECK(dataset.data == y.datasets.at(path).data);
    }
  }
  CHECK(io::read_file(alone.path / "series.h5").datasets.at("/time").data.count() == 11);
  CHECK(!fs::exists(alone.path / "snapshots" / "snapshot_0005.hdf5"));
}

TEST_CASE("a snapshot is an initial condition: it gives its bodies back to the bit") {
  const Folder f("roundtrip");
  const auto state = initial_state(small_cluster(), 5, ".");
  REQUIRE(state.sources == 40);
  REQUIRE(state.size() == 41);
  CHECK(state.id.back() == 1);
  io::write_sealed(f.path / "s.hdf5", snapshot(state, {}, unit_system(Units::nbody), {}));
  Settings s;
  s.initial_conditions.resize(1);
  s.initial_conditions[0].source = FileSettings{"s.hdf5"};
  const auto back = initial_state(s, 0, f.path);
  CHECK(back.sources == 40);
  CHECK(back.id == state.id);
  CHECK(back.mass == state.mass);
  CHECK(back.softening == state.softening);
  for (std::size_t i = 0; i < 41; ++i) {
    REQUIRE(back.position[i].x == state.position[i].x);
    REQUIRE(back.velocity[i].z == state.velocity[i].z);
  }
  s.units = Units::solar;
  CHECK(code_of([&] { initial_state(s, 0, f.path); }) == io::ExitCode::input_file);

  // Two components with the same ids: the second is shifted as a whole.
  s.units = Units::nbody;
  s.initial_conditions.push_back(s.initial_conditions[0]);
  s.initial_conditions[1].position = {10, 0, 0};
  auto both = initial_state(s, 0, f.path).id;
  std::sort(both.begin(), both.end());
  CHECK(std::adjacent_find(both.begin(), both.end()) == both.end());
}

TEST_CASE("a CSV file with a fault is refused with exit 4 and the line") {
  const Folder f("csv");
  const std::string head = "x,y,z,vx,vy,vz,mass,id\n0,0,0,0,0,0,1,1\n";
  const std::pair<std::string, std::string> faults[] = {
      {head + "1,0,0,0,0,0,1,1\n", "line 3"},   {head + "nan,0,0,0,0,0,1,2\n", "line 3"},
      {head + "1,0,0,0,0,0,1,2,9\n", "line 3"}, {head + "1,0,0\n", "line 3"},
      {head + "1,0,0,0,0,0,-1,2\n", "line 3"},  {head + "1,0,0,0,0,zero,1,2\n", "line 3"},
      {"x,y,z,mass\n0,0,0,1\n", "vx"},          {"x,y,z,vx,vy,vz,mass,colour\n", "colour"},
      {"x,y,z,vx,vy,vz,mass\n", "no bodies"},   {"", "empty"}};
  for (const auto& [content, says] : faults) {
    const auto path = write(f, "bad.csv", content);
    INFO(content);
    CHECK(code_of([&] { read_csv(path); }) == io::ExitCode::input_file);
    CHECK_THROWS_WITH(read_csv(path), ContainsSubstring(says) && ContainsSubstring("bad.csv"));
  }
  CHECK(code_of([&] { read_bodies(f.path / "none.csv", unit_system(Units::si)); }) == io::ExitCode::input_file);
  const auto good =
      read_csv(write(f, "good.csv", "# comment\r\nid, mass,x,y,z,vx,vy,vz\r\n 7,2,+1e0,-2,3,4,5,6\r\n\r\n"));
  CHECK(good.id == std::vector<std::uint64_t>{7});
  CHECK(good.mass == std::vector<double>{2});
  CHECK(good.position[0].x == 1);
  CHECK(good.velocity[0].z == 6);
}

TEST_CASE("bodies in one place without softening are refused naming the pair") {
  Settings s;
  BodiesSettings b;
  b.bodies.resize(3);
  for (auto& body : b.bodies) body.position = {1, 2, 3};
  s.initial_conditions.resize(1);
  s.initial_conditions[0].source = b;
  CHECK_NOTHROW(initial_state(s, 0, "."));  // test particles do not feel each other
  b.bodies[1].mass = 1;
  s.initial_conditions[0].source = b;
  CHECK_THROWS_WITH(initial_state(s, 0, "."), ContainsSubstring("ids 2 and 1"));
  CHECK(code_of([&] { initial_state(s, 0, "."); }) == io::ExitCode::config);
  s.gravity.softening = 0.1;
  CHECK_NOTHROW(initial_state(s, 0, "."));
}

TEST_CASE("an interval that is no multiple of the time step is refused with the nearest that is") {
  Settings s = small_cluster();
  s.integrator.end_time = 0.405;
  s.output.series.interval = 0.033;
  std::vector<Problem> problems;
  make_schedule(s.integrator, s.output, s.diagnostics, problems);
  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems[0].message, ContainsSubstring("the nearest is 0.4"));
  s.integrator.end_time = 0.3;
  problems.clear();
  make_schedule(s.integrator, s.output, s.diagnostics, problems);
  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems[0].message,
             ContainsSubstring("output.series.interval") && ContainsSubstring("the nearest is 0.03"));
}

TEST_CASE("an energy error beyond its bound stops the run with exit 8 after a warning") {
  const Folder f("bound");
  Settings s = small_cluster();
  s.integrator.timestep = 0.4;
  s.output.series.interval = s.output.snapshots.interval = 0.4;
  s.diagnostics.max_relative_energy_error = 1e-9;
  auto c = context(f.path);
  int warnings = 0;
  c.warning = [&](const std::string&) { ++warnings; };
  auto simulation = make_simulation(s, c, ".");
  simulation->initialise();
  CHECK(code_of([&] { run(*simulation, 1, 1); }) == io::ExitCode::numerical);
  CHECK(warnings == 1);
}

TEST_CASE("orbital elements give the energy, angular momentum and anomalies of Kepler's laws") {
  for (const double e : {0.0, 0.3, 0.999, 1.5}) {
    OrbitalElements el{e < 1 ? 2.0 : -2.0, e, 30, 40, 50, 20, true};
    const auto s = state_from_elements(el, 3);
    const double r = std::sqrt(dot(s.position, s.position));
    INFO(e);
    CHECK(std::fabs(dot(s.velocity, s.velocity) / 2 - 3 / r + 3 / (2 * el.semi_major_axis)) < 1e-10);
    const auto h = cross(s.position, s.velocity);
    const double h2 = 3 * el.semi_major_axis * (1 - e * e);
    CHECK(std::fabs(dot(h, h) / h2 - 1) < 1e-12);
    CHECK(std::fabs(h.z / std::sqrt(h2) - std::cos(30 * 0.017453292519943295)) < 1e-12);
  }
  // Kepler's equation backwards: M = E - e sin E at E = 1.
  const long double nu = true_anomaly(1 - 0.5L * std::sin(1.0L), 0.5L);
  CHECK(std::fabs(std::tan(nu / 2) - std::sqrt(3.0L) * std::tan(0.5L)) < 1e-15L);
}
