#include "kernels/options/exercise_policy.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

using namespace ergode::kernels;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

/// Polynomials by their explicit sums (Abramowitz & Stegun 1964, table 22.3), in long double.
long double factorial(int n) {
  return n < 2 ? 1 : n * factorial(n - 1);
}
long double polynomial(BasisFamily family, int n, long double x) {
  long double sum = 0;
  switch (family) {
    case BasisFamily::monomial:
      return std::pow(x, n);
    case BasisFamily::chebyshev:
      if (std::abs(x) <= 1) return std::cos(n * std::acos(x));
      return (x < 0 && n % 2 ? -1 : 1) * std::cosh(n * std::acosh(std::abs(x)));
    case BasisFamily::laguerre:
      for (int k = 0; k <= n; ++k)
        sum += (k % 2 ? -1 : 1) * factorial(n) / (factorial(k) * factorial(k) * factorial(n - k)) * std::pow(x, k);
      return sum;
    case BasisFamily::hermite:
      for (int k = 0; 2 * k <= n; ++k)
        sum += (k % 2 ? -1 : 1) * factorial(n) / (factorial(k) * factorial(n - 2 * k) * std::pow(2.0L, k)) *
               std::pow(x, n - 2 * k);
      return sum;
  }
  return 0;
}

constexpr BasisFamily families[] = {BasisFamily::monomial, BasisFamily::laguerre, BasisFamily::hermite,
                                    BasisFamily::chebyshev};

}  // namespace

TEST_CASE("Every family's polynomials agree with their explicit sums") {
  for (BasisFamily family : families)
    for (double x : {-1.7, -1.0, -0.3, 0.0, 0.6, 1.0, 2.2}) {
      const BasisTerms<double> terms(family, 1, max_basis_order, &x);
      for (int n = 0; n <= max_basis_order; ++n) {
        INFO("family " << static_cast<int>(family) << ", x " << x << ", n " << n);
        const auto truth = static_cast<double>(polynomial(family, n, x));
        CHECK_THAT(
            terms.value_of[0][n],
            WithinAbs(truth, 2e-13 * std::max(1.0, std::abs(truth) + std::sqrt(static_cast<double>(factorial(n))))));
      }
    }
}

TEST_CASE("Terms are all exponents up to the order, once each, in graded order") {
  CHECK(basis_terms(1, 5) == 6);
  CHECK(basis_terms(2, 5) == 21);
  CHECK(basis_terms(5, 5) == 252);
  CHECK(basis_terms(8, 20) == 3108105);
  CHECK(basis_terms(3, 0) == 1);
  for (int variables = 1; variables <= 5; ++variables)
    for (int order = 0; order <= 5; ++order) {
      const double x[] = {2, 3, 5, 7, 11};  // primes: the value of a monomial tells its exponents
      BasisTerms<double> term(BasisFamily::monomial, variables, order, x);
      std::set<double> values;
      int degree = 0;
      for (int k = 0; k < basis_terms(variables, order); ++k, term.advance()) {
        CHECK(term.degree >= degree);
        degree = term.degree;
        int total = 0;
        for (int i = 0; i < variables; ++i) total += term.exponent[i];
        CHECK(total == degree);
        values.insert(term.value());
      }
      CHECK(degree == order);
      CHECK(static_cast<int>(values.size()) == basis_terms(variables, order));
    }
}

TEST_CASE("A polynomial is evaluated as the sum of its terms, of one variable as of several") {
  const double centre[] = {1, -2, 0.5}, scale[] = {0.5, 2, 0.25}, x[] = {1.8, -1.7, 3};
  for (BasisFamily family : families)
    for (int variables : {1, 2, 3})
      for (int order : {0, 1, 4}) {
        const int terms = basis_terms(variables, order);
        std::vector<double> coefficient;
        for (int k = 0; k < terms; ++k) coefficient.push_back(std::sin(1.0 + k));
        // The oracle walks over exponents by itself: each degree, the first exponent falling.
        long double truth = 0;
        int k = 0;
        for (int degree = 0; degree <= order; ++degree)
          for (int a = degree; a >= 0; --a)
            for (int b = degree - a; b >= 0; --b) {
              const int exponent[] = {a, b, degree - a - b};
              bool exists = true;
              for (int i = variables; i < 3; ++i) exists = exists && exponent[i] == 0;
              if (!exists) continue;
              long double product = coefficient[k++];
              for (int i = 0; i < variables; ++i)
                product *= polynomial(family, exponent[i], (x[i] - static_cast<long double>(centre[i])) * scale[i]);
              truth += product;
            }
        REQUIRE(k == terms);
        const BasisView<double> basis{variables, order, family, centre, scale, coefficient.data()};
        CHECK_THAT(evaluate_basis(basis, x), WithinAbs(static_cast<double>(truth), 1e-12));
      }
}

