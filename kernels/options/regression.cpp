#include "kernels/options/regression.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "kernels/options/householder.hpp"

namespace ergode::kernels {

namespace {

/// Replaces the upper triangle r (size, size) by that of the QR factors of r over `rows` (count, size), which it
/// destroys. `triangular`: row i of `rows` begins with i zeros, and they are stepped over.
void absorb(double* r, int size, double* rows, std::int64_t count, bool triangular, double* work) {
  for (int j = 0; j < size; ++j) {
    const std::int64_t reach = triangular ? std::min<std::int64_t>(count, j + 1) : count;
    double squares = 0;
    for (std::int64_t i = 0; i < reach; ++i) squares += rows[i * size + j] * rows[i * size + j];
    if (squares == 0) continue;
    double* top = r + static_cast<std::int64_t>(j) * size;
    const Reflection h(top[j], std::sqrt(top[j] * top[j] + squares));
    top[j] = h.beta;
    // Row by row, so that the inner loops run along memory and vectorise without a change of order.
    for (int k = j + 1; k < size; ++k) work[k] = top[k];
    for (std::int64_t i = 0; i < reach; ++i) {
      double* row = rows + i * size;
      const double v = row[j] *= h.inverse;
      for (int k = j + 1; k < size; ++k) work[k] += v * row[k];
    }
    for (int k = j + 1; k < size; ++k) {
      work[k] *= h.tau;
      top[k] -= work[k];
    }
    for (std::int64_t i = 0; i < reach; ++i) {
      double* row = rows + i * size;
      const double v = row[j];
      for (int k = j + 1; k < size; ++k) row[k] -= v * work[k];
    }
  }
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
  std::vector<double> scratch(static_cast<std::size_t>(solve_scratch(terms)));
  fit.rank = solve_triangle(SerialTeam{}, result.data(), terms, scratch.data(), fit.coefficients.data());
  return fit;
}

}  // namespace ergode::kernels
