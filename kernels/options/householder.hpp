#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/host_device.hpp"

// Least squares by Householder's transformations (Golub & Van Loan 2013, chapter 5), in pieces that a host's loops and
// a device's blocks are put together from.
//
// What a block of threads does together is written for a Team, which has `each`, `sums` and `sync`; after each of them
// all threads see what was written. The order of every sum is part of it, not of the number of threads.

namespace ergode::kernels {

/// A team of one thread.
struct SerialTeam {
  static constexpr int lanes = 32;

  template <class Body>
  ERGODE_HOST_DEVICE void each(int count, const Body& body) const {
    for (int i = 0; i < count; ++i) body(i);
  }
  /// out[k] for k < count: lane l goes from 0 through sum = add(k, i, sum) with i = l, l + lanes, ... < terms, then the
  /// lanes are added as a binary tree.
  template <class Add>
  ERGODE_HOST_DEVICE void sums(int count, int terms, const Add& add, double* out) const {
    for (int k = 0; k < count; ++k) {
      double sum[lanes];
      for (int l = 0; l < lanes; ++l) {
        sum[l] = 0;
        for (int i = l; i < terms; i += lanes) sum[l] = add(k, i, sum[l]);
      }
      for (int width = lanes / 2; width > 0; width /= 2)
        for (int l = 0; l < width; ++l) sum[l] += sum[l + width];
      out[k] = sum[0];
    }
  }
  ERGODE_HOST_DEVICE void sync() const {}
};

/// I - tau v v^T that takes a column (alpha, x) of `length` > 0 to (beta, 0); v = (1, inverse x).
struct Reflection {
  double beta, tau, inverse;
  ERGODE_HOST_DEVICE Reflection(double alpha, double length) {
    beta = alpha > 0 ? -length : length;  // the sign that does not cancel
    tau = (beta - alpha) / beta;
    inverse = 1 / (alpha - beta);
  }
};

inline constexpr int tile_rows = 256;  ///< absorbed at once; part of a result's last bits

/// A row of a tile, whose columns follow each other.
struct TileRow {
  double* first;
  ERGODE_HOST_DEVICE double& operator[](int k) const { return first[k * tile_rows]; }
};

/// Replaces the upper triangle (size, size), row-major, by that of the QR factors of it over `rows` >= 1 rows of a
/// tile, which it destroys. `work`: size + 2 numbers.
template <class Team>
ERGODE_HOST_DEVICE inline void absorb_tile(const Team& team, double* triangle, int size, double* tile, int rows,
                                           double* work) {
  constexpr int stride = tile_rows;
  for (int j = 0; j < size; ++j) {
    double* column = tile + j * stride;
    team.sums(
        size - j, rows,
        [&](int k, int i, double sum) { return fused_multiply_add(column[i], column[k * stride + i], sum); }, work + j);
    const double squares = work[j];
    if (squares == 0) continue;
    double* top = triangle + j * size + j;
    team.each(size - j, [&](int k) {
      const Reflection h(top[0], ::sqrt(top[0] * top[0] + squares));
      if (k == 0) {
        work[size] = h.beta;  // top[0] is still read by others
        work[size + 1] = h.inverse;
      } else {
        work[j + k] = h.tau * fused_multiply_add(h.inverse, work[j + k], top[k]);
        top[k] -= work[j + k];
      }
    });
    team.each(rows, [&](int i) {
      const double v = -work[size + 1] * column[i];
      for (int k = 1; k < size - j; ++k)
        column[k * stride + i] = fused_multiply_add(v, work[j + k], column[k * stride + i]);
      if (i == 0) top[0] = work[size];
    });
  }
}

/// A triangle, and what a team needs to absorb rows into it, in memory of so many numbers.
template <class Team>
struct Absorber {
  Team team;
  int columns;  ///< the terms, and the value
  double *triangle, *tile, *work;

