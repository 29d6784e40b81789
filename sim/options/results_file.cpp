#include "sim/options/results_file.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "io/hdf5/sealed_file.hpp"
#include "io/run/text_file.hpp"
#include "sim/options/results_columns.hpp"

namespace ergode::sim::options {
namespace {

using io::Array;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const std::string instrument_scale = "/instrument";
const std::string currency = "currency";

io::Attributes described(const std::string& units, const std::string& long_name) {
  return {{"units", units}, {"long_name", long_name}};
}

void add(io::FileContent& f, const std::string& path, Array data, const std::string& units,
         const std::string& long_name, std::vector<std::string> scales) {
  f.datasets[path] = {std::move(data), described(units, long_name)};
  if (!scales.empty()) f.scales[path] = std::move(scales);
}

/// A scale 0 .. n-1.
void add_index(io::FileContent& f, const std::string& path, std::int64_t n, const std::string& long_name) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) index[static_cast<std::size_t>(i)] = i;
  add(f, path, Array::from(index), "1", long_name, {});
}

void add_names(io::FileContent& f, const std::string& path, std::vector<std::string> names,
               const std::string& long_name) {
  f.strings[path] = std::move(names);
  f.string_attributes[path] = described("1", long_name);
}

void add_columns(io::FileContent& f, const Results& results) {
  add_index(f, instrument_scale, std::ssize(results.instruments), "instrument, in the order of the config");
  for (auto& column : result_columns(results)) {
    const std::string path = "/" + column.name;
    if (auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
      add_names(f, path, std::move(*texts), column.long_name);
      f.scales[path] = {instrument_scale};
    } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&column.values)) {
      add(f, path, Array::from(*integers), column.units, column.long_name, {instrument_scale});
    } else {
      add(f, path, Array::from(std::get<std::vector<double>>(column.values)), column.units, column.long_name,
          {instrument_scale});
    }
  }
}

/// A table (instrument, items of it), `get(item)` each value, NaN (for integers 0) after an instrument's last.
template <class T, class Items, class Get>
Array table(const Results& results, Items items, std::int64_t width, Get get) {
  std::vector<T> values(results.instruments.size() * static_cast<std::size_t>(width),
                        std::is_integral_v<T> ? T{} : static_cast<T>(nan));
  auto row = values.begin();
  for (const auto& instrument : results.instruments) {
    std::transform(items(instrument).begin(), items(instrument).end(), row, get);
    row += width;
  }
  return Array::from<T>(values.data(), {std::ssize(results.instruments), width});
}

template <class Items>
std::int64_t widest(const Results& results, Items items) {
  std::int64_t width = 0;
  for (const auto& instrument : results.instruments) width = std::max(width, std::ssize(items(instrument)));
  return width;
}

void add_convergence(io::FileContent& f, const Results& results) {
  const auto points = [](const InstrumentResult& i) -> const auto& {
    return i.convergence;
  };
  const std::int64_t width = widest(results, points);
  if (width == 0) return;
  const std::vector<std::string> scales{instrument_scale, "/convergence/point"};
  add_index(f, scales[1], width, "point of the history");
  const auto column = [&](const char* name, const std::string& units, const char* meaning, auto member) {
    add(f, std::string("/convergence/") + name,
        table<double>(results, points, width,
                      [&](const ConvergencePoint& p) { return static_cast<double>(p.*member); }),
        units, meaning, scales);
  };
  column("paths", "1", "number of paths so far", &ConvergencePoint::paths);
  column("price", currency, "price from them", &ConvergencePoint::price);
  column("standard_error", currency, "its standard error", &ConvergencePoint::standard_error);
}

void add_distribution(io::FileContent& f, const Results& results) {
  const auto counts = [](const InstrumentResult& i) -> const auto& {
    return i.histogram.counts;
  };
  const std::int64_t width = widest(results, counts);
  if (width == 0) return;
  add_index(f, "/distribution/bin", width, "bin, of equal width");
  add(f, "/distribution/counts", table<std::int64_t>(results, counts, width, [](std::int64_t n) { return n; }), "1",
      "number of discounted payoffs in the bin; the first and the last also take what lies beyond",
      {instrument_scale, "/distribution/bin"});
  const auto edge = [&](const char* name, const char* meaning, double Histogram::*member) {
    std::vector<double> values;
    for (const auto& i : results.instruments) values.push_back(i.histogram.counts.empty() ? nan : i.histogram.*member);
    add(f, std::string("/distribution/") + name, Array::from(values), currency, meaning, {instrument_scale});
  };
  edge("low", "lower edge of the first bin", &Histogram::low);
  edge("high", "upper edge of the last bin", &Histogram::high);
}

void add_exercise(io::FileContent& f, const Results& results) {
  const auto dates = [](const InstrumentResult& i) -> const auto& {
    return i.exercise;
  };
  const std::int64_t width = widest(results, dates);
  if (width == 0) return;
  const std::vector<std::string> scales{instrument_scale, "/exercise/date"};
  add_index(f, scales[1], width, "exercise date");
  const auto column = [&](const char* name, const std::string& units, const char* meaning, auto get) {
    add(f, std::string("/exercise/") + name, table<double>(results, dates, width, get), units, meaning, scales);
  };
  column("time", "year", "time of the date", [](const ExerciseDate& d) { return d.time; });
  column("probability", "1", "probability of exercise at the date",
         [](const ExerciseDate& d) { return d.probability; });
  column("boundary", currency, "spot at which exercise begins",
         [](const ExerciseDate& d) { return d.boundary.value_or(nan); });
}

