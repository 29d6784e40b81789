#pragma once

#include <cstddef>
#include <vector>

#include "sim/options/settings.hpp"

// Correlations of the assets' Brownian motions. Matrices are d x d, row-major.

namespace ergode::sim::options {

/// Of the instrument's underlyings, in its order: the instrument's own correlation where it has one, else the market's.
/// Pairs that are not listed have 0. With `nearest`, a matrix that is not positive semidefinite is replaced.
std::vector<double> correlation_matrix(const Settings& settings, const Instrument& instrument);
std::vector<double> correlation_matrix(const MarketSettings& market, const Instrument& instrument);

/// Lower L with L L^T the matrix, which is positive semidefinite up to rounding: a pivot that is no more than rounding
/// is 0, and its column with it.
std::vector<double> cholesky_of_semidefinite(const std::vector<double>& matrix, std::size_t d);

/// Eigenvalues in no order, and eigenvectors as columns, of a symmetric matrix (cyclic Jacobi; Golub & Van Loan, Matrix
/// Computations, section 8.5).
struct Eigen {
  std::vector<double> values, vectors;
};
Eigen symmetric_eigen(std::vector<double> matrix, std::size_t d);
double smallest_eigenvalue(const std::vector<double>& matrix, std::size_t d);

/// Whether no eigenvalue is below -1e-10 d: rounding may leave that of a singular matrix.
bool is_semidefinite(const std::vector<double>& matrix, std::size_t d);

/// The correlation matrix nearest to a symmetric one in the Frobenius norm: alternating projections with Dykstra's
/// correction (Higham, IMA J. Numer. Anal. 22, 329, 2002, algorithm 3.3).
std::vector<double> nearest_correlation(const std::vector<double>& matrix, std::size_t d);

}  // namespace ergode::sim::options
