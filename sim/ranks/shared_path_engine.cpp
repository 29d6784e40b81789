#include <algorithm>
#include <map>

#include "kernels/options/chunk.hpp"
#include "sim/ranks/engines.hpp"
#include "sim/ranks/path_shares.hpp"
#include "sim/runner/profiled_engines.hpp"

namespace ergode::sim {
namespace {

namespace k = kernels::options;
using k::GroupPlan;
using k::PathEngine;
using k::Recording;
using k::UpperBoundPlan;
using k::Work;

enum class Method : std::int32_t { add, remove, run, record, upper_bound };

void put(Writer& out, const GroupPlan& p) {
  out.put(p.grids).put(static_cast<std::uint64_t>(p.variations.size()));
  for (const k::Variation& v : p.variations) out.put(v.spec).put(v.constants).put(v.tangents);
  out.put(p.terms).put(p.targets).put(p.estimators).put(p.policies).put(p.double_precision).put(p.antithetic);
  out.put(p.first_sample).put(p.samples).put(p.replications).put(p.times);
}
GroupPlan get_plan(Reader& in) {
  GroupPlan p;
  in.get(p.grids);
  p.variations.resize(in.get<std::uint64_t>());
  for (k::Variation& v : p.variations) {
    v.spec = in.get<k::VariationSpec>();
    in.get(v.constants), in.get(v.tangents);
  }
  in.get(p.terms), in.get(p.targets);
  p.estimators = in.get<int>();
  in.get(p.policies);
  p.double_precision = in.get<bool>();
  p.antithetic = in.get<bool>();
  p.first_sample = in.get<std::uint64_t>();
  p.samples = in.get<std::int64_t>();
  p.replications = in.get<int>();
  in.get(p.times);
  return p;
}

template <class Real>
Bytes raw(const std::vector<Real>& values) {
  const auto* first = reinterpret_cast<const std::byte*>(values.data());
  return Bytes(first, first + values.size() * sizeof(Real));
}

struct RecordCall {
  int group;
  std::int64_t paths;
  int slots;
  bool variance;
};

/// Every rank's share of the calls, from the same plans.
class PathShare {
 public:
  PathShare(Ranks& ranks, const kernels::Device& device, int threads)
      : ranks_(ranks), engine_(k::make_path_engine(device, threads)) {}

  PathEngine& engine() { return *engine_; }
  const GroupPlan& plan(int group) const { return groups_.at(group).plan; }

  int add(const GroupPlan& plan) {
    const int number = next_++;
    groups_[number] = {plan, engine_->add(plan)};
    return number;
  }
  void remove(int group) {
    engine_->remove(groups_.at(group).number);
    groups_.erase(group);
  }
  int number(int group) const { return groups_.at(group).number; }

  std::vector<double> run(std::span<const Work> work) {
    std::vector<Work> mine;
    for (Work w : share_of(work, ranks_.rank(), ranks_.size())) {
      if (w.count == 0) continue;
      w.group = number(w.group);
      mine.push_back(w);
    }
    return mine.empty() ? std::vector<double>() : engine_->run(mine);
  }

  template <class Real>
  Recording<Real> record(const RecordCall& call) {
    const Piece piece = piece_of(call.paths, ranks_.rank(), ranks_.size());
    Recording<float> single;
    Recording<double> real;
    if (piece.count > 0) {
      GroupPlan p = plan(call.group);
      p.first_sample += static_cast<std::uint64_t>(piece.first);
      p.samples = piece.count;
      const int part = engine_->add(p);
      engine_->record(part, piece.count, call.slots, call.variance, single, real);
      engine_->remove(part);
    }
    if constexpr (std::is_same_v<Real, float>)
      return single;
    else
      return real;
  }

  std::vector<double> upper_bound(int group, UpperBoundPlan plan) {
    const Piece piece = piece_of(plan.count, ranks_.rank(), ranks_.size());
    plan.first += piece.first;
    plan.count = piece.count;
    return piece.count > 0 ? engine_->upper_bound(number(group), plan) : std::vector<double>();
  }

 private:
  struct Group {
    GroupPlan plan;
    int number = 0;  ///< in the engine
  };
  Ranks& ranks_;
  std::unique_ptr<PathEngine> engine_;
  int next_ = 0;
  std::map<int, Group> groups_;
};

/// Rank 0's: chunks, recorded paths and outer paths of a bound are shared out, and come together in their order.
class SharedPathEngine final : public PathEngine {
 public:
  explicit SharedPathEngine(const RunContext& context) : leader_(*context.leader) {
    number_ = leader_.make(Writer().put(Call::make_paths).put(context.device.isa));
    share_ = std::make_unique<PathShare>(leader_.ranks(), context.device, context.threads);
  }
  ~SharedPathEngine() override { leader_.drop(number_); }

  int add(const GroupPlan& plan) override {
    Writer message = call(Method::add);
    put(message, plan);
    return leader_.call(message, [&] { return share_->add(plan); });
  }
  void remove(int group) override {
    leader_.call(call(Method::remove).put(group), [&] { share_->remove(group); });
  }

