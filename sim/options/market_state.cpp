#include "sim/options/market_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ergode::sim::options {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

/// The model's parameter of this name.
double* find_parameter(Model& model, const std::string& name) {
  auto heston = [&](HestonModel& m) -> double* {
    if (name == "v0") return &m.v0;
    if (name == "kappa") return &m.kappa;
    if (name == "theta") return &m.theta;
    if (name == "sigma_v") return &m.sigma_v;
    if (name == "rho") return &m.rho;
    return nullptr;
  };
  auto jump = [&](MertonJump& m) -> double* {
    if (name == "jump_intensity") return &m.jump_intensity;
    if (name == "jump_mean") return &m.jump_mean;
    if (name == "jump_stddev") return &m.jump_stddev;
    return nullptr;
  };
  return std::visit(Overloaded{[](GbmModel&) -> double* { return nullptr; },
                               [&](CevModel& m) -> double* {
                                 return name == "cev_sigma" ? &m.cev_sigma : name == "cev_beta" ? &m.cev_beta : nullptr;
                               },
                               [](LocalVolatilityModel&) -> double* { return nullptr; }, heston,
                               [&](BatesModel& m) -> double* {
                                 double* p = heston(m.heston);
                                 return p != nullptr ? p : jump(m.jump);
                               },
                               [&](MertonJumpModel& m) -> double* { return jump(m.jump); },
                               [&](KouJumpModel& m) -> double* {
                                 if (name == "jump_intensity") return &m.jump_intensity;
                                 if (name == "jump_up_prob") return &m.jump_up_prob;
                                 if (name == "eta_up") return &m.eta_up;
                                 if (name == "eta_down") return &m.eta_down;
                                 return nullptr;
                               }},
                    model);
}

void shift_volatility(UnderlyingSettings& asset, double size) {
  const double spot = asset.spot;
  auto heston = [&](HestonModel& m) {
    const double root = std::sqrt(m.v0) + size;
    m.v0 = root * root;
  };
  std::visit(Overloaded{[&](GbmModel& m) { m.volatility = m.volatility.shifted(size); },
                        [&](CevModel& m) { m.cev_sigma += size * std::pow(spot, 1 - m.cev_beta); },
                        [&](LocalVolatilityModel& m) {
                          for (auto& row : m.local_volatility)
                            for (double& v : row) v += size;
                        },
                        heston, [&](BatesModel& m) { heston(m.heston); },
                        [&](MertonJumpModel& m) { m.volatility = m.volatility.shifted(size); },
                        [&](KouJumpModel& m) { m.volatility = m.volatility.shifted(size); }},
             asset.model);
}

}  // namespace

double rate_integral(const TermStructure& curve, double t) {
  return t >= 0 ? curve.rate_integral(t) : curve.at(0) * t;
}

double variance_integral(const TermStructure& curve, double t) {
  if (t >= 0) return curve.variance_integral(t);
  const double sigma = curve.volatility_at(0);
  return sigma * sigma * t;
}

double MarketState::rate_integral(double from, double to) const {
  return options::rate_integral(rate(), to) - options::rate_integral(rate(), from);
}

double MarketState::discount(double t) const {
  return std::exp(-rate_integral(valuation_time, t));
}

double MarketState::carry_integral(std::size_t asset, double from, double to) const {
  const UnderlyingSettings& a = assets[asset];
  return options::rate_integral(*a.rate, to) - options::rate_integral(*a.rate, from) -
         (options::rate_integral(a.dividend_yield, to) - options::rate_integral(a.dividend_yield, from));
}

double MarketState::forward(std::size_t asset, double t) const {
  return assets[asset].spot * std::exp(carry_integral(asset, valuation_time, t));
}

MarketState moved(const MarketState& market, const Direction& direction, double size) {
  MarketState m = market;
  switch (direction.kind) {
    case Direction::Kind::spot:
      m.assets[direction.asset].spot += size;
      break;
    case Direction::Kind::volatility:
      shift_volatility(m.assets[direction.asset], size);
      break;
    case Direction::Kind::rate:
      for (auto& a : m.assets) a.rate = a.rate->shifted(size);
      break;
    case Direction::Kind::time:
      m.valuation_time += size;
      break;
    case Direction::Kind::parameter:
      if (direction.parameter == "correlation") {
        const std::size_t d = m.assets.size();
        for (std::size_t i = 0; i < d; ++i)
          for (std::size_t j = 0; j < d; ++j)
            if (i != j) m.correlation[i * d + j] += size;
      } else {
        double* p = find_parameter(m.assets[direction.asset].model, direction.parameter);
        if (p == nullptr) throw std::logic_error("a model has no parameter '" + direction.parameter + "'");
        *p += size;
      }
      break;
  }
  return m;
}

double parameter_value(const MarketState& market, const Direction& direction) {
  if (direction.parameter == "correlation") return market.correlation.size() > 1 ? market.correlation[1] : 0;
  Model model = market.assets[direction.asset].model;
  const double* p = find_parameter(model, direction.parameter);
  return p != nullptr ? *p : 0;
}

Domain domain_of(const MarketState& market, const Direction& direction) {
  const double infinite = std::numeric_limits<double>::infinity();
  if (direction.kind == Direction::Kind::volatility) {
    const Model& model = market.assets[direction.asset].model;
    double least = infinite;
    std::visit(Overloaded{[&](const GbmModel& m) {
                            least = *std::min_element(m.volatility.values.begin(), m.volatility.values.end());
                          },
                          [&](const MertonJumpModel& m) {
                            least = *std::min_element(m.volatility.values.begin(), m.volatility.values.end());
                          },
                          [&](const KouJumpModel& m) {
                            least = *std::min_element(m.volatility.values.begin(), m.volatility.values.end());
                          },
                          [&](const CevModel& m) {
                            least = m.cev_sigma * std::pow(market.assets[direction.asset].spot, m.cev_beta - 1);
                          },
                          [&](const LocalVolatilityModel& m) {
                            for (const auto& row : m.local_volatility)
                              for (const double v : row) least = std::min(least, v);
                          },
                          [&](const HestonModel& m) { least = std::sqrt(m.v0); },
                          [&](const BatesModel& m) { least = std::sqrt(m.heston.v0); }},
               model);
    return {-least, infinite};
  }
  if (direction.kind != Direction::Kind::parameter) return {-infinite, infinite};
  const double x = parameter_value(market, direction);
  const std::string& name = direction.parameter;
  if (name == "rho") return {-1 - x, 1 - x};
  if (name == "jump_up_prob" || name == "cev_beta") return {-x, 1 - x};
  if (name == "eta_up") return {1 - x, infinite};
  if (name == "jump_mean" || name == "correlation") return {-infinite, infinite};
  return {-x, infinite};
}

double rough_volatility(const UnderlyingSettings& asset, double t) {
  auto heston = [&](const HestonModel& m) { return std::sqrt(std::max(m.v0, m.theta)); };
  return std::visit(Overloaded{[&](const GbmModel& m) { return m.volatility.volatility_at(t); },
                               [&](const CevModel& m) { return m.cev_sigma * std::pow(asset.spot, m.cev_beta - 1); },
                               [](const LocalVolatilityModel& m) { return m.local_volatility.front().front(); }, heston,
                               [&](const BatesModel& m) { return heston(m.heston); },
                               [&](const MertonJumpModel& m) { return m.volatility.volatility_at(t); },
                               [&](const KouJumpModel& m) { return m.volatility.volatility_at(t); }},
                    asset.model);
}

}  // namespace ergode::sim::options
