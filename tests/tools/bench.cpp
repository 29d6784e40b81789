// `ergode bench`, and the scripts of scripts/bench around it. Nothing is timed: what is checked is that figures are
// there, that they are about what they say, and that documents follow from them.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/io/files/temporary_directory.hpp"
#include "tests/tools/python.hpp"

using namespace ergode;
using test::TemporaryDirectory;

namespace {

void check(const std::string& what, const std::string& script = "bench.py") {
  const TemporaryDirectory directory;
  test::check_with(script, what, "'" ERGODE_SOURCE_DIR "' '" + directory.path().string() + "' '" ERGODE_PROGRAM "'");
}

}  // namespace

TEST_CASE("the JSON of a benchmark is complete: machine, build, date, ceilings, and statistics of every row") {
  check("complete");
}

TEST_CASE("a benchmark that is killed leaves the JSON of what it has measured") {
  check("interrupted");
}

TEST_CASE("a benchmark measures the sizes it is asked for, and says what it leaves out", "[slow]") {
  check("sizes");
}

TEST_CASE(
    "the document of benchmarks has what is measured, required, the ratio to the peer and the share of the ceiling") {
  check("document");
}

TEST_CASE("a document of benchmarks without measurements says so in every row") {
  check("nothing_measured");
}

TEST_CASE("docs/benchmarks.md and the picture of the README are what the scripts make of the committed JSON") {
  check("committed");
}

TEST_CASE("the fixed cost of a growing time is found") {
  check("fixed_cost");
}

TEST_CASE("the chart of benchmarks shows ergode beside its peers") {
  check("chart");
}

TEST_CASE("the script of all benchmarks says how it is used and refuses what it does not know") {
  check("usage");
}

TEST_CASE("the script of all benchmarks leaves files that the document can be made of", "[slow]") {
  check("whole");
}

TEST_CASE("the script of all benchmarks ends what takes too long, and goes on after what fails") {
  check("failing");
}

TEST_CASE("rates of runs shared by MPI ranks are measured", "[slow]") {
  check("ranks");
}

TEST_CASE("REBOUND, where it is installed, solves the benchmark's gravity accurately") {
  check("rebound", "bench_peers.py");
}

TEST_CASE("QuantLib, where it is installed, solves the benchmark's Asian accurately") {
  check("quantlib", "bench_peers.py");
}

TEST_CASE("Numba, where it is installed, solves the benchmark's gravity and Asian accurately", "[slow]") {
  check("numba", "bench_peers.py");
}

TEST_CASE("JAX, where it is installed, solves the benchmark's gravity and Asian accurately", "[slow]") {
  check("jax", "bench_peers.py");
}

TEST_CASE("PyTorch, where it is installed, solves the benchmark's gravity and Asian accurately", "[slow]") {
  check("torch", "bench_peers.py");
}

TEST_CASE("a peer leaves out a case that fails, and keeps what it has measured") {
  check("cases", "bench_peers.py");
}

TEST_CASE("an inaccurate peer is told from an accurate one") {
  check("accuracy", "bench_peers.py");
}
