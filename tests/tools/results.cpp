// The results of an option book, opened with the tools that people use, and the scripts that hold a run against
// reference values.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "sim/options/results_file.hpp"
#include "tests/io/files/temporary_directory.hpp"
#include "tests/options/results_example.hpp"
#include "tests/tools/python.hpp"

using namespace ergode;
using test::TemporaryDirectory;

namespace {

void write(const std::filesystem::path& directory, const sim::options::Results& results,
           const io::Attributes& provenance) {
  io::DirectoryOutput output(directory, {});
  sim::options::write_results(output, results, provenance, "book");
}

void check_with(const std::string& tool, const sim::options::Results& results) {
  const TemporaryDirectory directory;
  write(directory.path(), results, {{"host", std::string("here")}});
  test::check_with("results_open.py", tool, "'" + directory.path().string() + "'");
}

void check_scripts(const std::string& name) {
  const TemporaryDirectory directory;
  test::check_with("reference_scripts.py", name, "'" ERGODE_SOURCE_DIR "' '" + directory.path().string() + "'");
}

}  // namespace

TEST_CASE("h5py reads results.h5") {
  check_with("h5py", test::example_results());
}
TEST_CASE("xarray opens results.h5 and each of its groups with their coordinates") {
  check_with("xarray", test::example_results());
}
TEST_CASE("pandas takes the table of results from xarray, and the same from results.csv") {
  check_with("pandas", test::example_results());
}
TEST_CASE("xarray opens the results of an empty book") {
  check_with("empty", {});
}

TEST_CASE("ncdump reads the header of results.h5") {
  std::string output;
  if (test::run("command -v ncdump", output) != 0) SKIP("ncdump is not installed");
  const TemporaryDirectory directory;
  write(directory.path(), test::example_results(), {});
  const int status = test::run("ncdump -h '" + (directory / "results.h5").string() + "'", output);
  INFO(output);
  CHECK(status == 0);
  CHECK(output.find("double price(instrument)") != std::string::npos);
}

TEST_CASE("ergode verifies, describes and compares results") {
  const TemporaryDirectory a, b;
  sim::options::Results results = test::example_results();
  write(a.path(), results, {{"host", std::string("here")}});
  write(b.path(), results, {{"host", std::string("there")}});
  const std::string first = "'" + (a / "results.h5").string() + "'", second = "'" + (b / "results.h5").string() + "'";
  std::string output;
  const auto ergode = [&](const std::string& arguments) {
    output.clear();
    return test::run("'" ERGODE_PROGRAM "' " + arguments, output);
  };
  CHECK(ergode("verify " + first) == 0);
  CHECK(ergode("info " + first) == 0);
  CHECK(output.find("table of results") != std::string::npos);
  CHECK(ergode("diff " + first + " " + second) == 0);
  results.instruments[2].exercise[1].probability += 1e-15;
  write(b.path(), results, {});
  CHECK(ergode("diff " + first + " " + second) == 1);
  INFO(output);
  CHECK(output.find("/exercise/probability") != std::string::npos);
}

TEST_CASE("the book of the reference table has every row in scope, and names the others with the reason") {
  check_scripts("reference_table");
}
TEST_CASE("rows of several assets become underlyings of their own with the row's correlation") {
  check_scripts("several_assets");
}
TEST_CASE("rows that cannot be expressed are left out with the reason, and a bad table is refused with the line") {
  check_scripts("left_out");
}
TEST_CASE("the check of a run passes what is within the bounds and fails what is not") {
  check_scripts("verdicts");
}
TEST_CASE("the check of a run judges bounds of early exercise by their own rule") {
  check_scripts("early_exercise");
}
TEST_CASE("the check of a run looks at the mean of z squared over all rows with a real error") {
  check_scripts("mean_z2");
}
TEST_CASE("the check of several runs looks at the mean of z squared of each family") {
  check_scripts("families");
}
TEST_CASE("reference_check.py lists rows that the table has wrong apart, with their z, and judges the rest") {
  check_scripts("exceptions");
}
TEST_CASE("the check of a run reads results.h5, or results.csv without h5py, and names missing rows") {
  check_scripts("sources");
}
