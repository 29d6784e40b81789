// Greeks against differences of closed forms: |z| < 4 at a fixed seed, a false alarm in 16,000 each, under 1 % over
// all.
#include <functional>
#include <map>

#include "sim/options/closed_forms/average.hpp"
#include "tests/physics/options_book.hpp"

using namespace ergode;
using namespace ergode::testing::options;

namespace {

/// What the closed forms are moved in. `later`: how much of the time is gone, every date keeping its place.
struct Point {
  double spot = 100, rate = 0.04, yield = 0.01, volatility = 0.25, later = 0;
  // The second asset, Heston's parameters and other single numbers by name.
  std::map<std::string, double> others;
};
using Value = std::function<double(const Point&)>;

/// Central differences of fourth order.
double derivative(const Value& f, const std::function<void(Point&, double)>& move, double h, const Point& at = {}) {
  const auto g = [&](double x) {
    Point p = at;
    move(p, x);
    return f(p);
  };
  return (8 * (g(h) - g(-h)) - (g(2 * h) - g(-2 * h))) / (12 * h);
}
double second_derivative(const Value& f, const std::function<void(Point&, double)>& move, double h,
                         const Point& at = {}) {
  const auto g = [&](double x) {
    Point p = at;
    move(p, x);
    return f(p);
  };
  return (16 * (g(h) + g(-h)) - (g(2 * h) + g(-2 * h)) - 30 * g(0)) / (12 * h * h);
}

std::function<void(Point&, double)> moved(double Point::*member) {
  return [member](Point& p, double x) { p.*member += x; };
}
std::function<void(Point&, double)> moved(const std::string& name) {
  return [name](Point& p, double x) { p.others.at(name) += x; };
}

void check(const sim::options::InstrumentResult& r, const std::string& name, std::size_t asset, double truth,
           bool parameter = false) {
  const auto& g = greek(r, name, asset, parameter);
  INFO(r.id << " " << name << " " << asset << " (" << g.method << "): " << g.value << " +- " << g.standard_error
            << ", exact " << truth << ", z " << (g.value - truth) / g.standard_error);
  // Beside the error, the differences of the closed forms and the rounding of paths in float.
  CHECK(std::abs(g.value - truth) < 4 * g.standard_error + 1e-6 * (1 + std::abs(truth)));
  // And no error so wide that anything would pass, on the scale of the price and, for delta and gamma, of the spot.
  const double scale = name == "delta" || name == "gamma" ? r.price / 100 : r.price;
  CHECK(g.standard_error < 0.1 * std::abs(truth) + 0.05 * scale);
}

void check_five(const sim::options::InstrumentResult& r, const Value& f, const Point& at = {}) {
  check(r, "delta", 0, derivative(f, moved(&Point::spot), 0.05, at));
  check(r, "gamma", 0, second_derivative(f, moved(&Point::spot), 0.2, at));
  check(r, "vega", 0, derivative(f, moved(&Point::volatility), 1e-3, at));
  check(r, "rho", 0, derivative(f, moved(&Point::rate), 1e-3, at));
  check(r, "theta", 0, derivative(f, moved(&Point::later), 1e-3, at));
}

std::string one_asset(const Point& p, const std::string& model) {
  return "rate: " + text(p.rate) + ", underlyings: {A: {spot: " + text(p.spot) + ", dividend_yield: " + text(p.yield) +
         ", model: " + model + ", volatility: " + text(p.volatility) + "}}";
}

const std::string five = ", greeks: [delta, gamma, vega, rho, theta]";

}  // namespace

TEST_CASE("Greeks of European options, digitals, barriers and lookbacks on gbm and with jumps") {
  const std::vector<std::string> options{
      "id: call, product: european, underlying: A, strike: 105",
      "id: digital, product: digital, underlying: A, strike: 105, cash: 10",
      "id: asset, product: digital, type: put, payout: asset, underlying: A, strike: 105",
      "id: down-out, product: barrier, underlying: A, strike: 100, barrier: 85, barrier_type: down_out",
      "id: up-in, product: barrier, type: put, underlying: A, strike: 105, barrier: 115, barrier_type: up_in, rebate: "
      "1",
      "id: double, product: double_barrier, underlying: A, strike: 95, lower_barrier: 75, upper_barrier: 145, "
      "barrier_type: knock_out",
      "id: lookback, product: lookback, underlying: A, running_extreme: 90",
      "id: fixed, product: lookback, type: put, strike_type: fixed, strike: 98, underlying: A, running_extreme: 90"};
  std::vector<std::string> book;
  for (const auto& o : options) book.push_back(o + ", maturity: 0.75" + five);
  const std::vector<std::pair<std::string, std::size_t>> models{
      {"gbm", options.size()},
      {"merton_jump, jump_intensity: 0.8, jump_mean: -0.1, jump_stddev: 0.15", 3},
      {"kou_jump, jump_intensity: 1, jump_up_prob: 0.4, eta_up: 12, eta_down: 9", 3}};
  for (const auto& [model, count] : models) {
    const std::vector<std::string> some(book.begin(), book.begin() + static_cast<std::ptrdiff_t>(count));
    const auto results = price(config("paths: 131072", one_asset({}, model), some), 21);
    for (std::size_t i = 0; i < count; ++i) {
      INFO(model);
      check_five(results.instruments[i], [&](const Point& p) {
        return exact(one_asset(p, model), options[i] + ", maturity: " + text(0.75 - p.later));
      });
    }
  }
}

