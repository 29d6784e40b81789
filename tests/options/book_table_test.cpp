#include "sim/options/book_table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "tests/options/read_settings.hpp"
#include "tests/sim/temporary.hpp"

using namespace ergode;
using namespace ergode::sim::options;
using namespace ergode::testing;

namespace {

/// A config with a book in a file beside it.
struct Folder {
  TemporaryDirectory folder;
  std::string config = (folder / "c.yaml").string();
  std::string file = (folder / "book.csv").string();

  void write(const std::string& csv) const { std::ofstream(file, std::ios::binary) << csv; }
  Read read(const std::string& csv, const std::string& set = "") const {
    write(csv);
    return read_settings(market + "options: {file: book.csv}\n", set, config);
  }
  Refusal refuse(const std::string& csv) const {
    write(csv);
    return refusal(market + "options: {file: book.csv}\n", "", config);
  }
};

}  // namespace

TEST_CASE("A book from a table gives the options that the same book as a list gives") {
  const Folder folder;
  const Read table = folder.read(
      "\xEF\xBB\xBF# a book\r\n"
      "id, product,underlyings,strike,maturity,weights,greeks,lsm.order,lsm.upper_bound,exercise_dates,payoff,type,"
      "correlation,tolerance.absolute\r\n"
      "\r\n"
      "e1,european,A,100,1,,delta|vega,,,,,put,,0.01\r\n"
      "b1,basket,A B,70,2,0.5 | 0.5,,,,,,,0.25,\r\n"
      "\"m,1\",bermudan,A|B,1e2,1,,delta,3,true,9,max,,,\r\n");
  const Read list = read_settings(
      market +
      "options:\n"
      "  - {id: e1, product: european, underlying: A, strike: 100, maturity: 1, greeks: [delta, vega], type: put, "
      "tolerance: {absolute: 0.01}}\n"
      "  - {id: b1, product: basket, underlyings: [A, B], strike: 70, maturity: 2, weights: [0.5, 0.5], correlation: "
      "0.25}\n"
      "  - {id: 'm,1', product: bermudan, underlyings: [A, B], strike: 100, maturity: 1, greeks: [delta], lsm: {order: "
      "3, "
      "upper_bound: true}, exercise_dates: 9, payoff: max}\n");
  CHECK(table.result.used_yaml == list.result.used_yaml);
  CHECK(table.settings.options.size() == 3);
  // The written config needs no table.
  std::filesystem::remove(folder.file);
  CHECK(read_settings(table.result.used_yaml).result.used_yaml == table.result.used_yaml);
}

TEST_CASE("A matrix stands in one cell, and overrides reach a book from a table") {
  const Folder folder;
  const Read read = folder.read(
      "product,underlyings,maturity,correlation.order,correlation.matrix\n"
      "exchange,A|B,1,A|B,1 0.3|0.3 1\n",
      "monte_carlo.paths=77");
  CHECK(read.settings.options[0].correlation->matrix == io::Rows{{1, 0.3}, {0.3, 1}});
  CHECK(read.settings.options[0].id == "option-1");
  CHECK(read.settings.monte_carlo.paths == 77);
}

