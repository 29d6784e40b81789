#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "io/config/config.hpp"
#include "sim/options/dates.hpp"
#include "sim/options/term_structure.hpp"

// The keys of `simulation: option_pricing`, and at once the data that the pricing works on: markets and instruments.
// Times are years, rates and yields per year and continuously compounded, volatilities per square root of a year.

namespace ergode::sim::options {

// --- Monte Carlo

enum class Rng { philox, sobol };
enum class PathPrecision { float32, float64 };
enum class ControlVariate { none, automatic };

/// Half-width of the confidence interval; the first of the bounds that is met stops.
struct ToleranceSettings {
  std::optional<double> absolute, relative;  ///< in units of the price; of the price
  double confidence = 0.95;
  std::int64_t max_paths = 1'000'000'000;
  void declare(io::Section& s);
};

struct MonteCarloSettings {
  std::int64_t paths = 1'000'000;  ///< paths, not antithetic pairs
  int steps_per_year = 252;
  Rng rng = Rng::philox;
  int replications = 16;  ///< independent scramblings of a Sobol sequence
  PathPrecision precision = PathPrecision::float32;
  bool antithetic = true;
  ControlVariate control_variate = ControlVariate::automatic;
  std::optional<ToleranceSettings> tolerance;
  std::optional<io::Interval> time_limit;  ///< stop by time; its results depend on the machine
  void declare(io::Section& s);
};

// --- markets

struct GbmModel {
  static constexpr const char* tag = "gbm";
  static constexpr const char* meaning = "geometric Brownian motion (Black & Scholes 1973)";
  TermStructure volatility;
  void declare(io::Section& s);
};
struct CevModel {
  static constexpr const char* tag = "cev";
  static constexpr const char* meaning =
      "constant elasticity of variance dS = (r-q) S dt + sigma S^beta dW (Cox 1975), absorbed at 0";
  double cev_sigma = 0, cev_beta = 1;
  void declare(io::Section& s);
};
struct LocalVolatilityModel {
  static constexpr const char* tag = "local_volatility";
  static constexpr const char* meaning =
      "local volatility on a grid (Dupire 1994), bilinear in (ln K/S0, t), flat outside";
  std::vector<double> strikes, maturities;            ///< ascending, > 0
  std::vector<std::vector<double>> local_volatility;  ///< (maturities, strikes)
  std::filesystem::path file;                         ///< CSV instead: first row strikes, first column maturities
  void declare(io::Section& s);
};
enum class HestonScheme { quadratic_exponential, full_truncation };
struct HestonModel {
  static constexpr const char* tag = "heston";
  static constexpr const char* meaning = "stochastic variance (Heston 1993)";
  double v0 = 0, kappa = 0, theta = 0, sigma_v = 0, rho = 0;
  HestonScheme scheme = HestonScheme::quadratic_exponential;
  void declare(io::Section& s);
};
/// The log jump is normal.
struct MertonJump {
  double jump_intensity = 0, jump_mean = 0, jump_stddev = 0;
  void declare(io::Section& s);
};
struct BatesModel {
  static constexpr const char* tag = "bates";
  static constexpr const char* meaning = "Heston's variance with Merton's jumps (Bates 1996)";
  HestonModel heston;
  MertonJump jump;
  void declare(io::Section& s);
};
struct MertonJumpModel {
  static constexpr const char* tag = "merton_jump";
  static constexpr const char* meaning = "geometric Brownian motion with normal log jumps (Merton 1976)";
  TermStructure volatility;
  MertonJump jump;
  void declare(io::Section& s);
};
struct KouJumpModel {
  static constexpr const char* tag = "kou_jump";
  static constexpr const char* meaning = "geometric Brownian motion with double-exponential log jumps (Kou 2002)";
  TermStructure volatility;
  double jump_intensity = 0, jump_up_prob = 0.5, eta_up = 0, eta_down = 0;  ///< etas are rates; eta_up > 1
  void declare(io::Section& s);
};
using Model =
    std::variant<GbmModel, CevModel, LocalVolatilityModel, HestonModel, BatesModel, MertonJumpModel, KouJumpModel>;

struct CashDividend {
  double time = 0, amount = 0;
};

struct UnderlyingSettings {
  std::string name;  ///< the key of the mapping
  double spot = 0;
  std::optional<TermStructure> rate;  ///< overrides the market's
  TermStructure dividend_yield;
  std::vector<CashDividend> cash_dividends;  ///< gbm alone; ascending
  Model model;
  void declare(io::Section& s);
};

/// Of the assets' Brownian motions. Pairs that are not listed have 0.
struct CorrelationSettings {
  std::optional<double> all_pairs;
  std::vector<std::string> order;
  std::vector<std::vector<double>> matrix;
  bool nearest = false;  ///< of a matrix that is not positive semidefinite take the nearest that is
  void declare(io::Section& s);
};

struct MarketSettings {
  std::string valuation_date;  ///< YYYY-MM-DD, or empty; needed where times are given as dates
  DayCount day_count = DayCount::actual_365_fixed;
  TermStructure rate;
  std::vector<UnderlyingSettings> underlyings;
  std::optional<CorrelationSettings> correlation;
  void declare(io::Section& s);
};

// --- instruments

enum class OptionType { call, put };
enum class Average { arithmetic, geometric };
enum class StrikeType { fixed, floating };
enum class Monitoring { discrete, continuous };
enum class BarrierType { down_in, down_out, up_in, up_out };
enum class DoubleBarrierType { knock_in, knock_out };
enum class RebateTime { automatic, at_hit, at_maturity };  ///< automatic: knock-out at the hit, knock-in at maturity
enum class Payout { cash, asset };
enum class Select { maximum, minimum };
enum class BasketPayoff { single, maximum, minimum, basket };

struct European {
  static constexpr const char* tag = "european";
  static constexpr const char* meaning = "max(S_T - K, 0), or max(K - S_T, 0)";
  OptionType type = OptionType::call;
  double strike = 0;
  void declare(io::Section& s);
};
struct Digital {
  static constexpr const char* tag = "digital";
  static constexpr const char* meaning = "pays `cash`, or the asset, where it ends strictly in the money";
  OptionType type = OptionType::call;
  double strike = 0;
  Payout payout = Payout::cash;
  double cash = 1;
  void declare(io::Section& s);
};
struct Asian {
  static constexpr const char* tag = "asian";
  static constexpr const char* meaning = "on the average of the fixings";
  OptionType type = OptionType::call;
  Average average = Average::arithmetic;
  StrikeType strike_type = StrikeType::fixed;
  double strike = 0;
  Monitoring monitoring = Monitoring::discrete;
  std::optional<std::int64_t> fixings;  ///< in all, past ones included
  std::vector<double> past_fixings;     ///< values already fixed; the fixings still to come are at i T / n
  void declare(io::Section& s);
};
struct Barrier {
  static constexpr const char* tag = "barrier";
  static constexpr const char* meaning = "vanilla that a barrier knocks in or out";
  OptionType type = OptionType::call;
  double strike = 0, barrier = 0, rebate = 0;
  BarrierType barrier_type = BarrierType::down_out;
  RebateTime rebate_at = RebateTime::automatic;
  Monitoring monitoring = Monitoring::continuous;
  std::optional<std::int64_t> fixings;
  void declare(io::Section& s);
};
struct DoubleBarrier {
  static constexpr const char* tag = "double_barrier";
  static constexpr const char* meaning = "vanilla between two barriers, either of which knocks";
  OptionType type = OptionType::call;
  double strike = 0, lower_barrier = 0, upper_barrier = 0, rebate = 0;
  DoubleBarrierType barrier_type = DoubleBarrierType::knock_out;
  RebateTime rebate_at = RebateTime::automatic;
  Monitoring monitoring = Monitoring::continuous;
  std::optional<std::int64_t> fixings;
  void declare(io::Section& s);
};
struct Lookback {
  static constexpr const char* tag = "lookback";
  static constexpr const char* meaning = "on the extreme of the path";
  OptionType type = OptionType::call;
  StrikeType strike_type = StrikeType::floating;
  double strike = 0;
  std::optional<double> running_extreme;  ///< default: spot. Maximum for a fixed call and a floating put, else minimum
  Monitoring monitoring = Monitoring::continuous;
  std::optional<std::int64_t> fixings;
  void declare(io::Section& s);
};
struct Basket {
  static constexpr const char* tag = "basket";
  static constexpr const char* meaning = "on the weighted average of several underlyings";
  OptionType type = OptionType::call;
  Average average = Average::arithmetic;
  std::vector<double> weights;  ///< default 1 / d
  double strike = 0;
  void declare(io::Section& s);
};
struct Rainbow {
  static constexpr const char* tag = "rainbow";
  static constexpr const char* meaning = "on the best or the worst of several underlyings";
  OptionType type = OptionType::call;
  Select select = Select::maximum;
  double strike = 0;
  void declare(io::Section& s);
};
struct Spread {
  static constexpr const char* tag = "spread";
  static constexpr const char* meaning =
      "max(S_long - S_short - K, 0) (put: the negative part), underlyings [long, short]";
  OptionType type = OptionType::call;
  double strike = 0;
  void declare(io::Section& s);
};
struct Exchange {
  static constexpr const char* tag = "exchange";
  static constexpr const char* meaning = "max(S_long - S_short, 0) (Margrabe 1978), underlyings [long, short]";
  void declare(io::Section& s);
};
struct ForwardStart {
  static constexpr const char* tag = "forward_start";
  static constexpr const char* meaning = "vanilla whose strike is moneyness times the spot at `start`";
  OptionType type = OptionType::call;
  double start = 0, moneyness = 1;
  void declare(io::Section& s);
};
struct Cliquet {
  static constexpr const char* tag = "cliquet";
  static constexpr const char* meaning =
      "notional clip(sum of clip(S_i / S_(i-1) - 1, local), global), paid at maturity";
  double notional = 1;
  std::int64_t resets = 0;
  std::optional<double> local_floor, local_cap, global_floor, global_cap;
  void declare(io::Section& s);
};
struct VarianceSwap {
  static constexpr const char* tag = "variance_swap";
  static constexpr const char* meaning =
      "realised variance (1/T) sum ln^2, mean not removed; without a strike the fair variance";
  std::optional<double> strike;  ///< a variance
  double notional = 1;
  Monitoring monitoring = Monitoring::discrete;
  std::optional<std::int64_t> fixings;
  void declare(io::Section& s);
};
struct Autocallable {
  static constexpr const char* tag = "autocallable";
  static constexpr const char* meaning =
      "note on the worst performer: called at par with its coupon at autocall_level, else at risk below "
      "knock_in_barrier";
  double autocall_level = 1, coupon = 0;  ///< fraction of the initial spot; fraction of notional an observation
  bool memory = false;                    ///< a call pays the coupons missed so far too
  std::int64_t observations = 0;
  std::optional<double> knock_in_barrier;  ///< fraction of the initial spot
  Monitoring knock_in_monitoring = Monitoring::discrete;
  double notional = 1;
  std::vector<double> initial_spots;  ///< that the levels are fractions of; default: the spots of the market
  void declare(io::Section& s);
};

enum class RegressionBasis { monomial, laguerre, hermite, chebyshev };
/// Least-squares Monte Carlo (Longstaff & Schwartz 2001).
struct LsmSettings {
  RegressionBasis basis = RegressionBasis::chebyshev;
  int order = 5;  ///< total degree over all variables
  std::int64_t training_paths = 131072;
  bool upper_bound = false;  ///< the dual of Andersen & Broadie (2004)
  std::int64_t outer_paths = 2048, inner_paths = 512;
  void declare(io::Section& s);
};
/// What Bermudan and American options have in common.
struct EarlyExercise {
  OptionType type = OptionType::put;
  BasketPayoff payoff = BasketPayoff::single;
  std::vector<double> weights;  ///< of payoff: basket
  double strike = 0;
  LsmSettings lsm;
  void declare(io::Section& s);
};
struct Bermudan {
  static constexpr const char* tag = "bermudan";
  static constexpr const char* meaning = "exercise at i T / n, i = 1..n, n = exercise_dates";
  EarlyExercise exercise;
  std::int64_t exercise_dates = 0;
  void declare(io::Section& s);
};
struct American {
  static constexpr const char* tag = "american";
  static constexpr const char* meaning = "exercise at any step, now included";
  EarlyExercise exercise;
  void declare(io::Section& s);
};
using Product = std::variant<European, Digital, Asian, Barrier, DoubleBarrier, Lookback, Basket, Rainbow, Spread,
                             Exchange, ForwardStart, Cliquet, VarianceSwap, Autocallable, Bermudan, American>;

struct Instrument {
  std::string id;
  Product product;
  std::vector<std::string> underlyings;  ///< `underlying: X` or `underlyings: [X, Y]`
  double maturity = 0;                   ///< years from the valuation date, >= 0
  double quantity = 1;
  std::vector<std::string> greeks;            ///< of delta, gamma, vega, theta, rho
  std::vector<std::string> parameter_greeks;  ///< of the models' parameter names, "kappa", "correlation" ...
  std::optional<ToleranceSettings> tolerance;
  std::optional<CorrelationSettings> correlation;
  std::optional<std::int64_t> paths;  ///< instead of monte_carlo.paths
  void declare(io::Section& s);
};

/// Numbers that an option's estimators make at most: price, event, bias, and each Greek to each underlying.
std::size_t most_estimators(const Instrument& option);

/// The book is repriced on the same draws for each combination.
struct ScenarioSettings {
  std::vector<double> spot{1};        ///< factors
  std::vector<double> volatility{0};  ///< absolute shifts
  std::vector<double> rate{0};        ///< absolute shifts
  void declare(io::Section& s);
};

struct OutputSettings {
  std::int64_t save_paths = 0;   ///< sample paths of each group in results.h5
  std::int64_t save_values = 0;  ///< raw discounted payoffs of each option in results.h5
  void declare(io::Section& s);
};

struct Settings {
  MonteCarloSettings monte_carlo;
  MarketSettings market;
  std::vector<Instrument> options;
  std::optional<ScenarioSettings> scenarios;
  OutputSettings output;
  void declare(io::Section& root);
};

}  // namespace ergode::sim::options
