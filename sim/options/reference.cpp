#include "sim/options/reference.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
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
#include "sim/options/path_layout.hpp"
#include "sim/options/time_grid.hpp"

namespace ergode::sim::options {
namespace {

namespace cf = closed_forms;
using Value = std::optional<double>;

/// An option on the price at maturity from a price that is known at `from`: all that its law depends on.
struct Terminal {
  double forward = 0, discount = 0, from = 0, to = 0;
  double length() const { return to - from; }
};

double variance_of(const TermStructure& volatility, const Terminal& t) {
  return variance_integral(volatility, t.to) - variance_integral(volatility, t.from);
}

/// The total variance where the price is lognormal: gbm, and any model over no time.
Value lognormal_variance(const Model& model, const Terminal& t) {
  if (!(t.length() > 0)) return 0.0;
  if (const auto* m = std::get_if<GbmModel>(&model)) return variance_of(m->volatility, t);
  return std::nullopt;
}

/// Of the models that have one. Increments of heston and bates are known from time 0 alone.
std::optional<cf::CharacteristicFunction> any_characteristic(const Model& model, const Terminal& t) {
  if (const auto* m = std::get_if<KouJumpModel>(&model))
    return cf::kou_characteristic(variance_of(m->volatility, t), *m, t.length());
  if (t.from != 0) return std::nullopt;
  if (const auto* m = std::get_if<HestonModel>(&model)) return cf::heston_characteristic(*m, t.to);
  if (const auto* m = std::get_if<BatesModel>(&model)) return cf::bates_characteristic(*m, t.to);
  return std::nullopt;
}

/// The same where its integral is trustworthy: of a distribution that is almost a point the function dies out too late.
std::optional<cf::CharacteristicFunction> characteristic(const Model& model, const Terminal& t) {
  auto c = any_characteristic(model, t);
  if (c && c->atom_probability == 0 && !(std::abs(c->phi({1e5, -0.5})) < 1e-9)) return std::nullopt;
  return c;
}

/// Whether cev's noncentral chi-square distributions are within the reach of their series. sigma -> 0 and beta -> 1 are
/// beyond it; at the limits themselves none is needed.
bool series_converges(const cf::CevInputs& in, double strike, double maturity) {
  const double slope = std::abs(1 - in.cev_beta);
  if (in.cev_sigma == 0 || slope < 1e-8 || (strike <= 0 && in.cev_beta < 1)) return true;
  const double rate = -2 * in.carry * (1 - in.cev_beta);
  const double clock = rate == 0 ? maturity : std::expm1(rate * maturity) / rate;
  const double highest = std::max(in.spot, strike * std::exp(-in.carry * maturity));
  return std::pow(highest, 2 * slope) <= 1e6 * slope * slope * in.cev_sigma * in.cev_sigma * clock;
}

class Reference {
 public:
  Reference(const Instrument& option, const MarketState& market)
      : option_(option), market_(market), maturity_(option.maturity), discount_(market.discount(maturity_)) {}

  Value operator()(const European& o) const { return european(o.type, o.strike); }
  Value operator()(const Digital& o) const;
  Value operator()(const Asian& o) const;
  Value operator()(const Barrier& o) const;
  Value operator()(const DoubleBarrier& o) const;
  Value operator()(const Lookback& o) const;
  Value operator()(const Basket& o) const;
  Value operator()(const Rainbow& o) const;
  Value operator()(const Spread& o) const { return combination(o.type, 1, -1, o.strike); }
  Value operator()(const Exchange&) const;
  Value operator()(const ForwardStart& o) const;
  Value operator()(const Cliquet& o) const;
  Value operator()(const VarianceSwap& o) const;
  Value operator()(const Autocallable&) const { return std::nullopt; }
  Value operator()(const American&) const { return std::nullopt; }
  Value operator()(const Bermudan& o) const {
    // One date, the maturity, leaves nothing to decide.
    if (o.exercise_dates != 1 || o.exercise.payoff != BasketPayoff::single) return std::nullopt;
    return european(o.exercise.type, o.exercise.strike);
  }

 private:
  std::size_t count() const { return market_.assets.size(); }
  const Model& model() const { return market_.assets.front().model; }

