#include "sim/options/closed_forms/variance.hpp"

#include <cmath>

#include "sim/options/closed_forms/quadrature.hpp"

namespace ergode::sim::options::closed_forms {

namespace {

/// (1 - e^{-kappa t}) / kappa.
double damped_time(double kappa, double t) {
  return kappa == 0 ? t : -std::expm1(-kappa * t) / kappa;
}

/// Jumps are independent of the diffusion and of other intervals: their part of the mean and variance of a log return.
struct JumpReturn {
  double mean, variance;
};

JumpReturn jump_return(const JumpMoments& j, double time) {
  return {j.intensity * time * (j.mean - j.compensator), j.intensity * time * j.second_moment};
}

}  // namespace

double heston_expected_variance(const HestonModel& m, double t) {
  return m.theta + (m.v0 - m.theta) * std::exp(-m.kappa * t);
}

double heston_integrated_variance(const HestonModel& m, double t) {
  return m.theta * t + (m.v0 - m.theta) * damped_time(m.kappa, t);
}

double fair_variance_gbm(const std::vector<double>& times, const std::vector<double>& drift,
                         const std::vector<double>& variance, const JumpMoments& jumps) {
  double sum = 0, time = 0, carried = 0, diffused = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const JumpReturn jump = jump_return(jumps, times[i] - time);
    const double spread = variance[i] - diffused, mean = drift[i] - carried - 0.5 * spread + jump.mean;
    sum += spread + jump.variance + mean * mean;
    time = times[i];
    carried = drift[i];
    diffused = variance[i];
  }
  if (time > 0) return sum / time;
  return 0;
}

double fair_variance_heston(const HestonModel& m, const std::vector<double>& times, const std::vector<double>& drift,
                            const JumpMoments& jumps) {
  double sum = 0, start = 0, carried = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double end = times[i];
    const double integrated = heston_integrated_variance(m, end) - heston_integrated_variance(m, start);
    // The integral of v over the interval responds to dW_v at s with sigma_v sqrt(v_s) times this.
    const auto response = [&](double s) {
      return s < start ? damped_time(m.kappa, end - s) - damped_time(m.kappa, start - s)
                       : damped_time(m.kappa, end - s);
    };
    const auto squared = [&](double s) { return heston_expected_variance(m, s) * response(s) * response(s); };
    const auto linear = [&](double s) { return heston_expected_variance(m, s) * response(s); };
    const double tolerance = 1e-15 * (integrated + 1e-3);
    const double before = start > 0 ? integrate(squared, 0.0, start, tolerance, 1) : 0.0;
    const double variance_of_integral = m.sigma_v * m.sigma_v * (before + integrate(squared, start, end, tolerance, 1));
    const double covariance = m.rho * m.sigma_v * integrate(linear, start, end, tolerance, 1);
    const JumpReturn jump = jump_return(jumps, end - start);
    const double mean = drift[i] - carried - 0.5 * integrated + jump.mean;
    sum += integrated + 0.25 * variance_of_integral - covariance + jump.variance + mean * mean;
    start = end;
    carried = drift[i];
  }
  if (start > 0) return sum / start;
  return 0;
}

double fair_variance_continuous(double integrated_variance, double maturity, const JumpMoments& jumps) {
  return (maturity > 0 ? integrated_variance / maturity : 0.0) + jumps.variance_rate();
}

}  // namespace ergode::sim::options::closed_forms
