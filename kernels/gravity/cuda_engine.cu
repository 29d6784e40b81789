#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "kernels/device/cuda_resources.cuh"
#include "kernels/device/device_arena.cuh"
#include "kernels/device/device_timer.cuh"
#include "kernels/device/memory_use.hpp"
#include "kernels/device/pinned_array.cuh"
#include "kernels/gravity/cuda_engine.hpp"
#include "kernels/gravity/direct_cuda.cuh"

namespace ergode::kernels {

namespace {

/// Steps between looks at the flag that cuda::move sets: a host round trip each.
constexpr std::int64_t steps_between_checks = 32;
constexpr unsigned long long nothing_bad = std::numeric_limits<unsigned long long>::max();

constexpr const char* pair_unit = "interactions";

/// Up to so many bodies, counting costs less than a radix sort's launches.
constexpr std::int64_t most_by_rank = 8192;
/// Up to so many bodies, launches are recorded.
constexpr std::int64_t most_repeated = 65536;

/// What the sort of `bodies` keys asks for. It depends on the device, so CUB looks at the current one.
std::size_t sort_scratch_bytes(std::int64_t bodies) {
  std::size_t bytes = 0;
  cuda_check(cub::DeviceRadixSort::SortPairs(
                 nullptr, bytes, static_cast<const std::uint64_t*>(nullptr), static_cast<std::uint64_t*>(nullptr),
                 static_cast<const std::int64_t*>(nullptr), static_cast<std::int64_t*>(nullptr), bodies),
             "size of the sort's scratch memory");
  return bytes;
}

/// The same for a prediction, which must not fail: without a device that answers, about what CUB asks for, which is a
/// second copy of keys and indices (16 bytes a body) and its counters.
std::int64_t predicted_sort_scratch_bytes(std::int64_t bodies) {
  if (bodies == 0) return 0;
  int devices = 0;
  const bool asked = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  if (asked && !cuda_lost()) return static_cast<std::int64_t>(sort_scratch_bytes(bodies));
  cudaGetLastError();
  return 17 * bodies + (std::int64_t{1} << 16);
}

/// Two statuses, of even and odd passes, before the sums: in one piece, to be exchanged.
constexpr std::int64_t status_words = 2 * sizeof(cuda::PairSums::Status) / sizeof(std::int64_t);

template <class Real>
class CudaEngine final : public GravityEngine {
 public:
  CudaEngine(const Device& device, const GravityOptions& options) : options_(options), device_(device) {
    cuda_check(cudaSetDevice(device.index), "cudaSetDevice");
    stream_.emplace();
    bad_ = {"not-finite flag", 1};
  }

  void upload(const NbodyState& state) override {
    named("while bodies were copied to the device and their forces computed, before a step", [&] { take(state); });
  }

  void download(NbodyState& state) override {
    const auto n = static_cast<std::size_t>(position_.count());
    state.sources = sources_;
    for (auto* v : {&state.position, &state.velocity, &state.acceleration}) v->resize(n);
    state.tile_order.resize(n);
    state.mass = host_mass_;
    state.softening = host_softening_;
    state.id = id_;
    state.length_scale = scales_.length;
    const Scope scope(Phase::copies, "from the device", static_cast<double>(3 * velocity_.bytes() + order_.bytes()));
    position_.copy_to(state.position.data());
    velocity_.copy_to(state.velocity.data());
    acceleration_.copy_to(state.acceleration.data());
    order_.copy_to(state.tile_order.data());
  }

  BadBody integrate(const StepPlan& plan, double timestep, std::int64_t first_step, std::int64_t count) override {
    std::int64_t step = first_step, sure = first_step;
    try {
      return make_steps(plan, timestep, first_step, count, step, sure);
    } catch (const Error& error) {
      if (error.failure() != Failure::gpu) throw;
      std::string text = std::string(error.what()) + ", in step " + std::to_string(step);
      // A kernel's failure is told by a later call: what ran before `sure` is known to be right.
      if (sure < step)
        text += " (launches are asynchronous: the fault may lie in an earlier kernel, from step " +
                std::to_string(sure) + " on)";
      throw Error(Failure::gpu, text);
    }
  }

