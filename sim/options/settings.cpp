#include "sim/options/settings.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "sim/options/book_table.hpp"
#include "sim/options/reference.hpp"
#include "sim/options/settings_values.hpp"

namespace ergode::sim::options {

void ToleranceSettings::declare(io::Section& s) {
  s.key("absolute", absolute, "half-width of the confidence interval").unit("price").greater_than(0);
  s.key("relative", relative, "half-width over the price; the first of the two that is met stops").greater_than(0);
  s.key("confidence", confidence, "of the interval").greater_than(0).less_than(1);
  s.key("max_paths", max_paths, "the most that is spent on it; on a resume as monte_carlo.paths")
      .at_least(1)
      .at_most(1e15)
      .may_change_on_resume();
  s.check([this](const Complain& complain) {
    if (!absolute && !relative) complain("absolute", "give `absolute`, `relative` or both");
  });
}

void MonteCarloSettings::declare(io::Section& s) {
  s.key(
       "paths", paths,
       "number of paths, not of antithetic pairs; on a resume only more, and such that options with equal numbers keep "
       "equal and others different ones")
      .at_least(1)
      .at_most(1e15)
      .may_change_on_resume();
  s.key("steps_per_year", steps_per_year, "of models and products that need stepping").at_least(1).at_most(1000000);
  s.choice("rng", rng, {{"philox", Rng::philox}, {"sobol", Rng::sobol}},
           "random numbers: Philox (Salmon et al. 2011), or Sobol sequences with Owen scrambling");
  s.key("replications", replications, "independent scramblings of a Sobol sequence, which give the error")
      .at_least(2)
      .at_most(65536);
  s.choice("precision", precision, {{"float", PathPrecision::float32}, {"double", PathPrecision::float64}},
           "of the paths; sums are always double");
  s.key("antithetic", antithetic, "paths in pairs of opposite draws");
  s.choice("control_variate", control_variate, {{"none", ControlVariate::none}, {"auto", ControlVariate::automatic}},
           "auto: chosen by the product");
  s.section("tolerance", tolerance, "stop when the error is small enough");
  s.key("time_limit", time_limit, "stop after this time; results then depend on the machine")
      .greater_than(0)
      .may_change_on_resume();
  s.check([this](const Complain& complain) {
    if (time_limit && time_limit->steps) complain("time_limit", "must be a time such as 90 s or 15 min");
  });
}

void ScenarioSettings::declare(io::Section& s) {
  s.key("spot", spot, "factors of all spots").greater_than(0);
  s.key("volatility", volatility, "added to all volatilities, with heston and bates to sqrt(v0)")
      .unit("1/sqrt(year)")
      .warn_above(1, per_cent_volatility);
  s.key("rate", rate, "added to all rates").unit("1/year").warn_above(1, per_cent_rate);
  s.check([this](const Complain& complain) {
    if (spot.empty()) complain("spot", "is empty; [1] leaves the spots as they are");
    if (volatility.empty()) complain("volatility", "is empty; [0] leaves the volatilities as they are");
    if (rate.empty()) complain("rate", "is empty; [0] leaves the rates as they are");
  });
}

void OutputSettings::declare(io::Section& s) {
  s.key("save_paths", save_paths, "sample paths of each group of options in results.h5").at_least(0).at_most(1e9);
  s.key("save_values", save_values, "discounted payoffs of each option in results.h5").at_least(0).at_most(1e12);
}

void Settings::declare(io::Section& root) {
  root.section("monte_carlo", monte_carlo, "how many paths, and how they are drawn");
  root.section("market", market, "rates and underlyings");
  const auto ids = std::make_shared<std::map<std::string, std::size_t>>();
  const auto replaced = std::make_shared<std::set<std::size_t>>();
  root.list_or_file(
      "options", options, "what is priced; or {file: book.csv}, a row for each, with columns named like the keys", true,
      read_book, [this, ids, replaced](io::Section& s, Instrument& option, std::size_t index) {
        declare_option(s, option, index, market, replaced);
        s.check([&option, ids, index](const Complain& complain) {
          const auto [found, added] = ids->emplace(option.id, index);
          if (!added)
            complain("id", fmt::format("'{}' is the id of options.{} too; ids must differ", option.id, found->second));
        });
      });
  root.doubt([this](const Complain& warn) {
    // Where the variance reverts within a step, coarse and fine steps are both too long to tell the bias from.
    for (const UnderlyingSettings& u : market.underlyings) {
      const HestonModel* h = heston_part(u.model);
      if (h != nullptr && h->sigma_v > 0 && h->kappa > 0.4 * monte_carlo.steps_per_year)
        warn("monte_carlo",
             fmt::format("{} steps a year are few for the kappa of {}: the bias from steps cannot be relied "
                         "on; steps_per_year of {} or more will do",
                         monte_carlo.steps_per_year, u.name, std::ceil(4 * h->kappa)));
    }
  });
  root.section("scenarios", scenarios, "the book is priced again under each combination of these");
  root.section("output", output, "what is written");
}

}  // namespace ergode::sim::options
