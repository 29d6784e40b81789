// The columns of the results, results.h5 as read back by our reader, and results.csv.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <locale>
#include <set>

#include "io/hdf5/reader.hpp"
#include "io/hdf5/sealed_file.hpp"
#include "sim/options/results_columns.hpp"
#include "sim/options/results_file.hpp"
#include "sim/options/results_table.hpp"
#include "tests/io/files/temporary_directory.hpp"
#include "tests/options/results_example.hpp"

using namespace ergode;
using namespace ergode::sim::options;
using test::example_results;
using test::TemporaryDirectory;

namespace {

const std::vector<double>& numbers(const std::vector<ResultColumn>& columns, const std::string& name) {
  for (const auto& c : columns)
    if (c.name == name) return std::get<std::vector<double>>(c.values);
  throw std::runtime_error("no column " + name);
}

std::vector<double> values(const io::FileReader& file, const std::string& dataset) {
  const io::Array a = file.dataset(dataset, io::Type::float64);
  const auto span = a.as<double>();
  return {span.begin(), span.end()};
}

/// Equal, NaN with NaN.
void check_same(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("element " << i << ": " << found[i] << ", expected " << expected[i]);
    CHECK((found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i]))));
  }
}

/// Splits CSV as RFC 4180 says.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"')
        rows.back().back() += c;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        rows.back().back() += text[i++];
      else
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      rows.back().emplace_back();
    } else if (c == '\n') {
      rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  rows.pop_back();  // after the last newline
  return rows;
}

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

struct Written {
  TemporaryDirectory directory;
  explicit Written(const Results& results) {
    io::DirectoryOutput output(directory.path(), {});
    write_results(output, results, {{"host", std::string("here")}}, "book");
  }
  io::FileReader file() const { return io::FileReader(directory / "results.h5"); }
};

}  // namespace

TEST_CASE("a Greek of several underlyings has no single value, and a model's rho is not the Greek") {
  const auto columns = result_columns(example_results());
  check_same(numbers(columns, "delta"), {0.637, missing, missing});
  check_same(numbers(columns, "delta_standard_error"), {0.0011, missing, missing});
  check_same(numbers(columns, "rho"), {53.2, missing, missing});
  check_same(numbers(columns, "sensitivity_rho"), {missing, 0.77, missing});
  CHECK(greek_columns(example_results()) ==
        std::vector<std::string>{"delta", "vega", "theta", "rho", "sensitivity_rho"});
  for (const auto& c : columns) {
    if (c.name == "delta_method")
      CHECK(std::get<std::vector<std::string>>(c.values) ==
            std::vector<std::string>{"pathwise", "pathwise, difference", ""});
    if (c.name == "vega") CHECK(c.units == "per 1.00 of volatility");
  }
}

TEST_CASE("no two columns of the results have the same name") {
  std::set<std::string> names;
  for (const auto& c : result_columns(example_results())) CHECK(names.insert(c.name).second);
}

TEST_CASE("results.h5 is sealed and each axis of each dataset has a scale, units and a long name") {
  const Written written(example_results());
  CHECK(io::check_seal(written.directory / "results.h5") == io::SealState::intact);
  const io::FileReader file = written.file();
  std::set<std::string> scales;
  const auto objects = file.objects();
  for (const auto& [path, info] : objects.datasets)
    for (const auto& scale : file.scales(path))
      if (!scale.empty()) scales.insert(scale);
  CHECK(scales == std::set<std::string>{"/convergence/point", "/distribution/bin", "/exercise/date",
                                        "/greeks/underlying", "/instrument", "/paths_0/path", "/paths_0/time",
                                        "/paths_0/underlying", "/scenarios/rate", "/scenarios/spot",
                                        "/scenarios/volatility", "/values/path"});
  for (const auto& [path, info] : objects.datasets) {
    INFO(path);
    CHECK(file.attributes(path).contains("units"));
    CHECK(file.attributes(path).contains("long_name"));
    if (scales.contains(path)) continue;
    const auto own = file.scales(path);
    REQUIRE(own.size() == info.shape.size());
    for (std::size_t axis = 0; axis < own.size(); ++axis) {
      REQUIRE(scales.contains(own[axis]));
      CHECK(file.info(own[axis]).shape[0] == info.shape[axis]);
    }
  }
}

