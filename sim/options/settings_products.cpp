#include <fmt/format.h>

#include "sim/options/settings_values.hpp"

namespace ergode::sim::options {
namespace {

void declare_type(io::Section& s, OptionType& type) {
  s.choice("type", type, {{"call", OptionType::call}, {"put", OptionType::put}}, "call or put");
}

io::Field<double> declare_strike(io::Section& s, double& strike) {
  return s.key("strike", strike, "strike price").unit("price").at_least(0);
}

void declare_strike_type(io::Section& s, StrikeType& type, std::string_view meaning) {
  s.choice("strike_type", type, {{"fixed", StrikeType::fixed}, {"floating", StrikeType::floating}}, meaning);
}

void declare_average(io::Section& s, Average& average) {
  s.choice("average", average, {{"arithmetic", Average::arithmetic}, {"geometric", Average::geometric}}, "the average");
}

void declare_monitoring(io::Section& s, std::string_view name, Monitoring& monitoring, std::string_view meaning) {
  s.choice(name, monitoring, {{"discrete", Monitoring::discrete}, {"continuous", Monitoring::continuous}}, meaning);
}

void declare_fixings(io::Section& s, Monitoring& monitoring, std::optional<std::int64_t>& fixings) {
  declare_monitoring(s, "monitoring", monitoring, "at the fixings, or at every moment");
  s.key("fixings", fixings, "how many, at i T / n; t = 0 is none").at_least(1).at_most(1e6);
  s.check([&](const Complain& complain) { check_fixings(monitoring, fixings, complain); });
}

void declare_rebate(io::Section& s, double& rebate, RebateTime& at) {
  s.key("rebate", rebate, "paid where the option is knocked out, or never knocked in").unit("price").at_least(0);
  s.choice("rebate_at", at,
           {{"auto", RebateTime::automatic}, {"at_hit", RebateTime::at_hit}, {"at_maturity", RebateTime::at_maturity}},
           "when the rebate is paid; auto: of a knock-out at the hit, of a knock-in at maturity");
}

void declare_weights(io::Section& s, std::vector<double>& weights) {
  s.key("weights", weights, "of the underlyings, in their order; default: 1 / number of underlyings");
}

io::Field<double> declare_notional(io::Section& s, double& notional) {
  return s.key("notional", notional, "of the contract").greater_than(0);
}

void check_strike(const io::Section& s, StrikeType type, double strike, const Complain& complain) {
  if (type == StrikeType::fixed && !s.given("strike"))
    complain("strike", "a fixed strike is required; add it, or set `strike_type: floating`");
  if (type == StrikeType::floating && strike != 0)
    complain("strike", "a floating strike comes from the path; remove it, or set `strike_type: fixed`");
}

void check_bounds(const std::optional<double>& floor, const std::optional<double>& cap, std::string_view key,
                  const Complain& complain) {
  if (floor && cap && *floor > *cap)
    complain(key, fmt::format("the cap {} is below the floor {}", io::write_value(*cap), io::write_value(*floor)));
}

}  // namespace

void European::declare(io::Section& s) {
  declare_type(s, type);
  declare_strike(s, strike).required();
}

void Digital::declare(io::Section& s) {
  declare_type(s, type);
  declare_strike(s, strike).required();
  s.choice("payout", payout, {{"cash", Payout::cash}, {"asset", Payout::asset}}, "what is paid: `cash`, or the asset");
  s.key("cash", cash, "amount of the payout cash").unit("price").at_least(0);
}

void Asian::declare(io::Section& s) {
  declare_type(s, type);
  declare_average(s, average);
  declare_strike_type(s, strike_type, "fixed: average against strike; floating: final spot against average");
  declare_strike(s, strike);
  declare_fixings(s, monitoring, fixings);
  s.key("past_fixings", past_fixings, "values that are fixed already, of the fixings in all")
      .unit("price")
      .greater_than(0);
  s.check([this, &s](const Complain& complain) {
    check_strike(s, strike_type, strike, complain);
    if (monitoring == Monitoring::continuous && !past_fixings.empty())
      complain("past_fixings", "need `monitoring: discrete`");
    const auto past = static_cast<std::int64_t>(past_fixings.size());
    if (fixings && past > *fixings)
      complain("past_fixings", fmt::format("there are {}, more than the {} fixings in all", past, *fixings));
  });
}

void Barrier::declare(io::Section& s) {
  declare_type(s, type);
  declare_strike(s, strike).required();
  s.key("barrier", barrier, "level that knocks").required().unit("price").greater_than(0);
  s.choice("barrier_type", barrier_type,
           {{"down_in", BarrierType::down_in},
            {"down_out", BarrierType::down_out},
            {"up_in", BarrierType::up_in},
            {"up_out", BarrierType::up_out}},
           "from where the barrier is reached, and what it does")
      .required();
  declare_rebate(s, rebate, rebate_at);
  declare_fixings(s, monitoring, fixings);
  s.check([this](const Complain& complain) {
    if (rebate_at == RebateTime::at_hit && rebate != 0 &&
        (barrier_type == BarrierType::down_in || barrier_type == BarrierType::up_in))
      complain("rebate_at", "the rebate of a knock-in is paid where there was no hit: at_maturity or auto");
  });
}

void DoubleBarrier::declare(io::Section& s) {
  declare_type(s, type);
  declare_strike(s, strike).required();
  s.key("lower_barrier", lower_barrier, "level that knocks from above").required().unit("price").greater_than(0);
  s.key("upper_barrier", upper_barrier, "level that knocks from below").required().unit("price").greater_than(0);
  s.choice("barrier_type", barrier_type,
           {{"knock_in", DoubleBarrierType::knock_in}, {"knock_out", DoubleBarrierType::knock_out}},
           "what the barriers do")
      .required();
  declare_rebate(s, rebate, rebate_at);
  declare_fixings(s, monitoring, fixings);
  s.check([this](const Complain& complain) {
    if (!(lower_barrier < upper_barrier))
      complain("upper_barrier", fmt::format("must be above lower_barrier; found {} and {}",
                                            io::write_value(upper_barrier), io::write_value(lower_barrier)));
    if (rebate_at == RebateTime::at_hit && rebate != 0 && barrier_type == DoubleBarrierType::knock_in)
      complain("rebate_at", "the rebate of a knock-in is paid where there was no hit: at_maturity or auto");
  });
}

void Lookback::declare(io::Section& s) {
  declare_type(s, type);
  declare_strike_type(s, strike_type, "fixed: extreme against strike; floating: final spot against extreme");
  declare_strike(s, strike);
  s.key("running_extreme", running_extreme,
        "so far; default: spot. The maximum for a fixed call and a floating put, else the minimum")
      .unit("price")
      .greater_than(0);
  declare_fixings(s, monitoring, fixings);
  s.check([this, &s](const Complain& complain) { check_strike(s, strike_type, strike, complain); });
}

void Basket::declare(io::Section& s) {
  declare_type(s, type);
  declare_average(s, average);
  declare_weights(s, weights);
  declare_strike(s, strike).required();
}

void Rainbow::declare(io::Section& s) {
  declare_type(s, type);
  s.choice("select", select, {{"max", Select::maximum}, {"min", Select::minimum}}, "the best or the worst");
  declare_strike(s, strike).required();
}

void Spread::declare(io::Section& s) {
  declare_type(s, type);
  declare_strike(s, strike).required();
}

void Exchange::declare(io::Section&) {}

void ForwardStart::declare(io::Section& s) {
  declare_type(s, type);
  s.key("start", start, "when the strike is set; years, or a date").required().unit("year").at_least(0).or_date();
  s.key("moneyness", moneyness, "strike over the spot at `start`").at_least(0);
}

void Cliquet::declare(io::Section& s) {
  declare_notional(s, notional);
  s.key("resets", resets, "number of periods, which end at i T / n").required().at_least(1).at_most(1e6);
  s.key("local_floor", local_floor, "of the return of a period");
  s.key("local_cap", local_cap, "of the return of a period");
  s.key("global_floor", global_floor, "of the sum of the returns");
  s.key("global_cap", global_cap, "of the sum of the returns");
  s.check([this](const Complain& complain) {
    check_bounds(local_floor, local_cap, "local_cap", complain);
    check_bounds(global_floor, global_cap, "global_cap", complain);
  });
}

void VarianceSwap::declare(io::Section& s) {
  s.key("strike", strike, "a variance; without it the result is the undiscounted fair variance")
      .unit("1/year")
      .at_least(0);
  declare_notional(s, notional);
  declare_fixings(s, monitoring, fixings);
}

void Autocallable::declare(io::Section& s) {
  s.key("autocall_level", autocall_level, "fraction of the initial spot, of the worst performer, at which it is called")
      .greater_than(0)
      .warn_above(5, per_cent_level);
  s.key("coupon", coupon, "fraction of notional for each observation").at_least(0).warn_above(1, per_cent_rate);
  s.key("memory", memory, "a call pays the coupons that were missed too");
  s.key("observations", observations, "number of observation dates, at i T / n").required().at_least(1).at_most(1e6);
  s.key("knock_in_barrier", knock_in_barrier, "fraction of the initial spot below which par is at risk; default: none")
      .at_least(0)
      .warn_above(5, per_cent_level);
  declare_monitoring(s, "knock_in_monitoring", knock_in_monitoring, "at the observation dates, or at every moment");
  declare_notional(s, notional);
  s.key("initial_spots", initial_spots,
        "of the underlyings, in their order, that levels are fractions of; default: the market's")
      .unit("price")
      .greater_than(0);
}

void LsmSettings::declare(io::Section& s) {
  s.choice("basis", basis,
           {{"monomial", RegressionBasis::monomial},
            {"laguerre", RegressionBasis::laguerre},
            {"hermite", RegressionBasis::hermite},
            {"chebyshev", RegressionBasis::chebyshev}},
           "polynomials of the regression");
  s.key("order", order, "their total degree over all variables").at_least(1).at_most(20);
  s.key("training_paths", training_paths, "paths of the regression; the price comes from others")
      .at_least(16)
      .at_most(1e12);
  s.key("upper_bound", upper_bound, "also the dual upper bound (Andersen & Broadie 2004)");
  s.key("outer_paths", outer_paths, "paths of the upper bound").at_least(2).at_most(1e9);
  s.key("inner_paths", inner_paths, "paths of each of its nested simulations").at_least(2).at_most(1e5);
}

void EarlyExercise::declare(io::Section& s) {
  declare_type(s, type);
  s.choice("payoff", payoff,
           {{"single", BasketPayoff::single},
            {"max", BasketPayoff::maximum},
            {"min", BasketPayoff::minimum},
            {"basket", BasketPayoff::basket}},
           "of several underlyings: the best, the worst, or their weighted average");
  declare_weights(s, weights);
  declare_strike(s, strike).required();
  s.section("lsm", lsm, "least-squares Monte Carlo (Longstaff & Schwartz 2001)");
  s.check([this](const Complain& complain) {
    if (!weights.empty() && payoff != BasketPayoff::basket) complain("weights", "need `payoff: basket`");
  });
}

void Bermudan::declare(io::Section& s) {
  exercise.declare(s);
  s.key("exercise_dates", exercise_dates, "how many, at i T / n").required().at_least(1).at_most(1e5);
}

void American::declare(io::Section& s) {
  exercise.declare(s);
}

}  // namespace ergode::sim::options
