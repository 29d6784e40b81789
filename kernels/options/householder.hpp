#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/host_device.hpp"

// Least squares by Householder's transformations (Golub & Van Loan 2013, chapter 5), in pieces that a host's loops and
// a device's blocks are put together from.
//
// What a block of threads does together is written for a Team, which has `each` and `sums`; after each of them all
// threads see what was written. The order of every sum is part of it, not of the number of threads.

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
};

/// I - tau v v^T that takes a column (alpha, x) of `length` > 0 to (beta, 0); v = (1, inverse x).
struct Reflection {
  double beta, tau, inverse;
  ERGODE_HOST_DEVICE Reflection(double alpha, double length) {
    beta = alpha > 0 ? -length : length;                               // the sign that does not cancel
    const double head = alpha - beta, reciprocal = 1 / (beta * head);  // divisions are what takes time here
    tau = -head * head * reciprocal;
    inverse = beta * reciprocal;
  }
};

/// Rows absorbed at once, part of a result's last bits: as many as leave room for several blocks a processor.
ERGODE_HOST_DEVICE constexpr int tile_rows(int columns) {
  return columns <= 22 ? 512 : 256;
}

/// A row of a tile, whose columns follow each other.
struct TileRow {
  double* first;
  int stride;
  ERGODE_HOST_DEVICE double& operator[](int k) const { return first[k * stride]; }
};

/// Replaces the upper triangle (size, size), row-major, by that of the QR factors of it over `rows` >= 1 rows of a
/// tile, which it destroys. `work`: size + 2 numbers.
template <class Team>
ERGODE_HOST_DEVICE inline void absorb_tile(const Team& team, double* triangle, int size, double* tile, int rows,
                                           double* work) {
  const int stride = tile_rows(size);
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
    return columns * columns + columns * tile_rows(columns) + columns + 2;
  }
  ERGODE_HOST_DEVICE Absorber(const Team& of, int columns_, double* memory)
      : team(of),
        columns(columns_),
        triangle(memory),
        tile(triangle + columns * columns),
        work(tile + columns * tile_rows(columns)) {
    team.each(columns * columns, [&](int i) { triangle[i] = 0; });
  }
  /// Rows 0 ... count - 1; fill(i, row) writes one.
  template <class Fill>
  ERGODE_HOST_DEVICE void absorb(int count, const Fill& fill) {
    const int most = tile_rows(columns);
    for (int first = 0; first < count; first += most) {
      const int rows = count - first < most ? count - first : most;
      team.each(rows, [&](int i) { fill(first + i, TileRow{tile + i, most}); });
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
  return tile_rows(columns) / columns;
}

/// Numbers that solve_triangle needs for so many terms.
ERGODE_HOST_DEVICE constexpr int solve_scratch(int terms) {
  return terms * (terms + 1) + 6 * terms;
}

/// The x that minimises |r x - b|, r the leading (terms, terms) of a triangle (terms + 1, terms + 1) and b its last
/// column, to coefficients (terms); returns the rank. Columns are scaled to unit length and taken in order of what they
/// add (QR with column pivoting, section 5.4.2); those that add less than 1e-12 get the coefficient 0.
template <class Team>
ERGODE_HOST_DEVICE inline int solve_triangle(const Team& team, const double* triangle, int terms, double* scratch,
                                             double* coefficients) {
  constexpr double rank_tolerance = 1e-12;
  const auto column = [&](int k) { return scratch + k * terms; };  // b after the others
  double* b = column(terms);
  double *length = b + terms, *diagonal = length + terms;
  double *squares = diagonal + terms, *next_squares = squares + terms;  // of what is left of a column; -1: taken
  int* order = reinterpret_cast<int*>(next_squares + terms);
  team.each(terms + 1, [&](int k) {
    double* c = column(k);
    double sum = 0;
    for (int i = 0; i < terms; ++i) {
      c[i] = i <= k ? triangle[i * (terms + 1) + k] : 0.0;
      sum += c[i] * c[i];
    }
    if (k == terms) return;
    coefficients[k] = 0;
    length[k] = ::sqrt(sum);
    squares[k] = 0;
    const double scale = sum > 0 ? 1 / length[k] : 1;
    for (int i = 0; i <= k; ++i) {
      c[i] *= scale;
      squares[k] += c[i] * c[i];
    }
  });
  int rank = 0;
  for (; rank < terms; ++rank) {
    const int j = rank;
    int best = 0;
    for (int k = 1; k < terms; ++k)
      if (squares[k] > squares[best]) best = k;
    const double most = ::sqrt(squares[best]);
    if (!(most > rank_tolerance)) break;
    const double* pivot = column(best);
    const Reflection h(pivot[j], most);
    team.each(terms + 1, [&](int k) {
      if (k < terms && (k == best || squares[k] < 0)) {
        next_squares[k] = -1;
        if (k == best) {
          order[j] = k;
          diagonal[j] = h.beta;
        }
        return;
      }
      double* c = column(k);
      double w = c[j];
      for (int i = j + 1; i < terms; ++i) w += h.inverse * pivot[i] * c[i];
      w *= h.tau;
      c[j] -= w;
      double left = 0;
      for (int i = j + 1; i < terms; ++i) {
        c[i] -= w * (h.inverse * pivot[i]);
        left += c[i] * c[i];
      }
      if (k < terms) next_squares[k] = left;
    });
    double* swapped = squares;
    squares = next_squares;
    next_squares = swapped;
  }
  for (int j = rank - 1; j >= 0; --j) {
    const double* r = column(order[j]);
    const double x = b[j] / diagonal[j];
    team.each(j + 1, [&](int i) {
      if (i < j)
        b[i] -= r[i] * x;
      else
        coefficients[order[j]] = x / length[order[j]];
    });
  }
  return rank;
}

}  // namespace ergode::kernels