TEST_CASE("Greeks of a geometric Asian option, whose fixings keep their places as time passes") {
  namespace cf = sim::options::closed_forms;
  const Value value = [](const Point& p) {
    std::vector<double> drift, variance;
    for (int i = 1; i <= 6; ++i) {
      const double t = i / 6.0 - p.later;
      drift.push_back((p.rate - p.yield) * t);
      variance.push_back(p.volatility * p.volatility * t);
    }
    return cf::lognormal_option(sim::options::OptionType::call, cf::geometric_average(p.spot, drift, variance), 100,
                                std::exp(-p.rate * (1 - p.later)));
  };
  const std::string option =
      "id: average, product: asian, average: geometric, underlying: A, strike: 100, fixings: 6, maturity: 1";
  CHECK(std::abs(value({}) - exact(one_asset({}, "gbm"), option)) < 1e-10);
  check_five(price_one("paths: 131072", one_asset({}, "gbm"), option + five, 22), value);
}

TEST_CASE("Greeks of baskets and of other options on two underlyings, for each of them") {
  Point at;
  at.others = {{"spot2", 95}, {"volatility2", 0.3}, {"correlation", 0.4}};
  const auto market = [](const Point& p) {
    return "rate: " + text(p.rate) + ", correlation: " + text(p.others.at("correlation")) +
           ", underlyings: {A: {spot: " + text(p.spot) + ", dividend_yield: " + text(p.yield) +
           ", model: gbm, volatility: " + text(p.volatility) + "}, B: {spot: " + text(p.others.at("spot2")) +
           ", model: gbm, volatility: " + text(p.others.at("volatility2")) + "}}";
  };
  const std::vector<std::string> options{
      "id: basket, product: basket, weights: [0.4, 0.6], underlyings: [A, B], strike: 98",
      "id: geometric, product: basket, average: geometric, type: put, underlyings: [A, B], strike: 98",
      "id: exchange, product: exchange, underlyings: [A, B]",
      "id: spread, product: spread, type: put, underlyings: [A, B], strike: 5",
      "id: best, product: rainbow, underlyings: [A, B], strike: 105",
      "id: worst, product: rainbow, select: min, underlyings: [A, B], strike: 90"};
  std::vector<std::string> book;
  for (const auto& o : options) book.push_back(o + ", maturity: 1" + five + ", parameter_greeks: [correlation]");
  const auto results = price(config("paths: 131072", market(at), book), 23);
  for (std::size_t i = 0; i < options.size(); ++i) {
    const Value value = [&](const Point& p) {
      return exact(market(p), options[i] + ", maturity: " + text(1 - p.later));
    };
    const auto& r = results.instruments[i];
    check_five(r, value, at);
    check(r, "delta", 1, derivative(value, moved("spot2"), 0.05, at));
    check(r, "gamma", 1, second_derivative(value, moved("spot2"), 0.2, at));
    check(r, "vega", 1, derivative(value, moved("volatility2"), 1e-3, at));
    check(r, "correlation", 0, derivative(value, moved("correlation"), 1e-3, at), true);
  }
}

