#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <variant>

#include "kernels/device/device_arena.cuh"
#include "kernels/device/device_timer.cuh"
#include "kernels/device/memory_use.hpp"
#include "kernels/device/pinned_array.cuh"
#include "kernels/options/cuda_engine.hpp"
#include "kernels/options/fold.cuh"
#include "kernels/options/group_data.hpp"
#include "kernels/options/longstaff_schwartz.cuh"
#include "kernels/options/paths_cuda.cuh"
#include "kernels/random/joe_kuo.hpp"

namespace ergode::kernels::options {
namespace {

/// The arrays of a group, packed into one piece of memory.
template <class Real>
struct DeviceGroup {
  DeviceArena::Piece memory;
  GroupView<Real> view;  ///< device pointers
  EstimatorStrides strides;
  PathKernel kernel;
  bool tangents;
  std::int64_t normals;  ///< of one path
  int assets;
  int observers;
  std::optional<CompactGroup> compact;
};

class Packer {
 public:
  template <class T>
  std::size_t add(const std::vector<T>& array) {
    const std::size_t at = (bytes_.size() + 31) / 32 * 32;
    bytes_.resize(at + array.size() * sizeof(T));
    if (!array.empty()) std::memcpy(bytes_.data() + at, array.data(), array.size() * sizeof(T));
    return at;
  }
  const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
  std::vector<unsigned char> bytes_;
};

template <class Real>
DeviceGroup<Real> device_group(const GroupData<Real>& data, const std::uint32_t* directions, DeviceArena& arena) {
  DeviceGroup<Real> d;
  Packer pack;
  const std::size_t grids = pack.add(data.grids), variations = pack.add(data.variations), terms = pack.add(data.terms),
                    targets = pack.add(data.targets), plain = pack.add(data.plain), dual = pack.add(data.dual),
                    offsets = pack.add(data.offsets), policies = pack.add(data.policies),
                    bridge = pack.add(data.bridge);
  const Scope scope(Phase::copies, "to the device", static_cast<double>(pack.bytes().size()));
  d.memory = arena.take("options of a group", static_cast<std::int64_t>(pack.bytes().size()));
  cuda_check(cudaMemcpy(d.memory.get(), pack.bytes().data(), pack.bytes().size(), cudaMemcpyHostToDevice),
             "copy to the device");
  // A copy from pageable memory may return before it has arrived, and the loops' streams do not wait for it.
  cuda_check(cudaDeviceSynchronize(), "copy of a group");
  const unsigned char* base = d.memory.get();
  d.view = data.view;
  d.view.grids = reinterpret_cast<const PathSpec*>(base + grids);
  d.view.variations = reinterpret_cast<const VariationSpec*>(base + variations);
  d.view.terms = reinterpret_cast<const Term*>(base + terms);
  d.view.targets = reinterpret_cast<const TermTarget*>(base + targets);
  d.view.plain = reinterpret_cast<const Real*>(base + plain);
  d.view.dual = reinterpret_cast<const Dual<Real>*>(base + dual);
  d.view.offsets = reinterpret_cast<const std::int64_t*>(base + offsets);
  d.view.policies = reinterpret_cast<const Real*>(base + policies);
  d.view.sobol.bridge.steps = reinterpret_cast<const BridgeStep<Real>*>(base + bridge);
  d.view.sobol.directions = directions;
  d.strides = data.strides;
  d.kernel = path_kernel(data.grids[0]);
  d.tangents = !data.dual.empty();
  d.normals = static_cast<std::int64_t>(data.grids[0].steps) * data.grids[0].normals;
  d.assets = data.grids[0].assets;
  d.observers = data.grids[0].observers;
  d.compact = compact_group(data);
  return d;
}

template <class Real>
void launch(const DeviceGroup<Real>& d, const GroupView<Real>& view, const LaunchArguments<Real>& arguments) {
  const bool stored = view.sobol.replications > 0;
  switch (d.kernel) {
    case PathKernel::gbm:
      return launch_gbm(view, arguments, stored, d.tangents);
    case PathKernel::heston:
      return launch_heston(view, arguments, stored, d.tangents);
    case PathKernel::one_asset:
      return launch_one_asset(view, arguments, stored, d.tangents);
    case PathKernel::few_assets:
      return launch_few_assets(view, arguments, stored, d.tangents);
    case PathKernel::many_assets:
      return launch_many_assets(view, arguments, stored, d.tangents);
  }
}

class CudaPathEngine final : public PathEngine {
 public:
  CudaPathEngine(int index, std::int64_t memory_limit) : memory_limit_(memory_limit) {
    cuda_check(cudaSetDevice(index), "cudaSetDevice");
    int processors = 0;
    cuda_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, index), "cudaDeviceGetAttribute");
    blocks_ = 16 * static_cast<std::int64_t>(processors);
    cuda_check(cudaDeviceGetAttribute(&shared_memory_, cudaDevAttrMaxSharedMemoryPerBlockOptin, index),
               "cudaDeviceGetAttribute");
    const auto table = sobol_directions(sobol_dimensions);
    directions_ = DeviceArray<std::uint32_t>("Sobol directions", static_cast<std::int64_t>(table.size()));
    directions_.copy_from(table.data());
    for (cudaStream_t& stream : streams_)
      cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~CudaPathEngine() override {
    if (cuda_lost()) return;
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  }

