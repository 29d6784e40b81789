#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace ergode::sim::options {

/// How the days between two dates become years (2006 ISDA Definitions, section 4.16).
enum class DayCount {
  actual_365_fixed,  ///< "ACT/365F": days / 365, 4.16 (d)
  actual_360,        ///< "ACT/360": days / 360, 4.16 (e)
  thirty_360,        ///< "30/360": months of 30 days, years of 360, 4.16 (f)
};

/// `text` is YYYY-MM-DD; nothing where it is not, or where there is no such day.
std::optional<std::chrono::year_month_day> parse_date(const std::string& text);

/// Years from one date to another, negative where the second is the earlier.
double year_fraction(DayCount convention, std::chrono::year_month_day from, std::chrono::year_month_day to);

}  // namespace ergode::sim::options
