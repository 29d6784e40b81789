#include "kernels/options/householder.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "kernels/options/basis.hpp"
#include "kernels/options/regression.hpp"

// What a device's blocks do, by one thread: parts of rows to triangles, triangles to one, and its solution. Against
// modified Gram and Schmidt in long double, and against the host's least squares.

using namespace ergode::kernels;

namespace {

using Row = std::function<void(std::int64_t, double*)>;  // terms, then the value

struct Fit {
  std::vector<double> coefficients;
  int rank;
};

/// In the shape of a device: parts of `part` rows, and as many triangles at a time as fill a tile.
Fit by_triangles(std::int64_t rows, int terms, const Row& row, int part = 1024) {
  const int columns = terms + 1;
  const std::int64_t square = std::int64_t{columns} * columns;
  std::vector<double> memory(static_cast<std::size_t>(Absorber<SerialTeam>::memory(columns))), triangles;
  std::vector<double> one(static_cast<std::size_t>(columns));
  for (std::int64_t first = 0; first < std::max<std::int64_t>(rows, 1); first += part) {
    Absorber<SerialTeam> absorber({}, columns, memory.data());
    absorber.absorb(static_cast<int>(std::min<std::int64_t>(part, rows - first)), [&](int i, const TileRow& to) {
      row(first + i, one.data());
      for (int k = 0; k < columns; ++k) to[k] = one[static_cast<std::size_t>(k)];
    });
    triangles.resize(triangles.size() + static_cast<std::size_t>(square));
    absorber.write(triangles.data() + triangles.size() - square);
  }
  auto count = static_cast<std::int64_t>(triangles.size()) / square;
  while (count > 1) {
    std::vector<double> joined;
    for (std::int64_t first = 0; first < count; first += triangles_a_tile(columns)) {
      Absorber<SerialTeam> absorber({}, columns, memory.data());
      absorber.absorb_triangles(triangles.data() + first * square,
                                static_cast<int>(std::min<std::int64_t>(triangles_a_tile(columns), count - first)),
                                square);
      joined.resize(joined.size() + static_cast<std::size_t>(square));
      absorber.write(joined.data() + joined.size() - square);
    }
    triangles = joined;
    count = static_cast<std::int64_t>(triangles.size()) / square;
  }
  std::vector<double> scratch(static_cast<std::size_t>(solve_scratch(terms)));
  Fit fit{std::vector<double>(static_cast<std::size_t>(terms)), 0};
  fit.rank = solve_triangle(SerialTeam{}, triangles.data(), terms, scratch.data(), fit.coefficients.data());
  return fit;
}

LeastSquaresFit by_host(std::int64_t rows, int terms, const Row& row) {
  const RowSource source = [&](std::int64_t first, std::int64_t last, double* out) {
    for (std::int64_t i = first; i < last; ++i) row(i, out + (i - first) * (terms + 1));
    return static_cast<int>(last - first);
  };
  return least_squares(rows, terms, source, 1);
}

/// The values of the least-squares fit at the rows, in long double; columns that add less than 1e-12 of themselves are
/// left out.
std::vector<long double> projection(std::int64_t rows, int terms, const Row& row) {
  const auto n = static_cast<std::size_t>(rows);
  std::vector<std::vector<long double>> columns(static_cast<std::size_t>(terms) + 1, std::vector<long double>(n));
  std::vector<double> one(columns.size());
  for (std::size_t i = 0; i < n; ++i) {
    row(static_cast<std::int64_t>(i), one.data());
    for (std::size_t k = 0; k < one.size(); ++k) columns[k][i] = one[k];
  }
  const auto dot = [&](const std::vector<long double>& a, const std::vector<long double>& b) {
    long double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  };
  const auto subtract = [&](std::vector<long double>& from, const std::vector<long double>& q) {
    const long double part = dot(from, q);
    for (std::size_t i = 0; i < n; ++i) from[i] -= part * q[i];
  };
  std::vector<long double> fit(n, 0);
  std::vector<std::vector<long double>> basis;
  for (int k = 0; k < terms; ++k) {
    std::vector<long double> q = columns[static_cast<std::size_t>(k)];
    const long double before = std::sqrt(dot(q, q));
    for (int twice = 0; twice < 2; ++twice)
      for (const auto& b : basis) subtract(q, b);
    const long double length = std::sqrt(dot(q, q));
    if (!(length > 1e-12L * before)) continue;
    for (long double& x : q) x /= length;
    const long double part = dot(columns.back(), q);
    for (std::size_t i = 0; i < n; ++i) fit[i] += part * q[i];
    subtract(columns.back(), q);
    basis.push_back(std::move(q));
  }
  return fit;
}

/// The largest difference of fitted values from the projection, relative to the largest of these.
double distance(std::int64_t rows, int terms, const Row& row, const std::vector<double>& coefficients,
                const std::vector<long double>& truth) {
  long double most = 0, scale = 0;
  std::vector<double> one(static_cast<std::size_t>(terms) + 1);
  for (std::int64_t i = 0; i < rows; ++i) {
    row(i, one.data());
    long double value = 0;
    for (int k = 0; k < terms; ++k)
      value += static_cast<long double>(one[static_cast<std::size_t>(k)]) * coefficients[static_cast<std::size_t>(k)];
    most = std::max(most, std::abs(value - truth[static_cast<std::size_t>(i)]));
    scale = std::max(scale, std::abs(truth[static_cast<std::size_t>(i)]));
  }
  return static_cast<double>(most / scale);
}

/// All terms of a basis in variables on [-spread, spread], and a noisy value.
Row polynomial(BasisFamily family, int variables, int order, double centre, double spread) {
  return [=](std::int64_t i, double* out) {
    std::mt19937_64 bits(static_cast<std::uint64_t>(i) + 1);
    std::uniform_real_distribution<double> uniform(-spread, spread);
    std::normal_distribution<double> normal;
    double x[max_basis_variables], sum = 0;
    for (int k = 0; k < variables; ++k) sum += x[k] = centre + uniform(bits);
    BasisTerms<double> term(family, variables, order, x);
    const int terms = basis_terms(variables, order);
    for (int k = 0; k < terms; ++k) {
      out[k] = term.value();
      term.advance();
    }
    out[terms] = std::exp(0.3 * sum) + 0.1 * normal(bits);
  };
}

/// Both fits against the truth.
void check_fit(std::int64_t rows, int terms, const Row& row, int rank, double tolerance, int part = 1024) {
  const auto truth = projection(rows, terms, row);
  const Fit fit = by_triangles(rows, terms, row, part);
  CHECK(fit.rank == rank);
  CHECK(distance(rows, terms, row, fit.coefficients, truth) < tolerance);
  const LeastSquaresFit host = by_host(rows, terms, row);
  CHECK(host.rank == rank);
  CHECK(distance(rows, terms, row, host.coefficients, truth) < tolerance);
}

}  // namespace

