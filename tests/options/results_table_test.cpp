#include "sim/options/results_table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "tests/options/results_example.hpp"

using namespace ergode;
using namespace ergode::sim::options;
using test::example_results;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an error is shown to two digits and the number to the same decimals") {
  CHECK(with_error(10.4512345, 0.0023) == "10.4512 +- 0.0023");
  CHECK(with_error(10.4512345, 0.00996) == "10.451 +- 0.010");
  CHECK(with_error(1234567.4, 1234.4) == "1234567 +- 1234");
  CHECK(with_error(5000.26, 1.26) == "5000.3 +- 1.3");
  CHECK(with_error(-0.5, 0.25) == "-0.50 +- 0.25");
  CHECK(with_error(1.2346e-9, 1.1e-11) == "1.235e-09 +- 1.1e-11");
  CHECK(with_error(10.4505835722, 0) == "10.450584");
  CHECK(with_error(10.5, std::numeric_limits<double>::quiet_NaN()) == "10.5");
  CHECK(with_error(std::numeric_limits<double>::quiet_NaN(), 1) == "-");
}

TEST_CASE("the table shows prices, Greeks, bounds and z with their errors and marks a missed tolerance") {
  const auto lines = results_table(example_results(), 0);
  REQUIRE(lines.size() == 5);
  for (const char* title :
       {"id", "product", "price", "implied vol", "delta", "vega", "theta", "rho", "lower", "upper", "z"})
    CHECK(contains(lines[0], title));
  CHECK(contains(lines[1], "european call"));
  CHECK(contains(lines[1], "10.4512 +- 0.0023"));
  CHECK(contains(lines[1], "0.6370 +- 0.0011"));
  CHECK(contains(lines[1], "+0.28"));
  CHECK(contains(lines[2], "!  basket put"));
  CHECK(contains(lines[2], "(2 values)"));
  CHECK(contains(lines[3], "4.4700 +- 0.0050"));
  CHECK_FALSE(contains(lines[1], "!"));
  CHECK(lines[4] == "! tolerance missed: 1 of 3");
}

TEST_CASE("a column's cells end, or begin, in the same place") {
  const auto lines = results_table(example_results(), 0);
  const auto end = lines[0].find("price") + 5;
  for (const char* price : {"10.4512 +- 0.0023", "7.250 +- 0.031"}) {
    const auto& line = contains(lines[1], price) ? lines[1] : lines[2];
    CHECK(line.find(price) + std::string(price).size() == end);
  }
  CHECK(lines[1].find("european") == lines[3].find("bermudan"));
}

TEST_CASE("the table fits the width by dropping columns, the price last") {
  for (int width = 40; width <= 200; ++width) {
    const auto lines = results_table(example_results(), width);
    for (const auto& line : lines) CHECK(line.size() <= static_cast<std::size_t>(width));
    CHECK(contains(lines[1], "10.4512 +- 0.0023"));
  }
  const std::string narrow = results_table(example_results(), 80)[0];
  CHECK(contains(narrow, "product"));
  CHECK(contains(narrow, "bias"));
  CHECK_FALSE(contains(narrow, "implied vol"));
  const std::string wider = results_table(example_results(), 132)[0];
  CHECK(contains(wider, "delta"));
  CHECK_FALSE(contains(wider, "sensitivity_rho"));
}

TEST_CASE("long ids are cut when nothing else is left to drop") {
  Results r = example_results();
  r.instruments[0].id = std::string(300, 'x');
  const auto lines = results_table(r, 60);
  for (const auto& line : lines) CHECK(line.size() <= 60);
  CHECK(contains(lines[1], "x~"));
  CHECK(contains(lines[1], "10.4512 +- 0.0023"));
}

TEST_CASE("a large book shows thirty rows and says how many more there are and how many missed") {
  Results r;
  for (int i = 0; i < 75; ++i) {
    r.instruments.push_back(example_results().instruments[0]);
    r.instruments.back().id = "id-" + std::to_string(i);
    if (i % 7 == 0) r.instruments.back().status = "tolerance missed";
  }
  const auto lines = results_table(r, 100);
  REQUIRE(lines.size() == 34);
  CHECK(contains(lines[30], "id-29"));
  CHECK(lines[31] == "... and 45 more in results.csv");
  CHECK(contains(lines[32], "also in results.csv: "));
  CHECK_FALSE(contains(lines[0], lines[32].substr(lines[32].find(": ") + 2)));
  CHECK(lines[33] == "! tolerance missed: 11 of 75");
  CHECK(results_table(Results{}, 80) == std::vector<std::string>{"no instruments"});
}
