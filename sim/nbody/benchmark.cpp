#include "sim/nbody/benchmark.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sim/nbody/integrators.hpp"
#include "sim/nbody/spheres.hpp"

namespace ergode::sim::nbody {

GravityRate measure_gravity(const kernels::Device& device, int threads, std::int64_t bodies,
                            kernels::Precision precision, double seconds) {
  PlummerSettings settings;
  settings.particles = bodies;
  BodySet sphere = plummer(settings, Draws{42, 0}, 1.0);
  kernels::NbodyState state;
  state.sources = bodies;
  state.position = std::move(sphere.position);
  state.velocity = std::move(sphere.velocity);
  state.mass = std::move(sphere.mass);
  state.softening.assign(static_cast<std::size_t>(bodies), 0.01);

  kernels::GravityOptions options;
  options.precision = precision;
  const auto engine = kernels::make_gravity_engine(device, threads, options);
  engine->upload(state);
  const kernels::StepPlan plan = step_plan(integrator("leapfrog"));
  std::int64_t step = 0;
  const auto time_steps = [&](std::int64_t count) {
    const auto start = std::chrono::steady_clock::now();
    engine->integrate(plan, 1e-4, step, count);  // ends with a look at the device's flag, and so with the work itself
    step += count;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double first = time_steps(1);

  GravityRate rate;
  rate.bodies = bodies;
  rate.precision = precision;
  rate.samples = 7;
  rate.steps = std::clamp<std::int64_t>(static_cast<std::int64_t>(seconds / rate.samples / first), 1, 4096);
  time_steps(rate.steps);
  std::vector<double> times;
  for (int sample = 0; sample < rate.samples; ++sample)
    times.push_back(time_steps(rate.steps) / static_cast<double>(rate.steps));
  std::sort(times.begin(), times.end());
  rate.fastest = times.front();
  rate.seconds_per_step = times[times.size() / 2];
  rate.slowest = times.back();
  return rate;
}

}  // namespace ergode::sim::nbody