  std::vector<double> potentials() override {
    std::vector<double> potential(static_cast<std::size_t>(position_.count()));
    if (potential.empty()) return potential;
    const Shares shares = shares_of(position_.count());
    const Range mine = shares.mine();
    {
      const auto span = timer_.span("potentials", stream(), pairs_of(mine.count()), pair_unit);
      cuda::potentials(bodies(), options_.gravitational_constant, mine, potential_.get(), stream());
    }
    fetch(potential_.get(), mine, potential.data());
    shares.exchange(potential.data(), 1);
    return potential;
  }

  /// Its two arrays, 32 bytes a target, live for the call and are not counted by memory_bytes().
  std::vector<Vec3> reference_accelerations(std::span<const std::int64_t> indices) override {
    const Shares shares(options_.share, static_cast<std::int64_t>(indices.size()), 1);
    const Range mine = shares.mine();
    std::vector<Vec3> acceleration(indices.size());
    DeviceArray<std::int64_t> targets("force_check targets", mine.count());
    DeviceArray<Vec3> result("force_check accelerations", mine.count());
    note_device_memory();
    targets.copy_from(indices.data() + mine.first);
    {
      const auto span = timer_.span("force check", stream(), pairs_of(mine.count()), pair_unit);
      cuda::reference(bodies(), options_.gravitational_constant, targets.get(), mine.count(), result.get(), stream());
    }
    await_kernels();
    result.copy_to(acceleration.data() + mine.first);
    shares.exchange(reinterpret_cast<double*>(acceleration.data()), 3);
    return acceleration;
  }

  std::int64_t memory_bytes() const override { return memory_.count(); }

  std::int64_t passes_done_twice() const override {
    std::int64_t counters[2] = {0, 0};
    if (position_.count() > 0) counters_.copy_to(counters);
    return counters[1];
  }

 private:
  cudaStream_t stream() const { return stream_->get(); }

  void take(const NbodyState& state) {
    const std::int64_t n = state.size();
    graph_.reset();  // it knows the old scales
    const bool pairs = sums_over_pairs(Backend::cuda, options_.precision, state.mass, state.sources);
    if (position_.count() != n || sources_ != state.sources || pairs != (paired_ > 0))
      allocate(n, state.sources, pairs);
    cuda_check(cudaMemset(counters_.get(), 0, counters_.bytes()), "cudaMemset");
    copy_bodies(state);
    host_mass_ = state.mass;
    host_softening_ = state.softening;
    id_ = state.id;
    scales_.length = state.length_scale != 0 ? state.length_scale : length_scale(state.position, state.softening);
    const double mass = mass_scale(state.mass);
    scales_.per_length = 1 / scales_.length;
    scales_.per_mass = 1 / mass;
    scales_.force = options_.gravitational_constant * mass / scales_.length / scales_.length;
    if (paired_ > 0) {
      const double pull = pulling_mass(std::span(state.mass).first(static_cast<std::size_t>(paired_))) / mass;
      sum_scale_ = fixed_point_scale(pull, ceiling_divide(paired_, target_tile));
    }
    scales_.uniform_softening = common_value(state.softening) >= 0;
    scales_.equal_masses = common_value(std::span(state.mass).first(static_cast<std::size_t>(sources_))) >= 0;
    if (n == 0) return;
    if (state.tile_order.empty()) order_tiles();
    if (!state.acceleration.empty()) return;
    cuda::Move gather;
    gather.gathers = true;
    move(gather);
    compute_forces();
    cuda::Move take_up;
    take_up.take_pulls = true;
    move(take_up);
    settle();
  }

  void copy_bodies(const NbodyState& state) {
    const bool ordered = !state.tile_order.empty(), accelerated = !state.acceleration.empty();
    const Scope scope(Phase::copies, "to the device",
                      static_cast<double>((accelerated ? 3 : 2) * position_.bytes() + 2 * mass_.bytes() +
                                          (ordered ? order_.bytes() : 0)));
    position_.copy_from(state.position.data());
    velocity_.copy_from(state.velocity.data());
    mass_.copy_from(state.mass.data());
    softening_.copy_from(state.softening.data());
    if (ordered) order_.copy_from(state.tile_order.data());
    if (accelerated) acceleration_.copy_from(state.acceleration.data());
  }