  Value european(OptionType type, double strike) const {
    return european(type, strike, {market_.forward(0, maturity_), discount_, 0, maturity_});
  }
  Value european(OptionType type, double strike, const Terminal& t) const;
  /// On the geometric average of the fixings still to come, or the integral.
  Value geometric_asian(const Asian& o) const;
  Value combination(OptionType type, double a1, double a2, double strike) const;

  /// The underlying under gbm with constant parameters.
  std::optional<cf::GbmConstants> constants() const;
  std::optional<cf::TwoAssets> two_assets() const;
  /// Integral of r - q to each time.
  std::vector<double> drifts(const std::vector<double>& times) const {
    std::vector<double> all;
    for (const double t : times) all.push_back(market_.carry_integral(0, 0, t));
    return all;
  }
  static std::vector<double> variances(const TermStructure& volatility, const std::vector<double>& times) {
    std::vector<double> all;
    for (const double t : times) all.push_back(variance_integral(volatility, t));
    return all;
  }

  const Instrument& option_;
  const MarketState& market_;
  double maturity_, discount_;
};

bool constant_carry(const UnderlyingSettings& asset) {
  return asset.rate->constant() && asset.dividend_yield.constant();
}

std::optional<cf::GbmConstants> Reference::constants() const {
  const UnderlyingSettings& a = market_.assets.front();
  const auto* m = std::get_if<GbmModel>(&a.model);
  if (count() != 1 || m == nullptr || !constant_carry(a) || !m->volatility.constant()) return std::nullopt;
  return cf::GbmConstants{a.spot, a.rate->values[0], a.dividend_yield.values[0], m->volatility.values[0]};
}

std::optional<cf::TwoAssets> Reference::two_assets() const {
  if (count() != 2) return std::nullopt;
  const auto* first = std::get_if<GbmModel>(&market_.assets[0].model);
  const auto* second = std::get_if<GbmModel>(&market_.assets[1].model);
  if (first == nullptr || second == nullptr) return std::nullopt;
  return cf::TwoAssets{
      market_.forward(0, maturity_), market_.forward(1, maturity_), variance_integral(first->volatility, maturity_),
      variance_integral(second->volatility, maturity_),
      market_.correlation[1] * volatility_product_integral(first->volatility, second->volatility, 0, maturity_)};
}

Value Reference::european(OptionType type, double strike, const Terminal& t) const {
  if (const Value variance = lognormal_variance(model(), t))
    return cf::black_scholes(type, t.forward, strike, t.discount, *variance);
  if (const auto* m = std::get_if<MertonJumpModel>(&model()))
    return cf::merton_european(type, t.forward, strike, t.discount, variance_of(m->volatility, t), m->jump, t.length());
  if (const auto* m = std::get_if<CevModel>(&model())) {
    const UnderlyingSettings& a = market_.assets.front();
    if (t.from != 0 || !constant_carry(a)) return std::nullopt;
    const double carry = a.rate->values[0] - a.dividend_yield.values[0];
    const cf::CevInputs inputs{a.spot, carry, m->cev_sigma, m->cev_beta};
    if (!series_converges(inputs, strike, t.to)) return std::nullopt;
    return cf::cev_european(type, inputs, strike, t.discount, t.to);
  }
  if (const auto c = characteristic(model(), t)) {
    if (c->atom_probability == 1) return cf::black_scholes(type, t.forward * std::exp(c->atom), strike, t.discount, 0);
    return cf::transform_european(type, *c, t.forward, strike, t.discount);
  }
  return std::nullopt;
}

Value Reference::operator()(const Digital& o) const {
  const Terminal t{market_.forward(0, maturity_), discount_, 0, maturity_};
  const auto lognormal = [&](double forward, double variance) {
    return cf::digital(o.type, o.payout, o.cash, forward, o.strike, discount_, variance);
  };
  if (const Value variance = lognormal_variance(model(), t)) return lognormal(t.forward, *variance);
  if (const auto* m = std::get_if<MertonJumpModel>(&model()))
    return cf::merton_digital(o.type, o.payout, o.cash, t.forward, o.strike, discount_, variance_of(m->volatility, t),
                              m->jump, maturity_);
  if (const auto c = characteristic(model(), t)) {
    if (c->atom_probability == 1) return lognormal(t.forward * std::exp(c->atom), 0);
    // A point mass at the strike itself: whether it pays is rounding's decision.
    if (c->atom_probability > 0 && std::abs(std::log(t.forward / o.strike) + c->atom) < 1e-12) return std::nullopt;
    return cf::transform_digital(o.type, o.payout, o.cash, *c, t.forward, o.strike, discount_);
  }
  return std::nullopt;
}

Value Reference::operator()(const Asian& o) const {
  if (o.monitoring == Monitoring::discrete) {
    if (!o.fixings) return std::nullopt;
    const auto n = static_cast<double>(*o.fixings), past = static_cast<double>(o.past_fixings.size());
    // Of an arithmetic average with one fixing to come, or none, the rest is known.
    if (o.average == Average::arithmetic && o.strike_type == StrikeType::fixed && n - past <= 1) {
      double sum = 0;
      for (const double s : o.past_fixings) sum += s;
      const Value value =
          n > past ? european(o.type, n * o.strike - sum) : cf::black_scholes(o.type, sum, n * o.strike, discount_, 0);
      return value ? Value(*value / n) : std::nullopt;
    }
  }
  return o.average == Average::geometric ? geometric_asian(o) : std::nullopt;
}

Value Reference::geometric_asian(const Asian& o) const {
  cf::LogNormal average;
  double variance = 0, covariance = 0;
  if (o.monitoring == Monitoring::continuous) {
    const auto m = constants();
    if (!m) return std::nullopt;
    average = cf::geometric_average_continuous(m->spot, m->rate - m->dividend_yield, m->volatility, maturity_);
    variance = m->variance(maturity_);
    covariance = 0.5 * variance;
  } else {
    const auto* m = std::get_if<GbmModel>(&model());
    if (m == nullptr) return std::nullopt;
    const auto times = fixing_times(maturity_, *o.fixings - static_cast<std::int64_t>(o.past_fixings.size()));
    const auto spread = variances(m->volatility, times);
    average = cf::geometric_average(market_.assets.front().spot, drifts(times), spread, o.past_fixings);
    variance = variance_integral(m->volatility, maturity_);
    covariance = cf::covariance_with_terminal(spread, o.past_fixings.size());
  }
  if (o.strike_type == StrikeType::fixed) return cf::lognormal_option(o.type, average, o.strike, discount_);
  return cf::floating_strike_geometric_asian(o.type, average, market_.forward(0, maturity_), variance, covariance,
                                             discount_);
}

Value Reference::operator()(const Barrier& o) const {
  const auto m = constants();
  if (!m || o.monitoring != Monitoring::continuous) return std::nullopt;
  return cf::barrier(o.type, o.barrier_type, *m, o.strike, o.barrier, o.rebate, maturity_, o.rebate_at);
}

Value Reference::operator()(const DoubleBarrier& o) const {
  const auto m = constants();
  if (!m || o.monitoring != Monitoring::continuous) return std::nullopt;
  return cf::double_barrier(o.type, o.barrier_type, *m, o.strike, o.lower_barrier, o.upper_barrier, o.rebate, maturity_,
                            o.rebate_at);
}

Value Reference::operator()(const Lookback& o) const {
  const auto m = constants();
  if (!m || o.monitoring != Monitoring::continuous) return std::nullopt;
  const double extreme = o.running_extreme.value_or(m->spot);
  return o.strike_type == StrikeType::fixed ? cf::lookback_fixed(o.type, *m, o.strike, extreme, maturity_)
                                            : cf::lookback_floating(o.type, *m, extreme, maturity_);
}

Value Reference::combination(OptionType type, double a1, double a2, double strike) const {
  const auto assets = two_assets();
  if (!assets) return std::nullopt;
  return cf::linear_combination(type, a1, a2, *assets, strike, discount_);
}

Value Reference::operator()(const Basket& o) const {
  const std::size_t d = count();
  const auto w = basket_weights(o.weights, d);
  if (o.average == Average::arithmetic) {
    if (d == 2) return combination(o.type, w[0], w[1], o.strike);
    if (d > 2 || !(w[0] > 0)) return std::nullopt;
    const Value one = european(o.type, o.strike / w[0]);
    return one ? Value(w[0] * *one) : std::nullopt;
  }
  std::vector<const TermStructure*> volatility;
  for (const auto& a : market_.assets) {
    const auto* m = std::get_if<GbmModel>(&a.model);
    if (m == nullptr) return std::nullopt;
    volatility.push_back(&m->volatility);
  }
  std::vector<double> mean, covariance(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    covariance[i * d + i] = variance_integral(*volatility[i], maturity_);
    mean.push_back(std::log(market_.forward(i, maturity_)) - 0.5 * covariance[i * d + i]);
    for (std::size_t j = 0; j < i; ++j)
      covariance[i * d + j] = covariance[j * d + i] =
          market_.correlation[i * d + j] * volatility_product_integral(*volatility[i], *volatility[j], 0, maturity_);
  }
  return cf::lognormal_option(o.type, cf::geometric_average(w, mean, covariance), o.strike, discount_);
}

Value Reference::operator()(const Rainbow& o) const {
  if (count() == 1) return european(o.type, o.strike);
  const auto assets = two_assets();
  if (!assets) return std::nullopt;
  return cf::best_or_worst(o.type, o.select, *assets, o.strike, discount_);
}

Value Reference::operator()(const Exchange&) const {
  const auto assets = two_assets();
  if (!assets) return std::nullopt;
  return cf::exchange(*assets, discount_);
}

Value Reference::operator()(const ForwardStart& o) const {
  // The return from `start` on is independent of the spot there, which factors out.
  return european(o.type, o.moneyness * market_.forward(0, o.start),
                  {market_.forward(0, maturity_), discount_, o.start, maturity_});
}

Value Reference::operator()(const Cliquet& o) const {
  const auto* m = std::get_if<GbmModel>(&model());
  if (m == nullptr || o.global_floor || o.global_cap) return std::nullopt;
  std::vector<double> growth, variance;
  double last = 0;
  for (const double t : fixing_times(maturity_, o.resets)) {
    growth.push_back(std::exp(market_.carry_integral(0, last, t)));
    variance.push_back(variance_integral(m->volatility, t) - variance_integral(m->volatility, last));
    last = t;
  }
  return cf::cliquet(o.notional, growth, variance, o.local_floor, o.local_cap, discount_);
}

Value Reference::operator()(const VarianceSwap& o) const {
  if (!(maturity_ > 0)) return std::nullopt;
  const TermStructure* volatility = black_volatility(model());
  const HestonModel* heston = std::get_if<HestonModel>(&model());
  cf::JumpMoments jumps;
  if (const auto* m = std::get_if<BatesModel>(&model())) {
    heston = &m->heston;
    jumps = cf::jump_moments(m->jump);
  } else if (const auto* merton = std::get_if<MertonJumpModel>(&model())) {
    jumps = cf::jump_moments(merton->jump);
  } else if (const auto* kou = std::get_if<KouJumpModel>(&model())) {
    jumps = cf::jump_moments(*kou);
  }
  if (volatility == nullptr && heston == nullptr) return std::nullopt;

  double fair = 0;
  if (o.monitoring == Monitoring::continuous) {
    // A continuous swap is defined by the diffusion's variance; whether jumps count is a matter of words.
    if (jumps.intensity > 0) return std::nullopt;
    const double integral = heston != nullptr ? cf::heston_integrated_variance(*heston, maturity_)
                                              : variance_integral(*volatility, maturity_);
    fair = cf::fair_variance_continuous(integral, maturity_);
  } else {
    if (!o.fixings) return std::nullopt;
    const auto times = fixing_times(maturity_, *o.fixings);
    fair = heston != nullptr ? cf::fair_variance_heston(*heston, times, drifts(times), jumps)
                             : cf::fair_variance_gbm(times, drifts(times), variances(*volatility, times), jumps);
  }
  return o.strike ? discount_ * o.notional * (fair - *o.strike) : fair;
}

}  // namespace

std::optional<double> reference_value(const Instrument& option, const MarketState& market) {
  if (market.assets.empty() || market.valuation_time != 0) return std::nullopt;
  for (const auto& a : market.assets)
    if (!a.cash_dividends.empty()) return std::nullopt;
  const auto value = std::visit(Reference(option, market), option.product);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

const TermStructure* black_volatility(const Model& model) {
  if (const auto* m = std::get_if<GbmModel>(&model)) return &m->volatility;
  if (const auto* m = std::get_if<MertonJumpModel>(&model)) return &m->volatility;
  if (const auto* m = std::get_if<KouJumpModel>(&model)) return &m->volatility;
  return nullptr;
}

double volatility_product_integral(const TermStructure& first, const TermStructure& second, double from, double to) {
  std::vector<double> times{to};
  for (const TermStructure* curve : {&first, &second})
    for (const double t : curve->times)
      if (t > from && t < to) times.push_back(t);
  std::sort(times.begin(), times.end());
  double sum = 0, last = from;
  for (const double t : times) {
    const double a = variance_integral(first, t) - variance_integral(first, last);
    const double b = variance_integral(second, t) - variance_integral(second, last);
    sum += std::sqrt(std::max(a, 0.0)) * std::sqrt(std::max(b, 0.0));
    last = t;
  }
  return sum;
}

const HestonModel* heston_part(const Model& model) {
  if (const auto* b = std::get_if<BatesModel>(&model)) return &b->heston;
  return std::get_if<HestonModel>(&model);
}

namespace {

/// E[(J - 1)^2] of a jump's factor J.
double jump_square(const MertonJump& j) {
  const double variance = j.jump_stddev * j.jump_stddev;
  return std::exp(2 * j.jump_mean + 2 * variance) - 2 * std::exp(j.jump_mean + 0.5 * variance) + 1;
}
double jump_square(const KouJumpModel& j) {
  const auto moment = [&](double k) {
    return j.jump_up_prob * j.eta_up / (j.eta_up - k) + (1 - j.jump_up_prob) * j.eta_down / (j.eta_down + k);
  };
  if (j.jump_up_prob > 0 && j.eta_up <= 2) return std::numeric_limits<double>::infinity();
  return moment(2) - 2 * moment(1) + 1;
}

}  // namespace

bool heavy_tailed(const Model& model, double maturity) {
  if (!(maturity > 0)) return false;
  if (const HestonModel* heston = heston_part(model); heston != nullptr && second_moment_explodes(*heston, maturity))
    return true;
  // ln(E[S^2] / E[S]^2), without the variance of heston.
  const TermStructure* volatility = black_volatility(model);
  double ratio = volatility != nullptr ? volatility->variance_integral(maturity) : 0;
  const auto jumps = [&](double intensity, const auto& jump) {
    if (intensity > 0) ratio += intensity * maturity * jump_square(jump);
  };
  if (const auto* m = std::get_if<MertonJumpModel>(&model)) jumps(m->jump.jump_intensity, m->jump);
  if (const auto* b = std::get_if<BatesModel>(&model)) jumps(b->jump.jump_intensity, b->jump);
  if (const auto* k = std::get_if<KouJumpModel>(&model)) jumps(k->jump_intensity, *k);
  return ratio > 9;
}

bool second_moment_explodes(const HestonModel& m, double maturity) {
  if (!(maturity > 0) || !(m.sigma_v > 0)) return false;
  if (m.v0 == 0 && m.kappa * m.theta == 0) return false;  // no variance ever
  // E[S_T^2 / F^2] = exp(A + B v0) with B' = sigma_v^2 B^2 / 2 + slope B + 1, B(0) = 0.
  const double slope = 2 * m.rho * m.sigma_v - m.kappa;
  const double discriminant = slope * slope - 2 * m.sigma_v * m.sigma_v;
  const double root = std::sqrt(std::abs(discriminant));
  double time = 0;
  if (discriminant < 0) {
    time = 2 / root * (std::numbers::pi / 2 - std::atan(slope / root));
  } else {
    if (slope < 0) return false;  // B stops at a root
    time = root > 0 ? std::log((slope + root) / (slope - root)) / root : 2 / slope;
  }
  return maturity >= time;
}

}  // namespace ergode::sim::options
