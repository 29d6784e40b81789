#include <fmt/format.h>

#include <algorithm>

#include "io/run/json.hpp"
#include "kernels/options/plan.hpp"
#include "sim/options/correlation.hpp"
#include "sim/options/settings_values.hpp"

namespace ergode::sim::options {
namespace {

using Strings = std::vector<std::string>;

/// How many underlyings a product is on; what depends on it is checked with the market.
struct Count {
  std::size_t low = 1, high = 1;
};
struct UnderlyingCount {
  static constexpr std::size_t any = kernels::options::max_assets, any_early = 64;
  template <class T>
  Count operator()(const T&) const {
    return {1, 1};
  }
  Count operator()(const Basket&) const { return {1, any}; }
  Count operator()(const Rainbow&) const { return {1, any}; }
  Count operator()(const Autocallable&) const { return {1, any}; }
  Count operator()(const Spread&) const { return {2, 2}; }
  Count operator()(const Exchange&) const { return {2, 2}; }
  Count operator()(const Bermudan& p) const { return of(p.exercise); }
  Count operator()(const American& p) const { return of(p.exercise); }
  static Count of(const EarlyExercise& e) { return {1, e.payoff == BasketPayoff::single ? 1 : any_early}; }
};

struct Weights {
  template <class T>
  const std::vector<double>* operator()(const T&) const {
    return nullptr;
  }
  const std::vector<double>* operator()(const Basket& p) const { return &p.weights; }
  const std::vector<double>* operator()(const Bermudan& p) const { return &p.exercise.weights; }
  const std::vector<double>* operator()(const American& p) const { return &p.exercise.weights; }
};

struct Tag {
  template <class T>
  const char* operator()(const T&) const {
    return T::tag;
  }
};

void check_own(const Instrument& o, const io::Section& s, const Complain& complain) {
  if (s.given("underlying") && s.given("underlyings"))
    complain("underlying", "give `underlying` or `underlyings`, not both");
  const std::string_view key = s.given("underlying") ? "underlying" : "underlyings";
  check_distinct(o.underlyings, key, complain);
  const std::size_t d = o.underlyings.size();
  const char* product = std::visit(Tag{}, o.product);
  const Count count = std::visit(UnderlyingCount{}, o.product);
  const bool early = std::holds_alternative<Bermudan>(o.product) || std::holds_alternative<American>(o.product);
  if (d != 0 && (d < count.low || d > count.high)) {
    if (early && count.high == 1)
      complain("payoff", fmt::format("of {} underlyings must be max, min or basket", d));
    else
      complain(key, fmt::format("found {}; the product {} is on {}", d, product,
                                count.high == 1  ? std::string("one underlying")
                                : count.low == 2 ? std::string("two underlyings, [long, short]")
                                                 : fmt::format("1 to {} underlyings", count.high)));
  }
  // Dates are told apart down to 1e-12 years.
  if (o.maturity > 0 && o.maturity < 1e-6)
    complain("maturity", fmt::format("{} years is less than 1e-6 (half a minute): give 0 for now, or more",
                                     io::write_value(o.maturity)));
  const std::vector<double>* weights = std::visit(Weights{}, o.product);
  if (weights && !weights->empty() && weights->size() != d)
    complain("weights", fmt::format("found {}; there must be one for each of the {} underlyings", weights->size(), d));
  if (const std::size_t values = most_estimators(o); values > kernels::options::max_estimators)
    complain(o.greeks.empty() ? "parameter_greeks" : "greeks",
             fmt::format("of {} underlyings make {} values; an option has at most {}", d, values,
                         kernels::options::max_estimators));
  const auto* forward = std::get_if<ForwardStart>(&o.product);
  if (forward && forward->start > 0 && forward->start < 1e-6)
    complain("start",
             fmt::format("{} years is less than 1e-6: give 0 for now, or more", io::write_value(forward->start)));
  if (forward && forward->start > o.maturity)
    complain("start",
             fmt::format("{} is after the maturity {}", io::write_value(forward->start), io::write_value(o.maturity)));
  check_distinct(o.greeks, "greeks", complain);
  check_distinct(o.parameter_greeks, "parameter_greeks", complain);
}

void check_underlyings(const Instrument& o, const io::Section& s, const MarketSettings& market,
                       const Complain& complain) {
  const std::string_view key = s.given("underlyings") ? "underlyings" : "underlying";
  Strings known, parameters;
  std::vector<const UnderlyingSettings*> own;
  for (const auto& u : market.underlyings) known.push_back(u.name);
  if (known.empty()) return;  // which was said where the market is
  if (o.underlyings.empty())
    return complain(key, fmt::format("is required where the market has several; {}", io::hint("", known)));
  for (const std::string& name : o.underlyings) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      complain(key, fmt::format("the market has no '{}'; {}", name, io::hint(name, known)));
    else
      own.push_back(&market.underlyings[static_cast<std::size_t>(found - known.begin())]);
  }
  if (own.size() != o.underlyings.size()) return;
  for (const auto* u : own) {
    if (u->rate.value_or(market.rate) != own[0]->rate.value_or(market.rate))
      complain(key, fmt::format("'{}' and '{}' have different rates; one option has one currency: give them the same",
                                own[0]->name, u->name));
    for (const std::string& name : parameter_names(u->model)) parameters.push_back(name);
  }
  if (own.size() > 1) parameters.push_back("correlation");
  std::sort(parameters.begin(), parameters.end());
  parameters.erase(std::unique(parameters.begin(), parameters.end()), parameters.end());
  for (const std::string& name : o.parameter_greeks)
    if (!std::binary_search(parameters.begin(), parameters.end(), name))
      complain("parameter_greeks",
               fmt::format("'{}' is no parameter of this option's models; {}", name, io::hint(name, parameters)));
}

void check_correlation(const Instrument& o, const MarketSettings& market, const Complain& complain) {
  Strings known;
  for (const auto& u : market.underlyings) known.push_back(u.name);
  for (const std::string& name : o.correlation ? o.correlation->order : Strings{})
    if (!known.empty() && std::find(known.begin(), known.end(), name) == known.end())
      return complain("correlation", fmt::format("the market has no '{}'; {}", name, io::hint(name, known)));
  // A matrix was checked where it stands; the same number for all pairs depends on how many there are.
  const auto& c = o.correlation ? o.correlation : market.correlation;
  const std::size_t d = o.underlyings.size();
  if (!c || !c->all_pairs || c->nearest || d < 2) return;
  const double smallest = std::min(1 - *c->all_pairs, 1 + static_cast<double>(d - 1) * *c->all_pairs);
  if (smallest < -1e-10 * static_cast<double>(d))
    complain("correlation", fmt::format("{} between all pairs of {} underlyings is not positive semidefinite: the "
                                        "smallest eigenvalue is {:.6g}; correct it, or take the nearest matrix that is "
                                        "with `nearest: true`",
                                        io::write_value(*c->all_pairs), d, smallest));
}

void doubt_correlation(const Instrument& o, const MarketSettings& market, const Complain& warn) {
  const auto& c = o.correlation ? o.correlation : market.correlation;
  const std::size_t d = o.underlyings.size();
  if (!c || !c->all_pairs || !c->nearest || d < 2) return;
  std::vector<double> flat(d * d, *c->all_pairs);
  for (std::size_t i = 0; i < d; ++i) flat[i * d + i] = 1;
  if (is_semidefinite(flat, d)) return;
  warn(o.correlation ? "correlation" : "underlyings",
       fmt::format("a correlation of {} between all pairs of {} underlyings is not positive semidefinite: the nearest "
                   "matrix that is stands for it, with {:.6g}",
                   io::write_value(*c->all_pairs), d, nearest_correlation(flat, d)[1]));
}

}  // namespace