TEST_CASE("Payoffs of the price, the maximum, the minimum and the basket, calls and puts") {
  const double spot[] = {90, 120, 100}, weights[] = {0.5, 0.25, 0.25};
  const auto payoff = [&](ExercisePayoff kind, bool call, double strike) {
    return exercise_payoff(kind, call, strike, weights, spot, kind == ExercisePayoff::single ? 1 : 3);
  };
  CHECK(payoff(ExercisePayoff::single, true, 80) == 10);
  CHECK(payoff(ExercisePayoff::single, false, 80) == 0);
  CHECK(payoff(ExercisePayoff::maximum, true, 100) == 20);
  CHECK(payoff(ExercisePayoff::maximum, false, 130) == 10);
  CHECK(payoff(ExercisePayoff::minimum, true, 80) == 10);
  CHECK(payoff(ExercisePayoff::minimum, false, 100) == 10);
  CHECK(payoff(ExercisePayoff::basket, true, 90) == 10);
  CHECK(payoff(ExercisePayoff::basket, false, 110) == 10);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(exercise_payoff(ExercisePayoff::single, true, 1.0, weights, &nan, 1)));
}

TEST_CASE("The regression sees the highest prices in order, or the lowest, a basket's value, and the mean variance") {
  const double spot[] = {3, 7, 1, 9, 5, 8, 2}, variance[] = {1, 2, 3, 4, 5, 6, 7};
  const double weights[] = {0.5, 0.25, 0.25, 0, 0, 0, 0};
  const auto variables = [&](ExercisePayoff kind, int d, bool v) {
    std::vector<double> out(exercise_variable_count(kind, v, d) + 1, -1.0);
    exercise_variables(kind, weights, spot, v ? variance : nullptr, d, out.data());
    CHECK(out.back() == -1);  // no more than announced
    out.pop_back();
    return out;
  };
  using Values = std::vector<double>;
  CHECK(variables(ExercisePayoff::single, 1, false) == Values{3});
  CHECK(variables(ExercisePayoff::single, 1, true) == Values{3, 1});
  CHECK(variables(ExercisePayoff::maximum, 2, false) == Values{7, 3});
  CHECK(variables(ExercisePayoff::maximum, 7, false) == Values{9, 8, 7, 5, 3});
  CHECK(variables(ExercisePayoff::minimum, 7, true) == Values{1, 2, 3, 5, 7, 4});
  CHECK(variables(ExercisePayoff::basket, 1, false) == Values{1.5});
  CHECK(variables(ExercisePayoff::basket, 3, true) == Values{3.5, 3, 7, 2});
  CHECK(variables(ExercisePayoff::basket, 7, false) == Values{3.5});
}

TEST_CASE("A policy is read from its flat array") {
  // A put on one price, struck at 10; three dates: never, continuation 2 + (S - 8) / 2, in the money. One spare number.
  const std::vector<float> data = {3, 1, 1, 0,    0, 0, 0, 6, 10, 1,  //
                                   0, 0, 0, 0,    0, 0,               //
                                   1, 1, 8, 0.5f, 2, 1,               //
                                   2, 0, 0, 0,    0, 0};
  const ExercisePolicyView<float> v = view_exercise_policy(data.data(), data.data());
  CHECK(v.dates == 3);
  CHECK(v.strike == 10);
  const auto exercises = [&](int date, float s) {
    const float spot[8] = {s};
    return should_exercise(v, date, spot, static_cast<const float*>(nullptr));
  };
  const float eight[8] = {8}, three[8] = {3};
  CHECK(continuation_value(v, 1, eight, static_cast<const float*>(nullptr)) == 2);
  CHECK(continuation_value(v, 1, three, static_cast<const float*>(nullptr)) == 0);  // -0.5, floored
  CHECK_FALSE(exercises(0, 1));
  CHECK(exercises(1, 8));
  CHECK_FALSE(exercises(1, 8.5f));
  CHECK_FALSE(exercises(1, 11));
  CHECK_FALSE(exercises(1, std::numeric_limits<float>::quiet_NaN()));
  CHECK(exercises(2, 9.99f));
  CHECK_FALSE(exercises(2, 10));
}