  /// `step` is the one at work, `sure` the first one that no look at the device has confirmed.
  BadBody make_steps(const StepPlan& plan, double timestep, std::int64_t first_step, std::int64_t count,
                     std::int64_t& step, std::int64_t& sure) {
    const std::int64_t n = position_.count();
    if (n == 0) return {};
    first_bad_.copy_from(&nothing_bad);
    Steps steps{plan, timestep};
    const std::int64_t operations = steps.operations();
    for (std::int64_t done = 0, checked = 0; done < count;) {
      step = first_step + done;
      if (step % retile_interval == 0 && count - done >= retile_interval && repeats(plan, timestep)) {
        flush(steps);
        cuda::set_number(counters_.get(), n * operations * done, stream());
        graph_->launch(stream());
        done += retile_interval;
        steps.operation = operations * done;
      } else {
        make_step(steps, step);
        ++done;
      }
      if (done < count && done - checked < steps_between_checks) continue;
      flush(steps);
      settle();
      first_bad_.copy_to(bad_.get());
      timer_.collect();
      const unsigned long long bad = *bad_.get();
      const auto size = static_cast<unsigned long long>(n);
      if (bad != nothing_bad)
        return {first_step + static_cast<std::int64_t>(bad / size) / operations, static_cast<std::int64_t>(bad % size)};
      checked = done;
      sure = first_step + done;
    }
    return {};
  }

  /// Steps being made.
  struct Steps {
    const StepPlan& plan;
    double timestep;
    const std::int64_t* number_base = nullptr;
    std::int64_t operation = 0;  ///< how many kicks and drifts are in moves that were made
    cuda::Move next = {};        ///< what has to happen before the next force pass

    /// Kicks and drifts of a step.
    std::int64_t operations() const { return static_cast<std::int64_t>(plan.kick.size() + plan.drift.size()); }
    void kick(std::size_t which) { next.kick[next.kicks++] = plan.kick[which] * timestep; }
  };

  /// Makes what has to happen, if there is anything.
  void flush(Steps& steps) {
    cuda::Move& next = steps.next;
    if (next.kicks == 0) return;
    next.first_number = position_.count() * steps.operation;
    next.number_base = steps.number_base;
    steps.operation += next.kicks + (next.drifts ? 1 : 0);
    move(next);
    next = {};
  }

  void make_step(Steps& steps, std::int64_t step) {
    if (step % retile_interval == 0) {
      flush(steps);
      order_tiles();
    }
    steps.kick(0);
    for (std::size_t s = 0; s < steps.plan.drift.size(); ++s) {
      steps.next.drifts = steps.next.gathers = true;
      steps.next.drift = steps.plan.drift[s] * steps.timestep;
      flush(steps);
      compute_forces();
      steps.next.take_pulls = true;
      steps.kick(s + 1);
    }
  }

  /// Few bodies' steps take less time than their launches: those from one ordering of tiles to the next are recorded
  /// once. True when graph_ has them.
  bool repeats(const StepPlan& plan, double timestep) {
    if (options_.share != nullptr || position_.count() > most_repeated) return false;
    if (Profile::current() != nullptr) return false;  // which wants each kernel's time
    if (graph_ && timestep == graph_timestep_ && plan.kick == graph_plan_.kick && plan.drift == graph_plan_.drift)
      return true;
    graph_plan_ = plan;
    graph_timestep_ = timestep;
    graph_ = std::make_unique<Graph>(stream(), [&] {
      Steps steps{graph_plan_, timestep, counters_.get()};
      for (std::int64_t step = 0; step < retile_interval; ++step) make_step(steps, step);
      flush(steps);
    });
    return true;
  }

  /// Waits for the device, without being deaf to other processes.
  void settle() {
    if (options_.share == nullptr) return;
    cuda_check(cudaEventRecord(done_->get(), stream()), "cudaEventRecord");
    try {
      for (;;) {
        const cudaError_t status = cudaEventQuery(done_->get());
        if (status != cudaErrorNotReady) return cuda_check(status, "wait for the device");
        options_.share->watch();
        if (DeviceSum* devices = options_.share->on_devices()) devices->check();
        std::this_thread::yield();
      }
    } catch (...) {
      cuda_lost() = true;  // what the device waits for may never come
      throw;
    }
  }