  int add(const GroupPlan& plan) override {
    const int number = next_++;
    if (plan.double_precision)
      groups_.emplace(number, device_group(group_data<double>(plan), directions_.get(), arena_));
    else
      groups_.emplace(number, device_group(group_data<float>(plan), directions_.get(), arena_));
    return number;
  }
  void remove(int group) override { groups_.erase(group); }

  std::vector<double> run(std::span<const Work> work) override {
    std::int64_t total = 0, unfolded = 0;
    for (const Work& w : work) {
      const std::int64_t row = row_of(w.group);
      total += w.rows() * row;
      if (w.folded) unfolded += w.count * row;
    }
    ensure(sums_, "sums of chunks", total);
    ensure(unfolded_, "sums of chunks of blocks", unfolded);
    std::size_t turn = 0;
    for (const Placed& placed : longest_first(work)) {
      const Work& w = *placed.work;
      double *const to = sums_.get() + placed.sums, *const chunks = unfolded_.get() + placed.unfolded;
      const cudaStream_t stream = streams_[turn++ % std::size(streams_)];
      std::visit(
          [&](auto& d) {
            launch_chunks(d, d.view, w.first, w.count, w.folded ? chunks : to, stream);
            if (!w.folded) return;
            if (d.view.sobol.replications > 0) throw std::invalid_argument("chunks of Sobol points are not folded");
            const auto span = timer_.span("sums of blocks", stream);
            fold_cuda(chunks, w.first, w.count, d.view.estimators, d.strides, to, stream);
          },
          groups_.at(w.group));
    }
    synchronise();
    if (total == 0) return {};
    if (host_sums_.count() < total) {
      host_sums_ = {};
      host_sums_ = {"sums of chunks", total};
    }
    const std::size_t bytes = static_cast<std::size_t>(total) * sizeof(double);
    const Scope scope(Phase::copies, "from the device", static_cast<double>(bytes));
    cuda_check(cudaMemcpy(host_sums_.get(), sums_.get(), bytes, cudaMemcpyDeviceToHost), "copy of the sums");
    return {host_sums_.get(), host_sums_.get() + total};
  }

  std::vector<double> values(int group, std::int64_t samples) override {
    return std::visit(
        [&](auto& d) {
          auto view = d.view;
          samples = std::min(samples, view.samples);
          DeviceArray<double> values("payoffs", view.estimators * samples);
          note_device_memory();
          view.values = values.get();
          view.value_samples = samples;
          run_all(d, view, samples);
          std::vector<double> out(static_cast<std::size_t>(values.count()));
          const Scope scope(Phase::copies, "from the device", static_cast<double>(values.bytes()));
          values.copy_to(out.data());
          return out;
        },
        groups_.at(group));
  }

  void record(int group, std::int64_t paths, int slots, bool variance, Recording<float>& single,
              Recording<double>& real) override {
    auto& g = groups_.at(group);
    if (std::holds_alternative<DeviceGroup<float>>(g))
      record_group(std::get<DeviceGroup<float>>(g), paths, slots, variance, single);
    else
      record_group(std::get<DeviceGroup<double>>(g), paths, slots, variance, real);
  }

  std::optional<ExercisePolicy> train(int group, const TrainingPlan& plan) override {
    return std::visit([&](auto& d) { return train_group(d, plan); }, groups_.at(group));
  }

  /// The first variation's constants are plain.
  std::vector<double> upper_bound(int group, const UpperBoundPlan& plan) override {
    DeviceArray<double> largest("upper bounds", plan.count);
    {
      const auto span = timer_.span("upper bounds");
      std::visit([&](auto& d) { launch_upper_bound(d.view, plan, largest.get(), d.assets); }, groups_.at(group));
    }
    synchronise();
    std::vector<double> out(static_cast<std::size_t>(plan.count));
    largest.copy_to(out.data());
    return out;
  }