TEST_CASE("Triangles of parts, joined as rows, give the least squares at every order up to 63 terms") {
  for (int order = 0; order <= 20; ++order) {
    INFO("one variable, order " << order);
    check_fit(2500, order + 1, polynomial(BasisFamily::chebyshev, 1, order, 0, 1), order + 1, 1e-12);
  }
  for (const auto& [variables, order] : {std::pair{2, 9}, {3, 5}, {5, 2}}) {
    INFO(variables << " variables, order " << order);
    const int terms = basis_terms(variables, order);
    check_fit(3000, terms, polynomial(BasisFamily::chebyshev, variables, order, 0, 1), terms, 1e-12);
  }
  // The most columns that a block takes, and parts so small that they are joined three times.
  const Row wide = [](std::int64_t i, double* out) {
    std::mt19937_64 bits(static_cast<std::uint64_t>(i) + 1);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 64; ++k) out[k] = normal(bits);
  };
  check_fit(1000, 63, wide, 63, 1e-12, 40);
}

// Monomials up to the fourth on 30 +- 0.3 have a condition above 1e8, which enters once: squared it leaves no digit.
TEST_CASE("Nearly dependent columns are fitted to the precision that their condition leaves") {
  check_fit(4000, 5, polynomial(BasisFamily::monomial, 1, 4, 30, 0.3), 5, 1e-6);
  const Row near = [](std::int64_t i, double* out) {
    std::mt19937_64 bits(static_cast<std::uint64_t>(i) + 1);
    std::normal_distribution<double> normal;
    const double x = normal(bits), y = normal(bits);
    out[0] = 1;
    out[1] = x;
    out[2] = x + 1e-8 * y;
    out[3] = 1 + x + y + normal(bits);
  };
  check_fit(3000, 3, near, 3, 1e-6);
}

TEST_CASE("Dependent columns, rows of zeros, few rows and no row at all have a solution") {
  const Row dependent = [](std::int64_t i, double* out) {
    std::mt19937_64 bits(static_cast<std::uint64_t>(i) + 1);
    std::normal_distribution<double> normal;
    const double x = normal(bits), y = normal(bits);
    const double row[] = {1, x, 7, 2 * x - 1, 0, y, x + y, 4 + 3 * x - 2 * y + normal(bits)};
    for (int k = 0; k < 8; ++k) out[k] = i % 3 == 0 ? row[k] : 0;
  };
  check_fit(2000, 7, dependent, 3, 1e-12);
  const Row square = polynomial(BasisFamily::chebyshev, 1, 5, 0, 1);
  for (std::int64_t rows : {1, 2, 5, 6, 7, 255, 256, 257, 1024, 1025}) {
    INFO(rows << " rows");
    check_fit(rows, 6, square, static_cast<int>(std::min<std::int64_t>(rows, 6)), 1e-10);
  }
  const Fit none = by_triangles(0, 3, square);
  CHECK(none.rank == 0);
  CHECK(none.coefficients == std::vector<double>(3, 0.0));
}

TEST_CASE("A sum of a team is that of 32 lanes added as a tree") {
  double out[2];
  const auto add = [](int k, int i, double sum) { return sum + (k == 0 ? 1.0 : std::ldexp(1.0, i % 32)); };
  SerialTeam().sums(2, 100, add, out);
  CHECK(out[0] == 100);
  CHECK(out[1] == 3 * (std::ldexp(1.0, 32) - 1) + 15);
  SerialTeam().sums(1, 0, add, out);
  CHECK(out[0] == 0);
}