  /// Before a copy that waits for the kernels anyway: of their time nothing is to count as the copy's.
  void await_kernels() {
    if (Profile::current() == nullptr) return;
    cuda_check(cudaStreamSynchronize(stream()), "wait for the device");
    timer_.collect();
  }

  /// Runs `work`; says `when` a GPU error in it happened.
  template <class Work>
  static void named(const char* when, const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      if (error.failure() != Failure::gpu) throw;
      throw Error(Failure::gpu, std::string(error.what()) + ", " + when);
    }
  }

  void allocate(std::int64_t n, std::int64_t sources, bool pairs) {
    sources_ = sources;
    paired_ = pairs ? sources : 0;
    if (options_.share != nullptr) {
      const bool through_host = options_.share->on_devices() == nullptr || paired_ < n;
      exchanged_ = {"accelerations to exchange", through_host ? 3 * n + status_words : 0};
      done_.emplace();
    }
    try {
      place_arrays(n, sources);
    } catch (const Error& error) {
      if (error.failure() != Failure::out_of_memory) throw;
      const MemoryNeed need = cuda_memory(n, sources, pairs, options_.precision);
      std::string text = std::string(error.what()) + ". The run needs " + std::to_string(need.total >> 20) +
                         " MiB on " + device_.name + ":";
      for (const auto& [array, bytes] : need.arrays) text += " " + array + " " + std::to_string(bytes >> 20) + " MiB;";
      throw Error(Failure::out_of_memory, text + " use fewer particles, another GPU, or device: cpu");
    }
    note_device_memory();
    if (paired_ > 0) cuda_check(cudaMemset(sums_.get(), 0, sums_.bytes()), "cudaMemset");
  }

  /// All arrays in one piece of memory, each in its place.
  void place_arrays(std::int64_t n, std::int64_t sources) {
    const auto each = [&](const auto& visit) {
      for (auto* array : {&position_, &velocity_, &acceleration_}) visit(*array, n);
      for (auto* array : {&mass_, &softening_, &x_, &y_, &z_, &potential_}) visit(*array, n);
      for (auto* array : {&tile_mass_, &softening_squared_}) visit(*array, n);
      visit(centre_, ceiling_divide(n, target_tile));
      visit(partial_, n * source_chunks(n, sources));
      for (auto* array : {&order_, &index_}) visit(*array, n);
      for (auto* array : {&key_, &sorted_key_}) visit(*array, n);
      visit(scratch_, n > 0 ? static_cast<std::int64_t>(sort_scratch_bytes(n)) : 0);
      visit(box_, 1);
      visit(first_bad_, 1);
      visit(counters_, 2);
      visit(sums_, paired_ > 0 ? status_words + 6 * n : 0);
    };
    std::int64_t bytes = 0;
    each([&](auto& array, std::int64_t count) { bytes += aligned_bytes(array.bytes_of(count)); });
    memory_ = {};  // given back before as much is asked for again
    memory_ = {"arrays of the bodies", bytes};
    std::int64_t at = 0;
    each([&](auto& array, std::int64_t count) {
      array = {memory_.get() + at, count};
      at += aligned_bytes(array.bytes_of(count));
    });
  }

  /// As the field counts interactions: every target feels every source.
  double pairs_of(std::int64_t targets) const { return static_cast<double>(targets) * static_cast<double>(sources_); }

  cuda::Bodies bodies() const {
    return {position_.get(),   velocity_.get(), acceleration_.get(), mass_.get(), softening_.get(),
            position_.count(), sources_};
  }
  cuda::PairSums::Status* status(std::int64_t pass) const {
    return reinterpret_cast<cuda::PairSums::Status*>(sums_.get()) + pass % 2;
  }
  cuda::PairSums pair_sums() const {
    const std::int64_t n = position_.count();
    std::int64_t* const fine = sums_.get() + status_words;
    return {fine, fine + 3 * n, status(pass_), n, sum_scale_};
  }
  cuda::Tiles<Real> tiles() const {
    return {x_.get(),      y_.get(),       z_.get(),    tile_mass_.get(), softening_squared_.get(),
            centre_.get(), partial_.get(), order_.get()};
  }

