// A sweep's tables and shared files, opened with the tools that people use.
#include <catch2/catch_test_macros.hpp>

#include "tests/sim/program.hpp"
#include "tests/tools/python.hpp"

using namespace ergode;
using namespace ergode::testing;

namespace {

/// Orbits of period 1 (a = 1, G m = 4 pi^2): their members differ in eccentricity and steps.
struct Orbits : TemporaryDirectory {
  Orbits() {
    spill(*this / "orbits.yaml",
          "simulation: nbody\nname: orbits\ndevice: cpu\nunits: nbody\n"
          "initial_conditions: {type: two_body, masses: [30, 9.47841760435743], semi_major_axis: 1}\n"
          "gravity: {precision: double}\nintegrator: {scheme: yoshida4, end_time: 1}\n"
          "sweep:\n  packed: true\n  parameters:\n    initial_conditions.eccentricity: [0, 0.25, 0.5]\n"
          "    integrator.steps: [500, 1000]\n");
    const Outcome outcome =
        Child(path(), {"run", *this / "orbits.yaml", "-o", *this / "sweep", "-q"}, {}, ERGODE_PROGRAM).wait();
    INFO(outcome.error);
    REQUIRE(outcome.code == 0);
  }
  void opens_in(const std::string& tool) const {
    test::check_with("sweeps_open.py", tool, "'" + (*this / "sweep").string() + "'");
  }
};

}  // namespace

TEST_CASE("h5py reads the index of a sweep and follows it to each packed member") {
  Orbits().opens_in("h5py");
}
TEST_CASE("xarray opens the tables of a sweep and the series of a packed member") {
  Orbits().opens_in("xarray");
}
TEST_CASE("pandas reads the table of a sweep") {
  Orbits().opens_in("pandas");
}
