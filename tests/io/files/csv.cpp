#include "io/csv.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "io/error.hpp"
#include "tests/io/files/temporary_directory.hpp"

using namespace ergode;
using namespace ergode::io;
using Catch::Matchers::ContainsSubstring;

namespace {

const CsvColumns columns{{"mass", "x", "y"}, {"id"}, {"id"}};

CsvTable parse(const std::string& text) {
  const test::TemporaryDirectory directory;
  test::spill(directory / "bodies.csv", text);
  return read_csv(directory / "bodies.csv", columns);
}

void refused(const std::string& text, const std::string& position, const std::string& why) {
  INFO(text);
  try {
    parse(text);
    FAIL("was accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::input_file);
    CHECK_THAT(error.what(), ContainsSubstring("bodies.csv:" + position + ": ") && ContainsSubstring(why));
  }
}

}  // namespace

TEST_CASE("a CSV file is read with its columns in any order") {
  const CsvTable table = parse("# bodies\n\n y , x,mass,id\n1e-3,-2, +3.5 ,18446744073709551615\r\n# more\n4,5,6,0\n");
  CHECK(table.rows == 2);
  CHECK(table.reals.at("x") == std::vector<double>{-2, 5});
  CHECK(table.reals.at("y") == std::vector<double>{1e-3, 4});
  CHECK(table.reals.at("mass") == std::vector<double>{3.5, 6});
  CHECK(table.integers.at("id") == std::vector<std::uint64_t>{~std::uint64_t{0}, 0});
  CHECK(table.lines == std::vector<std::int64_t>{4, 6});
  CHECK(parse("\xef\xbb\xbfmass,x,y\n1,2,3").rows == 1);
}

TEST_CASE("a CSV file with anything wrong is refused with line and column") {
  refused("", "0:1", "empty");
  refused("mass,x,y\n", "1:1", "no rows");
  refused("mass,x\n1,2\n", "1:1", "column 'y' is missing");
  refused("mass,x,y,vx\n1,2,3,4\n", "1:10", "unknown column 'vx'");
  refused("mass,x,y,x\n1,2,3,4\n", "1:10", "twice");
  refused("mass,x,y\n1,2,3\n1,2\n", "3:3", "2 values, but 3 columns");
  refused("mass,x,y\n1,2,3,4\n", "2:7", "4 values, but 3 columns");
  refused("mass,x,y\n1,nan,3\n", "2:3", "finite");
  refused("mass,x,y\n1,2,-inf\n", "2:5", "finite");
  refused("mass,x,y\n1,,3\n", "2:3", "expected a number");
  refused("mass,x,y\n1,2 m,3\n", "2:3", "found '2 m'");
  refused("mass,x,y\n1;2;3\n", "2:1", "1 values");
  refused("mass,x,y\n1,1e999,3\n", "2:3", "out of range");
  refused("mass,x,y\n1,0x10,3\n", "2:3", "expected a number");
  refused("mass,x,y,id\n1,2,3,-1\n", "2:7", "integer");
  refused("mass,x,y,id\n1,2,3,1.5\n", "2:7", "integer");
  refused("mass,x,y,id\n1,2,3,18446744073709551616\n", "2:7", "out of range");
  CHECK_THROWS_AS(read_csv("/nowhere/bodies.csv", columns), Error);
}
