#pragma once

// What the declarations of the settings share: values that only this simulation has, and checks.

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/options/settings.hpp"

namespace ergode::sim::options {

using Complain = std::function<void(std::string_view key, const std::string& message)>;

/// `0.03` or `[[0.5, 0.031], [1, 0.03]]`; the limits are those of the values.
void read_value(const io::Node& node, TermStructure& target, const io::Limits& limits, io::Problems& problems);
std::string write_value(const TermStructure& x);
std::string type_name(const TermStructure&);

/// `[[time, amount], ...]`
void read_value(const io::Node& node, std::vector<CashDividend>& target, const io::Limits&, io::Problems& problems);
std::string write_value(const std::vector<CashDividend>& x);
std::string type_name(const std::vector<CashDividend>&);

/// `SPX` or `[SPX, SX5E]`, written as a list.
io::Form<std::vector<std::string>> names_form(std::string type);
/// The same, of certain words alone.
io::Form<std::vector<std::string>> words_form(const std::vector<std::string>& words);
/// A path that is not written where there is none.
io::Form<std::filesystem::path> optional_path_form();

/// A rate or yield: may be negative; beyond 1 there is a warning.
void declare_rate(io::Section& s, std::string_view name, TermStructure& target, std::string_view meaning);
/// A volatility under the key `volatility`, with its checks.
void declare_volatility(io::Section& s, TermStructure& target);

/// The parameters whose derivative can be asked for, by their keys.
std::vector<std::string> parameter_names(const Model& model);

/// Discrete monitoring and the number of fixings belong together.
void check_fixings(Monitoring monitoring, const std::optional<std::int64_t>& fixings, const Complain& complain);
/// Complains under `key` about the first name that stands twice.
void check_distinct(const std::vector<std::string>& names, std::string_view key, const Complain& complain);
/// Complains under `key` where the values do not ascend strictly.
void check_ascending(const std::vector<double>& values, std::string_view key, const Complain& complain);

/// An option of a book, among whose checks are those with the market. The market is read by then.
/// `replaced`: numbers of underlyings whose market correlation was said to be replaced.
void declare_option(io::Section& s, Instrument& option, std::size_t index, const MarketSettings& market,
                    const std::shared_ptr<std::set<std::size_t>>& replaced);

constexpr const char* per_cent_level = "is this per cent, or a price? 60 % of the initial spot is 0.6";
constexpr const char* per_cent_rate = "is this per cent typed as a whole number? 5 % is 0.05";
constexpr const char* per_cent_volatility = "is this per cent typed as a whole number? 20 % is 0.2";

}  // namespace ergode::sim::options
