#include "kernels/core/dual.hpp"

#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

// Derivatives along two directions at once against difference quotients.

using namespace ergode::kernels;

namespace {

using D = Dual<double>;

struct Operation {
  std::string name;
  std::function<D(const D&, const D&)> of_duals;
  std::function<double(double, double)> of_numbers;
};

/// The same expression for duals and for plain numbers.
#define OF_BOTH(expression)                                                                      \
  [](const D& a, const D& b) { return static_cast<void>(a), static_cast<void>(b), expression; }, \
      [](double a, double b) { return static_cast<void>(a), static_cast<void>(b), expression; }

const std::vector<Operation> operations = {
    {"a + b", OF_BOTH(a + b)},
    {"a + number", OF_BOTH(a + 1.5)},
    {"number + b", OF_BOTH(1.5 + b)},
    {"a - b", OF_BOTH(a - b)},
    {"a - number", OF_BOTH(a - 1.5)},
    {"number - b", OF_BOTH(1.5 - b)},
    {"-a", OF_BOTH(-a)},
    {"a b", OF_BOTH(a* b)},
    {"a number", OF_BOTH(a * 1.5)},
    {"number b", OF_BOTH(1.5 * b)},
    {"a / b", OF_BOTH(quotient(a, b))},
    {"a / number", OF_BOTH(quotient(a, 1.5))},
    {"number / b", OF_BOTH(quotient(1.5, b))},
    {"a b + a", OF_BOTH(multiply_add(a, b, a))},
    {"a number + b", OF_BOTH(multiply_add(a, 1.5, b))},
    {"exp a", OF_BOTH(exponential(a))},
    {"ln a", OF_BOTH(logarithm(a))},
    {"ln(1 + a) - a", OF_BOTH(logarithm_beyond_first(a))},
    {"root of a", OF_BOTH(square_root(a))},
    {"a to the b", OF_BOTH(power(a, b))},
    {"normal law of a", OF_BOTH(normal_cumulative(a))},
    {"maximum", OF_BOTH(maximum(a, b))},
    {"minimum", OF_BOTH(minimum(a, b))},
    {"select", OF_BOTH(select(a > b, a* a, b* b))},
};
#undef OF_BOTH

}  // namespace

TEST_CASE("duals carry the derivatives of every operation along both directions") {
  for (const auto& [a, b] : {std::pair{0.7, 1.9}, {2.3, 0.4}, {0.05, 0.06}})
    // Of a and of b along the first direction and the second.
    for (const auto& [first, second] :
         {std::pair{std::pair{1.0, 0.0}, std::pair{0.0, 1.0}}, {{0.3, -2.0}, {-1.7, 0.6}}})
      for (const Operation& operation : operations) {
        const auto& plain = operation.of_numbers;
        const D result = operation.of_duals(D(a, {first.first, second.first}), D(b, {first.second, second.second}));
        CAPTURE(operation.name, a, b);
        CHECK(result.value == plain(a, b));
        for (int d = 0; d < tangent_directions; ++d) {
          const auto& [da, db] = d == 0 ? first : second;
          const double h = 1e-4;
          const auto central = [&](double step) {
            return (plain(a + step * da, b + step * db) - plain(a - step * da, b - step * db)) / (2 * step);
          };
          // Richardson: the error is of fourth order.
          const double expected = (4 * central(h / 2) - central(h)) / 3;
          CAPTURE(d);
          CHECK(tangent_along(d, result) == Catch::Approx(expected).epsilon(1e-8).margin(1e-9));
        }
      }
}

TEST_CASE("a dual's root at 0 has derivative 0") {
  const D root = square_root(D(0.0, {1.0, -2.0}));
  CHECK(root.value == 0);
  CHECK(tangent_along(0, root) == 0);
  CHECK(tangent_along(1, root) == 0);
}

TEST_CASE("ln(1 + x) - x in float is right to 1.5e-8 near 0 and to the logarithm's rounding beyond") {
  double worst = 0;
  for (int i = -99'990; i <= 400'000; ++i) {
    const float x = static_cast<float>(i) * 1e-5f;
    const long double exact = std::log1p(static_cast<long double>(x)) - static_cast<long double>(x);
    CAPTURE(x);
    const double logarithm = std::log1p(static_cast<double>(x));
    const double size = std::abs(x) <= 0.25f ? 0 : std::abs(static_cast<double>(x)) + std::abs(logarithm) + 1;
    const double error = std::abs(static_cast<double>(logarithm_beyond_first(x) - exact));
    if (!(error <= 1.5e-8 + 2e-7 * size)) CHECK(error <= 1.5e-8 + 2e-7 * size);
    worst = std::max(worst, std::abs(x) <= 0.25f ? error : 0.0);
    const auto in_double = static_cast<long double>(logarithm_beyond_first(static_cast<double>(x)));
    if (!(std::abs(in_double - exact) <= 1e-15L + 1e-12L * std::abs(exact))) CHECK(in_double == exact);
  }
  CHECK(worst > 0.5e-8);  // it was looked at where it is worst
  CHECK(logarithm_beyond_first(0.0f) == 0.0f);
}
