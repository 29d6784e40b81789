#include "sim/options/local_volatility_file.hpp"

#include <fmt/format.h>

#include "sim/options/csv.hpp"

namespace ergode::sim::options {

void read_local_volatility(const std::filesystem::path& path, LocalVolatilityModel& model) {
  const auto refuse = [&](int line, const std::string& why) {
    throw io::Error(io::ExitCode::input_file, fmt::format("{}:{}: {}", path.string(), line, why));
  };
  const auto number = [&](const CsvRow& row, std::size_t i, const char* what, double low) {
    io::Node node;
    node.kind = io::Node::Kind::scalar;
    node.text = row.cells[i].text;
    io::Problems problems;
    io::Limits limits;
    limits.at_least = low;
    double value = 0;
    io::read_value(node, value, limits, problems);
    for (const io::Problem& p : problems.errors) refuse(row.line, fmt::format("{}: {}", what, p.message));
    return value;
  };
  const std::vector<CsvRow> rows = read_csv_rows(path);
  if (rows.size() < 2 || rows[0].cells.size() < 2)
    refuse(1, "expected strikes in the first row, and a row for each maturity");
  LocalVolatilityModel read;
  for (std::size_t i = 1; i < rows[0].cells.size(); ++i) {
    read.strikes.push_back(number(rows[0], i, "strike", 0));
    if (read.strikes[i - 1] <= (i > 1 ? read.strikes[i - 2] : 0))
      refuse(rows[0].line, "the strikes must be greater than 0 and ascend");
  }
  for (std::size_t r = 1; r < rows.size(); ++r) {
    if (rows[r].cells.size() != rows[0].cells.size())
      refuse(rows[r].line, fmt::format("has {} cells, the first row {}", rows[r].cells.size(), rows[0].cells.size()));
    read.maturities.push_back(number(rows[r], 0, "maturity", 0));
    if (r > 1 && read.maturities[r - 1] <= read.maturities[r - 2]) refuse(rows[r].line, "the maturities must ascend");
    auto& volatilities = read.local_volatility.emplace_back();
    for (std::size_t i = 1; i < rows[r].cells.size(); ++i)
      volatilities.push_back(number(rows[r], i, "local volatility", 0));
  }
  model.strikes = std::move(read.strikes);
  model.maturities = std::move(read.maturities);
  model.local_volatility = std::move(read.local_volatility);
}

}  // namespace ergode::sim::options