  std::vector<double> run(std::span<const Work> work) override {
    const Writer message = call(Method::run).put(std::vector<Work>(work.begin(), work.end()));
    const auto pieces = leader_.call(message, [&] { return gather(share_->run(work)); });
    std::vector<std::int64_t> begin;  // of each work's sums
    std::int64_t total = 0;
    for (const Work& w : work) {
      begin.push_back(total);
      total += w.rows() * row(w.group);
    }
    std::vector<double> sums(static_cast<std::size_t>(total));
    for (int r = 0; r < leader_.size(); ++r) {
      const double* from = numbers<double>(pieces[static_cast<std::size_t>(r)]);
      const std::vector<Work> theirs = share_of(work, r, leader_.size());
      for (std::size_t w = 0; w < work.size(); ++w) {
        const std::int64_t count = theirs[w].rows() * row(work[w].group);
        const std::int64_t before = (theirs[w].first - work[w].first) / work[w].chunks_a_row();
        const std::int64_t at = begin[w] + before * row(work[w].group);
        std::copy_n(from, count, sums.begin() + at);
        from += count;
      }
    }
    return sums;
  }

  /// Few samples, of which every call asks anew: not worth sharing.
  std::vector<double> values(int group, std::int64_t samples) override {
    return share_->engine().values(share_->number(group), samples);
  }

  void record(int group, std::int64_t paths, int slots, bool variance, Recording<float>& single,
              Recording<double>& real) override {
    const RecordCall what{group, paths, slots, variance};
    if (share_->plan(group).double_precision)
      record_into(what, real);
    else
      record_into(what, single);
  }

  /// By rank 0 alone, with the bits that it would have without the others.
  std::optional<kernels::ExercisePolicy> train(int group, const kernels::TrainingPlan& plan) override {
    return share_->engine().train(share_->number(group), plan);
  }

  std::vector<double> upper_bound(int group, const UpperBoundPlan& plan) override {
    const auto pieces = leader_.call(call(Method::upper_bound).put(group).put(plan),
                                     [&] { return gather(share_->upper_bound(group, plan)); });
    std::vector<double> bounds;
    for (const Bytes& piece : pieces) {
      const double* from = numbers<double>(piece);
      bounds.insert(bounds.end(), from, from + piece.size() / sizeof(double));
    }
    return bounds;
  }

 private:
  Writer call(Method method) const { return Writer().put(Call::engine).put(number_).put(method); }
  std::int64_t row(int group) const { return std::int64_t{share_->plan(group).estimators} * k::moments; }

  std::vector<Bytes> gather(const std::vector<double>& mine) { return leader_.ranks().gather(raw(mine)); }
  template <class Real>
  static const Real* numbers(const Bytes& bytes) {
    return reinterpret_cast<const Real*>(bytes.data());
  }

  template <class Real>
  void record_into(const RecordCall& what, Recording<Real>& out) {
    std::vector<Bytes> spot, variance;
    leader_.call(call(Method::record).put(what), [&] {
      const Recording<Real> mine = share_->record<Real>(what);
      spot = leader_.ranks().gather(raw(mine.spot));
      if (what.variance) variance = leader_.ranks().gather(raw(mine.variance));
    });
    const std::int64_t rows = std::int64_t{what.slots} * share_->plan(what.group).grids[0].assets;
    collect(spot, rows, what.paths, out.spot);
    if (what.variance) collect(variance, rows, what.paths, out.variance);
  }

  /// From (row, path of the rank) of each rank to (row, path).
  template <class Real>
  void collect(std::vector<Bytes>& pieces, std::int64_t rows, std::int64_t paths, std::vector<Real>& out) {
    out.resize(static_cast<std::size_t>(rows * paths));
    for (int r = 0; r < leader_.size(); ++r) {
      Bytes& bytes = pieces[static_cast<std::size_t>(r)];
      const Piece piece = piece_of(paths, r, leader_.size());
      for (std::int64_t row = 0; row < rows && piece.count > 0; ++row)
        std::copy_n(numbers<Real>(bytes) + row * piece.count, piece.count, out.begin() + row * paths + piece.first);
      bytes = Bytes();
    }
  }

  Leader& leader_;
  int number_ = 0;
  std::unique_ptr<PathShare> share_;
};

class PathTwin final : public EngineTwin {
 public:
  PathTwin(Ranks& ranks, const kernels::Device& device, int threads) : ranks_(ranks), share_(ranks, device, threads) {}

  void call(Reader& in) override {
    switch (in.get<Method>()) {
      case Method::add:
        share_.add(get_plan(in));
        return;
      case Method::remove:
        share_.remove(in.get<int>());
        return;
      case Method::run: {
        std::vector<Work> work;
        in.get(work);
        give(share_.run(work));
        return;
      }
      case Method::record: {
        const auto what = in.get<RecordCall>();
        if (share_.plan(what.group).double_precision)
          record<double>(what);
        else
          record<float>(what);
        return;
      }
      case Method::upper_bound: {
        const int group = in.get<int>();
        give(share_.upper_bound(group, in.get<UpperBoundPlan>()));
        return;
      }
    }
  }

 private:
  template <class Real>
  void give(const std::vector<Real>& mine) {
    ranks_.gather(raw(mine));
  }
  template <class Real>
  void record(const RecordCall& what) {
    const Recording<Real> mine = share_.record<Real>(what);
    give(mine.spot);
    if (what.variance) give(mine.variance);
  }

  Ranks& ranks_;
  PathShare share_;
};

}  // namespace

std::unique_ptr<PathEngine> make_path_engine(const RunContext& context) {
  if (context.leader == nullptr) return profiled(k::make_path_engine(context.device, context.threads));
  return profiled(std::make_unique<SharedPathEngine>(context));
}

std::unique_ptr<EngineTwin> make_path_twin(Ranks& ranks, kernels::Device device, int threads, Reader& message) {
  device.isa = message.get<kernels::Isa>();
  return std::make_unique<PathTwin>(ranks, device, threads);
}

}  // namespace ergode::sim
