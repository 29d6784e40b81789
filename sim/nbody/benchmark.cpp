#include "sim/nbody/benchmark.hpp"

#include <algorithm>
#include <memory>

#include "sim/nbody/integrators.hpp"
#include "sim/nbody/spheres.hpp"

namespace ergode::sim::nbody {
namespace {

using kernels::Precision;
using kernels::Vec3;

/// At most so many bodies are looked at: the exact sums over them take far longer than the forces.
constexpr std::int64_t sampled_bodies = 10000;

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

std::vector<SphereError> measure_force_errors(const kernels::Device& device, int threads, std::int64_t bodies) {
  const std::int64_t sample = std::min(bodies, sampled_bodies);
  std::vector<std::int64_t> indices;
  for (std::int64_t k = 0; k < sample; ++k) indices.push_back(k * bodies / sample);
  std::vector<SphereError> errors;
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
        std::vector<Vec3> sampled;
        for (const std::int64_t k : indices) sampled.push_back(computed.acceleration[static_cast<std::size_t>(k)]);
        errors.push_back({bodies, sample, precision, softening, offset, force_error(sampled, reference)});
      }
    }
  return errors;
}

}  // namespace ergode::sim::nbody
