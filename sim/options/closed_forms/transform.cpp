#include "sim/options/closed_forms/transform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/options/closed_forms/quadrature.hpp"

namespace ergode::sim::options::closed_forms {

namespace {

using Complex = std::complex<double>;

/// (1/pi) times the integrals over u of Re[e^{iuk} phi(u - i/2) w(u)] with w = 1/(u^2 + 1/4), iu/(u^2 + 1/4) and 1:
/// Lewis's integral and its derivatives in k = ln(F/K), which carry digitals and Greeks. The atom's part is left out.
quadrature::Values<3> lewis_integrals(const CharacteristicFunction& c, double k) {
  const double atom_weight = c.atom_probability * std::exp(0.5 * c.atom);
  const auto smooth = [&](double u) {
    Complex value = c.phi({u, -0.5});
    if (c.atom_probability > 0) value -= atom_weight * std::exp(Complex{0, u * c.atom});
    return value;
  };
  const auto integrand = [&](double u) {
    const Complex value = smooth(u) * std::exp(Complex{0, u * k});
    const double weight = 1 / (u * u + 0.25);
    return quadrature::Values<3>{weight * value.real(), -u * weight * value.imag(), value.real()};
  };
  // Beside an atom the rest may die out as slowly as 1/u (Kou's jumps), which costs the last digits.
  // Panels that double until the envelope has died out; an oscillation gets its own nodes.
  quadrature::Values<3> total{};
  double low = 0, high = 1;
  while (low < 1e7) {
    const double turns = (high - low) * (std::abs(k) + std::abs(c.atom) + 1) / 8;
    const int pieces = static_cast<int>(std::clamp(turns, 1.0, 2e5));
    const auto panel = integrate_values<3>(integrand, low, high, 1e-15 * std::max(1.0, 100.0 / pieces), pieces);
    for (int j = 0; j < 3; ++j) total[j] += panel[j];
    low = high;
    high *= 2;
    const double envelope = std::max(std::abs(smooth(low)), std::abs(smooth(0.75 * low)));
    const bool gone = envelope < 1e-17 || (c.atom_probability > 0 && envelope / low < 1e-9);
    if (gone) break;
  }
  for (double& value : total) value /= std::numbers::pi;
  return total;
}

}  // namespace

TransformValues transform(const CharacteristicFunction& c, double forward, double strike) {
  TransformValues v;
  if (!(strike > 0)) {
    v.call = forward - strike;
    v.probability_above = 1;
    v.asset_above = forward;
    v.call_delta = 1;
    return v;
  }
  const double atom_spot = forward * std::exp(c.atom);
  const bool atom_above = atom_spot > strike;
  quadrature::Values<3> j{};
  if (c.atom_probability < 1) j = lewis_integrals(c, std::log(forward / strike));
  const double root = std::sqrt(forward) * std::sqrt(strike);
  // The smooth part is what min(S, K) is worth without the atom; the atom's own part is added by hand.
  const double smaller = root * j[0] + c.atom_probability * std::min(atom_spot, strike);
  v.call = std::max({0.0, forward - strike, forward - smaller});
  v.put = std::max({0.0, strike - forward, strike - smaller});
  v.probability_above = root / strike * (0.5 * j[0] - j[1]) + (atom_above ? c.atom_probability : 0.0);
  v.probability_above = std::clamp(v.probability_above, 0.0, 1.0);
  v.asset_above = std::clamp(v.call + strike * v.probability_above, 0.0, forward);
  v.call_delta = v.asset_above / forward;  // homogeneity of degree one in forward and strike
  v.gamma = root / (forward * forward) * j[2];
  return v;
}

double transform_european(OptionType type, const CharacteristicFunction& c, double forward, double strike,
                          double discount) {
  const TransformValues v = transform(c, forward, strike);
  return discount * (type == OptionType::call ? v.call : v.put);
}

double transform_digital(OptionType type, Payout payout, double cash, const CharacteristicFunction& c, double forward,
                         double strike, double discount) {
  const TransformValues v = transform(c, forward, strike);
  const double call = payout == Payout::cash ? cash * v.probability_above : v.asset_above;
  const double all = payout == Payout::cash ? cash : forward;
  return discount * (type == OptionType::call ? call : all - call);
}

}  // namespace ergode::sim::options::closed_forms
