#include "sim/options/term_structure.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "sim/options/dates.hpp"

using namespace ergode::sim::options;
using Catch::Approx;

TEST_CASE("A curve is linear in r t, flat before the first node, of flat forward after the last") {
  const TermStructure curve{[] {
    TermStructure t;
    t.times = {0.5, 1, 3};
    t.values = {0.02, 0.03, -0.01};
    return t;
  }()};
  // Forwards: 0.02 to 0.5; (0.03 - 0.01) / 0.5 = 0.04 to 1; (-0.03 - 0.03) / 2 = -0.03 on.
  CHECK(curve.rate_integral(0) == 0);
  CHECK(curve.rate_integral(0.25) == Approx(0.005).epsilon(1e-14));
  CHECK(curve.rate_integral(0.5) == Approx(0.01).epsilon(1e-14));
  CHECK(curve.rate_integral(0.75) == Approx(0.01 + 0.25 * 0.04).epsilon(1e-14));
  CHECK(curve.rate_integral(2) == Approx(0.03 - 0.03).margin(1e-16));
  CHECK(curve.rate_integral(3) == Approx(-0.03).epsilon(1e-14));
  CHECK(curve.rate_integral(5) == Approx(-0.03 - 2 * 0.03).epsilon(1e-14));
  CHECK(curve.at(0) == 0.02);
  CHECK(curve.at(0.75) == Approx(0.02 / 0.75).epsilon(1e-14));
  CHECK(curve.shifted(0.01).rate_integral(0.75) == Approx(0.02 + 0.0075).epsilon(1e-14));
}

TEST_CASE("Volatilities are linear in total variance") {
  TermStructure v;
  v.times = {1, 2};
  v.values = {0.2, 0.3};
  // Total variances 0.04 and 0.18: forward variance 0.14 from 1 on.
  CHECK(v.variance_integral(0.5) == Approx(0.02).epsilon(1e-14));
  CHECK(v.variance_integral(1.5) == Approx(0.11).epsilon(1e-14));
  CHECK(v.variance_integral(4) == Approx(0.18 + 0.28).epsilon(1e-14));
  CHECK(v.volatility_at(0.5) == 0.2);
  CHECK(v.volatility_at(1.5) == Approx(std::sqrt(0.11 / 1.5)).epsilon(1e-14));
  CHECK(TermStructure(0.25).variance_integral(2) == 0.125);
  CHECK(TermStructure(-0.01).rate_integral(2) == -0.02);
  CHECK(TermStructure(0.25).volatility_at(0) == 0.25);
}

TEST_CASE("Year fractions follow the day counts, over leap days and month ends") {
  const auto years = [](DayCount convention, const char* from, const char* to) {
    return year_fraction(convention, *parse_date(from), *parse_date(to));
  };
  CHECK(years(DayCount::actual_365_fixed, "2024-02-28", "2024-03-01") == Approx(2 / 365.0).epsilon(1e-15));
  CHECK(years(DayCount::actual_365_fixed, "2023-02-28", "2023-03-01") == Approx(1 / 365.0).epsilon(1e-15));
  CHECK(years(DayCount::actual_365_fixed, "2024-01-01", "2025-01-01") == Approx(366 / 365.0).epsilon(1e-15));
  CHECK(years(DayCount::actual_360, "2023-01-01", "2024-01-01") == Approx(365 / 360.0).epsilon(1e-15));
  // 2006 ISDA Definitions 4.16 (f): a first day 31 is 30; a last day 31 is 30 when the first is 30 or 31.
  CHECK(years(DayCount::thirty_360, "2007-01-15", "2007-01-30") == Approx(15 / 360.0).epsilon(1e-15));
  CHECK(years(DayCount::thirty_360, "2007-09-30", "2008-03-31") == 0.5);
  CHECK(years(DayCount::thirty_360, "2007-09-30", "2007-10-31") == Approx(30 / 360.0).epsilon(1e-15));
  CHECK(years(DayCount::thirty_360, "2007-09-29", "2007-10-31") == Approx(32 / 360.0).epsilon(1e-15));
  CHECK(years(DayCount::thirty_360, "2007-08-31", "2008-02-28") == Approx(178 / 360.0).epsilon(1e-15));
  CHECK(years(DayCount::thirty_360, "2008-01-01", "2007-01-01") == -1);
  for (const char* none : {"2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "2024-01-01T", "abcd-ef-gh", ""})
    CHECK_FALSE(parse_date(none));
}