 private:
  /// A work, and where its sums stand.
  struct Placed {
    const Work* work;
    std::int64_t sums, unfolded;
    std::int64_t length;  ///< normals of a sample: about how long the work takes if the device has room for all of it
  };

  /// So that no long one is left alone at the end.
  std::vector<Placed> longest_first(std::span<const Work> work) const {
    std::vector<Placed> placed;
    std::int64_t sums = 0, unfolded = 0;
    for (const Work& w : work) {
      const std::int64_t row = row_of(w.group);
      const std::int64_t length =
          std::visit([](auto& d) { return d.normals * d.view.variation_count * (d.view.antithetic != 0 ? 2 : 1); },
                     groups_.at(w.group));
      placed.push_back({&w, sums, unfolded, length});
      sums += w.rows() * row;
      if (w.folded) unfolded += w.count * row;
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Placed& a, const Placed& b) { return a.length > b.length; });
    return placed;
  }

  /// Numbers of a chunk.
  std::int64_t row_of(int group) const {
    return std::visit([](auto& d) { return std::int64_t{d.view.estimators} * moments; }, groups_.at(group));
  }

  void synchronise() {
    cuda_check(cudaDeviceSynchronize(), "paths_kernel");
    timer_.collect();
  }

  template <class T>
  static void ensure(DeviceArray<T>& array, const char* what, std::int64_t count) {
    if (array.count() >= count) return;
    array = DeviceArray<T>();
    array = DeviceArray<T>(what, count);
    note_device_memory();
  }

  template <class Real>
  void launch_chunks(const DeviceGroup<Real>& d, const GroupView<Real>& view, std::int64_t first, std::int64_t count,
                     double* sums, cudaStream_t stream) {
    LaunchArguments<Real> arguments{first, count, sums, nullptr, std::int64_t{1} << 30, d.observers, nullptr, stream};
    if (d.compact && view.values == nullptr) arguments.compact = &*d.compact;
    if (view.sobol.replications > 0) {
      // Stored normals are shared by all launches, which therefore follow each other in one stream.
      arguments.blocks = blocks_;
      arguments.stream = streams_[0];
      const std::int64_t bytes =
          std::min(arguments.blocks, count) * chunk_lanes * d.normals * static_cast<std::int64_t>(sizeof(Real));
      const std::int64_t limit = memory_limit_ > 0 ? memory_limit_ : std::int64_t{4} << 30;
      if (bytes > limit) {
        arguments.blocks =
            std::max<std::int64_t>(1, limit / (chunk_lanes * d.normals * static_cast<std::int64_t>(sizeof(Real))));
      }
      const std::int64_t need =
          std::min(arguments.blocks, count) * chunk_lanes * d.normals * static_cast<std::int64_t>(sizeof(Real));
      if (normals_.count() < need) {
        synchronise();
        ensure(normals_, "normals of Sobol points", need);
      }
      arguments.normals = reinterpret_cast<Real*>(normals_.get());
    }
    const auto span = timer_.span("paths", arguments.stream);
    launch(d, view, arguments);
  }

  /// All chunks that hold the first `samples` samples, for what they leave behind beside the sums.
  template <class Real>
  void run_all(const DeviceGroup<Real>& d, const GroupView<Real>& view, std::int64_t samples) {
    std::int64_t chunks = (samples + chunk_samples - 1) / chunk_samples;
    if (view.sobol.replications > 0)
      chunks = (view.sobol.points + chunk_samples - 1) / chunk_samples * view.sobol.replications;
    ensure(sums_, "sums of chunks", chunks * view.estimators * moments);
    if (chunks > 0) launch_chunks(d, view, 0, chunks, sums_.get(), streams_[0]);
    synchronise();
  }

  /// Paths first ... first + count - 1, to device memory.
  template <class Real>
  void record_piece(const DeviceGroup<Real>& d, std::int64_t first, std::int64_t count, Real* spot, Real* variance) {
    GroupView<Real> view = d.view;
    view.recorder = {spot, variance, count, 0};
    view.first_sample += static_cast<std::uint64_t>(first);
    view.samples = count;
    view.antithetic = 0;
    view.variation_count = 1;
    view.sobol = {};
    run_all(d, view, count);
  }

