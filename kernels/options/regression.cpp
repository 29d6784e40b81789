#include "kernels/options/regression.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ergode::kernels {

namespace {

constexpr double rank_tolerance = 1e-12;

/// Replaces the upper triangle r (size, size) by that of the QR factors of r over `rows` (count, size), which it
/// destroys. `triangular`: row i of `rows` begins with i zeros, and they are stepped over.
void absorb(double* r, int size, double* rows, std::int64_t count, bool triangular, double* work) {
  for (int j = 0; j < size; ++j) {
    const std::int64_t reach = triangular ? std::min<std::int64_t>(count, j + 1) : count;
    double squares = 0;
    for (std::int64_t i = 0; i < reach; ++i) squares += rows[i * size + j] * rows[i * size + j];
    if (squares == 0) continue;
    double* top = r + static_cast<std::int64_t>(j) * size;
    const double alpha = top[j];
    const double length = std::sqrt(alpha * alpha + squares);
    const double beta = alpha > 0 ? -length : length;  // the sign that does not cancel
    const double tau = (beta - alpha) / beta, inverse = 1 / (alpha - beta);
    top[j] = beta;
    // Row by row, so that the inner loops run along memory and vectorise without a change of order.
    for (int k = j + 1; k < size; ++k) work[k] = top[k];
    for (std::int64_t i = 0; i < reach; ++i) {
      double* row = rows + i * size;
      const double v = row[j] *= inverse;
      for (int k = j + 1; k < size; ++k) work[k] += v * row[k];
    }
    for (int k = j + 1; k < size; ++k) {
      work[k] *= tau;
      top[k] -= work[k];
    }
    for (std::int64_t i = 0; i < reach; ++i) {
      double* row = rows + i * size;
      const double v = row[j];
      for (int k = j + 1; k < size; ++k) row[k] -= v * work[k];
    }
  }
}

/// Solves min |r x - b|, r the leading (terms, terms) of a triangle (size, size), b its last column.
void solve(const std::vector<double>& triangle, int terms, LeastSquaresFit& fit) {
  const int size = terms + 1;
  // Columns of r scaled to unit length, stored one after the other; b after them.
  std::vector<double> a(static_cast<std::size_t>(terms) * size), length(terms, 0.0);
  const auto column = [&](int k) { return a.data() + static_cast<std::size_t>(k) * terms; };
  for (int k = 0; k <= terms; ++k) {
    for (int i = 0; i < terms; ++i) column(k)[i] = i <= k ? triangle[static_cast<std::size_t>(i) * size + k] : 0.0;
    if (k == terms) break;
    for (int i = 0; i <= k; ++i) length[k] = std::hypot(length[k], column(k)[i]);
    if (length[k] > 0)
      for (int i = 0; i <= k; ++i) column(k)[i] /= length[k];
  }
  std::vector<int> order(terms);
  std::iota(order.begin(), order.end(), 0);
  const auto squares_below = [&](int k, int j) {
    double sum = 0;
    for (int i = j; i < terms; ++i) sum += column(k)[i] * column(k)[i];
    return sum;
  };
  int rank = 0;
  for (; rank < terms; ++rank) {
    const int j = rank;
    int best = j;
    double most = -1;
    for (int k = j; k < terms; ++k) {
      const double squares = squares_below(order[k], j);
      if (squares > most) most = squares, best = k;
    }
    if (!(std::sqrt(most) > rank_tolerance)) break;
    std::swap(order[j], order[best]);
    double* pivot = column(order[j]);
    const double beta = pivot[j] > 0 ? -std::sqrt(most) : std::sqrt(most);
    const double head = pivot[j] - beta;
    const double tau = -head / beta;
    for (int i = j + 1; i < terms; ++i) pivot[i] /= head;
    pivot[j] = beta;
    const auto reflect = [&](double* c) {
      double w = c[j];
      for (int i = j + 1; i < terms; ++i) w += pivot[i] * c[i];
      w *= tau;
      c[j] -= w;
      for (int i = j + 1; i < terms; ++i) c[i] -= w * pivot[i];
    };
    for (int k = j + 1; k < terms; ++k) reflect(column(order[k]));
    reflect(column(terms));
  }
  fit.rank = rank;
  const double* b = column(terms);
  for (int j = rank - 1; j >= 0; --j) {
    double x = b[j];
    for (int k = j + 1; k < rank; ++k) x -= column(order[k])[j] * fit.coefficients[order[k]];
    fit.coefficients[order[j]] = x / column(order[j])[j];
  }
  for (int j = 0; j < rank; ++j) fit.coefficients[order[j]] /= length[order[j]];
}

}  // namespace

LeastSquaresFit least_squares(std::int64_t items, int terms, const RowSource& source, int threads) {
  const int size = terms + 1;
  const std::size_t square = static_cast<std::size_t>(size) * size;
  threads = std::max(threads, 1);
  const std::int64_t chunks = (items + regression_chunk - 1) / regression_chunk;
  // Waves of a few chunks a thread bound the memory; joining goes by chunk, so their length leaves no trace.
  const std::int64_t wave = std::min<std::int64_t>(std::max<std::int64_t>(chunks, 1), 4 * threads);
  std::vector<double> factors(square * wave), result(square, 0.0), work(static_cast<std::size_t>(size) * threads);
  std::vector<double> rows(static_cast<std::size_t>(size) * regression_block * threads);
  std::vector<std::int64_t> counts(wave);
  LeastSquaresFit fit;
  fit.coefficients.assign(terms, 0.0);
  for (std::int64_t first = 0; first < chunks; first += wave) {
    const std::int64_t last = std::min(first + wave, chunks);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (std::int64_t c = first; c < last; ++c) {
      const std::size_t thread = omp_get_thread_num();
      double* block = rows.data() + thread * size * regression_block;
      double* factor = factors.data() + square * (c - first);
      std::fill_n(factor, square, 0.0);
      counts[c - first] = 0;
      const std::int64_t end = std::min((c + 1) * regression_chunk, items);
      for (std::int64_t i = c * regression_chunk; i < end; i += regression_block) {
        const int count = source(i, std::min(i + regression_block, end), block);
        absorb(factor, size, block, count, false, work.data() + thread * size);
        counts[c - first] += count;
      }
    }
    for (std::int64_t c = first; c < last; ++c) {
      absorb(result.data(), size, factors.data() + square * (c - first), size, true, work.data());
      fit.rows += counts[c - first];
    }
  }
  fit.residual = std::abs(result[square - 1]);
  solve(result, terms, fit);
  return fit;
}

}  // namespace ergode::kernels
