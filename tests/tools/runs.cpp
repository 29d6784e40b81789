// Runs the program and opens what it wrote with the tools that people use.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <string>

#include "tests/io/files/temporary_directory.hpp"
#include "tests/tools/python.hpp"

using namespace ergode;

namespace {

/// Six bodies, whose numbers runs_open.py knows too: of mass 1, 2, 3, 4 and, between them, two test particles or none.
std::string config(bool test_particles) {
  std::string bodies;
  for (int i = 0; i < 6; ++i) {
    const int masses[] = {1, 0, 2, 3, 0, 4};
    const std::string n = std::to_string(i);
    if (masses[i] == 0 && !test_particles) continue;
    bodies += "    - {mass: " + std::to_string(masses[i]) + ", position: [" + std::to_string(10 * i + 1) + ", -" + n +
              ", " + n + ".5], velocity: [" + n + "e-3, 0, 0]}\n";
  }
  return "simulation: nbody\nname: six\nseed: 1\nunits: solar\ninitial_conditions:\n  bodies:\n" + bodies +
         "integrator: {scheme: yoshida4, timestep: 0.5, end_time: 10}\n"
         "output: {series: {interval: 1}}\n"
         "diagnostics: {lagrangian_radii: [0.5, 0.9]}\n";
}

struct Run {
  test::TemporaryDirectory directory;
  explicit Run(bool test_particles) {
    std::ofstream(directory / "six.yaml") << config(test_particles);
    std::string output;
    const int status = test::run(std::string("'") + ERGODE_PROGRAM + "' run '" + (directory / "six.yaml").string() +
                                     "' -o '" + (directory / "run").string() + "' --device cpu -q",
                                 output);
    INFO(output);
    REQUIRE(status == 0);
  }
  void opens_in(const std::string& tool) const {
    test::check_with("runs_open.py", tool, "'" + (directory / "run").string() + "'");
  }
};

}  // namespace

TEST_CASE("h5py sees a run's bodies, name and integrator in its snapshots") {
  Run(false).opens_in("h5py");
  Run(true).opens_in("h5py");
}
TEST_CASE("VTK's HDF reader sees a run's bodies, test particles or not") {
  Run(false).opens_in("vtk");
  Run(true).opens_in("vtk");
}
TEST_CASE("yt sees a run's bodies, test particles or not") {
  Run(false).opens_in("yt");
  Run(true).opens_in("yt");
}
TEST_CASE("pynbody sees a run's bodies, test particles or not") {
  Run(false).opens_in("pynbody");
  Run(true).opens_in("pynbody");
}
TEST_CASE("xarray sees a run's series with dimensions and units") {
  Run(true).opens_in("xarray");
}
