#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/options/correlation.hpp"
#include "sim/options/local_volatility_file.hpp"
#include "sim/options/settings_values.hpp"

namespace ergode::sim::options {
namespace {

using Strings = std::vector<std::string>;

// Volatilities are vega's.
struct ParameterNames {
  Strings operator()(const GbmModel&) const { return {}; }
  Strings operator()(const CevModel&) const { return {"cev_sigma", "cev_beta"}; }
  Strings operator()(const LocalVolatilityModel&) const { return {}; }
  Strings operator()(const HestonModel&) const { return {"v0", "kappa", "theta", "sigma_v", "rho"}; }
  Strings operator()(const BatesModel&) const {
    return {"v0", "kappa", "theta", "sigma_v", "rho", "jump_intensity", "jump_mean", "jump_stddev"};
  }
  Strings operator()(const MertonJumpModel&) const { return {"jump_intensity", "jump_mean", "jump_stddev"}; }
  Strings operator()(const KouJumpModel&) const { return {"jump_intensity", "jump_up_prob", "eta_up", "eta_down"}; }
};

void check_grid(const LocalVolatilityModel& m, const Complain& complain) {
  if (m.strikes.empty())
    complain("strikes", "a local volatility needs `strikes`, `maturities` and `local_volatility`, or `file`");
  check_ascending(m.strikes, "strikes", complain);
  check_ascending(m.maturities, "maturities", complain);
  if (m.local_volatility.size() != m.maturities.size() || m.maturities.empty())
    return complain("local_volatility", fmt::format("found {} rows; there must be one for each of the {} maturities",
                                                    m.local_volatility.size(), m.maturities.size()));
  for (std::size_t i = 0; i < m.local_volatility.size(); ++i)
    if (m.local_volatility[i].size() != m.strikes.size())
      complain("local_volatility", fmt::format("row {} has {} numbers; there must be one for each of the {} strikes",
                                               i + 1, m.local_volatility[i].size(), m.strikes.size()));
}

Strings listed(const MarketSettings& market) {
  Strings names;
  for (const auto& underlying : market.underlyings) names.push_back(underlying.name);
  return names;
}

}  // namespace

std::vector<std::string> parameter_names(const Model& model) {
  return std::visit(ParameterNames{}, model);
}

void GbmModel::declare(io::Section& s) {
  declare_volatility(s, volatility);
}

void CevModel::declare(io::Section& s) {
  s.key("cev_sigma", cev_sigma, "sigma of dS = ... + sigma S^beta dW").required().at_least(0);
  s.key("cev_beta", cev_beta, "elasticity").required().at_least(0).at_most(1);
}

void LocalVolatilityModel::declare(io::Section& s) {
  s.key("strikes", strikes, "of the columns of the grid, ascending").unit("spot").greater_than(0);
  s.key("maturities", maturities, "of the rows of the grid, ascending").unit("year").at_least(0);
  s.key("local_volatility", local_volatility, "local, not implied, volatilities: a row for each maturity")
      .unit("1/sqrt(year)")
      .at_least(0)
      .warn_above(3, per_cent_volatility);
  s.key("file", file, optional_path_form(),
        "CSV instead, relative to the folder of this config: strikes in the first row, maturities in the first column")
      .relative_to_config();
  s.check([this](const Complain& complain) {
    if (file.empty()) return check_grid(*this, complain);
    if (!strikes.empty() || !maturities.empty() || !local_volatility.empty())
      return complain("file", "give the grid or a file of it, not both");
    read_local_volatility(file, *this);
  });
}

void HestonModel::declare(io::Section& s) {
  s.key("v0", v0, "variance now")
      .required()
      .unit("1/year")
      .at_least(0)
      .warn_above(9, "a variance: 20 % volatility is 0.04");
  s.key("kappa", kappa, "rate at which the variance reverts").required().unit("1/year").at_least(0);
  s.key("theta", theta, "variance it reverts to")
      .required()
      .unit("1/year")
      .at_least(0)
      .warn_above(9, "a variance: 20 % volatility is 0.04");
  s.key("sigma_v", sigma_v, "volatility of the variance").required().unit("1/year").at_least(0);
  s.key("rho", rho, "correlation of the variance's Brownian motion with the spot's").required().at_least(-1).at_most(1);
  s.choice("scheme", scheme,
           {{"qe", HestonScheme::quadratic_exponential}, {"full_truncation", HestonScheme::full_truncation}},
           "step of the variance: quadratic exponential with martingale correction (Andersen 2008), or Euler with full "
           "truncation (Lord, Koekkoek & van Dijk 2010)");
  s.doubt([this](const Complain& warn) {
    if (2 * kappa * theta < sigma_v * sigma_v)
      warn("sigma_v", fmt::format("the Feller condition 2 kappa theta >= sigma_v^2 does not hold ({} < {}): the "
                                  "variance reaches 0, which the scheme allows for",
                                  io::write_value(2 * kappa * theta), io::write_value(sigma_v * sigma_v)));
  });
}

void MertonJump::declare(io::Section& s) {
  s.key("jump_intensity", jump_intensity, "jumps a year").required().unit("1/year").at_least(0).at_most(1e4);
  s.key("jump_mean", jump_mean, "mean of the log jump").required();
  s.key("jump_stddev", jump_stddev, "standard deviation of the log jump").required().at_least(0);
}

void BatesModel::declare(io::Section& s) {
  heston.declare(s);
  jump.declare(s);
}

void MertonJumpModel::declare(io::Section& s) {
  declare_volatility(s, volatility);
  jump.declare(s);
}

void KouJumpModel::declare(io::Section& s) {
  declare_volatility(s, volatility);
  s.key("jump_intensity", jump_intensity, "jumps a year").required().unit("1/year").at_least(0).at_most(1e4);
  s.key("jump_up_prob", jump_up_prob, "probability that a jump is upward").required().at_least(0).at_most(1);
  s.key("eta_up", eta_up, "rate of the upward log jumps, 1 over their mean; their expectation needs more than 1")
      .required()
      .greater_than(1);
  s.key("eta_down", eta_down, "rate of the downward log jumps, 1 over their mean").required().greater_than(0);
}

void UnderlyingSettings::declare(io::Section& s) {
  s.key("spot", spot, "price now").required().unit("price").greater_than(0);
  s.key("rate", rate, "zero rate, continuously compounded; default: the market's")
      .unit("1/year")
      .warn_above(1, per_cent_rate)
      .or_date();
  declare_rate(s, "dividend_yield", dividend_yield, "zero yield, continuously compounded");
  s.key("cash_dividends", cash_dividends, "paid by the spot at these times; with gbm alone").or_date();
  s.alternatives("model", model);
  s.check([this](const Complain& complain) {
    std::vector<double> times;
    for (const CashDividend& dividend : cash_dividends) times.push_back(dividend.time);
    check_ascending(times, "cash_dividends", complain);
    if (spot > 0 && spot < 1e-30) complain("spot", "must be at least 1e-30: give prices in a smaller unit");
    if (!cash_dividends.empty() && !std::holds_alternative<GbmModel>(model))
      complain("cash_dividends", "are for `model: gbm` alone; use dividend_yield");
  });
}

void CorrelationSettings::declare(io::Section& s) {
  s.key("all_pairs", all_pairs, "the same for all pairs").at_least(-1).at_most(1);
  s.key("order", order, "underlyings of the rows and columns");
  s.key("matrix", matrix, "symmetric, with ones on the diagonal, positive semidefinite").at_least(-1).at_most(1);
  s.key("nearest", nearest, "where it is not positive semidefinite, take the nearest matrix that is (Higham 2002)");
  s.check([this](const Complain& complain) {
    const std::size_t d = order.size();
    if (all_pairs && (d || !matrix.empty()))
      return complain("all_pairs", "give all_pairs, or order and matrix, not both");
    if (all_pairs) return;
    if (d == 0) return complain("order", "give the names of the underlyings, or one number for all pairs");
    check_distinct(order, "order", complain);
    bool square = matrix.size() == d;
    for (const auto& row : matrix) square = square && row.size() == d;
    if (!square) return complain("matrix", fmt::format("must have {} rows of {} numbers, as `order` has names", d, d));
    for (std::size_t i = 0; i < d; ++i) {
      if (matrix[i][i] != 1)
        return complain("matrix", fmt::format("found {} on the diagonal in row {}; it must be 1",
                                              io::write_value(matrix[i][i]), i + 1));
      for (std::size_t j = 0; j < i; ++j)
        if (matrix[i][j] != matrix[j][i])
          return complain(
              "matrix", fmt::format("is not symmetric: row {}, column {} has {}, row {}, column {} has {}", i + 1,
                                    j + 1, io::write_value(matrix[i][j]), j + 1, i + 1, io::write_value(matrix[j][i])));
    }
    std::vector<double> flat;
    for (const auto& row : matrix) flat.insert(flat.end(), row.begin(), row.end());
    if (!is_semidefinite(flat, d) && !nearest)
      complain("matrix", fmt::format("is not positive semidefinite: its smallest eigenvalue is {:.6g}; correct it, or "
                                     "take the nearest that is with `nearest: true`",
                                     smallest_eigenvalue(flat, d)));
  });
  s.doubt([this](const Complain& warn) {
    const std::size_t d = order.size();
    std::vector<double> flat;
    for (const auto& row : matrix) flat.insert(flat.end(), row.begin(), row.end());
    if (all_pairs || !nearest || flat.size() != d * d || is_semidefinite(flat, d)) return;
    const std::vector<double> replaced = nearest_correlation(flat, d);
    double change = 0;
    for (std::size_t i = 0; i < d * d; ++i) change = std::max(change, std::abs(replaced[i] - flat[i]));
    warn("matrix", fmt::format("is not positive semidefinite (smallest eigenvalue {:.6g}): the nearest that is stands "
                               "for it; correlations change by up to {:.3g}",
                               smallest_eigenvalue(flat, d), change));
  });
}

void MarketSettings::declare(io::Section& s) {
  s.key("valuation_date", valuation_date,
        io::Form<std::string>{
            "date YYYY-MM-DD",
            [](const io::Node& node, std::string& target, const io::Limits&, io::Problems& problems) {
              target = node.text;
              if (node.kind != io::Node::Kind::scalar || !parse_date(node.text))
                problems.errors.push_back({node.at, "expected a date YYYY-MM-DD, found " + io::shown(node)});
            },
            [](const std::string& x) { return x.empty() ? std::string() : io::write_value(x); }},
        "today, time 0; needed where times are given as dates");
  s.choice(
      "day_count", day_count,
      {{"ACT/365F", DayCount::actual_365_fixed}, {"ACT/360", DayCount::actual_360}, {"30/360", DayCount::thirty_360}},
      "how dates become years");
  s.settle();
  s.dates([this](const std::string& text, std::string& why) -> std::optional<double> {
    const auto today = parse_date(valuation_date), then = parse_date(text);
    if (!then)
      why = "there is no such day";
    else if (!today)
      why = "a date needs `market.valuation_date`; give it, or give years";
    else
      return year_fraction(day_count, *today, *then);
    return {};
  });
  declare_rate(s, "rate", rate, "zero rate, continuously compounded");
  s.names("underlyings", underlyings, "what options are written on, by name", "an underlying", true);
  s.section("correlation", correlation, "of the underlyings' Brownian motions; pairs that are not listed have 0",
            "all_pairs");
  s.check([this](const Complain& complain) {
    const Strings known = listed(*this);
    for (const std::string& name : correlation ? correlation->order : Strings{})
      if (std::find(known.begin(), known.end(), name) == known.end())
        complain("correlation", fmt::format("'{}' in `order` is no underlying; {}", name, io::hint(name, known)));
  });
}

}  // namespace ergode::sim::options
