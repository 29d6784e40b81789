#pragma once

#include <array>
#include <cmath>

// Adaptive quadrature for the integrals of this folder: smooth integrands, absolute tolerances near rounding.

namespace ergode::sim::options::closed_forms {

namespace quadrature {

/// Several integrals over one set of nodes.
template <std::size_t n>
using Values = std::array<double, n>;

// Abscissae and weights of the 15-point Kronrod rule and of the 7-point Gauss rule inside it (Kronrod 1965; the digits
// as in Piessens et al. 1983, QUADPACK, p. 19). Every other node is Gauss's.
inline constexpr double nodes[8] = {0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
                                    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
                                    0.586087235467691130294144838258730, 0.405845151377397166906606412076961,
                                    0.207784955007898467600689403773245, 0.0};
inline constexpr double kronrod[8] = {0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
                                      0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
                                      0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
                                      0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
inline constexpr double gauss[8] = {0, 0.129484966168869693270611432679082, 0, 0.279705391489276667901467771423780,
                                    0, 0.381830050505118944950369775488975, 0, 0.417959183673469387755102040816327};

/// The rule over [a, b] and, in `error`, the largest difference between the two rules over the components; 0 at the
/// level of rounding.
template <std::size_t n, class Function>
Values<n> rule(const Function& f, double a, double b, double& error) {
  const double centre = 0.5 * (a + b), half = 0.5 * (b - a);
  Values<n> fine{}, coarse{}, size{};
  for (int i = 0; i < 8; ++i) {
    for (int side = 0; side < (i == 7 ? 1 : 2); ++side) {
      const Values<n> value = f(centre + (side ? half : -half) * nodes[i]);
      for (std::size_t c = 0; c < n; ++c) {
        fine[c] += half * kronrod[i] * value[c];
        coarse[c] += half * gauss[i] * value[c];
        size[c] += half * kronrod[i] * std::abs(value[c]);
      }
    }
  }
  error = 0;
  for (std::size_t c = 0; c < n; ++c) {
    const double difference = std::abs(fine[c] - coarse[c]);
    // What rounding leaves can not be bisected away: chasing it would double the work at every level.
    if (difference > 1e-14 * std::abs(size[c])) error = std::fmax(error, difference);
  }
  return fine;
}

template <std::size_t n, class Function>
Values<n> refine(const Function& f, double a, double b, double tolerance, int depth) {
  double error = 0;
  Values<n> whole = rule<n>(f, a, b, error);
  // The difference is the error of the coarse rule; the fine rule's is far below it.
  if (depth == 0 || !(error > 10 * tolerance)) return whole;
  const double centre = 0.5 * (a + b);
  whole = refine<n>(f, a, centre, tolerance, depth - 1);
  const Values<n> right = refine<n>(f, centre, b, tolerance, depth - 1);
  for (std::size_t c = 0; c < n; ++c) whole[c] += right[c];
  return whole;
}

}  // namespace quadrature

/// Integrals of f(x) -> quadrature::Values<n> over [a, b] (b < a allowed), in `pieces` >= 1 equal parts, each bisected
/// until it is within `tolerance` (absolute, a part).
template <std::size_t n, class Function>
quadrature::Values<n> integrate_values(const Function& f, double a, double b, double tolerance, int pieces = 4) {
  quadrature::Values<n> total{};
  for (int i = 0; i < pieces; ++i) {
    const double low = a + (b - a) * i / pieces, high = a + (b - a) * (i + 1) / pieces;
    const auto part = quadrature::refine<n>(f, low, high, tolerance, 30);
    for (std::size_t c = 0; c < n; ++c) total[c] += part[c];
  }
  return total;
}

/// Integral of f(x) -> double over [a, b], as integrate_values.
template <class Function>
double integrate(const Function& f, double a, double b, double tolerance, int pieces = 4) {
  return integrate_values<1>([&](double x) { return quadrature::Values<1>{f(x)}; }, a, b, tolerance, pieces)[0];
}

}  // namespace ergode::sim::options::closed_forms
