#include "sim/options/correlation.hpp"

#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <random>

#include "tests/options/read_settings.hpp"

using namespace ergode;
using namespace ergode::sim::options;
using namespace ergode::testing;
using Catch::Approx;

namespace {

using Matrix = std::vector<double>;

double largest_difference(const Matrix& a, const Matrix& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

Matrix product_with_transpose(const Matrix& l, std::size_t rows, std::size_t columns) {
  Matrix out(rows * rows, 0.0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < rows; ++j) {
      long double sum = 0;
      for (std::size_t k = 0; k < columns; ++k)
        sum += static_cast<long double>(l[i * columns + k]) * static_cast<long double>(l[j * columns + k]);
      out[i * rows + j] = static_cast<double>(sum);
    }
  return out;
}

/// Of unit vectors in `rank` dimensions: a correlation matrix of that rank.
Matrix random_correlation(std::size_t d, std::size_t rank, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  Matrix x(d * rank);
  for (std::size_t i = 0; i < d; ++i) {
    double norm = 0;
    for (std::size_t k = 0; k < rank; ++k) norm += std::pow(x[i * rank + k] = normal(rng), 2);
    for (std::size_t k = 0; k < rank; ++k) x[i * rank + k] /= std::sqrt(norm);
  }
  Matrix out = product_with_transpose(x, d, rank);
  for (std::size_t i = 0; i < d; ++i) out[i * d + i] = 1;
  return out;
}

std::string three(const std::string& correlation, const std::string& own = "") {
  std::string text = "market:\n  correlation: " + correlation + "\n  underlyings:\n";
  for (const char* name : {"A", "B", "C"})
    text += std::string("    ") + name + ": {spot: 1, model: gbm, volatility: 0.2}\n";
  return text + "options: [{product: rainbow, underlyings: [C, A, B], strike: 1, maturity: 1" +
         (own.empty() ? "" : ", correlation: " + own) + "}]\n";
}

Matrix of_option(const std::string& text) {
  const Read read = read_settings(text);
  return correlation_matrix(read.settings, read.settings.options[0]);
}

}  // namespace

TEST_CASE("A Cholesky factor gives its matrix back, of full and of lesser rank") {
  std::mt19937 rng(1);
  for (const std::size_t d : {1u, 2u, 5u, 12u, 30u})
    for (const std::size_t rank : {std::size_t{1}, (d + 1) / 2, d}) {
      const Matrix matrix = random_correlation(d, rank, rng);
      const Matrix lower = cholesky_of_semidefinite(matrix, d);
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = i + 1; j < d; ++j) CHECK(lower[i * d + j] == 0);
      INFO(d << " of rank " << rank);
      CHECK(largest_difference(product_with_transpose(lower, d, d), matrix) < 1e-7);  // a root of rounding, at most
      if (rank == d) CHECK(largest_difference(product_with_transpose(lower, d, d), matrix) < 1e-13);
    }
  CHECK(cholesky_of_semidefinite({1, 1, 1, 1}, 2) == Matrix{1, 0, 1, 0});
  CHECK(cholesky_of_semidefinite({1, -1, -1, 1}, 2) == Matrix{1, 0, -1, 0});
  CHECK(cholesky_of_semidefinite({1, 0, 0, 1}, 2) == Matrix{1, 0, 0, 1});
}

TEST_CASE("Eigenvalues are those of known matrices, and eigenvectors satisfy their equation") {
  // Equal correlation rho: 1 - rho, d - 1 times, and 1 + (d - 1) rho.
  for (const double rho : {-0.2, 0.5, 0.99}) {
    Matrix matrix(25, rho);
    for (std::size_t i = 0; i < 5; ++i) matrix[i * 6] = 1;
    CHECK(smallest_eigenvalue(matrix, 5) == Approx(std::min(1 - rho, 1 + 4 * rho)).epsilon(1e-13));
  }
  std::mt19937 rng(2);
  const std::size_t d = 20;
  const Matrix matrix = random_correlation(d, d, rng);
  const Eigen eigen = symmetric_eigen(matrix, d);
  double worst = 0;
  for (std::size_t e = 0; e < d; ++e)
    for (std::size_t i = 0; i < d; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < d; ++k) sum += matrix[i * d + k] * eigen.vectors[k * d + e];
      worst = std::max(worst, std::abs(sum - eigen.values[e] * eigen.vectors[i * d + e]));
    }
  CHECK(worst < 1e-13);
}

