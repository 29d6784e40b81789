#include "sim/options/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergode::sim::options {
namespace {

void rotate(std::vector<double>& a, std::vector<double>& v, std::size_t d, std::size_t p, std::size_t q) {
  const double off = a[p * d + q];
  if (off == 0) return;
  const double tau = (a[q * d + q] - a[p * d + p]) / (2 * off);
  const double t = (tau >= 0 ? 1 : -1) / (std::abs(tau) + std::hypot(1.0, tau));
  const double c = 1 / std::hypot(1.0, t), s = t * c;
  for (std::size_t k = 0; k < d; ++k) {
    const double kp = a[k * d + p], kq = a[k * d + q];
    a[k * d + p] = c * kp - s * kq;
    a[k * d + q] = s * kp + c * kq;
  }
  for (std::size_t k = 0; k < d; ++k) {
    const double pk = a[p * d + k], qk = a[q * d + k];
    a[p * d + k] = c * pk - s * qk;
    a[q * d + k] = s * pk + c * qk;
    const double kp = v[k * d + p], kq = v[k * d + q];
    v[k * d + p] = c * kp - s * kq;
    v[k * d + q] = s * kp + c * kq;
  }
}

/// The nearest positive semidefinite matrix: the negative eigenvalues become 0.
std::vector<double> without_negative(const std::vector<double>& matrix, std::size_t d) {
  const Eigen eigen = symmetric_eigen(matrix, d);
  std::vector<double> out(d * d, 0.0);
  for (std::size_t e = 0; e < d; ++e) {
    if (!(eigen.values[e] > 0)) continue;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        out[i * d + j] += eigen.values[e] * eigen.vectors[i * d + e] * eigen.vectors[j * d + e];
  }
  return out;
}

std::size_t place_in(const std::vector<std::string>& order, const std::string& name) {
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), name) - order.begin());
}

double pair_correlation(const CorrelationSettings& c, const std::string& a, const std::string& b) {
  if (c.all_pairs) return *c.all_pairs;
  const std::size_t i = place_in(c.order, a), j = place_in(c.order, b);
  return i < c.order.size() && j < c.order.size() ? c.matrix[i][j] : 0;
}

}  // namespace

Eigen symmetric_eigen(std::vector<double> a, std::size_t d) {
  std::vector<double> v(d * d, 0.0);
  for (std::size_t i = 0; i < d; ++i) v[i * d + i] = 1;
  double norm = 0;
  for (const double x : a) norm += x * x;
  // Convergence is quadratic: ten sweeps are plenty, and more cannot make it worse.
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < i; ++j) off += 2 * a[i * d + j] * a[i * d + j];
    if (off <= 1e-32 * norm) break;
    for (std::size_t p = 0; p < d; ++p)
      for (std::size_t q = p + 1; q < d; ++q) rotate(a, v, d, p, q);
  }
  Eigen eigen{std::vector<double>(d), std::move(v)};
  for (std::size_t i = 0; i < d; ++i) eigen.values[i] = a[i * d + i];
  return eigen;
}

double smallest_eigenvalue(const std::vector<double>& matrix, std::size_t d) {
  const Eigen eigen = symmetric_eigen(matrix, d);
  return *std::min_element(eigen.values.begin(), eigen.values.end());
}

bool is_semidefinite(const std::vector<double>& matrix, std::size_t d) {
  return d == 0 || smallest_eigenvalue(matrix, d) >= -1e-10 * static_cast<double>(d);
}

std::vector<double> nearest_correlation(const std::vector<double>& matrix, std::size_t d) {
  std::vector<double> y = matrix, correction(d * d, 0.0);
  for (int iteration = 0; iteration < 5000; ++iteration) {
    std::vector<double> r(d * d);
    for (std::size_t i = 0; i < d * d; ++i) r[i] = y[i] - correction[i];
    std::vector<double> next = without_negative(r, d);
    for (std::size_t i = 0; i < d * d; ++i) correction[i] = next[i] - r[i];
    for (std::size_t i = 0; i < d; ++i) next[i * d + i] = 1;
    double change = 0;
    for (std::size_t i = 0; i < d * d; ++i) change = std::max(change, std::abs(next[i] - y[i]));
    y = std::move(next);
    if (change < 1e-13) break;
  }
  // What the iteration left short of semidefinite goes, and the diagonal is 1 again.
  const std::vector<double> x = without_negative(y, d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      y[i * d + j] = i == j ? 1 : std::clamp(x[i * d + j] / std::sqrt(x[i * d + i] * x[j * d + j]), -1.0, 1.0);
  return y;
}

std::vector<double> correlation_matrix(const MarketSettings& market, const Instrument& instrument) {
  const auto& names = instrument.underlyings;
  const std::size_t d = names.size();
  const auto& given = instrument.correlation ? instrument.correlation : market.correlation;
  std::optional<CorrelationSettings> correlation = given;
  // A matrix that is replaced is replaced as a whole: each option sees its part of the same one.
  if (correlation && correlation->nearest && !correlation->order.empty()) {
    const std::size_t n = correlation->order.size();
    std::vector<double> whole;
    for (const auto& row : correlation->matrix) whole.insert(whole.end(), row.begin(), row.end());
    if (!is_semidefinite(whole, n)) {
      whole = nearest_correlation(whole, n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) correlation->matrix[i][j] = whole[i * n + j];
    }
  }
  std::vector<double> out(d * d, 0.0);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      out[i * d + j] = i == j ? 1 : correlation ? pair_correlation(*correlation, names[i], names[j]) : 0;
  if (correlation && correlation->nearest && !is_semidefinite(out, d)) return nearest_correlation(out, d);
  return out;
}

std::vector<double> correlation_matrix(const Settings& settings, const Instrument& instrument) {
  return correlation_matrix(settings.market, instrument);
}

std::vector<double> cholesky_of_semidefinite(const std::vector<double>& matrix, std::size_t d) {
  std::vector<double> lower(d * d, 0.0);
  for (std::size_t j = 0; j < d; ++j) {
    double pivot = matrix[j * d + j];
    for (std::size_t k = 0; k < j; ++k) pivot -= lower[j * d + k] * lower[j * d + k];
    // Of a semidefinite matrix the column under a zero pivot is zero; by division it would be rounding over rounding.
    if (!(pivot > 64 * static_cast<double>(d) * std::numeric_limits<double>::epsilon() * matrix[j * d + j])) continue;
    const double root = std::sqrt(pivot);
    lower[j * d + j] = root;
    for (std::size_t i = j + 1; i < d; ++i) {
      double sum = matrix[i * d + j];
      for (std::size_t k = 0; k < j; ++k) sum -= lower[i * d + k] * lower[j * d + k];
      lower[i * d + j] = sum / root;
    }
  }
  return lower;
}

}  // namespace ergode::sim::options
