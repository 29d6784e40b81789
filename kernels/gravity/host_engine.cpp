#include "kernels/gravity/host_engine.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "kernels/device/fault.hpp"
#include "kernels/error.hpp"
#include "kernels/gravity/direct_loops.hpp"
#include "kernels/gravity/share.hpp"
#include "kernels/gravity/tiles.hpp"

namespace ergode::kernels {

namespace {

const DirectLoops& loops_for(Isa isa) {
  switch (isa) {
    case Isa::avx512:
      return avx512::direct_loops;
    case Isa::avx2:
      return avx2::direct_loops;
    case Isa::baseline:
      break;
  }
  return baseline::direct_loops;
}

double* flat(std::vector<Vec3>& v) {
  return &v.data()->x;
}

class HostEngine final : public GravityEngine {
 public:
  HostEngine(Isa isa, int threads, const GravityOptions& options)
      : loops_(loops_for(isa)), threads_(threads), options_(options) {}

  void upload(const NbodyState& state) override {
    if (fault_due(FaultPoint::host_alloc)) throw std::bad_alloc();
    state_ = state;
    const auto n = static_cast<std::size_t>(state_.size());
    for (auto* column : {&x_, &y_, &z_, &mass_, &softening_squared_}) column->resize(n);
    centre_.resize(static_cast<std::size_t>(ceiling_divide(state_.size(), target_tile)));
    if (state_.length_scale == 0) state_.length_scale = length_scale(state_.position, state_.softening);
    mass_scale_ = mass_scale(state_.mass);
    uniform_softening_ = common_value(state_.softening) >= 0;
    equal_masses_ = common_value(std::span(state_.mass).first(static_cast<std::size_t>(state_.sources))) >= 0;
    if (state_.tile_order.empty()) state_.tile_order = tile_order(state_.position, state_.sources);
    if (state_.acceleration.empty()) {
      state_.acceleration.resize(n);
      compute_forces();
    }
  }

  void download(NbodyState& state) override { state = state_; }

  BadBody integrate(const StepPlan& plan, double timestep, std::int64_t first_step, std::int64_t count) override {
    const std::int64_t values = 3 * state_.size();
    if (values == 0) return {};
    for (std::int64_t step = first_step; step < first_step + count; ++step) {
      std::int64_t bad = -1;
      // Looked for before the forces too: they would carry one body's NaN to all others.
      const auto look = [&] {
        if (bad < 0)
          bad = loops_.first_not_finite(state_.position.data(), state_.velocity.data(), state_.size(), threads_);
      };
      if (step % retile_interval == 0) state_.tile_order = tile_order(state_.position, state_.sources);
      loops_.advance(flat(state_.velocity), flat(state_.acceleration), plan.kick[0] * timestep, values, threads_);
      for (std::size_t s = 0; s < plan.drift.size(); ++s) {
        loops_.advance(flat(state_.position), flat(state_.velocity), plan.drift[s] * timestep, values, threads_);
        look();
        compute_forces();
        loops_.advance(flat(state_.velocity), flat(state_.acceleration), plan.kick[s + 1] * timestep, values, threads_);
      }
      look();
      if (bad >= 0) return {step, bad};
    }
    return {};
  }

  std::vector<double> potentials() override {
    std::vector<double> potential(state_.position.size());
    const Shares shares = shares_of(state_.size());
    loops_.potentials(bodies(shares.mine()), options_.gravitational_constant, potential.data(), threads_);
    shares.exchange(potential.data(), 1);
    return potential;
  }

  std::vector<Vec3> reference_accelerations(std::span<const std::int64_t> indices) override {
    std::vector<Vec3> acceleration(indices.size());
    const Shares shares(options_.share, static_cast<std::int64_t>(indices.size()), 1);
    const Range mine = shares.mine();
    loops_.reference(bodies({}), options_.gravitational_constant, indices.data() + mine.first, mine.count(),
                     acceleration.data() + mine.first, threads_);
    shares.exchange(flat(acceleration), 3);
    return acceleration;
  }

