// Every row of reference/options.csv that a closed form, series, transform or one-dimensional integral gives, to the
// row's own tolerance. The columns' units and conventions are those of the config keys.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/options/closed_forms/average.hpp"
#include "sim/options/closed_forms/barrier.hpp"
#include "sim/options/closed_forms/black.hpp"
#include "sim/options/closed_forms/cev.hpp"
#include "sim/options/closed_forms/forward_start.hpp"
#include "sim/options/closed_forms/jumps.hpp"
#include "sim/options/closed_forms/lookback.hpp"
#include "sim/options/closed_forms/multi_asset.hpp"
#include "sim/options/closed_forms/transform.hpp"
#include "sim/options/closed_forms/variance.hpp"

using namespace ergode::sim::options;
using namespace ergode::sim::options::closed_forms;

namespace {

struct Row {
  std::string id, model, product;
  std::map<std::string, std::string> parameters;
  double value = 0, tolerance = 0;

  const std::string& text(const std::string& key) const {
    const auto found = parameters.find(key);
    if (found == parameters.end()) throw std::out_of_range(id + ": no parameter " + key);
    return found->second;
  }
  double number(const std::string& key) const { return std::stod(text(key)); }
  std::vector<double> numbers(const std::string& key) const {
    std::vector<double> all;
    std::istringstream in(text(key));
    for (std::string part; std::getline(in, part, '|');) all.push_back(std::stod(part));
    return all;
  }
  bool is(const std::string& key, const std::string& value_) const {
    const auto found = parameters.find(key);
    return found != parameters.end() && found->second == value_;
  }
  OptionType type() const { return is("type", "put") ? OptionType::put : OptionType::call; }
};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::ifstream file(ERGODE_SOURCE_DIR "/tests/options/reference/options.csv");
    std::vector<Row> result;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      const auto fields = fields_of(line);
      if (fields.size() < 7) continue;
      Row row{fields[0], fields[1], fields[2], {}, std::stod(fields[4]), std::stod(fields[5])};
      std::istringstream parameters(fields[3]);
      for (std::string one; std::getline(parameters, one, ';');) {
        const auto equals = one.find('=');
        row.parameters[one.substr(0, equals)] = one.substr(equals + 1);
      }
      result.push_back(row);
    }
    return result;
  }();
  return all;
}

/// Compares every row that `wanted` picks, and requires that there are as many as the file has.
void check(int count, const std::function<bool(const Row&)>& wanted, const std::function<double(const Row&)>& value) {
  int found = 0;
  for (const Row& row : rows()) {
    if (!wanted(row)) continue;
    ++found;
    const double got = value(row);
    INFO(row.id << ": " << got << " against " << row.value << ", difference " << got - row.value);
    // The file's values have twelve digits.
    CHECK(std::abs(got - row.value) <= row.tolerance + 1e-11 * std::abs(row.value));
  }
  CHECK(found == count);
}

std::function<bool(const Row&)> of(const std::string& model, const std::string& product) {
  return [=](const Row& row) { return row.model == model && row.product == product; };
}

GbmConstants market(const Row& r) {
  return {r.number("spot"), r.number("rate"), r.number("dividend_yield"), r.number("volatility")};
}

double quantity(const Row& r, const SpotGreeks& g) {
  const std::map<std::string, double> all{{"price", g.price}, {"delta", g.delta}, {"gamma", g.gamma},
                                          {"vega", g.vega},   {"theta", g.theta}, {"rho", g.rho}};
  return all.at(r.text("quantity"));
}

HestonModel heston(const Row& r) {
  HestonModel m;
  m.v0 = r.number("v0");
  m.kappa = r.number("kappa");
  m.theta = r.number("theta");
  if (r.parameters.count("sigma_v")) {
    m.sigma_v = r.number("sigma_v");
    m.rho = r.number("rho");
  }
  return m;
}

struct Forward {
  double forward, discount, maturity;
};
Forward forward_of(const Row& r) {
  const double t = r.number("maturity"), rate = r.number("rate"), yield = r.number("dividend_yield");
  return {r.number("spot") * std::exp((rate - yield) * t), std::exp(-rate * t), t};
}

TwoAssets two_assets(const Row& r) {
  const auto spot = r.numbers("spot"), yield = r.numbers("dividend_yield"), volatility = r.numbers("volatility");
  const double t = r.number("maturity"), rate = r.number("rate");
  return {spot[0] * std::exp((rate - yield[0]) * t), spot[1] * std::exp((rate - yield[1]) * t),
          volatility[0] * volatility[0] * t, volatility[1] * volatility[1] * t,
          r.number("correlation") * volatility[0] * volatility[1] * t};
}

