#include "kernels/options/regression.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

using namespace ergode::kernels;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

struct Problem {
  std::int64_t items;
  int terms;
  std::vector<double> rows;  // (items, terms + 1)
};

Problem problem(std::int64_t items, int terms, const std::function<void(std::int64_t, double*)>& row) {
  Problem p{items, terms, std::vector<double>(static_cast<std::size_t>(items) * (terms + 1))};
  for (std::int64_t i = 0; i < items; ++i) row(i, p.rows.data() + i * (terms + 1));
  return p;
}

LeastSquaresFit solve(const Problem& p, int threads = 2) {
  const RowSource source = [&](std::int64_t first, std::int64_t last, double* out) {
    std::copy(p.rows.begin() + first * (p.terms + 1), p.rows.begin() + last * (p.terms + 1), out);
    return static_cast<int>(last - first);
  };
  return least_squares(p.items, p.terms, source, threads);
}

/// By the normal equations and Cholesky factors in long double.
std::vector<double> normal_equations(const Problem& p) {
  const int n = p.terms;
  std::vector<std::vector<long double>> a(n, std::vector<long double>(n + 1, 0));
  for (std::int64_t i = 0; i < p.items; ++i) {
    const double* row = p.rows.data() + i * (n + 1);
    for (int j = 0; j < n; ++j)
      for (int k = 0; k <= n; ++k) a[j][k] += static_cast<long double>(row[j]) * row[k];
  }
  for (int j = 0; j < n; ++j) {  // elimination without exchanges is stable for a positive definite matrix
    for (int i = j + 1; i < n; ++i) {
      const long double f = a[i][j] / a[j][j];
      for (int k = j; k <= n; ++k) a[i][k] -= f * a[j][k];
    }
  }
  std::vector<double> x(n);
  std::vector<long double> solution(n);
  for (int j = n - 1; j >= 0; --j) {
    long double sum = a[j][n];
    for (int k = j + 1; k < n; ++k) sum -= a[j][k] * solution[k];
    x[j] = static_cast<double>(solution[j] = sum / a[j][j]);
  }
  return x;
}

/// Sum of squares of what a fit leaves.
double misfit(const Problem& p, const std::vector<double>& x) {
  double sum = 0;
  for (std::int64_t i = 0; i < p.items; ++i) {
    const double* row = p.rows.data() + i * (p.terms + 1);
    double rest = -row[p.terms];
    for (int k = 0; k < p.terms; ++k) rest += row[k] * x[k];
    sum += rest * rest;
  }
  return sum;
}

Problem noisy(std::int64_t items, int terms, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  return problem(items, terms, [&](std::int64_t, double* row) {
    row[terms] = normal(bits);
    for (int k = 0; k < terms; ++k) row[terms] += (k + 1) * (row[k] = normal(bits));
  });
}

}  // namespace

TEST_CASE("Least squares agree with the normal equations in long double") {
  for (std::int64_t items : {8, 127, 129, 4096, 9001}) {
    const Problem p = noisy(items, 7, items);
    const LeastSquaresFit fit = solve(p);
    const std::vector<double> truth = normal_equations(p);
    INFO(items << " rows");
    CHECK(fit.rank == 7);
    CHECK(fit.rows == items);
    for (int k = 0; k < 7; ++k) CHECK_THAT(fit.coefficients[k], WithinAbs(truth[k], 1e-11));
    CHECK_THAT(fit.residual, WithinRel(std::sqrt(misfit(p, truth)), 1e-10));
  }
}

TEST_CASE("Least squares have the same bits for any number of threads") {
  const Problem p = noisy(70001, 5, 3);
  const LeastSquaresFit one = solve(p, 1);
  for (int threads : {2, 3, 4, 7}) {
    const LeastSquaresFit other = solve(p, threads);
    CHECK(one.coefficients == other.coefficients);
    CHECK(one.residual == other.residual);
  }
}

TEST_CASE("Rows that do not take part leave no trace, and whole blocks may be empty") {
  const Problem p = noisy(5000, 3, 4);
  const auto part = [](std::int64_t i) { return i % 3 == 1 && (i < 1000 || i > 1300); };
  const RowSource source = [&](std::int64_t first, std::int64_t last, double* out) {
    int count = 0;
    for (std::int64_t i = first; i < last; ++i)
      if (part(i)) std::copy_n(p.rows.begin() + i * 4, 4, out + 4 * count++);
    return count;
  };
  Problem kept{0, 3, {}};
  for (std::int64_t i = 0; i < p.items; ++i)
    if (part(i)) {
      kept.rows.insert(kept.rows.end(), p.rows.begin() + i * 4, p.rows.begin() + i * 4 + 4);
      ++kept.items;
    }
  const LeastSquaresFit fit = least_squares(p.items, 3, source, 2);
  const std::vector<double> truth = normal_equations(kept);
  CHECK(fit.rows == kept.items);
  for (int k = 0; k < 3; ++k) CHECK_THAT(fit.coefficients[k], WithinAbs(truth[k], 1e-12));
}