TEST_CASE("Greeks of Heston and Bates, to the parameters too") {
  Point at;
  at.others = {{"root", 0.2}, {"kappa", 1.5},          {"theta", 0.05},    {"sigma_v", 0.4},
               {"rho", -0.6}, {"jump_intensity", 0.5}, {"jump_mean", -0.1}};
  for (const std::string model : {"heston", "bates"}) {
    const auto market = [&](const Point& p) {
      std::string keys = "v0: " + text(p.others.at("root") * p.others.at("root"));
      for (const char* name : {"kappa", "theta", "sigma_v", "rho"})
        keys += std::string(", ") + name + ": " + text(p.others.at(name));
      if (model == "bates")
        keys += ", jump_intensity: " + text(p.others.at("jump_intensity")) +
                ", jump_mean: " + text(p.others.at("jump_mean")) + ", jump_stddev: 0.1";
      return "rate: " + text(p.rate) + ", underlyings: {A: {spot: " + text(p.spot) +
             ", dividend_yield: " + text(p.yield) + ", model: " + model + ", " + keys + "}}";
    };
    const std::string option = "id: " + model + ", product: european, underlying: A, strike: 105";
    const auto r = price_one("paths: 16384, steps_per_year: 32", market(at),
                             option + ", maturity: 1" + five + ", parameter_greeks: [v0, kappa, theta, sigma_v, rho" +
                                 (model == "bates" ? ", jump_intensity, jump_mean]" : "]"),
                             24);
    const Value value = [&](const Point& p) { return exact(market(p), option + ", maturity: " + text(1 - p.later)); };
    check(r, "delta", 0, derivative(value, moved(&Point::spot), 0.05, at));
    check(r, "gamma", 0, second_derivative(value, moved(&Point::spot), 0.2, at));
    check(r, "vega", 0, derivative(value, moved("root"), 1e-3, at));
    check(r, "rho", 0, derivative(value, moved(&Point::rate), 1e-3, at));
    check(r, "theta", 0, derivative(value, moved(&Point::later), 1e-3, at));
    for (const char* name : {"kappa", "theta", "sigma_v", "rho"})
      check(r, name, 0, derivative(value, moved(name), 1e-3, at), true);
    // d/dv0 = d/d(root of v0) / (2 root).
    check(r, "v0", 0, derivative(value, moved("root"), 1e-3, at) / 0.4, true);
    if (model == "bates")
      for (const char* name : {"jump_intensity", "jump_mean"})
        check(r, name, 0, derivative(value, moved(name), 1e-3, at), true);
  }
}

TEST_CASE("gamma close to a barrier or to the extreme so far is that of its own side") {
  // Truth: second differences of the closed forms, over steps that stay on the side of the spot. The errors over 16
  // seeds: sum of z^2 within [2.51, 47.86], a false alarm in 10,000 each.
  const auto market = [](double spot) {
    return "rate: 0.04, underlyings: {A: {spot: " + text(spot) +
           ", dividend_yield: 0.01, model: gbm, volatility: 0.25}}";
  };
  struct Case {
    std::string option;
    double side;  // to which the spot is free
  };
  for (const Case& c :
       {Case{"barrier, underlying: A, strike: 100, barrier: 98, barrier_type: down_out", 1},
        Case{"barrier, underlying: A, strike: 100, barrier: 99.9, barrier_type: down_out", 1},
        Case{"barrier, type: put, underlying: A, strike: 105, barrier: 102, barrier_type: up_in", -1},
        Case{
            "double_barrier, underlying: A, strike: 95, lower_barrier: 98, upper_barrier: 145, barrier_type: knock_out",
            1},
        Case{"lookback, underlying: A, running_extreme: 99", 1},
        Case{"lookback, type: put, underlying: A, running_extreme: 102", -1}, Case{"lookback, underlying: A", 1},
        Case{"lookback, type: put, underlying: A", -1}}) {
    const std::string option = "id: o, maturity: 0.75, product: " + c.option;
    // Without an extreme so far it is the spot, and stays there when the spot moves.
    const bool fresh = c.option.find("lookback") == 0 && c.option.find("running") == std::string::npos;
    const auto value = [&](double move) {
      return exact(market(100 + c.side * move), option + (fresh ? ", running_extreme: 100" : ""));
    };
    const double h = 0.02, truth = (2 * value(0) - 5 * value(h) + 4 * value(2 * h) - value(3 * h)) / (h * h);
    double squares = 0, sum = 0, error = 0;
    for (std::uint32_t seed = 1; seed <= 16; ++seed) {
      const auto r = price_one("paths: 8192", market(100), option + ", greeks: [delta, gamma]", seed);
      const auto g = greek(r, "gamma");
      const double z = (g.value - truth) / g.standard_error;
      squares += z * z;
      sum += z;
      error = g.standard_error;
    }
    INFO(option << ": gamma " << truth << " +- " << error << ", sum of z " << sum << ", of z^2 " << squares);
    CHECK(squares > 2.51);
    CHECK(squares < 47.86);
  }
}