TEST_CASE("The nearest correlation matrix is the known one, and no perturbation is nearer") {
  // Higham 2002, section 4: the matrix with 1 on three diagonals and 0 in the corner.
  const Matrix nearest = nearest_correlation({1, 1, 0, 1, 1, 1, 0, 1, 1}, 3);
  CHECK(nearest[1] == Approx(0.7607).margin(5e-5));
  CHECK(nearest[2] == Approx(0.1573).margin(5e-5));
  CHECK(nearest[5] == Approx(0.7607).margin(5e-5));

  std::mt19937 rng(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::size_t d = 6;
  Matrix wrong(d * d, 1.0);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < i; ++j) wrong[i * d + j] = wrong[j * d + i] = uniform(rng);
  REQUIRE_FALSE(is_semidefinite(wrong, d));
  const Matrix found = nearest_correlation(wrong, d);
  CHECK(is_semidefinite(found, d));
  const auto distance = [&](const Matrix& x) {
    double sum = 0;
    for (std::size_t i = 0; i < d * d; ++i) sum += std::pow(x[i] - wrong[i], 2);
    return sum;
  };
  for (std::size_t i = 0; i < d; ++i) CHECK(found[i * d + i] == 1);
  for (int trial = 0; trial < 200; ++trial) {
    // The set is convex: on the way to any other of its members the distance only grows.
    const Matrix other = random_correlation(d, 1 + static_cast<std::size_t>(trial) % d, rng);
    Matrix towards = found;
    for (std::size_t i = 0; i < d * d; ++i) towards[i] += 1e-4 * (other[i] - found[i]);
    CHECK(distance(towards) > distance(found));
  }
  CHECK(largest_difference(nearest_correlation({1, 0.5, 0.5, 1}, 2), {1, 0.5, 0.5, 1}) < 1e-14);
}

TEST_CASE("An option's matrix follows its order, and its own correlation comes before the market's") {
  const std::string listed = "{order: [A, B], matrix: [[1, 0.3], [0.3, 1]]}";
  CHECK(of_option(three("0.5")) == Matrix{1, 0.5, 0.5, 0.5, 1, 0.5, 0.5, 0.5, 1});
  CHECK(of_option(three(listed)) == Matrix{1, 0, 0, 0, 1, 0.3, 0, 0.3, 1});
  CHECK(of_option(three("0.5", listed)) == Matrix{1, 0, 0, 0, 1, 0.3, 0, 0.3, 1});
  CHECK(of_option(three(listed, "{all_pairs: -0.5}")) == Matrix{1, -0.5, -0.5, -0.5, 1, -0.5, -0.5, -0.5, 1});
}

TEST_CASE("A matrix that is no correlation matrix is refused with its smallest eigenvalue, or replaced on request") {
  const std::string bad = "{order: [A, B, C], matrix: [[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]]";
  // Equal |rho| with one sign turned: 1 - 2 * 0.9.
  CHECK(refusal(three(bad + "}"))
            .has("c.yaml:2:43: 'market.correlation.matrix': is not positive semidefinite: its "
                 "smallest eigenvalue is -0.8;"));
  const Read read = read_settings(three(bad + ", nearest: true}"));
  REQUIRE(read.result.warnings.size() == 1);
  CHECK(read.result.warnings[0].find("the nearest that is stands for it; correlations change by up to 0.4") !=
        std::string::npos);
  const Matrix replaced = correlation_matrix(read.settings, read.settings.options[0]);
  // By symmetry all three have the same size, the largest that is semidefinite: 0.5. The order is C, A, B.
  CHECK(largest_difference(replaced, {1, -0.5, 0.5, -0.5, 1, 0.5, 0.5, 0.5, 1}) < 1e-7);
  const Read again = read_settings(read.result.used_yaml);
  CHECK(correlation_matrix(again.settings, again.settings.options[0]) == replaced);

  CHECK(refusal(three("-0.6"))
            .has("'options.0.correlation': -0.6 between all pairs of 3 underlyings is not positive "
                 "semidefinite: the smallest eigenvalue is -0.2;"));
  const auto said = read_settings(three("{all_pairs: -0.6, nearest: true}")).result.warnings;
  REQUIRE(said.size() == 1);
  CHECK(
      said[0].find("a correlation of -0.6 between all pairs of 3 underlyings is not positive semidefinite: the nearest "
                   "matrix that is stands for it, with -0.5") != std::string::npos);
  CHECK(largest_difference(of_option(three("{all_pairs: -0.6, nearest: true}")),
                           {1, -0.5, -0.5, -0.5, 1, -0.5, -0.5, -0.5, 1}) < 1e-7);
  const std::pair<const char*, const char*> cases[] = {
      {"{order: [A, B], matrix: [[1, 0.3], [0.2, 1]]}",
       "is not symmetric: row 2, column 1 has 0.2, row 1, column 2 has 0.3"},
      {"{order: [A, B], matrix: [[1, 0.3], [0.3, 0.9]]}", "found 0.9 on the diagonal in row 2; it must be 1"},
      {"{order: [A, B], matrix: [[1, 0.3]]}", "must have 2 rows of 2 numbers"},
      {"{order: [A, A], matrix: [[1, 0.3], [0.3, 1]]}", "'A' stands here twice"},
      {"{order: [A, D], matrix: [[1, 0.3], [0.3, 1]]}", "'D' in `order` is no underlying; allowed here: A, B, C"},
      {"{order: [A, B], matrix: [[1, 1.1], [1.1, 1]]}", "allowed is at least -1, at most 1"},
      {"{all_pairs: 0.1, order: [A, B]}", "give all_pairs, or order and matrix, not both"},
      {"{nearest: true}", "or one number for all pairs"},
      {"[0.5]", "expected a mapping"},
      {"high", "'market.correlation.all_pairs': expected a finite number"}};
  for (const auto& [correlation, message] : cases) {
    const Refusal refused = refusal(three(correlation));
    INFO(correlation << "\n" << refused.text);
    CHECK(refused.code == io::ExitCode::config);
    CHECK(refused.has("c.yaml:2:"));
    CHECK(refused.has(message));
  }
}
