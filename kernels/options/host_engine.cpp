#include "kernels/options/host_engine.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <variant>

#include "kernels/device/fault.hpp"
#include "kernels/options/group_data.hpp"
#include "kernels/random/joe_kuo.hpp"

namespace ergode::kernels::options {
namespace {

template <class Real>
const PathLoops<Real>& loops_for(Isa isa);
template <>
const PathLoops<float>& loops_for<float>(Isa isa) {
  return isa == Isa::avx512 ? avx512::path_loops_float
         : isa == Isa::avx2 ? avx2::path_loops_float
                            : baseline::path_loops_float;
}
template <>
const PathLoops<double>& loops_for<double>(Isa isa) {
  return isa == Isa::avx512 ? avx512::path_loops_double
         : isa == Isa::avx2 ? avx2::path_loops_double
                            : baseline::path_loops_double;
}

/// Memory of all threads for one group, aligned for vectors.
template <class Real>
struct Scratch {
  static constexpr std::size_t alignment = 64, most_lanes = alignment / sizeof(Real);
  struct Release {
    void operator()(void* memory) const { ::operator delete (memory, std::align_val_t{alignment}); }
  };
  template <class Number>
  using Array = std::unique_ptr<Number[], Release>;
  Array<Real> normals;
  Array<double> sums;
  std::vector<ThreadScratch<Real>> threads;

  Scratch(const GroupView<Real>& g, int count) {
    const auto n =
        (static_cast<std::size_t>(g.grids[0].steps) * static_cast<std::size_t>(g.grids[0].normals) + 1) * most_lanes;
    const auto s = static_cast<std::size_t>(chunk_lanes) * static_cast<std::size_t>(g.estimators * moments);
    const auto t = static_cast<std::size_t>(count);
    normals = allocate<Real>(n * t);
    sums = allocate<double>(s * t);
    for (std::size_t i = 0; i < t; ++i) threads.push_back({normals.get() + i * n, sums.get() + i * s});
  }

 private:
  template <class Number>
  static Array<Number> allocate(std::size_t size) {
    return Array<Number>(static_cast<Number*>(::operator new (size * sizeof(Number), std::align_val_t{alignment})));
  }
};

class HostPathEngine final : public PathEngine {
 public:
  HostPathEngine(Isa isa, int threads)
      : isa_(isa), threads_(threads), directions_(sobol_directions(sobol_dimensions)) {}

  int add(const GroupPlan& plan) override {
    if (fault_due(FaultPoint::host_alloc)) throw std::bad_alloc();
    const int number = next_++;
    if (plan.double_precision)
      groups_.emplace(number, group_data<double>(plan));
    else
      groups_.emplace(number, group_data<float>(plan));
    return number;
  }

  void remove(int group) override { groups_.erase(group); }

  std::vector<double> run(std::span<const Work> work) override {
    std::vector<double> sums;
    for (const Work& w : work) std::visit([&](auto& data) { run_group(data, w, sums); }, groups_.at(w.group));
    return sums;
  }

  std::vector<double> values(int group, std::int64_t samples) override {
    return std::visit(
        [&](auto& data) {
          auto view = view_of(data);
          samples = std::min(samples, view.samples);
          std::vector<double> values(static_cast<std::size_t>(view.estimators * samples));
          view.values = values.data();
          view.value_samples = samples;
          run_all(view, samples);
          return values;
        },
        groups_.at(group));
  }

  void record(int group, std::int64_t paths, int slots, bool variance, Recording<float>& single,
              Recording<double>& real) override {
    auto into = [&](auto& data, auto& out) {
      auto view = view_of(data);
      const auto size = static_cast<std::size_t>(slots) * static_cast<std::size_t>(view.grids[0].assets) *
                        static_cast<std::size_t>(paths);
      out.spot.resize(size);
      out.variance.resize(variance ? size : 0);
      view.recorder = {out.spot.data(), variance ? out.variance.data() : nullptr, paths, 0};
      view.samples = paths;
      view.antithetic = 0;
      view.variation_count = 1;
      view.sobol = {};
      run_all(view, paths);
    };
    auto& data = groups_.at(group);
    if (std::holds_alternative<GroupData<float>>(data))
      into(std::get<GroupData<float>>(data), single);
    else
      into(std::get<GroupData<double>>(data), real);
  }

  std::optional<ExercisePolicy> train(int, const TrainingPlan&) override { return std::nullopt; }

  std::vector<double> upper_bound(int group, const UpperBoundPlan& plan) override {
    std::vector<double> largest(static_cast<std::size_t>(plan.count));
    std::visit(
        [&]<class Real>(GroupData<Real>& data) {
          const auto view = view_of(data);
          loops_for<Real>(isa_).upper_bound(view, path_kernel(data.grids[0]), plan, largest.data(), threads_);
        },
        groups_.at(group));
    return largest;
  }

 private:
  template <class Real>
  GroupView<Real> view_of(GroupData<Real>& data) const {
    GroupView<Real> view = data.view;
    view.sobol.directions = directions_.data();
    return view;
  }

  template <class Real>
  void run_group(GroupData<Real>& data, const Work& w, std::vector<double>& sums) {
    const GroupView<Real> view = view_of(data);
    const std::int64_t row = std::int64_t{view.estimators} * moments;
    std::vector<double> chunks(static_cast<std::size_t>(w.count * row));
    Scratch<Real> scratch(view, threads_);
    loops_for<Real>(isa_).run(view, path_kernel(data.grids[0]), w.first, w.count, chunks.data(), scratch.threads.data(),
                              threads_);
    if (!w.folded) {
      sums.insert(sums.end(), chunks.begin(), chunks.end());
      return;
    }
    for (std::int64_t c = 0; c < w.count; c += fold_chunks)
      for (std::int64_t i = 0; i < row; ++i)
        sums.push_back(sum_of_block(chunks.data() + c * row + i, row, w.first + c, data.strides.of[i / moments]));
  }

  /// All chunks that hold the first `samples` samples, for what they leave behind beside the sums.
  template <class Real>
  void run_all(const GroupView<Real>& view, std::int64_t samples) {
    Scratch<Real> scratch(view, threads_);
    std::int64_t chunks = (samples + chunk_samples - 1) / chunk_samples;
    if (view.sobol.replications > 0)
      chunks = (view.sobol.points + chunk_samples - 1) / chunk_samples * view.sobol.replications;
    std::vector<double> sums(static_cast<std::size_t>(chunks * view.estimators * moments));
    loops_for<Real>(isa_).run(view, path_kernel(view.grids[0]), 0, chunks, sums.data(), scratch.threads.data(),
                              threads_);
  }

  Isa isa_;
  int threads_;
  int next_ = 0;
  std::vector<std::uint32_t> directions_;
  std::map<int, std::variant<GroupData<float>, GroupData<double>>> groups_;
};

}  // namespace

std::unique_ptr<PathEngine> make_host_path_engine(Isa isa, int threads, std::int64_t) {
  return std::make_unique<HostPathEngine>(isa, threads);
}

}  // namespace ergode::kernels::options
