// The Python package of scripts/python on what the program writes: what it reads, draws and reports, and the code of
// docs/analysis.md.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "tests/io/files/temporary_directory.hpp"
#include "tests/tools/python.hpp"

using namespace ergode;
using test::TemporaryDirectory;

namespace {

struct Short {
  std::string name, config, changes;  ///< of the run's folder; below configs/; key=value with blanks between them
};

/// Runs of shipped configs, shortened.
const std::vector<Short> runs{
    {"solar", "nbody/solar_system", "integrator.end_time=4000"},
    {"plummer", "nbody/plummer",
     "initial_conditions.0.particles=300 integrator.end_time=0.25 output.snapshots.interval=0.125 "
     "diagnostics.force_check.every=0.125"},
    {"galaxy", "nbody/galaxy_collision",
     "integrator.end_time=0.03125 output.snapshots.interval=0.015625 initial_conditions.0.particles=1500 "
     "initial_conditions.1.particles=750"},
    {"smile", "options/heston_smile", "monte_carlo.paths=8192 monte_carlo.steps_per_year=12"},
    {"greeks", "options/european_greeks", "monte_carlo.paths=65536"},
    {"put", "options/american_put",
     "monte_carlo.paths=4096 options.1.lsm.training_paths=2048 options.1.lsm.outer_paths=8 options.1.lsm.inner_paths=8 "
     "options.2.lsm.training_paths=2048 options.3.lsm.training_paths=2048"},
    {"basket", "options/basket_book",
     "monte_carlo.tolerance.max_paths=2048 options.2.tolerance.max_paths=2048 options.5.tolerance.max_paths=2048 "
     "monte_carlo.steps_per_year=12 output.save_values=16 output.save_paths=4"}};

void run_config(const TemporaryDirectory& directory, const Short& run) {
  std::string command = "'" ERGODE_PROGRAM "' run '" ERGODE_SOURCE_DIR "/configs/" + run.config + ".yaml' -o '" +
                        (directory / run.name).string() + "' --device cpu --threads 1 -q";
  for (std::size_t begin = 0; begin < run.changes.size();) {
    const std::size_t end = std::min(run.changes.find(' ', begin), run.changes.size());
    command += " --set " + run.changes.substr(begin, end - begin);
    begin = end + 1;
  }
  std::string output;
  const int status = test::run(command, output);
  INFO(output);
  REQUIRE(status == 0);
}

/// Makes the named runs in a folder and checks them with a case of a script of this folder.
void check(const std::string& script, const std::string& name, const std::vector<std::string>& wanted) {
  const TemporaryDirectory directory;
  for (const Short& run : runs)
    if (std::find(wanted.begin(), wanted.end(), run.name) != wanted.end()) run_config(directory, run);
  test::check_with(script, name, "'" + directory.path().string() + "'");
}

}  // namespace

TEST_CASE("package: config and summary are those of the files") {
  check("package_open.py", "config_and_summary", {"solar"});
}
TEST_CASE("package: a series has the values, dimensions and units that h5py reads") {
  check("package_open.py", "series", {"solar", "plummer"});
}
TEST_CASE("package: snapshots have the values that h5py reads") {
  check("package_open.py", "snapshots", {"solar", "plummer"});
}
TEST_CASE("package: snapshots are read when they are asked for") {
  check("package_open.py", "lazy", {"solar"});
}
TEST_CASE("package: quantities of unyt are what the file's /Units say") {
  check("package_open.py", "unyt", {"solar", "galaxy"});
}
TEST_CASE("package: quantities of astropy are what the file's /Units say") {
  check("package_open.py", "astropy", {"solar", "galaxy"});
}
TEST_CASE("package: results, scenarios, values and paths are what h5py reads") {
  check("package_open.py", "results", {"basket"});
}
TEST_CASE("package: what a run does not have is named with its path") {
  check("package_open.py", "parts_that_are_not_there", {"solar", "smile"});
}
TEST_CASE("package: damaged files are named") {
  check("package_open.py", "damaged", {"solar"});
}
TEST_CASE("package: single files open") {
  check("package_open.py", "single_files", {"solar", "smile"});
}
TEST_CASE("package: a crossed sweep is a dataset over its axes, and its members open, packed or not") {
  check("package_open.py", "crossed", {"solar"});
}
TEST_CASE("package: zipped sweeps, axes of several keys, names that meet, lost files") {
  check("package_open.py", "other_sweeps", {});
}
TEST_CASE("package: a live series opens, row by row") {
  check("package_open.py", "live", {});
}
