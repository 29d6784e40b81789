#include "kernels/gravity/benchmark.hpp"

#include <algorithm>
#include <chrono>

#include "kernels/random/philox.hpp"

namespace ergode::kernels {

namespace {

NbodyState random_cube(std::int64_t bodies) {
  NbodyState s;
  const auto n = static_cast<std::size_t>(bodies);
  s.sources = bodies;
  s.velocity.resize(n);
  s.softening.assign(n, 0.01);
  for (std::size_t i = 0; i < n; ++i) {
    const Words4 w = philox4x32(philox_counter(i, 0, 0), {1, 0});
    s.position.push_back({w[0] * 0x1p-32, w[1] * 0x1p-32, w[2] * 0x1p-32});
    s.mass.push_back((0.5 + w[3] * 0x1p-32) / static_cast<double>(bodies));
    s.id.push_back(i);
  }
  return s;
}

double seconds_for(GravityEngine& engine, std::int64_t first_step, std::int64_t steps) {
  const StepPlan leapfrog{{0.5, 0.5}, {1.0}};
  const auto start = std::chrono::steady_clock::now();
  engine.integrate(leapfrog, 1e-6, first_step, steps);  // returns when the device is done: it reports non-finite bodies
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

GravityRate measure_gravity(GravityEngine& engine, std::int64_t bodies, int repeats) {
  engine.upload(random_cube(bodies));
  // Steps are numbered on from batch to batch, so that the tiles are ordered once in 16 of them, as in a run.
  std::int64_t step = 1;
  const double first = seconds_for(engine, step, 1);
  const auto steps = std::clamp<std::int64_t>(static_cast<std::int64_t>(0.05 / std::max(first, 1e-9)), 1, GravityEngine::retile_interval);
  step += 1;
  seconds_for(engine, step, steps);
  step += steps;
  std::vector<double> times;
  for (int r = 0; r < repeats; ++r, step += steps) times.push_back(seconds_for(engine, step, steps) / static_cast<double>(steps));
  std::sort(times.begin(), times.end());
  GravityRate rate;
  rate.bodies = bodies;
  rate.seconds = times[times.size() / 2];
  rate.fastest = times.front();
  rate.slowest = times.back();
  rate.interactions_per_second = static_cast<double>(bodies) * static_cast<double>(bodies) / rate.seconds;
  return rate;
}

}  // namespace ergode::kernels
