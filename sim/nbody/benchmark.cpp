#include "sim/nbody/benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/nbody/integrators.hpp"
#include "sim/nbody/spheres.hpp"

namespace ergode::sim::nbody {
namespace {

using kernels::Precision;
using kernels::Vec3;

/// All bodies are looked at up to `all_bodies`, else so many of them.
constexpr std::int64_t all_bodies = 65536, sampled_bodies = 10000;

kernels::NbodyState plummer_sphere(std::int64_t bodies, double softening, double offset) {
  PlummerSettings settings;
  settings.particles = bodies;
  BodySet sphere = plummer(settings, Draws{42, 0}, 1.0);
  kernels::NbodyState state;
  state.sources = bodies;
  state.position = std::move(sphere.position);
  state.velocity = std::move(sphere.velocity);
  state.mass = std::move(sphere.mass);
  state.softening.assign(static_cast<std::size_t>(bodies), softening);
  const double shift = offset * settings.scale_radius;
  for (Vec3& x : state.position) x = x + Vec3{shift, shift, shift};
  return state;
}

std::unique_ptr<kernels::GravityEngine> engine_of(const kernels::Device& device, int threads, Precision precision) {
  kernels::GravityOptions options;
  options.precision = precision;
  return kernels::make_gravity_engine(device, threads, options);
}

/// The value that `fraction` of `values` lie below. Reorders them.
double quantile(std::vector<double>& values, double fraction) {
  const auto at = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

ForceError compare(const std::vector<Vec3>& acceleration, const std::vector<Vec3>& reference,
                   const std::vector<std::int64_t>& indices) {
  double errors = 0, squares = 0;
  std::vector<double> relative;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const Vec3 a = acceleration[static_cast<std::size_t>(indices[k])], exact = reference[k];
    const double error = dot(a - exact, a - exact), square = dot(exact, exact);
    errors += error;
    squares += square;
    relative.push_back(std::sqrt(error / square));
  }
  ForceError found;
  found.sample = static_cast<std::int64_t>(indices.size());
  found.e2 = std::sqrt(errors / squares);
  found.median = quantile(relative, 0.5);
  found.percentile_99 = quantile(relative, 0.99);
  found.largest = quantile(relative, 1);
  return found;
}

}  // namespace

GravityRate measure_gravity(const kernels::Device& device, int threads, std::int64_t bodies, Precision precision,
                            const Pace& pace) {
  const auto engine = engine_of(device, threads, precision);
  const kernels::NbodyState state = plummer_sphere(bodies, 0.01, 0);
  engine->upload(state);
  const kernels::StepPlan plan = step_plan(integrator("leapfrog"));
  std::int64_t step = 0;
  const auto steps = [&](std::int64_t count) {
    engine->integrate(plan, 1e-4, step, count);  // ends with a look at the device's flag, and so with the work itself
    step += count;
  };
  GravityRate rate;
  rate.bodies = bodies;
  rate.precision = precision;
  rate.pairs = kernels::sums_over_pairs(device.backend, precision, state.mass, bodies);
  rate.timing = time_passes(steps, pace, 4096);
  return rate;
}

bool too_long(std::int64_t bodies, const GravityRate& measured, const Pace& pace) {
  const double ratio = static_cast<double>(bodies) / static_cast<double>(measured.bodies);
  return measured.timing.median * ratio * ratio > pace.longest;
}

std::vector<ForceError> measure_force_errors(const kernels::Device& device, int threads, std::int64_t bodies) {
  const std::int64_t sample = bodies <= all_bodies ? bodies : sampled_bodies;
  std::vector<std::int64_t> indices;
  for (std::int64_t k = 0; k < sample; ++k) indices.push_back(k * bodies / sample);
  std::vector<ForceError> errors;
  for (const double softening : {0.01, 0.001})
    for (const double offset : {0.0, 1000.0}) {
      kernels::NbodyState state = plummer_sphere(bodies, softening, offset);
      std::vector<Vec3> reference;
      for (const Precision precision : {Precision::mixed, Precision::float64}) {
        const auto engine = engine_of(device, threads, precision);
        state.acceleration.clear();
        engine->upload(state);
        if (reference.empty()) reference = engine->reference_accelerations(indices);
        kernels::NbodyState computed;
        engine->download(computed);
        ForceError error = compare(computed.acceleration, reference, indices);
        error.bodies = bodies;
        error.precision = precision;
        error.softening = softening;
        error.offset = offset;
        errors.push_back(error);
      }
    }
  return errors;
}

}  // namespace ergode::sim::nbody
