#include "sim/runner/profiled_engines.hpp"

#include <map>

#include "kernels/device/profile.hpp"
#include "kernels/options/chunk.hpp"

namespace ergode::sim {
namespace {

using kernels::BadBody;
using kernels::NbodyState;
using kernels::Phase;
using kernels::Scope;
using kernels::StepPlan;
using kernels::Vec3;
using kernels::options::GroupPlan;
using kernels::options::Recording;
using kernels::options::UpperBoundPlan;
using kernels::options::Work;

/// Directed pairs, as the field counts them: every body feels every source.
constexpr const char* pairs = "interactions";

class ProfiledGravityEngine final : public kernels::GravityEngine {
 public:
  explicit ProfiledGravityEngine(std::unique_ptr<GravityEngine> engine) : engine_(std::move(engine)) {}

  void upload(const NbodyState& state) override {
    Scope scope(Phase::kernels, "first forces");
    engine_->upload(state);
    bodies_ = static_cast<double>(state.size());
    sources_ = static_cast<double>(state.sources);
    if (state.acceleration.empty()) scope.did(bodies_ * sources_, pairs);
  }
  void download(NbodyState& state) override {
    const Scope scope(Phase::kernels, "state");
    engine_->download(state);
  }
  BadBody integrate(const StepPlan& plan, double timestep, std::int64_t first_step, std::int64_t count) override {
    Scope scope(Phase::kernels, "steps");
    const BadBody bad = engine_->integrate(plan, timestep, first_step, count);
    scope.did(bodies_ * sources_ * static_cast<double>(plan.drift.size()) * static_cast<double>(count), pairs);
    return bad;
  }
  std::vector<double> potentials() override {
    Scope scope(Phase::kernels, "potentials");
    scope.did(bodies_ * sources_, pairs);
    return engine_->potentials();
  }
  std::vector<Vec3> reference_accelerations(std::span<const std::int64_t> indices) override {
    Scope scope(Phase::kernels, "force check");
    scope.did(static_cast<double>(indices.size()) * sources_, pairs);
    return engine_->reference_accelerations(indices);
  }
  std::int64_t memory_bytes() const override { return engine_->memory_bytes(); }
  std::int64_t passes_done_twice() const override { return engine_->passes_done_twice(); }

 private:
  std::unique_ptr<GravityEngine> engine_;
  double bodies_ = 0, sources_ = 0;
};

class ProfiledPathEngine final : public kernels::options::PathEngine {
 public:
  explicit ProfiledPathEngine(std::unique_ptr<PathEngine> engine) : engine_(std::move(engine)) {}

  int add(const GroupPlan& plan) override {
    const Scope scope(Phase::kernels, "groups");
    const int number = engine_->add(plan);
    groups_[number] = {plan.grids[0].steps * (plan.antithetic ? 2 : 1), plan.samples, plan.points(), plan.replications};
    return number;
  }
  void remove(int group) override {
    engine_->remove(group);
    groups_.erase(group);
  }
  std::vector<double> run(std::span<const Work> work) override {
    Scope scope(Phase::kernels, "paths");
    std::int64_t steps = 0;
    for (const Work& w : work) {
      const Group& g = groups_.at(w.group);
      for (std::int64_t c = w.first; c < w.first + w.count; ++c)
        steps += g.steps_a_sample * kernels::options::chunk_range(c, g.samples, g.points, g.replications).count;
    }
    scope.did(static_cast<double>(steps), unit);
    return engine_->run(work);
  }
  std::vector<double> values(int group, std::int64_t samples) override {
    Scope scope(Phase::kernels, "payoffs");
    scope.did(steps_of(group, samples), unit);
    return engine_->values(group, samples);
  }
  void record(int group, std::int64_t paths, int slots, bool variance, Recording<float>& single,
              Recording<double>& real) override {
    Scope scope(Phase::kernels, "recorded paths");
    scope.did(steps_of(group, paths), unit);
    engine_->record(group, paths, slots, variance, single, real);
  }
  std::optional<kernels::ExercisePolicy> train(int group, const kernels::TrainingPlan& plan) override {
    Scope scope(Phase::kernels, "early exercise fitted");
    auto policy = engine_->train(group, plan);
    if (policy) scope.did(steps_of(group, plan.paths), unit);
    return policy;
  }
  std::vector<double> upper_bound(int group, const UpperBoundPlan& plan) override {
    const Scope scope(Phase::kernels, "upper bounds");
    return engine_->upper_bound(group, plan);
  }

 private:
  static constexpr const char* unit = "path-steps";
  struct Group {
    std::int64_t steps_a_sample = 0;  ///< of the first variation
    std::int64_t samples = 0, points = 0;
    int replications = 0;
  };
  double steps_of(int group, std::int64_t samples) const {
    return static_cast<double>(samples * groups_.at(group).steps_a_sample);
  }

  std::unique_ptr<PathEngine> engine_;
  std::map<int, Group> groups_;
};

}  // namespace

std::unique_ptr<kernels::GravityEngine> profiled(std::unique_ptr<kernels::GravityEngine> engine) {
  if (kernels::Profile::current() == nullptr) return engine;
  return std::make_unique<ProfiledGravityEngine>(std::move(engine));
}

std::unique_ptr<kernels::options::PathEngine> profiled(std::unique_ptr<kernels::options::PathEngine> engine) {
  if (kernels::Profile::current() == nullptr) return engine;
  return std::make_unique<ProfiledPathEngine>(std::move(engine));
}

}  // namespace ergode::sim
