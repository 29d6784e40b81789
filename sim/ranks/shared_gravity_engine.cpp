#include "sim/ranks/engines.hpp"
#include "sim/runner/profiled_engines.hpp"

namespace ergode::sim {
namespace {

using kernels::BadBody;
using kernels::GravityEngine;
using kernels::GravityOptions;
using kernels::NbodyState;
using kernels::StepPlan;
using kernels::Vec3;

enum class Method : std::int32_t { join_devices, upload, integrate, potentials, reference };

class RankShare final : public kernels::TargetShare {
 public:
  explicit RankShare(Ranks& ranks) : ranks_(ranks) {}
  int parts() const override { return ranks_.size(); }
  int part() const override { return ranks_.rank(); }
  void exchange(double* values, std::span<const std::int64_t> bounds) const override {
    ranks_.all_gather(values, bounds);
  }
  void add_up(std::int64_t* values, std::int64_t count) const override { ranks_.add_up(values, count); }
  kernels::DeviceSum* on_devices() const override { return devices_.get(); }
  void watch() const override { ranks_.watch(); }

  void join_devices(const std::string& meeting) {
    // All or none: where it is missing on one node, sums go through the hosts.
    std::int64_t with = kernels::device_sum_library().empty() ? 0 : 1;
    ranks_.add_up(&with, 1);
    if (with == ranks_.size())
      devices_ = kernels::join_device_sum(meeting, ranks_.rank(), ranks_.size(), [this] { ranks_.watch(); });
  }

 private:
  Ranks& ranks_;
  std::unique_ptr<kernels::DeviceSum> devices_;
};

void put(Writer& out, const NbodyState& s) {
  out.put(s.sources).put(s.position).put(s.velocity).put(s.acceleration).put(s.mass).put(s.softening).put(s.id);
  out.put(s.tile_order).put(s.length_scale);
}
NbodyState get_state(Reader& in) {
  NbodyState s;
  s.sources = in.get<std::int64_t>();
  in.get(s.position), in.get(s.velocity), in.get(s.acceleration), in.get(s.mass), in.get(s.softening), in.get(s.id);
  in.get(s.tile_order);
  s.length_scale = in.get<double>();
  return s;
}

/// Rank 0's: every rank holds all bodies and moves them, and computes the accelerations of a share of them.
class SharedGravityEngine final : public GravityEngine {
 public:
  SharedGravityEngine(const RunContext& context, GravityOptions options)
      : leader_(*context.leader), share_(leader_.ranks()) {
    number_ = leader_.make(Writer()
                               .put(Call::make_gravity)
                               .put(context.device.isa)
                               .put(options.gravitational_constant)
                               .put(options.precision)
                               .put(options.block_size));
    options.share = &share_;
    mine_ = kernels::make_gravity_engine(context.device, context.threads, options);
    backend_ = context.device.backend;
    precision_ = options.precision;
    info_ = context.info;
  }
  ~SharedGravityEngine() override { leader_.drop(number_); }

  void upload(const NbodyState& state) override {
    join_devices(state);
    Writer message = call(Method::upload);
    put(message, state);
    leader_.call(message, [&] { mine_->upload(state); });
  }
  void download(NbodyState& state) override { mine_->download(state); }
  BadBody integrate(const StepPlan& plan, double timestep, std::int64_t first_step, std::int64_t count) override {
    Writer message = call(Method::integrate);
    message.put(plan.kick).put(plan.drift).put(timestep).put(first_step).put(count);
    return leader_.call(message, [&] { return mine_->integrate(plan, timestep, first_step, count); });
  }
  std::vector<double> potentials() override {
    return leader_.call(call(Method::potentials), [&] { return mine_->potentials(); });
  }
  std::vector<Vec3> reference_accelerations(std::span<const std::int64_t> indices) override {
    Writer message = call(Method::reference);
    message.put(std::vector<std::int64_t>(indices.begin(), indices.end()));
    return leader_.call(message, [&] { return mine_->reference_accelerations(indices); });
  }
  std::int64_t memory_bytes() const override { return mine_->memory_bytes(); }
  std::int64_t passes_done_twice() const override { return mine_->passes_done_twice(); }

 private:
  /// Before the first bodies whose forces are sums.
  void join_devices(const NbodyState& state) {
    if (joined_ || !leader_.gpu_each()) return;
    if (!kernels::sums_over_pairs(backend_, precision_, state.mass, state.sources)) return;
    joined_ = true;
    const std::string library = kernels::device_sum_library();
    if (library.empty()) return info_("sums between GPUs: through the hosts, as NCCL was not found");
    const std::string meeting = kernels::device_sum_meeting();
    leader_.call(call(Method::join_devices).put(meeting), [&] { share_.join_devices(meeting); });
    info_("sums between GPUs: " +
          (share_.on_devices() != nullptr ? library : "through the hosts, as not every rank finds NCCL"));
  }
  Writer call(Method method) const { return Writer().put(Call::engine).put(number_).put(method); }

  Leader& leader_;
  RankShare share_;
  int number_ = 0;
  kernels::Backend backend_{};
  kernels::Precision precision_{};
  std::function<void(const std::string&)> info_;
  bool joined_ = false;
  std::unique_ptr<GravityEngine> mine_;
};

class GravityTwin final : public EngineTwin {
 public:
  GravityTwin(Ranks& ranks, const kernels::Device& device, int threads, GravityOptions options) : share_(ranks) {
    options.share = &share_;
    engine_ = kernels::make_gravity_engine(device, threads, options);
  }

  void call(Reader& in) override {
    switch (in.get<Method>()) {
      case Method::join_devices: {
        std::string meeting;
        in.get(meeting);
        return share_.join_devices(meeting);
      }
      case Method::upload:
        return engine_->upload(get_state(in));
      case Method::integrate: {
        StepPlan plan;
        in.get(plan.kick), in.get(plan.drift);
        const auto timestep = in.get<double>();
        const auto first_step = in.get<std::int64_t>(), count = in.get<std::int64_t>();
        engine_->integrate(plan, timestep, first_step, count);
        return;
      }
      case Method::potentials:
        engine_->potentials();
        return;
      case Method::reference: {
        std::vector<std::int64_t> indices;
        in.get(indices);
        engine_->reference_accelerations(indices);
        return;
      }
    }
  }

 private:
  RankShare share_;
  std::unique_ptr<GravityEngine> engine_;
};

}  // namespace

std::unique_ptr<GravityEngine> make_gravity_engine(const RunContext& context, const GravityOptions& options) {
  if (context.leader == nullptr)
    return profiled(kernels::make_gravity_engine(context.device, context.threads, options));
  return profiled(std::make_unique<SharedGravityEngine>(context, options));
}

std::unique_ptr<EngineTwin> make_gravity_twin(Ranks& ranks, kernels::Device device, int threads, Reader& message) {
  device.isa = message.get<kernels::Isa>();
  GravityOptions options;
  options.gravitational_constant = message.get<double>();
  options.precision = message.get<kernels::Precision>();
  options.block_size = message.get<int>();
  return std::make_unique<GravityTwin>(ranks, device, threads, options);
}

}  // namespace ergode::sim