void add_values(io::FileContent& f, const Results& results) {
  const auto values = [](const InstrumentResult& i) -> const auto& {
    return i.values;
  };
  const std::int64_t width = widest(results, values);
  if (width == 0) return;
  add_index(f, "/values/path", width, "path");
  add(f, "/values/payoff", table<double>(results, values, width, [](double v) { return v; }), currency,
      "discounted payoff of the path", {instrument_scale, "/values/path"});
}

/// The Greeks by underlying: there as soon as one instrument has a Greek of several.
void add_greeks(io::FileContent& f, const Results& results) {
  std::vector<std::string> underlyings = greek_underlyings(results);
  if (underlyings.empty()) return;
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(underlyings.begin(), underlyings.end(), name) - underlyings.begin());
  };
  const std::vector<std::string> scales{instrument_scale, "/greeks/underlying"};
  const std::size_t width = underlyings.size();
  for (const auto& column : greek_columns(results)) {
    std::vector<double> values(results.instruments.size() * width, nan), errors = values;
    bool any = false;
    for (std::size_t i = 0; i < results.instruments.size(); ++i) {
      const Greek* greek = find_greek(results.instruments[i], column);
      for (std::size_t k = 0; greek != nullptr && k < std::min(greek->of.size(), greek->estimates.size()); ++k) {
        any = true;
        values[i * width + place(greek->of[k])] = greek->estimates[k].value;
        errors[i * width + place(greek->of[k])] = greek->estimates[k].standard_error;
      }
    }
    if (!any) continue;
    const std::vector<std::int64_t> shape{std::ssize(results.instruments), std::ssize(underlyings)};
    const std::string units = greek_units(results, column), path = "/greeks/" + column;
    add(f, path, Array::from<double>(values.data(), shape), units, column + " to each underlying", scales);
    add(f, path + "_standard_error", Array::from<double>(errors.data(), shape), units, "standard error of " + column,
        scales);
    f.datasets[path].compress = f.datasets[path + "_standard_error"].compress = true;  // of a large book mostly NaN
  }
  add_names(f, scales[1], std::move(underlyings), "name of the underlying");
}

void require_size(const char* what, std::size_t found, std::int64_t expected) {
  if (static_cast<std::int64_t>(found) != expected)
    throw io::Error(io::ExitCode::internal, std::string("results: ") + what + " have " + std::to_string(found) +
                                                " values, their axes " + std::to_string(expected));
}

void add_scenarios(io::FileContent& f, const Results& results) {
  if (!results.scenarios) return;
  const ScenarioCube& cube = *results.scenarios;
  const std::vector<std::int64_t> shape{std::ssize(cube.spot), std::ssize(cube.volatility), std::ssize(cube.rate),
                                        std::ssize(results.instruments)};
  const std::int64_t count = shape[0] * shape[1] * shape[2] * shape[3];
  require_size("scenario prices", cube.price.size(), count);
  require_size("scenario errors", cube.standard_error.size(), count);
  add(f, "/scenarios/spot", Array::from(cube.spot), "1", "factor on every spot", {});
  add(f, "/scenarios/volatility", Array::from(cube.volatility), "1/year^0.5", "shift of every volatility", {});
  add(f, "/scenarios/rate", Array::from(cube.rate), "1/year", "parallel shift of every zero curve", {});
  const std::vector<std::string> scales{"/scenarios/spot", "/scenarios/volatility", "/scenarios/rate",
                                        instrument_scale};
  add(f, "/scenarios/price", Array::from<double>(cube.price.data(), shape), currency, "price in the scenario", scales);
  add(f, "/scenarios/standard_error", Array::from<double>(cube.standard_error.data(), shape), currency,
      "standard error of the price", scales);
}

void add_paths(io::FileContent& f, const SamplePaths& sample) {
  const std::string group = "/" + sample.group;
  const std::vector<std::int64_t> shape{sample.paths, std::ssize(sample.times), std::ssize(sample.underlyings)};
  require_size("sample paths", sample.spot.size(), shape[0] * shape[1] * shape[2]);
  add_index(f, group + "/path", sample.paths, "path");
  add(f, group + "/time", Array::from(sample.times), "year", "time from the valuation date", {});
  add_names(f, group + "/underlying", sample.underlyings, "name of the underlying");
  add(f, group + "/spot", Array::from<double>(sample.spot.data(), shape), currency, "spot on the path",
      {group + "/path", group + "/time", group + "/underlying"});
}

}  // namespace

io::FileContent results_content(const Results& results, const io::Attributes& provenance, const std::string& name) {
  io::FileContent f;
  f.groups["/"] = {{"ergode_file", std::string("results")}, {"name", name}};
  f.groups["/provenance"] = provenance;
  add_columns(f, results);
  add_greeks(f, results);
  add_convergence(f, results);
  add_distribution(f, results);
  add_exercise(f, results);
  add_values(f, results);
  add_scenarios(f, results);
  for (const auto& sample : results.sample_paths) add_paths(f, sample);
  return f;
}

void write_results(io::RunOutput& output, const Results& results, const io::Attributes& provenance,
                   const std::string& name) {
  output.write("results.h5", results_content(results, provenance, name));
  output.write_text("results.csv", results_csv(results));
}

}  // namespace ergode::sim::options
