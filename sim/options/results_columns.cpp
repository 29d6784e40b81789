#include "sim/options/results_columns.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace ergode::sim::options {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const std::array<std::string, 5> greek_names{"delta", "gamma", "vega", "theta", "rho"};
// The price has the currency of the spot; what it counts is not the framework's to know.
const std::string currency = "currency";

double number(double value) {
  return value;
}
double number(const std::optional<double>& value) {
  return value.value_or(nan);
}

std::string joined(const std::vector<std::string>& parts, const std::string& separator) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

std::string methods(const Greek& greek) {
  std::vector<std::string> different;
  for (const auto& e : greek.estimates)
    if (!e.method.empty() && std::find(different.begin(), different.end(), e.method) == different.end())
      different.push_back(e.method);
  return joined(different, ", ");
}

/// Builds the columns one after the other from a member, or a function, of each instrument.
class Table {
 public:
  explicit Table(const Results& results) : instruments_(results.instruments) {}

  template <class Get>
  void numbers(std::string name, std::string units, std::string long_name, Get get) {
    std::vector<double> values;
    for (const auto& i : instruments_) values.push_back(number(std::invoke(get, i)));
    add(std::move(name), std::move(units), std::move(long_name), std::move(values));
  }
  template <class Get>
  void integers(std::string name, std::string long_name, Get get) {
    std::vector<std::int64_t> values;
    for (const auto& i : instruments_) values.push_back(std::invoke(get, i));
    add(std::move(name), "1", std::move(long_name), std::move(values));
  }
  template <class Get>
  void texts(std::string name, std::string long_name, Get get) {
    std::vector<std::string> values;
    for (const auto& i : instruments_) values.push_back(std::invoke(get, i));
    add(std::move(name), "1", std::move(long_name), std::move(values));
  }
  std::vector<ResultColumn> columns;

 private:
  template <class Values>
  void add(std::string name, std::string units, std::string long_name, Values values) {
    columns.push_back({std::move(name), std::move(units), std::move(long_name), std::move(values)});
  }
  const std::vector<InstrumentResult>& instruments_;
};

void add_greek(Table& table, const std::string& column, const std::string& units) {
  const auto single = [column](const InstrumentResult& i) -> const Estimate* {
    const Greek* greek = find_greek(i, column);
    return greek != nullptr && greek->estimates.size() == 1 ? &greek->estimates.front() : nullptr;
  };
  table.numbers(column, units, column + " (several underlyings: see /greeks)", [=](const InstrumentResult& i) {
    const Estimate* e = single(i);
    return e != nullptr ? e->value : nan;
  });
  table.numbers(column + "_standard_error", units, "standard error of " + column, [=](const InstrumentResult& i) {
    const Estimate* e = single(i);
    return e != nullptr ? e->standard_error : nan;
  });
  table.texts(column + "_method", "estimator of " + column, [=](const InstrumentResult& i) {
    const Greek* greek = find_greek(i, column);
    return greek != nullptr ? methods(*greek) : std::string();
  });
}

}  // namespace

std::string column_name(const Greek& greek) {
  const bool known = std::find(greek_names.begin(), greek_names.end(), greek.name) != greek_names.end();
  return known && !greek.parameter ? greek.name : "sensitivity_" + greek.name;
}

const Greek* find_greek(const InstrumentResult& instrument, const std::string& column) {
  for (const auto& greek : instrument.greeks)
    if (column_name(greek) == column) return &greek;
  return nullptr;
}