  std::int64_t memory_bytes() const override {
    return host_memory(state_.size(), shares_of(state_.size()).shared()).total;
  }

 private:
  BodyView bodies(Range targets) const {
    return {state_.position.data(), state_.mass.data(), state_.softening.data(), state_.size(), state_.sources,
            targets.first,          targets.last};
  }

  Shares shares_of(std::int64_t bodies) const { return {options_.share, bodies, target_tile}; }

  void gather() {
    const double inverse = 1 / state_.length_scale;  // powers of two: every product here is exact
    const double inverse_mass = 1 / mass_scale_;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      const auto i = static_cast<std::size_t>(state_.tile_order[k]);
      const double eps = state_.softening[i] * inverse;
      x_[k] = state_.position[i].x * inverse;
      y_[k] = state_.position[i].y * inverse;
      z_[k] = state_.position[i].z * inverse;
      mass_[k] = state_.mass[i] * inverse_mass;
      softening_squared_[k] = eps * eps;
    }
    for (std::size_t t = 0; t < centre_.size(); ++t) {
      const std::size_t begin = t * target_tile, end = std::min(begin + target_tile, x_.size());
      Vec3 sum{};
      for (std::size_t k = begin; k < end; ++k) sum = sum + Vec3{x_[k], y_[k], z_[k]};
      centre_[t] = (1 / static_cast<double>(end - begin)) * sum;
    }
  }

  void compute_forces() {
    gather();
    const Shares shares = shares_of(state_.size());
    const Range mine = shares.mine();
    const TileView view{x_.data(),
                        y_.data(),
                        z_.data(),
                        mass_.data(),
                        softening_squared_.data(),
                        centre_.data(),
                        state_.tile_order.data(),
                        state_.size(),
                        state_.sources,
                        uniform_softening_,
                        equal_masses_,
                        mine.first,
                        mine.last};
    const double scale = options_.gravitational_constant * mass_scale_ / state_.length_scale / state_.length_scale;
    const auto forces = options_.precision == Precision::mixed ? loops_.forces_mixed : loops_.forces_double;
    forces(view, scale, state_.acceleration.data(), threads_);
    if (!shares.shared()) return;
    // The pieces are consecutive in tile order only.
    in_tile_order_.resize(x_.size());
    for (std::int64_t k = mine.first; k < mine.last; ++k) in_tile_order_[as_size(k)] = acceleration_of(k);
    shares.exchange(flat(in_tile_order_), 3);
    for (std::int64_t k = 0; k < state_.size(); ++k) acceleration_of(k) = in_tile_order_[as_size(k)];
  }

  static std::size_t as_size(std::int64_t k) { return static_cast<std::size_t>(k); }
  /// Of the body at place k of the tile order.
  Vec3& acceleration_of(std::int64_t k) { return state_.acceleration[as_size(state_.tile_order[as_size(k)])]; }

  const DirectLoops& loops_;
  int threads_;
  GravityOptions options_;
  NbodyState state_;
  double mass_scale_ = 1;
  bool uniform_softening_ = false, equal_masses_ = false;
  std::vector<double> x_, y_, z_, mass_, softening_squared_;
  std::vector<Vec3> centre_, in_tile_order_;
};

}  // namespace

std::unique_ptr<GravityEngine> make_host_engine(Isa isa, int threads, const GravityOptions& options) {
  if (!isa_supported(isa))
    throw Error(Failure::no_device, "this processor has no " + std::string(name(isa)) + "; it supports up to " +
                                        std::string(name(best_isa())));
  return std::make_unique<HostEngine>(isa, threads, options);
}

MemoryNeed host_memory(std::int64_t bodies, bool shared) {
  MemoryNeed need;
  need.arrays = {{"position, velocity, acceleration", 72 * bodies},
                 {"bodies in tile order", 40 * bodies},
                 {"mass, softening, id, tile order", 32 * bodies}};
  if (shared) need.arrays.emplace_back("accelerations to exchange", 24 * bodies);
  for (const auto& [array, bytes] : need.arrays) need.total += bytes;
  return need;
}

}  // namespace ergode::kernels
