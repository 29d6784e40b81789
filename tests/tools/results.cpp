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

void check_with(const std::string& tool, const sim::options::Results& results) {
  const TemporaryDirectory directory;
  sim::options::write_results(directory.path(), results, {{"host", std::string("here")}}, "book");
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
  sim::options::write_results(directory.path(), test::example_results(), {}, "book");
  const int status = test::run("ncdump -h '" + (directory / "results.h5").string() + "'", output);
  INFO(output);
  CHECK(status == 0);
  CHECK(output.find("double price(instrument)") != std::string::npos);
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
TEST_CASE("the check of a run reads results.h5 and results.csv to the same verdicts, and names missing rows") {
  check_scripts("sources");
}