  void order_tiles() {
    const auto span = timer_.span("tile order", stream());
    cuda::bounding_box(position_.get(), position_.count(), box_.get(), stream());
    cuda::tile_keys(bodies(), box_.get(), key_.get(), index_.get(), stream());
    if (position_.count() <= most_by_rank)
      return cuda::order_by_rank(key_.get(), position_.count(), order_.get(), stream());
    std::size_t bytes = scratch_.bytes();
    cuda_check(cub::DeviceRadixSort::SortPairs(scratch_.get(), bytes, key_.get(), sorted_key_.get(), index_.get(),
                                               order_.get(), position_.count(), 0, 64, stream()),
               "sort of tile keys");
  }

  Shares shares_of(std::int64_t bodies) const { return {options_.share, bodies, target_tile}; }

  /// Elements `range` of a device array to the same places of `host`.
  template <class T>
  void fetch(const T* device, Range range, T* host) {
    if (range.count() == 0) return;
    await_kernels();
    const Scope scope(Phase::copies, "from the device", static_cast<double>(range.count()) * sizeof(T));
    cuda_check(cudaMemcpy(host + range.first, device + range.first, static_cast<std::size_t>(range.count()) * sizeof(T),
                          cudaMemcpyDeviceToHost),
               "copy from the device");
  }
  template <class T>
  static void bring(T* device, Range range, const T* host) {
    if (range.count() == 0) return;
    const Scope scope(Phase::copies, "to the device", static_cast<double>(range.count()) * sizeof(T));
    cuda_check(cudaMemcpy(device + range.first, host + range.first, static_cast<std::size_t>(range.count()) * sizeof(T),
                          cudaMemcpyHostToDevice),
               "copy to the device");
  }

  void move(const cuda::Move& what) {
    cuda::Pulls pulls{partial_.get(),     source_chunks(position_.count(), sources_), paired_, {}, nullptr,
                      counters_.get() + 1};
    if (paired_ > 0) {
      pulls.sums = pair_sums();
      pulls.next_status = status(pass_ + 1);
    }
    const auto span = timer_.span("move", stream());
    cuda::move(bodies(), tiles(), scales_, pulls, what, first_bad_.get(), stream());
  }

  /// From gathered tiles to what a move can take up.
  void compute_forces() {
    ++pass_;
    Range one_sided{0, position_.count()};
    if constexpr (sizeof(Real) == sizeof(float))
      if (paired_ > 0) {
        const std::int64_t tile_pairs = pair_count(ceiling_divide(paired_, target_tile));
        const Shares shares(options_.share, tile_pairs, 1);
        {
          const double part = static_cast<double>(shares.mine().count()) / static_cast<double>(tile_pairs);
          const auto span = timer_.span("forces", stream(), part * pairs_of(paired_), pair_unit);
          cuda::pairs(tiles(), paired_, scales_, pair_sums(), shares.mine(), stream());
        }
        if (shares.shared()) add_up_sums();
        const auto span = timer_.span("forces again where sums overflow", stream());
        cuda::forces(bodies(), tiles(), scales_, options_.block_size, Range{0, paired_}, &status(pass_)->too_large,
                     stream());
        one_sided.first = paired_ < one_sided.last ? paired_ / target_tile * target_tile : one_sided.last;
      }
    if (one_sided.count() == 0) return;
    const Shares shares = shares_of(one_sided.count());
    Range mine = shares.mine();
    mine = {one_sided.first + mine.first, one_sided.first + mine.last};
    {
      const auto span = timer_.span("forces", stream(), pairs_of(mine.count()), pair_unit);
      cuda::forces(bodies(), tiles(), scales_, options_.block_size, mine, nullptr, stream());
    }
    if (!shares.shared()) return;
    cuda::fold_chunks(partial_.get(), source_chunks(position_.count(), sources_), position_.count(), one_sided, mine,
                      stream());
    Vec3* const host = reinterpret_cast<Vec3*>(exchanged_.get());
    settle();
    fetch(partial_.get(), mine, host);
    shares.exchange(&host[one_sided.first].x, 3);
    bring(partial_.get(), one_sided, host);
  }

