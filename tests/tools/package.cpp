// The Python package of scripts/python on what the program writes: what it reads, draws and reports, and the code of
// docs/analysis.md.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/io/files/temporary_directory.hpp"
#include "tests/tools/python.hpp"

using namespace ergode;
using test::TemporaryDirectory;

namespace {

struct Short {
  std::string name, config,
      changes;  ///< of the run's folder; below configs/ (empty: one of own_configs); key=value ...
};

/// Shipped configs, shortened, and our own.
const std::vector<Short> runs{
    {"kepler", "", ""},
    {"solar", "nbody/solar_system", "integrator.end_time=4000"},
    {"moon", "", ""},
    {"dollars", "", ""},
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
     "monte_carlo.steps_per_year=12 output.save_values=16 output.save_paths=4"},
    {"sweep", "nbody/sweep_timestep", ""}};

/// A test particle on an ellipse about a body at rest, in 100 snapshots of one period.
const std::string kepler =
    "simulation: nbody\nname: kepler\nseed: 1\nunits: nbody\n"
    "initial_conditions:\n  bodies:\n"
    "    - {name: centre, mass: 1, position: [0, 0, 0], velocity: [0, 0, 0]}\n"
    "    - {name: satellite, mass: 0, primary: centre, semi_major_axis: 1, eccentricity: 0.5}\n"
    "gravity: {precision: double}\n"
    "integrator: {scheme: yoshida8, steps: 1000, end_time: 6.283185307179586}\n"
    "output: {series: {interval: 0.06283185307179586}, snapshots: {interval: 0.06283185307179586}}\n";

/// A probe far out of the plane of the others.
const std::string moon =
    "simulation: nbody\nname: moon\nseed: 1\nunits: nbody\n"
    "initial_conditions:\n  bodies:\n"
    "    - {name: Sun, mass: 1, position: [0, 0, 0], velocity: [0, 0, 0]}\n"
    "    - {name: Earth, mass: 1e-3, position: [1, 0, 0], velocity: [0, 1, 0]}\n"
    "    - {name: Moon, mass: 1e-8, position: [1.02, 0, 0], velocity: [0, 1.22, 0]}\n"
    "    - {name: _probe$, mass: 0, position: [2, 0, 0], velocity: [0, 0.2, 0.7]}\n"
    "gravity: {precision: double}\n"
    "integrator: {scheme: yoshida8, steps: 4000, end_time: 12.5}\n"
    "output: {series: {interval: 0.125}, snapshots: {interval: 0.125}}\n";

/// Names that matplotlib would read as mathematics.
const std::string dollars =
    "simulation: option_pricing\nname: dollars\nseed: 42\nmonte_carlo: {paths: 1024}\n"
    "market:\n  rate: 0.03\n  underlyings:\n    INDEX: {spot: 100, model: gbm, volatility: 0.2}\n"
    "options:\n  - {id: \"$_$\", product: european, type: call, strike: 100, maturity: 1}\n"
    "  - {id: \"$\\\\frac{$\", product: european, type: put, strike: 100, maturity: 1}\n";

const std::map<std::string, std::string> own_configs{{"kepler", kepler}, {"moon", moon}, {"dollars", dollars}};

void run_config(const TemporaryDirectory& directory, const Short& run) {
  std::string path = ERGODE_SOURCE_DIR "/configs/" + run.config + ".yaml";
  if (run.config.empty()) test::spill(path = directory / (run.name + ".yaml"), own_configs.at(run.name));
  std::string command = "'" ERGODE_PROGRAM "' run '" + path + "' -o '" + (directory / run.name).string() +
                        "' --device cpu --threads 1 -q";
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
  check("package_live.py", "live", {});
}

TEST_CASE("package: an orbit that is drawn is Kepler's") {
  check("package_draw.py", "kepler", {"kepler", "solar"});
}
TEST_CASE("package: energy errors and radii are drawn as h5py reads them") {
  check("package_draw.py", "energy_and_radii", {"solar", "plummer"});
}
TEST_CASE("package: the density adds up to the mass, and the scale bar is as long as it says") {
  check("package_draw.py", "density", {"galaxy", "plummer"});
}
TEST_CASE("package: histograms are densities, and prices are drawn with their interval") {
  check("package_draw.py", "histogram_and_convergence", {"greeks"});
}
TEST_CASE("package: the smile under Black & Scholes is flat, and the Greeks are drawn with their errors") {
  check("package_draw.py", "smile_and_greeks", {"smile", "greeks"});
}
TEST_CASE("package: scenarios, exercise boundaries and paths are drawn as h5py reads them") {
  check("package_draw.py", "scenarios_and_exercise", {"basket", "put"});
}
TEST_CASE("package: pictures of sweeps") {
  check("package_draw.py", "sweeps", {"solar"});
}
TEST_CASE("package: scripts/plot.sh writes what is asked for, from any folder") {
  check("package_draw.py", "command", {"solar", "smile"});
}
TEST_CASE("package: without ffmpeg a movie is a GIF, with a frame for each snapshot") {
  check("package_draw.py", "movie_gif", {"kepler", "smile"});
}
TEST_CASE("package: a movie of few bodies has their names, colours and trails") {
  check("package_draw.py", "movie_of_few", {"moon"});
}
TEST_CASE("package: orbits are drawn in the plane in which the bodies turn") {
  check("package_draw.py", "planes", {"moon"});
}
TEST_CASE("package: names with dollars are drawn as they are") {
  check("package_draw.py", "names_with_dollars", {"moon", "dollars"});
}
TEST_CASE("package: with ffmpeg a movie is an MP4, with a frame for each snapshot") {
  check("package_draw.py", "movie_mp4", {"kepler"});
}
TEST_CASE("package: a report says what was run, and loads nothing") {
  check("package_report.py", "content", {"solar", "greeks"});
}
TEST_CASE("package: each check of a report can fail") {
  check("package_report.py", "verdicts", {"solar", "greeks", "basket"});
}
TEST_CASE("package: a report on a sweep") {
  check("package_report.py", "of_a_sweep", {"solar"});
}
TEST_CASE("package: a report loads in Chromium without network, its images decode, its console is empty", "[slow]") {
  check("package_report.py", "in_a_browser", {"solar", "basket"});
}

TEST_CASE("docs/analysis.md: the code for h5py") {
  check("docs_run.py", "h5py", {"plummer", "basket"});
}
TEST_CASE("docs/analysis.md: the code for pandas") {
  check("docs_run.py", "pandas", {"plummer", "basket"});
}
TEST_CASE("docs/analysis.md: the code for xarray") {
  check("docs_run.py", "xarray", {"plummer", "basket"});
}
TEST_CASE("docs/analysis.md: the code for yt") {
  check("docs_run.py", "yt", {"solar"});
}
TEST_CASE("docs/analysis.md: the code for pynbody") {
  check("docs_run.py", "pynbody", {"plummer"});
}
TEST_CASE("docs/analysis.md: the code for VTK") {
  check("docs_run.py", "vtk", {"plummer"});
}
TEST_CASE("docs/analysis.md: the code for the package") {
  check("docs_run.py", "package", {"plummer", "solar", "basket", "sweep"});
}
TEST_CASE("docs/analysis.md: the code for pictures") {
  check("docs_run.py", "pictures", {"smile"});
}
TEST_CASE("README.md: the code that reads the output") {
  check("docs_run.py", "readme", {"plummer", "greeks"});
}