std::size_t most_estimators(const Instrument& option) {
  return 3 +
         (option.greeks.size() + option.parameter_greeks.size()) * std::max<std::size_t>(option.underlyings.size(), 1);
}

void Instrument::declare(io::Section& s) {
  s.key("id", id, "name of the row in the results; default: option-1, option-2 ...");
  s.alternatives("product", product);
  s.key("underlying", underlyings,
        io::Form<Strings>{"name, or list of names", names_form("").read, [](const Strings&) { return std::string(); }},
        "what it is written on; default: the market's only one");
  s.key("underlyings", underlyings, names_form("name, or list of names"), "the same, for several");
  s.key("maturity", maturity, "years from the valuation date, or a date")
      .required()
      .unit("year")
      .at_least(0)
      .warn_above(200, "is this a calendar year? A maturity is years from now, or a date YYYY-MM-DD")
      .or_date();
  s.key("quantity", quantity, "how many of it are held; prices are for one");
  s.key("greeks", greeks, words_form({"delta", "gamma", "vega", "theta", "rho"}), "sensitivities to report");
  s.key("parameter_greeks", parameter_greeks, names_form("list of names"),
        "parameters of the underlyings' models, or correlation, whose derivatives to report");
  s.key("paths", paths, "instead of monte_carlo.paths; on a resume as that")
      .at_least(1)
      .at_most(1e15)
      .may_change_on_resume();
  s.section("tolerance", tolerance, "instead of monte_carlo.tolerance");
  s.section("correlation", correlation, "instead of market.correlation", "all_pairs");
  s.check([this, &s](const Complain& complain) {
    if (id.empty()) complain("id", "is empty");
    if (!io::is_printable(id)) complain("id", "has a control character, or is not UTF-8");
    check_own(*this, s, complain);
  });
}

void declare_option(io::Section& s, Instrument& option, std::size_t index, const MarketSettings& market,
                    const std::shared_ptr<std::set<std::size_t>>& replaced) {
  option.id = fmt::format("option-{}", index + 1);
  if (market.underlyings.size() == 1) option.underlyings = {market.underlyings[0].name};
  option.declare(s);
  s.check([&option, &s, &market](const Complain& complain) {
    check_underlyings(option, s, market, complain);
    check_correlation(option, market, complain);
  });
  s.doubt([&option, &market, replaced](const Complain& warn) {
    if (option.correlation || replaced->insert(option.underlyings.size()).second)
      doubt_correlation(option, market, warn);
  });
}

}  // namespace ergode::sim::options