double discount_of(const Row& r) {
  return std::exp(-r.number("rate") * r.number("maturity"));
}

bool pairs_only(const Row& r) {
  return r.numbers("spot").size() == 2;
}

}  // namespace

TEST_CASE("Reference values: Europeans and their Greeks under gbm") {
  check(48, of("gbm", "european"), [](const Row& r) {
    return quantity(r, black_scholes_greeks(r.type(), market(r), r.number("strike"), r.number("maturity")));
  });
}

TEST_CASE("Reference values: digitals under gbm") {
  check(10, of("gbm", "digital"), [](const Row& r) {
    const auto payout = r.is("payout", "asset") ? Payout::asset : Payout::cash;
    return quantity(
        r, digital_greeks(r.type(), payout, r.number("cash"), market(r), r.number("strike"), r.number("maturity")));
  });
}

TEST_CASE("Reference values: continuously watched barriers") {
  check(
      29, [](const Row& r) { return r.model == "gbm" && r.product == "barrier" && r.is("monitoring", "continuous"); },
      [](const Row& r) {
        const std::map<std::string, BarrierType> types{{"down_in", BarrierType::down_in},
                                                       {"down_out", BarrierType::down_out},
                                                       {"up_in", BarrierType::up_in},
                                                       {"up_out", BarrierType::up_out}};
        return barrier(r.type(), types.at(r.text("barrier_type")), market(r), r.number("strike"), r.number("barrier"),
                       r.number("rebate"), r.number("maturity"));
      });
  check(3, of("gbm", "barrier_bgk_correction"), [](const Row& r) {
    return barrier(r.type(), BarrierType::down_out, market(r), r.number("strike"), r.number("shifted_barrier"), 0,
                   r.number("maturity"));
  });
}

TEST_CASE("Reference values: lookbacks") {
  check(18, of("gbm", "lookback_fixed"), [](const Row& r) {
    return lookback_fixed(r.type(), market(r), r.number("strike"), r.number("running_extreme"), r.number("maturity"));
  });
  check(2, of("gbm", "lookback_floating"), [](const Row& r) {
    return lookback_floating(r.type(), market(r), r.number("running_extreme"), r.number("maturity"));
  });
}

TEST_CASE("Reference values: geometric Asians") {
  check(4, of("gbm", "asian_geometric"), [](const Row& r) {
    const GbmConstants m = market(r);
    const double t = r.number("maturity"), carry = m.rate - m.dividend_yield;
    LogNormal average;
    if (r.is("monitoring", "continuous")) {
      average = geometric_average_continuous(m.spot, carry, m.volatility, t);
    } else {
      const int n = static_cast<int>(r.number("fixings"));
      std::vector<double> drift, variance;
      for (int i = 1; i <= n; ++i) {
        drift.push_back(carry * t * i / n);
        variance.push_back(m.volatility * m.volatility * t * i / n);
      }
      average = geometric_average(m.spot, drift, variance);
    }
    return lognormal_option(r.type(), average, r.number("strike"), m.discount(t));
  });
}

TEST_CASE("Reference values: Heston Europeans, their delta and gamma") {
  check(22, of("heston", "european"), [](const Row& r) {
    const Forward f = forward_of(r);
    const double spot = r.number("spot");
    const TransformValues v = transform(heston_characteristic(heston(r), f.maturity), f.forward, r.number("strike"));
    const double growth = f.forward / spot;
    if (r.is("quantity", "delta")) return f.discount * growth * v.call_delta;
    if (r.is("quantity", "gamma")) return f.discount * growth * growth * v.gamma;
    return f.discount * (r.type() == OptionType::call ? v.call : v.put);
  });
}

TEST_CASE("Reference values: jumps") {
  check(9, of("merton_jump", "european"), [](const Row& r) {
    const Forward f = forward_of(r);
    const double volatility = r.number("volatility"), variance = volatility * volatility * f.maturity;
    const MertonJump jump{r.number("jump_intensity"), r.number("jump_mean"), r.number("jump_stddev")};
    const double strike = r.number("strike");
    const double series = merton_european(r.type(), f.forward, strike, f.discount, variance, jump, f.maturity);
    const double integral =
        transform_european(r.type(), merton_characteristic(variance, jump, f.maturity), f.forward, strike, f.discount);
    CHECK(std::abs(series - integral) < 1e-10);
    return series;
  });
  check(5, of("kou_jump", "european"), [](const Row& r) {
    const Forward f = forward_of(r);
    const double volatility = r.number("volatility");
    KouJumpModel m;
    m.jump_intensity = r.number("jump_intensity");
    m.jump_up_prob = r.number("jump_up_prob");
    m.eta_up = r.number("eta_up");
    m.eta_down = r.number("eta_down");
    const auto characteristic = kou_characteristic(volatility * volatility * f.maturity, m, f.maturity);
    return transform_european(r.type(), characteristic, f.forward, r.number("strike"), f.discount);
  });
}

