#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "kernels/gravity/engine.hpp"

namespace ergode::test {

/// The plainest engine there can be: double loops over all pairs, one after another. An oracle, and quick for few bodies.
class NaiveEngine final : public kernels::GravityEngine {
 public:
  explicit NaiveEngine(double g) : g_(g) {}

  void upload(const kernels::NbodyState& state) override {
    s_ = state;
    if (s_.acceleration.empty()) forces();
  }
  void download(kernels::NbodyState& state) override { state = s_; }

  kernels::BadBody integrate(const kernels::StepPlan& plan, double dt, std::int64_t first, std::int64_t count) override {
    for (std::int64_t step = first; step < first + count; ++step) {
      kick(plan.kick[0] * dt);
      for (std::size_t k = 0; k < plan.drift.size(); ++k) {
        for (std::size_t i = 0; i < s_.position.size(); ++i) s_.position[i] = s_.position[i] + plan.drift[k] * dt * s_.velocity[i];
        forces();
        kick(plan.kick[k + 1] * dt);
      }
      for (std::int64_t i = 0; i < s_.size(); ++i) {
        const auto& x = s_.position[static_cast<std::size_t>(i)];
        const auto& v = s_.velocity[static_cast<std::size_t>(i)];
        if (!std::isfinite(x.x + x.y + x.z + v.x + v.y + v.z)) return {step, i};
      }
    }
    return {};
  }

  std::vector<double> potentials() override {
    std::vector<double> phi(s_.position.size());
    for (std::size_t i = 0; i < phi.size(); ++i)
      for (std::size_t j = 0; j < static_cast<std::size_t>(s_.sources); ++j)
        if (i != j) phi[i] -= g_ * s_.mass[j] / std::sqrt(distance2(i, j));
    return phi;
  }
  std::vector<kernels::Vec3> reference_accelerations(std::span<const std::int64_t> indices) override {
    std::vector<kernels::Vec3> a;
    for (const auto i : indices) a.push_back(acceleration(static_cast<std::size_t>(i)));
    return a;
  }
  std::int64_t memory_bytes() const override { return 0; }

 private:
  double distance2(std::size_t i, std::size_t j) const {
    const auto d = s_.position[j] - s_.position[i];
    const double eps = std::fmax(s_.softening[i], s_.softening[j]);
    return dot(d, d) + eps * eps;
  }
  kernels::Vec3 acceleration(std::size_t i) const {
    kernels::Vec3 a;
    for (std::size_t j = 0; j < static_cast<std::size_t>(s_.sources); ++j) {
      if (i == j) continue;
      const double r2 = distance2(i, j);
      a = a + g_ * s_.mass[j] / (r2 * std::sqrt(r2)) * (s_.position[j] - s_.position[i]);
    }
    return a;
  }
  void forces() {
    s_.acceleration.resize(s_.position.size());
    for (std::size_t i = 0; i < s_.position.size(); ++i) s_.acceleration[i] = acceleration(i);
  }
  void kick(double dt) {
    for (std::size_t i = 0; i < s_.position.size(); ++i) s_.velocity[i] = s_.velocity[i] + dt * s_.acceleration[i];
  }

  double g_;
  kernels::NbodyState s_;
};

/// Bodies in their order, those with mass first; no softening unless given.
struct Body {
  double mass;
  kernels::Vec3 position, velocity;
};
inline kernels::NbodyState make_state(const std::vector<Body>& bodies, double softening = 0) {
  kernels::NbodyState s;
  for (const auto& b : bodies) {
    if (b.mass > 0) ++s.sources;
    s.position.push_back(b.position);
    s.velocity.push_back(b.velocity);
    s.mass.push_back(b.mass);
    s.softening.push_back(softening);
    s.id.push_back(s.id.size() + 1);
  }
  return s;
}

inline double distance(kernels::Vec3 a, kernels::Vec3 b) { return std::sqrt(dot(a - b, a - b)); }

}  // namespace ergode::test