  /// Over all processes.
  void add_up_sums() {
    if (DeviceSum* devices = options_.share->on_devices()) {
      const auto span = timer_.span("sums between GPUs");  // in the default stream, where they are
      return devices->add_up(sums_.get(), sums_.count());
    }
    const std::int64_t fine = status_words + 3 * position_.count();
    fetch(sums_.get(), {0, fine}, exchanged_.get());
    options_.share->add_up(exchanged_.get(), fine);
    bring(sums_.get(), {0, fine}, exchanged_.get());
    const auto* all = reinterpret_cast<const cuda::PairSums::Status*>(exchanged_.get());
    if (all[pass_ % 2].coarse_terms == 0) return;
    std::int64_t* const coarse = pair_sums().coarse;
    const Range range{0, 3 * position_.count()};
    fetch(coarse, range, exchanged_.get());
    options_.share->add_up(exchanged_.get(), range.count());
    bring(coarse, range, exchanged_.get());
  }

  GravityOptions options_;
  Device device_;
  std::int64_t sources_ = -1;
  cuda::Scales scales_{};
  FixedPointScale sum_scale_;
  std::vector<double> host_mass_, host_softening_;  // constant, so a download need not fetch them
  std::vector<std::uint64_t> id_;
  DeviceArray<unsigned char> memory_;  ///< of all arrays that follow
  DevicePart<Vec3> position_, velocity_, acceleration_, centre_, partial_;
  DevicePart<std::int64_t> sums_;
  DevicePart<double> mass_, softening_, x_, y_, z_, potential_;
  DevicePart<Real> tile_mass_, softening_squared_;
  DevicePart<std::int64_t> order_, index_;
  DevicePart<std::uint64_t> key_, sorted_key_;
  DevicePart<unsigned char> scratch_;
  DevicePart<Box> box_;
  DevicePart<unsigned long long> first_bad_;
  DevicePart<std::int64_t> counters_;    ///< the first number of recorded steps; passes that were done twice
  std::int64_t paired_ = 0;              ///< sources whose pairs are looked at once: all, or none
  std::int64_t pass_ = 0;                ///< force passes since the bodies came
  PinnedArray<unsigned long long> bad_;  ///< fetched every few steps
  PinnedArray<std::int64_t> exchanged_;
  std::optional<Event> done_;
  DeviceTimer timer_;
  std::optional<Stream> stream_;
  std::unique_ptr<Graph> graph_;
  StepPlan graph_plan_;
  double graph_timestep_ = 0;
};

}  // namespace

std::unique_ptr<GravityEngine> make_cuda_engine(const Device& device, const GravityOptions& options) {
  if (options.precision == Precision::mixed) return std::make_unique<CudaEngine<float>>(device, options);
  return std::make_unique<CudaEngine<double>>(device, options);
}

MemoryNeed cuda_memory(std::int64_t bodies, std::int64_t sources, bool pairs, Precision precision) {
  const std::int64_t real = precision == Precision::mixed ? 4 : 8;
  MemoryNeed need;
  const auto array = [](std::int64_t count, std::int64_t size) { return aligned_bytes(count * size); };
  need.arrays = {{"partial accelerations", array(bodies * source_chunks(bodies, sources), 24)},
                 {"position, velocity, acceleration", 3 * array(bodies, 24)},
                 {"bodies in tile order",
                  3 * array(bodies, 8) + 2 * array(bodies, real) + array(ceiling_divide(bodies, target_tile), 24)},
                 {"tile order and keys", 4 * array(bodies, 8) + array(predicted_sort_scratch_bytes(bodies), 1)},
                 {"mass, softening, potential", 3 * array(bodies, 8)},
                 {"bounding box, flag, counters", array(1, sizeof(Box)) + array(1, 8) + array(2, 8)}};
  if (pairs) need.arrays.emplace_back("sums over pairs", array(6 * bodies + status_words, 8));
  for (const auto& [array, bytes] : need.arrays) need.total += bytes;
  std::sort(need.arrays.begin(), need.arrays.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return need;
}

}  // namespace ergode::kernels