TEST_CASE("Reference values: CEV") {
  check(5, of("cev", "european"), [](const Row& r) {
    const CevInputs in{r.number("spot"), r.number("rate") - r.number("dividend_yield"), r.number("cev_sigma"),
                       r.number("cev_beta")};
    return cev_european(r.type(), in, r.number("strike"), discount_of(r), r.number("maturity"));
  });
}

TEST_CASE("Reference values: fair variances") {
  check(1, of("heston", "variance_swap"), [](const Row& r) {
    const double t = r.number("maturity");
    return fair_variance_continuous(heston_integrated_variance(heston(r), t), t);
  });
  check(1, of("gbm", "variance_swap"), [](const Row& r) {
    const double t = r.number("maturity"), carry = r.number("rate") - r.number("dividend_yield");
    const int n = static_cast<int>(r.number("fixings"));
    std::vector<double> times, drift, variance;
    for (int i = 1; i <= n; ++i) {
      times.push_back(t * i / n);
      drift.push_back(carry * times.back());
      variance.push_back(r.number("volatility") * r.number("volatility") * times.back());
    }
    return fair_variance_gbm(times, drift, variance);
  });
}

TEST_CASE("Reference values: two underlyings") {
  check(3, of("gbm_multi", "exchange"), [](const Row& r) { return exchange(two_assets(r), discount_of(r)); });
  for (const auto select : {Select::maximum, Select::minimum}) {
    const std::string product = select == Select::maximum ? "rainbow_max" : "rainbow_min";
    check(
        3, [&](const Row& r) { return r.product == product && pairs_only(r); },
        [&](const Row& r) {
          return best_or_worst(r.type(), select, two_assets(r), r.number("strike"), discount_of(r));
        });
  }
  check(12, of("gbm_multi", "spread"), [](const Row& r) {
    return linear_combination(r.type(), 1, -1, two_assets(r), r.number("strike"), discount_of(r));
  });
  check(
      2, [](const Row& r) { return r.product == "basket_arithmetic" && pairs_only(r); },
      [](const Row& r) {
        const auto weights = r.numbers("weights");
        return linear_combination(r.type(), weights[0], weights[1], two_assets(r), r.number("strike"), discount_of(r));
      });
}

TEST_CASE("Reference values: geometric baskets") {
  check(2, of("gbm_multi", "basket_geometric"), [](const Row& r) {
    const auto spot = r.numbers("spot"), yield = r.numbers("dividend_yield"), volatility = r.numbers("volatility");
    const double t = r.number("maturity"), rate = r.number("rate"), rho = r.number("correlation");
    const std::size_t n = spot.size();
    std::vector<double> weights(n, 1.0 / static_cast<double>(n)), means, covariance;
    for (std::size_t i = 0; i < n; ++i) {
      means.push_back(std::log(spot[i]) + (rate - yield[i] - 0.5 * volatility[i] * volatility[i]) * t);
      for (std::size_t j = 0; j < n; ++j) covariance.push_back((i == j ? 1 : rho) * volatility[i] * volatility[j] * t);
    }
    return lognormal_option(r.type(), geometric_average(weights, means, covariance), r.number("strike"),
                            discount_of(r));
  });
}

TEST_CASE("Reference values: forward start and cliquet") {
  check(1, of("gbm", "forward_start"), [](const Row& r) {
    const GbmConstants m = market(r);
    const double start = r.number("start"), t = r.number("maturity");
    return forward_start(r.type(), r.number("moneyness"), m.forward(start), m.forward(t), m.discount(t),
                         m.variance(t - start));
  });
  check(1, of("gbm", "cliquet"), [](const Row& r) {
    const double t = r.number("maturity"), carry = r.number("rate") - r.number("dividend_yield");
    const auto n = static_cast<std::size_t>(r.number("resets"));
    const double step = t / static_cast<double>(n);
    return cliquet(r.number("notional"), std::vector<double>(n, std::exp(carry * step)),
                   std::vector<double>(n, r.number("volatility") * r.number("volatility") * step),
                   r.number("local_floor"), r.number("local_cap"), discount_of(r));
  });
}