  /// Where half of the device's memory holds it all.
  template <class Real>
  std::optional<ExercisePolicy> train_group(const DeviceGroup<Real>& d, const TrainingPlan& plan) {
    const auto dates = static_cast<int>(plan.rule.discount.size());
    const std::int64_t numbers = std::int64_t{dates} * d.assets * plan.paths;
    const auto fit_bytes = policy_fit_bytes(plan, d.assets, static_cast<int>(sizeof(Real)), shared_memory_);
    std::size_t free = 0, total = 0;
    cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    const std::int64_t limit = memory_limit_ > 0 ? memory_limit_ : static_cast<std::int64_t>(total / 2);
    const std::int64_t recorded = (numbers * static_cast<std::int64_t>(sizeof(Real)) + 255) / 256 * 256;
    const std::int64_t need = recorded * (plan.variance ? 2 : 1) + fit_bytes.value_or(0);
    if (!fit_bytes || need > limit) return std::nullopt;
    ensure(training_, "training paths", need);
    auto* spot = reinterpret_cast<Real*>(training_.get());
    auto* variance = plan.variance ? reinterpret_cast<Real*>(training_.get() + recorded) : nullptr;
    record_piece(d, 0, plan.paths, spot, variance);
    auto policy = fit_exercise_policy_cuda(TrainingPaths<Real>{plan.paths, dates, d.assets, spot, variance}, plan,
                                           training_.get() + need - *fit_bytes, streams_[0]);
    constexpr std::int64_t most_kept = std::int64_t{1} << 30;
    if (need > most_kept) training_ = DeviceArray<unsigned char>();
    return policy;
  }

  template <class Real>
  void record_group(const DeviceGroup<Real>& d, std::int64_t paths, int slots, bool variance, Recording<Real>& out) {
    const std::int64_t rows = static_cast<std::int64_t>(slots) * d.assets;
    out.spot.resize(static_cast<std::size_t>(rows * paths));
    out.variance.resize(variance ? out.spot.size() : 0);
    std::size_t free = 0, total = 0;
    cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    const std::int64_t limit = memory_limit_ > 0 ? memory_limit_ : static_cast<std::int64_t>(free / 2);
    const std::int64_t a_path = rows * static_cast<std::int64_t>(sizeof(Real)) * (variance ? 2 : 1);
    const std::int64_t at_a_time = std::clamp<std::int64_t>(limit / std::max<std::int64_t>(a_path, 1), chunk_samples,
                                                            std::max<std::int64_t>(paths, chunk_samples));
    DeviceArray<Real> spot("recorded spots", rows * std::min(at_a_time, paths));
    DeviceArray<Real> variances("recorded variances", variance ? rows * std::min(at_a_time, paths) : 0);
    note_device_memory();
    for (std::int64_t first = 0; first < paths; first += at_a_time) {
      const std::int64_t count = std::min(at_a_time, paths - first);
      record_piece(d, first, count, spot.get(), variance ? variances.get() : nullptr);
      auto fetch = [&](const DeviceArray<Real>& from, std::vector<Real>& to) {
        const Scope scope(Phase::copies, "from the device", static_cast<double>(rows * count) * sizeof(Real));
        cuda_check(
            cudaMemcpy2D(to.data() + first, static_cast<std::size_t>(paths) * sizeof(Real), from.get(),
                         static_cast<std::size_t>(count) * sizeof(Real), static_cast<std::size_t>(count) * sizeof(Real),
                         static_cast<std::size_t>(rows), cudaMemcpyDeviceToHost),
            "copy of recorded paths");
      };
      fetch(spot, out.spot);
      if (variance) fetch(variances, out.variance);
    }
  }

  std::int64_t memory_limit_;
  std::int64_t blocks_ = 0;
  int shared_memory_ = 0;  ///< that a block may have, bytes
  int next_ = 0;
  DeviceArray<std::uint32_t> directions_;
  DeviceArray<double> sums_, unfolded_;
  DeviceArray<unsigned char> normals_;
  PinnedArray<double> host_sums_;
  DeviceArena arena_;
  DeviceTimer timer_;
  DeviceArray<unsigned char> training_;  ///< kept for the next option: to take and free it costs more than the fit
  cudaStream_t streams_[32] = {};        ///< a group of few paths fills a small part of a device
  std::map<int, std::variant<DeviceGroup<float>, DeviceGroup<double>>> groups_;
};

}  // namespace

std::unique_ptr<PathEngine> make_cuda_path_engine(int index, std::int64_t memory_limit) {
  return std::make_unique<CudaPathEngine>(index, memory_limit);
}

}  // namespace ergode::kernels::options