TEST_CASE("results.h5 holds every value where FORMATS puts it, NaN where there is none") {
  const Written written(example_results());
  const io::FileReader file = written.file();
  CHECK(file.strings("/id") == std::vector<std::string>{"eq-001", "eq-002, \"wide\"", "eq-003"});
  CHECK(file.strings("/underlyings")[1] == "SPX|SX5E");
  check_same(values(file, "/instrument"), {0, 1, 2});
  check_same(values(file, "/price"), {10.4512345, 7.25, 10.4512345});
  check_same(values(file, "/bias"), {missing, missing, -0.004});
  check_same(values(file, "/paths"), {3e9, 3e9, 3e9});
  check_same(values(file, "/upper_bound"), {missing, missing, 4.49});
  CHECK(file.strings("/greeks/underlying") == std::vector<std::string>{"SPX", "SX5E"});
  check_same(values(file, "/greeks/delta"), {0.637, missing, -0.31, -0.21, missing, missing});
  check_same(values(file, "/greeks/delta_standard_error"), {0.0011, missing, 0.003, 0.002, missing, missing});
  check_same(values(file, "/greeks/sensitivity_rho"), {missing, missing, 0.77, missing, missing, missing});
  CHECK_FALSE(file.has("/greeks/theta"));
  check_same(values(file, "/convergence/paths"), {1000, 2000, 4000, 1000, missing, missing, missing, missing, missing});
  check_same(values(file, "/convergence/standard_error"),
             {0.5, 0.35, 0.25, 0.5, missing, missing, missing, missing, missing});
  check_same(values(file, "/distribution/counts"), {700, 200, 100, 5, 6, 0, 0, 0, 0});
  check_same(values(file, "/distribution/low"), {0, -1, missing});
  check_same(values(file, "/distribution/high"), {50, 9, missing});
  check_same(values(file, "/exercise/boundary"), {missing, missing, missing, missing, 33.5, missing});
  check_same(values(file, "/exercise/probability"), {missing, missing, missing, missing, 0.25, 0.125});
  check_same(values(file, "/values/payoff"),
             {1.5, 0, 2.5, 0, 4.5, missing, missing, missing, missing, missing, missing, missing});
  CHECK(file.info("/scenarios/price").shape == std::vector<std::int64_t>{2, 3, 1, 3});
  CHECK(values(file, "/scenarios/price")[(1 * 3 + 2) * 3 + 1] == 16);
  CHECK(file.scales("/scenarios/price") ==
        std::vector<std::string>{"/scenarios/spot", "/scenarios/volatility", "/scenarios/rate", "/instrument"});
  CHECK(file.info("/paths_0/spot").shape == std::vector<std::int64_t>{2, 3, 2});
  CHECK(std::get<std::string>(file.attributes("/provenance").at("host")) == "here");
  CHECK(std::get<std::string>(file.attributes("/").at("name")) == "book");
}

TEST_CASE("an instrument that has nothing asked for makes no groups, and an empty book makes a file") {
  Results plain;
  plain.instruments.resize(1);
  plain.instruments[0].id = "a";
  const Written one(plain);
  CHECK(one.file().objects().groups.size() <= 2);  // the root, where it is listed, and /provenance
  const Written none(Results{});
  CHECK(io::check_seal(none.directory / "results.h5") == io::SealState::intact);
  CHECK(none.file().info("/price").shape == std::vector<std::int64_t>{0});
  CHECK(parse_csv(test::slurp(none.directory / "results.csv")).size() == 1);
}

TEST_CASE("a cube that is not the product of its axes is refused") {
  Results r = example_results();
  r.scenarios->price.pop_back();
  CHECK_THROWS_AS(results_content(r, {}, "book"), io::Error);
}

TEST_CASE("results.csv has the columns of results.h5 and reads back to the same bits") {
  const Written written(example_results());
  const auto rows = parse_csv(test::slurp(written.directory / "results.csv"));
  auto columns = result_columns(example_results());
  const auto more = columns_by_underlying(example_results());
  REQUIRE(rows.size() == 4);
  const io::FileReader file = written.file();
  const std::size_t own = columns.size();
  columns.insert(columns.end(), more.begin(), more.end());
  check_same(numbers(columns, "delta[SX5E]"), {missing, -0.21, missing});
  check_same(numbers(columns, "delta_standard_error[SPX]"), {0.0011, 0.003, missing});
  for (std::size_t c = 0; c < columns.size(); ++c) {
    INFO(columns[c].name);
    CHECK(rows[0][c] == columns[c].name);
    CHECK(file.has("/" + columns[c].name) == (c < own));
    for (std::size_t i = 0; i < 3; ++i) {
      REQUIRE(rows[i + 1].size() == columns.size());
      const std::string& cell = rows[i + 1][c];
      if (const auto* texts = std::get_if<std::vector<std::string>>(&columns[c].values)) {
        CHECK(cell == (*texts)[i]);
      } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&columns[c].values)) {
        CHECK(cell == std::to_string((*integers)[i]));
      } else {
        const double value = std::get<std::vector<double>>(columns[c].values)[i];
        if (std::isnan(value))
          CHECK(cell.empty());
        else
          CHECK(std::stod(cell) == value);
      }
    }
  }
  CHECK(test::slurp(written.directory / "results.csv").find("\n\"eq-002, \"\"wide\"\"\",basket,") != std::string::npos);
}

TEST_CASE("numbers of the CSV and the table have a point whatever the locale") {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::string csv = results_csv(example_results());
  const auto table = results_table(example_results(), 0);
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  const std::string csv_there = results_csv(example_results());
  const auto table_there = results_table(example_results(), 0);
  std::locale::global(before);
  CHECK(csv.find(",10.4512345,0.0023,") != std::string::npos);
  CHECK(csv_there == csv);
  CHECK(table_there == table);
}
