#include "sim/options/dates.hpp"

#include <charconv>
#include <string_view>

#include "io/config/values.hpp"

namespace ergode::sim::options {
namespace {

int digits(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::optional<std::chrono::year_month_day> parse_date(const std::string& text) {
  if (!io::is_date(text)) return {};
  const std::string_view all = text;
  const std::chrono::year_month_day date{std::chrono::year(digits(all.substr(0, 4))),
                                         std::chrono::month(static_cast<unsigned>(digits(all.substr(5, 2)))),
                                         std::chrono::day(static_cast<unsigned>(digits(all.substr(8, 2))))};
  if (!date.ok()) return {};
  return date;
}

double year_fraction(DayCount convention, std::chrono::year_month_day from, std::chrono::year_month_day to) {
  const auto days = static_cast<double>((std::chrono::sys_days(to) - std::chrono::sys_days(from)).count());
  if (convention == DayCount::actual_365_fixed) return days / 365;
  if (convention == DayCount::actual_360) return days / 360;
  const auto month = [](std::chrono::year_month_day d) {
    return 12 * static_cast<int>(d.year()) + static_cast<int>(static_cast<unsigned>(d.month()));
  };
  int first = static_cast<int>(static_cast<unsigned>(from.day()));
  int last = static_cast<int>(static_cast<unsigned>(to.day()));
  if (first == 31) first = 30;
  if (last == 31 && first == 30) last = 30;
  return (30.0 * (month(to) - month(from)) + (last - first)) / 360;
}

}  // namespace ergode::sim::options
