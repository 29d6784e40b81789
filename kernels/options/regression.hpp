#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace ergode::kernels {

/// Writes the rows of items first .. last - 1 (at most regression_block of them) that take part, row-major, each of
/// `terms` regressors and then the value; returns how many rows. Called from several threads at once; may not throw.
using RowSource = std::function<int(std::int64_t first, std::int64_t last, double* rows)>;

inline constexpr std::int64_t regression_block = 128;   ///< items asked for at once
inline constexpr std::int64_t regression_chunk = 4096;  ///< items of one factor; part of the result's last bits

struct LeastSquaresFit {
  std::vector<double> coefficients;  ///< one a term
  std::int64_t rows = 0;
  int rank = 0;         ///< columns that count; those found dependent have the coefficient 0
  double residual = 0;  ///< root of the sum of squares that is left at full rank
};

/// The coefficients that minimise the sum of squares of (regressors . coefficients - value) over all rows, by
/// Householder transformations as the rows come in (Golub & Van Loan 2013, sections 5.2 and 6.3): the condition number
/// enters once, not squared as in the normal equations, and no matrix of all rows is kept. Columns are then scaled to
/// unit length and taken in order of what they add (QR with column pivoting, section 5.4.2); those that add less than
/// 1e-12 are left out, so that dependent or constant columns and fewer rows than terms give a solution too. No rows:
/// all zero. Chunks are factored apart and joined in their order: the bits do not depend on `threads` >= 1.
LeastSquaresFit least_squares(std::int64_t items, int terms, const RowSource& source, int threads);

}  // namespace ergode::kernels