TEST_CASE("An exact polynomial comes back from its values") {
  const double truth[] = {3, -1, 0.5, 2, -0.25, 1};
  const Problem p = problem(1000, 6, [&](std::int64_t i, double* row) {
    const double x = -1 + 2 * i / 999.0;
    row[6] = 0;
    for (int k = 0; k < 6; ++k) row[6] += truth[k] * (row[k] = std::pow(x, k));
  });
  const LeastSquaresFit fit = solve(p);
  CHECK(fit.rank == 6);
  for (int k = 0; k < 6; ++k) CHECK_THAT(fit.coefficients[k], WithinAbs(truth[k], 1e-12));
  CHECK(fit.residual < 1e-12);
}

// Monomials of degree up to 9 on [0, 1]: a condition of about 1e7, of the normal equations 1e13.
TEST_CASE("Ill-conditioned monomials are fitted to the precision that their condition leaves") {
  const int terms = 10;
  const Problem p = problem(5000, terms, [&](std::int64_t i, double* row) {
    const double x = i / 4999.0;
    row[terms] = 0;
    for (int k = 0; k < terms; ++k) row[terms] += row[k] = std::pow(x, k);
  });
  const LeastSquaresFit fit = solve(p);
  CHECK(fit.rank == terms);
  for (double c : fit.coefficients) CHECK_THAT(c, WithinAbs(1, 1e-7));
  CHECK(misfit(p, fit.coefficients) < 1e-24 * 5000);
}

TEST_CASE("A badly scaled column counts as any other") {
  const Problem p = problem(300, 2, [](std::int64_t i, double* row) {
    row[0] = 1e-30 * std::sin(static_cast<double>(i));
    row[1] = 1e20 * std::cos(static_cast<double>(i));
    row[2] = 2e30 * row[0] + 3e-20 * row[1];
  });
  const LeastSquaresFit fit = solve(p);
  CHECK(fit.rank == 2);
  CHECK_THAT(fit.coefficients[0], WithinRel(2e30, 1e-12));
  CHECK_THAT(fit.coefficients[1], WithinRel(3e-20, 1e-12));
}

TEST_CASE("Dependent, constant and zero columns are left out and the fit is as good as without them") {
  std::mt19937_64 bits(5);
  std::normal_distribution<double> normal;
  // 1, x, 7 (constant), 2 x - 1, 0, y, x + y
  Problem p = problem(2000, 7, [&](std::int64_t, double* row) {
    const double x = normal(bits), y = normal(bits);
    const double columns[] = {1, x, 7, 2 * x - 1, 0, y, x + y};
    std::copy_n(columns, 7, row);
    row[7] = 4 + 3 * x - 2 * y + normal(bits);
  });
  const LeastSquaresFit fit = solve(p);
  CHECK(fit.rank == 3);
  CHECK(fit.coefficients[4] == 0);
  Problem independent = problem(2000, 3, [&](std::int64_t i, double* row) {
    const double* full = p.rows.data() + i * 8;
    row[0] = 1;
    row[1] = full[1];
    row[2] = full[5];
    row[3] = full[7];
  });
  CHECK_THAT(misfit(p, fit.coefficients), WithinRel(misfit(independent, normal_equations(independent)), 1e-12));
  for (double c : fit.coefficients) CHECK(std::abs(c) < 100);
}

TEST_CASE("No row gives zero, and fewer rows than terms are met exactly") {
  const LeastSquaresFit none = solve(noisy(0, 4, 6));
  CHECK(none.coefficients == std::vector<double>(4, 0.0));
  CHECK(none.rank == 0);
  CHECK(none.rows == 0);
  for (std::int64_t items : {1, 3}) {
    const Problem p = noisy(items, 4, 7);
    const LeastSquaresFit fit = solve(p);
    CHECK(fit.rank == items);
    CHECK(misfit(p, fit.coefficients) < 1e-24);
    CHECK(fit.residual < 1e-12);
  }
}