TEST_CASE("What is wrong with a table is refused as an input file, with its rows and columns") {
  const Folder folder;
  const std::string header = "id,product,underlying,strike,maturity\n";
  const struct {
    std::string csv, message;
  } cases[] = {
      {"", ":1:1: is empty"},
      {header, ":1:1: there is a header and no option"},
      {"id,product,underlying,strke,maturity\nx,european,A,1,1\n",
       ":1:23: unknown column 'strke'; did you mean 'strike'?"},
      {"id,id\nx,x\n", ":1:4: the column 'id' stands here a second time"},
      {"correlation,correlation.order\n0.5,A|B\n", ":2:5: column 'correlation.order': another column"},
      {header + "x,european,A,1,1\ny,european,A,1\n", ":3:1: the row has 4 cells, the header 5"},
      {header + "x,european,A,1,1,\n", ":2:1: the row has 6 cells, the header 5"},
      {header + "x,european,A,nan,1\n", ":2:14: 'options.0.strike': expected a finite number"},
      {header + "x,european,A,1,inf\n", ":2:16: 'options.0.maturity': expected a finite number"},
      {header + "x,european,A,1,1\nx,european,A,2,1\n", ":3:1: 'options.1.id': 'x' is the id of options.0 too"},
      {header + "x,european,A,,1\n", ":2:1: the key 'options.0.strike' is required and missing"},
      {header + "x,exchange,A|C,,1\n", ":2:12: 'options.0.underlying': the market has no"},
      {header + "x,exchange,A,3,1\n", ":2:14: unknown key 'strike'"},
      {header + "x,europaen,A,1,1\n", ":2:3: 'options.0.product': expected one of european"},
      {header + "\"x,european,A,1,1\n", ":2:1: the quote that opens here is not closed"},
  };
  for (const auto& c : cases) {
    const Refusal refused = folder.refuse(c.csv);
    INFO(c.csv << "\n" << refused.text);
    CHECK(refused.code == io::ExitCode::input_file);
    CHECK(refused.has(folder.file + c.message));
  }
  std::filesystem::remove(folder.file);
  const Refusal missing = refusal(market + "options: {file: book.csv}\n", "", folder.config);
  CHECK(missing.code == io::ExitCode::input_file);
  CHECK(missing.has(folder.file + ": no such file"));
}

TEST_CASE("What is wrong in the config stays its own fault beside a faulty table") {
  const Folder folder;
  folder.write("id,product,underlying,strike,maturity\nx,european,A,nan,1\n");
  const Refusal both = refusal("monte_carlo: {paths: 0}\n" + market + "options: {file: book.csv}\n", "", folder.config);
  CHECK(both.code == io::ExitCode::config);
  CHECK(both.has("'monte_carlo.paths': found '0'"));
  CHECK(both.has("book.csv:2:14: 'options.0.strike'"));
  CHECK(refusal(market + "options: {file: book.csv, id: x}\n", "", folder.config)
            .has("c.yaml:6:27: 'options': found 'id' beside `file`, which stands alone"));
}

TEST_CASE("A local volatility is read from a file as from the config") {
  const TemporaryDirectory folder;
  const std::string config = (folder / "c.yaml").string();
  const auto text = [](const std::string& grid) {
    return "market:\n  underlyings:\n    X: {spot: 100, model: local_volatility, " + grid +
           "}\noptions: [{product: european, strike: 1, maturity: 1}]\n";
  };
  const auto model = [](const Read& read) {
    return std::get<LocalVolatilityModel>(read.settings.market.underlyings[0].model);
  };
  std::ofstream(folder / "v.csv") << "maturity,90,100\n0.5,0.25,0.2\n1,0.24,0.21\n";
  const Read file = read_settings(text("file: v.csv"), "", config);
  const auto grid = model(
      read_settings(text("strikes: [90, 100], maturities: [0.5, 1], local_volatility: [[0.25, 0.2], [0.24, 0.21]]")));
  CHECK(model(file).strikes == grid.strikes);
  CHECK(model(file).maturities == grid.maturities);
  CHECK(model(file).local_volatility == grid.local_volatility);
  const Read again = read_settings(file.result.used_yaml);
  CHECK(again.result.used_yaml == file.result.used_yaml);
  CHECK(model(again).local_volatility == grid.local_volatility);
  CHECK(refusal(text("file: v.csv, strikes: [1]"), "", config).has("give the grid or a file of it, not both"));

  const std::pair<const char*, const char*> bad[] = {
      {"maturity,90,100\n0.5,0.25\n", ":2: has 2 cells, the first row 3"},
      {"maturity,90,90\n0.5,0.2,0.2\n", ":1: the strikes must"},
      {"m,90\n1,0.2\n1,0.2\n", ":3: the maturities must ascend"},
      {"m,90\n1,nan\n", ":2: local volatility: expected a finite number"},
      {"m,90\n1,-0.1\n", ":2: local volatility: found '-0.1'"},
      {"m,90\n", ":1: expected strikes in the first row"}};
  for (const auto& [csv, message] : bad) {
    std::ofstream(folder / "v.csv") << csv;
    const Refusal refused = refusal(text("file: v.csv"), "", config);
    INFO(csv << refused.text);
    CHECK(refused.code == io::ExitCode::input_file);
    CHECK(refused.has((folder / "v.csv").string() + message));
  }
}