  ERGODE_HOST_DEVICE static constexpr int memory(int columns) {
    return columns * columns + columns * tile_rows + columns + 2;
  }
  ERGODE_HOST_DEVICE Absorber(const Team& of, int columns_, double* memory)
      : team(of),
        columns(columns_),
        triangle(memory),
        tile(triangle + columns * columns),
        work(tile + columns * tile_rows) {
    team.each(columns * columns, [&](int i) { triangle[i] = 0; });
  }
  /// Rows 0 ... count - 1; fill(i, row) writes one.
  template <class Fill>
  ERGODE_HOST_DEVICE void absorb(int count, const Fill& fill) {
    for (int first = 0; first < count; first += tile_rows) {
      const int rows = count - first < tile_rows ? count - first : tile_rows;
      team.each(rows, [&](int i) { fill(first + i, TileRow{tile + i}); });
      absorb_tile(team, triangle, columns, tile, rows, work);
    }
  }
  /// Triangles as the rows that they are: `stride` numbers apart.
  ERGODE_HOST_DEVICE void absorb_triangles(const double* triangles, int count, std::int64_t stride) {
    absorb(count * columns, [&](int i, const TileRow& row) {
      const double* from = triangles + i / columns * stride + i % columns * columns;
      for (int k = 0; k < columns; ++k) row[k] = from[k];
    });
  }
  ERGODE_HOST_DEVICE void write(double* out) const {
    team.each(columns * columns, [&](int i) { out[i] = triangle[i]; });
  }
};

/// How many triangles are joined at a time: those that fill a tile.
ERGODE_HOST_DEVICE constexpr int triangles_a_tile(int columns) {
  return tile_rows / columns;
}

/// Numbers that solve_triangle needs for so many terms.
ERGODE_HOST_DEVICE constexpr int solve_scratch(int terms) {
  return terms * (terms + 4);
}

/// The x that minimises |r x - b|, r the leading (terms, terms) of a triangle (terms + 1, terms + 1) and b its last
/// column, to coefficients (terms); returns the rank. Columns are scaled to unit length and taken in order of what they
/// add (QR with column pivoting, section 5.4.2); those that add less than 1e-12 get the coefficient 0.
template <class Team>
ERGODE_HOST_DEVICE inline int solve_triangle(const Team& team, const double* triangle, int terms, double* scratch,
                                             double* coefficients) {
  constexpr double rank_tolerance = 1e-12;
  const int size = terms + 1;
  double* length = scratch + terms * size;
  double* squares = length + terms;
  int* order = reinterpret_cast<int*>(squares + terms);
  const auto column = [&](int k) { return scratch + k * terms; };  // b after the others
  team.each(size, [&](int k) {
    double* c = column(k);
    for (int i = 0; i < terms; ++i) c[i] = i <= k ? triangle[i * size + k] : 0.0;
    if (k == terms) return;
    double norm = 0;
    for (int i = 0; i <= k; ++i) norm = ::hypot(norm, c[i]);
    if (norm > 0)
      for (int i = 0; i <= k; ++i) c[i] /= norm;
    length[k] = norm;
    order[k] = k;
    coefficients[k] = 0;
  });
  int rank = 0;
  for (; rank < terms; ++rank) {
    const int j = rank;
    team.each(terms - j, [&](int k) {
      const double* c = column(order[j + k]);
      double sum = 0;
      for (int i = j; i < terms; ++i) sum += c[i] * c[i];
      squares[j + k] = sum;
    });
    int best = j;
    for (int k = j + 1; k < terms; ++k)
      if (squares[k] > squares[best]) best = k;
    const double most = ::sqrt(squares[best]);
    if (!(most > rank_tolerance)) break;
    const Reflection h(column(order[best])[j], most);
    team.sync();  // all have read what one now changes
    team.each(1, [&](int) {
      const int chosen = order[best];
      order[best] = order[j];
      order[j] = chosen;
      double* pivot = column(chosen);
      pivot[j] = h.beta;
      for (int i = j + 1; i < terms; ++i) pivot[i] *= h.inverse;
    });
    team.each(terms - j, [&](int k) {
      const double* pivot = column(order[j]);
      double* c = column(k < terms - j - 1 ? order[j + 1 + k] : terms);
      double w = c[j];
      for (int i = j + 1; i < terms; ++i) w += pivot[i] * c[i];
      w *= h.tau;
      c[j] -= w;
      for (int i = j + 1; i < terms; ++i) c[i] -= w * pivot[i];
    });
  }
  team.each(1, [&](int) {
    for (int j = rank - 1; j >= 0; --j) {
      double x = column(terms)[j];
      for (int k = j + 1; k < rank; ++k) x -= column(order[k])[j] * coefficients[order[k]];
      coefficients[order[j]] = x / column(order[j])[j];
    }
    for (int j = 0; j < rank; ++j) coefficients[order[j]] /= length[order[j]];
  });
  return rank;
}

}  // namespace ergode::kernels
