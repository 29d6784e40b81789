#include "sim/options/closed_forms/characteristic.hpp"

#include <cmath>

#include "sim/options/closed_forms/jumps.hpp"
#include "sim/options/closed_forms/variance.hpp"

namespace ergode::sim::options::closed_forms {

namespace {

using Complex = std::complex<double>;
constexpr Complex i{0, 1};

/// ln(1 + h z) / h, which is z for h = 0; h >= 0.
Complex log_one_plus(double h, Complex z) {
  const Complex x = h * z;
  if (std::abs(x) > 1e-2) return std::log(1.0 + x) / h;
  Complex sum = 0, power = z;
  for (int n = 1; n <= 10; ++n, power *= -x) sum += power / static_cast<double>(n);
  return sum;
}

/// 1 - exp(-z), accurate near 0.
Complex one_minus_exp(Complex z) {
  if (std::abs(z) > 1e-2) return 1.0 - std::exp(-z);
  Complex sum = 0, power = z;
  for (int n = 1; n <= 9; ++n) {
    sum += power;
    power *= -z / (n + 1.0);
  }
  return sum;
}

/// ln phi of Heston's diffusion.
Complex heston_exponent(const HestonModel& m, double maturity, Complex u) {
  const Complex a = u * u + i * u;
  const double v = m.sigma_v * m.sigma_v;
  const Complex xi = m.kappa - m.rho * m.sigma_v * i * u;
  const Complex d = std::sqrt(xi * xi + v * a);
  // (xi - d) / sigma_v^2 and its quotient with xi + d, without the difference.
  const Complex minus = -a / (xi + d), g = minus / (xi + d);
  const Complex grown = one_minus_exp(d * maturity), decay = 1.0 - grown;
  const Complex logarithm = log_one_plus(v, g * grown / (1.0 - v * g));
  return m.kappa * m.theta * (minus * maturity - 2.0 * logarithm) + m.v0 * minus * grown / (1.0 - v * g * decay);
}

Complex merton_exponent(const MertonJump& j, double maturity, Complex u) {
  const double compensator = jump_moments(j).compensator;
  const Complex jump = std::exp(i * u * j.jump_mean - 0.5 * j.jump_stddev * j.jump_stddev * u * u);
  return j.jump_intensity * maturity * (jump - 1.0 - i * u * compensator);
}

Complex kou_exponent(const KouJumpModel& m, double maturity, Complex u) {
  const Complex jump =
      m.jump_up_prob * m.eta_up / (m.eta_up - i * u) + (1 - m.jump_up_prob) * m.eta_down / (m.eta_down + i * u);
  return m.jump_intensity * maturity * (jump - 1.0 - i * u * jump_moments(m).compensator);
}

/// A diffusion of this variance with jumps; without diffusion the paths without a jump end in one point.
template <class Exponent>
CharacteristicFunction with_jumps(double variance, double expected_jumps, double compensator,
                                  const Exponent& exponent) {
  CharacteristicFunction c;
  c.phi = [=](Complex u) { return std::exp(-0.5 * variance * (u * u + i * u) + exponent(u)); };
  if (!(variance > 0)) {
    c.atom_probability = std::exp(-expected_jumps);
    c.atom = -expected_jumps * compensator;
  }
  return c;
}

}  // namespace

CharacteristicFunction gbm_characteristic(double variance) {
  return with_jumps(variance, 0, 0, [](Complex) { return Complex{0}; });
}

CharacteristicFunction heston_characteristic(const HestonModel& m, double maturity) {
  return bates_characteristic({m, {}}, maturity);
}

CharacteristicFunction bates_characteristic(const BatesModel& model, double maturity) {
  const HestonModel m = model.heston;
  const MertonJump j = model.jump;
  const double expected = j.jump_intensity * maturity, variance = heston_integrated_variance(m, maturity);
  if (m.sigma_v == 0 || !(variance > 0)) return merton_characteristic(variance, j, maturity);
  CharacteristicFunction c;
  if (expected > 0) {
    c.phi = [=](Complex u) { return std::exp(heston_exponent(m, maturity, u) + merton_exponent(j, maturity, u)); };
  } else {
    c.phi = [=](Complex u) { return std::exp(heston_exponent(m, maturity, u)); };
  }
  return c;
}

CharacteristicFunction merton_characteristic(double variance, const MertonJump& j, double maturity) {
  if (!(j.jump_intensity * maturity > 0)) return gbm_characteristic(variance);
  return with_jumps(variance, j.jump_intensity * maturity, jump_moments(j).compensator,
                    [=](Complex u) { return merton_exponent(j, maturity, u); });
}

CharacteristicFunction kou_characteristic(double variance, const KouJumpModel& m, double maturity) {
  if (!(m.jump_intensity * maturity > 0)) return gbm_characteristic(variance);
  KouJumpModel kou = m;
  kou.volatility = TermStructure(0);  // not read: small to copy
  return with_jumps(variance, m.jump_intensity * maturity, jump_moments(m).compensator,
                    [=](Complex u) { return kou_exponent(kou, maturity, u); });
}

}  // namespace ergode::sim::options::closed_forms