std::vector<std::string> greek_columns(const Results& results) {
  std::vector<std::string> standard, others;
  for (const auto& instrument : results.instruments) {
    for (const auto& greek : instrument.greeks) {
      const std::string name = column_name(greek);
      auto& names = name == greek.name ? standard : others;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  const auto place = [](const std::string& name) { return std::find(greek_names.begin(), greek_names.end(), name); };
  std::sort(standard.begin(), standard.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  standard.insert(standard.end(), others.begin(), others.end());
  return standard;
}

std::vector<std::string> greek_underlyings(const Results& results) {
  std::vector<std::string> underlyings;
  bool several = false;
  for (const auto& i : results.instruments)
    for (const auto& greek : i.greeks) {
      several = several || greek.of.size() > 1;
      for (const auto& u : greek.of)
        if (std::find(underlyings.begin(), underlyings.end(), u) == underlyings.end()) underlyings.push_back(u);
    }
  if (!several) underlyings.clear();
  return underlyings;
}

std::vector<ResultColumn> columns_by_underlying(const Results& results) {
  Table t(results);
  for (const std::string& column : greek_columns(results)) {
    const bool several = std::any_of(results.instruments.begin(), results.instruments.end(), [&](const auto& i) {
      const Greek* greek = find_greek(i, column);
      return greek != nullptr && greek->of.size() > 1;
    });
    if (!several) continue;
    for (const std::string& underlying : greek_underlyings(results)) {
      const auto of = [=](const InstrumentResult& i) -> const Estimate* {
        const Greek* greek = find_greek(i, column);
        for (std::size_t k = 0; greek != nullptr && k < greek->of.size(); ++k)
          if (greek->of[k] == underlying) return &greek->estimates[k];
        return nullptr;
      };
      const std::string units = greek_units(results, column), suffix = "[" + underlying + "]";
      t.numbers(column + suffix, units, column + " to " + underlying,
                [=](const InstrumentResult& i) { return of(i) != nullptr ? of(i)->value : nan; });
      t.numbers(column + "_standard_error" + suffix, units, "standard error of " + column + suffix,
                [=](const InstrumentResult& i) { return of(i) != nullptr ? of(i)->standard_error : nan; });
    }
  }
  return std::move(t.columns);
}

std::string greek_units(const Results& results, const std::string& column) {
  for (const auto& instrument : results.instruments) {
    const Greek* greek = find_greek(instrument, column);
    if (greek != nullptr && !greek->units.empty()) return greek->units;
  }
  return "1";
}

std::vector<ResultColumn> result_columns(const Results& results) {
  using R = InstrumentResult;
  Table t(results);
  t.texts("id", "identifier of the instrument", &R::id);
  t.texts("product", "product", &R::product);
  t.texts("model", "model of the underlyings", &R::model);
  t.texts("type", "call or put", &R::type);
  t.texts("underlyings", "names of the underlyings, | between them",
          [](const R& i) { return joined(i.underlyings, "|"); });
  t.numbers("quantity", "1", "number held; prices and Greeks are for one", &R::quantity);
  t.numbers("strike", currency, "strike", &R::strike);
  t.numbers("maturity", "year", "time to maturity", &R::maturity);
  t.numbers("price", currency, "present value of one", &R::price);
  t.numbers("standard_error", currency, "standard error of the price, statistical", &R::standard_error);
  t.numbers("confidence_low", currency, "lower end of the price's confidence interval", &R::confidence_low);
  t.numbers("confidence_high", currency, "upper end of the price's confidence interval", &R::confidence_high);
  t.numbers("confidence", "1", "confidence level of the interval", &R::confidence);
  t.numbers("bias", currency, "estimate minus exact value, from what bias_of names", &R::bias);
  t.numbers("bias_standard_error", currency, "standard error of the bias", &R::bias_standard_error);
  t.texts("bias_of", "sources of the bias", &R::bias_of);
  t.numbers("lower_bound", currency, "lower bound of the price", &R::lower_bound);
  t.numbers("lower_bound_standard_error", currency, "standard error of the lower bound",
            &R::lower_bound_standard_error);
  t.numbers("upper_bound", currency, "upper bound of the price", &R::upper_bound);
  t.numbers("upper_bound_standard_error", currency, "standard error of the upper bound",
            &R::upper_bound_standard_error);
  t.numbers("implied_volatility", "1/year^0.5", "Black volatility of the price", &R::implied_volatility);
  t.numbers("implied_volatility_standard_error", "1/year^0.5", "standard error of the implied volatility",
            &R::implied_volatility_standard_error);
  t.texts("event", "what event_probability is the probability of", &R::event);
  t.numbers("event_probability", "1", "probability of the event under the pricing measure", &R::event_probability);
  t.numbers("event_probability_standard_error", "1", "standard error of the probability",
            &R::event_probability_standard_error);
  t.numbers("reference_value", currency, "closed form", &R::reference_value);
  t.numbers("z_score", "1", "price minus closed form in standard errors", &R::z_score);
  t.integers("paths", "number of paths", &R::paths);
  t.integers("steps", "number of time steps", &R::steps);
  t.texts("scheme", "time stepping", &R::scheme);
  t.texts("rng", "random numbers", &R::rng);
  t.texts("precision", "arithmetic of the paths", &R::precision);
  t.texts("variance_reduction", "variance reduction", &R::variance_reduction);
  t.numbers("variance_reduction_factor", "1", "variance of plain paths over the one achieved, at equal paths",
            &R::variance_reduction_factor);
  for (const auto& column : greek_columns(results)) add_greek(t, column, greek_units(results, column));
  t.texts("status", "done, tolerance missed or analytic", &R::status);
  t.texts("message", "what the user should know", &R::message);
  return std::move(t.columns);
}

}  // namespace ergode::sim::options
