#pragma once

#include <type_traits>

#include "kernels/options/draws.hpp"
#include "kernels/options/models/bates.hpp"
#include "kernels/options/models/cev.hpp"
#include "kernels/options/models/gbm.hpp"
#include "kernels/options/models/kou_jump.hpp"
#include "kernels/options/models/local_volatility.hpp"
#include "kernels/options/products/autocallable.hpp"
#include "kernels/options/products/average.hpp"
#include "kernels/options/products/barrier.hpp"
#include "kernels/options/products/cliquet.hpp"
#include "kernels/options/products/early_exercise.hpp"
#include "kernels/options/products/lookback.hpp"
#include "kernels/options/products/vanilla.hpp"
#include "kernels/options/products/variance_swap.hpp"

namespace ergode::kernels::options {

/// Where record observers write: spot (and variance) of path `index` of `paths` at each marked step, (slot, asset,
/// path).
template <class Real>
struct Recorder {
  Real* spot = nullptr;
  Real* variance = nullptr;
  std::int64_t paths = 0, index = 0;
};

/// What an observer holds.
template <class T>
struct Statistic {
  T state[observer_state];
};

/// For Path: the model is the asset's, looked up at each step.
inline constexpr int any_model = -1;
/// For Path, in place of a bound of the observers: at most an arithmetic average and after it a geometric one, which
/// most often is its control, nothing between fixings, no cash dividends, and payoffs of these and of the end.
inline constexpr int only_averages = 2;

/// One path of a group's assets and the statistics along it. `model` is a ModelKind where all assets share it and is
/// known to the compiler, else any_model. T is float, double or a vector of them, whose lanes are paths, or a dual of
/// these; `assets` and `observers` bound the group's.
template <int model, class T, int assets, int observers = max_observers>
struct Path {
  using Real = Scalar<T>;
  static constexpr bool few = observers < max_observers, averages = observers == only_averages;

  const PathSpec& spec;
  Constants<T> constants;
  const Element<T>* policies;
  AssetState<T> asset[assets];
  T observer[observers][observer_state];

  // Copies of what every step reads: the compiler cannot know that no store of a step changes the group's data.
  AssetSpec first_asset;
  ObserverSpec first_observer;
  T first_spot;
  int steps, continuous;

  ERGODE_HOST_DEVICE Path(const PathSpec& s, Constants<T> c, const Element<T>* p)
      : spec(s),
        constants(c),
        policies(p),
        first_asset(s.asset[0]),
        first_observer(s.observer[0]),
        first_spot(c[s.asset[0].spot]),
        steps(s.steps),
        continuous(s.continuous) {}

  ERGODE_HOST_DEVICE int count() const { return assets == 1 ? 1 : spec.assets; }
  ERGODE_HOST_DEVICE const AssetSpec& asset_spec(int a) const { return assets == 1 ? first_asset : spec.asset[a]; }
  ERGODE_HOST_DEVICE const ObserverSpec& observer_spec(int k) const {
    return observers == 1 ? first_observer : spec.observer[k];
  }
  ERGODE_HOST_DEVICE int observer_count() const {
    if (observers == 1) return spec.observers > 0 ? 1 : 0;
    return spec.observers;
  }
  ERGODE_HOST_DEVICE AssetConstants<T> constants_of(int a, int step) const {
    const AssetSpec& s = asset_spec(a);
    return {constants + s.spot, constants + s.constants, constants + s.steps + step * s.stride};
  }
  ERGODE_HOST_DEVICE ModelKind model_of(int a) const {
    return model == any_model ? asset_spec(a).model : static_cast<ModelKind>(model);
  }
  ERGODE_HOST_DEVICE T spot_today(int a) const { return assets == 1 ? first_spot : T(constants[asset_spec(a).spot]); }
  /// S / S0.
  ERGODE_HOST_DEVICE T growth(int a) const {
    if (model_of(a) == ModelKind::cev) return asset[a].level;
    return exponential(asset[a].log_return);
  }
  ERGODE_HOST_DEVICE T spot(int a) const { return spot_today(a) * growth(a); }

  ERGODE_HOST_DEVICE void start() {
    for (int a = 0; a < count(); ++a) {
      const AssetConstants<T> c = constants_of(a, 0);
      asset[a].segment_variance = T(0);
      asset[a].scored = spec.scores != 0;
      asset[a].level = T(1);
      switch (model_of(a)) {
        case ModelKind::cev:
          Cev::start(asset[a], c);
          break;
        case ModelKind::local_volatility:
          LocalVolatility::start(asset[a], c);
          break;
        case ModelKind::heston:
        case ModelKind::bates:
          Heston::start(asset[a], c);
          break;
        default:
          Gbm::start(asset[a], c);
      }
    }
    each_observer([&](int k) ERGODE_INLINE_LAMBDA { start_observer(observer_spec(k), observer[k]); });
  }

  /// Step number `step` of the grid, and what is observed in it and at its end.
  template <class Draws>
  ERGODE_HOST_DEVICE void advance(int step, Draws& draws, const Recorder<Element<T>>& recorder) {
    if constexpr (assets == 1) {
      Real z[normals_per_step];
      draws.increments(0, step, z);
      advance_asset(0, step, z, draws);
    } else {
      advance_correlated(step, draws);
    }
    each_observer([&](int k) ERGODE_INLINE_LAMBDA { observe_fixing(observer_spec(k), observer[k], step, recorder); });
  }

  /// All steps.
  template <class Draws>
  ERGODE_HOST_DEVICE void run(Draws& draws, const Recorder<Element<T>>& recorder) {
    start();
    if constexpr (averages) {
      spec.alike != 0 ? run_in_blocks<true>(draws) : run_in_blocks<false>(draws);
    } else {
      if constexpr (Draws::in_blocks && assets == 1 &&
                    (model == static_cast<int>(ModelKind::gbm) || model == static_cast<int>(ModelKind::heston)))
        if (draws.coarse == 0 && continuous == 0 && first_asset.pays_cash == 0) {
          if constexpr (few) {
            if (observer_count() == 0) return run_in_blocks<false, 0>(draws);
            if (first_observer.kind == ObserverKind::arithmetic_average) return run_in_blocks<false, 1>(draws);
          }
          return run_watched(draws, recorder);
        }
      for (int step = 0; step < steps; ++step) advance(step, draws, recorder);
    }
  }

  /// 0, or NaN where an asset ends at NaN or infinity, which the comparisons of a payoff may hide.
  ERGODE_HOST_DEVICE Real taint() const {
    Real sum = Real(0);
    for (int a = 0; a < count(); ++a) sum = sum + value_of(asset[a].log_return);
    return sum - sum;
  }

  /// What payoff number k pays at the path's end.
  ERGODE_HOST_DEVICE Payment<T> payment(int k) const;

  /// The statistic that a payoff looks at, or any.
  ERGODE_HOST_DEVICE Statistic<T> statistic_of(const PayoffSpec& p) const {
    Statistic<T> s;
    if constexpr (few)
      for (int i = 0; i < observer_state; ++i) s.state[i] = observer[0][i];
    else
      for (int i = 0; i < observer_state; ++i) s.state[i] = observer[p.observer < 0 ? 0 : p.observer][i];
    if constexpr (few && observers > 1)
      if (p.observer == 1)
        for (int i = 0; i < observer_state; ++i) s.state[i] = observer[1][i];
    return s;
  }

  ERGODE_HOST_DEVICE ExercisePolicyView<Element<T>> policy_of(const ObserverSpec& o) const {
    const Element<T>* data = policies + o.policy;
    ExercisePolicyView<Element<T>> policy = view_exercise_policy(data, data);
    policy.underlyings = count();  // the same number; of one asset the compiler knows it
    return policy;
  }

 private:
  using KnownModel = std::conditional_t<model == static_cast<int>(ModelKind::gbm), Gbm, Heston>;

  /// Few are told apart by the compiler, which then has their states in registers.
  template <class Visit>
  ERGODE_HOST_DEVICE void each_observer(const Visit& visit) const {
    if constexpr (few) {
      ERGODE_UNROLL
      for (int k = 0; k < observers; ++k)
        if (k < observer_count()) visit(k);
    } else {
      for (int k = 0; k < observer_count(); ++k) visit(k);
    }
  }

  /// run() of averages, a block of normals at a time: the same normals for the same steps, without looking up each.
  template <bool alike, class Draws>
  ERGODE_HOST_DEVICE void run_in_blocks(const Draws& draws) {
    if (observer_count() == 0)
      run_in_blocks<alike, 0>(draws);
    else if (observer_count() == 1)
      run_in_blocks<alike, 1>(draws);
    else
      run_in_blocks<alike, 2>(draws);
  }
  /// Where the numbers of all steps are `alike`, those of the first serve all, and stay in registers, which then
  /// suffice to make the normals of two blocks at once.
  template <bool alike, int watched, class Draws>
  ERGODE_HOST_DEVICE void run_in_blocks(const Draws& draws) {
    using Model = KnownModel;
    constexpr int steps_a_block = 4 / Model::normals;
    constexpr int blocks_at_once = alike && !is_dual<T> && Model::normals == 1 ? 2 : 1;
    AssetConstants<T> c = constants_of(0, 0);
    Real normals[blocks_at_once][4];
    int done = 0, block = 0;
    Constants<T> weights[] = {constants + spec.observer[0].table, constants + spec.observer[1].table};
    const T first_weight = alike && watched > 0 ? weights[0][0] * first_spot : T(0);
    const auto make_step = [&](int number, const Real* z) {
      const int i = alike ? 0 : number;
      Model::step(asset[0], {c.spot, c.model, c.step + i * Model::step_constants}, z);
      if constexpr (watched > 0)
        if (plain_constant(weights[0], i) != 0)
          AverageObserver::fixing(observer[0], alike ? first_weight : weights[0][i] * first_spot, growth(0));
      if constexpr (watched > 1)
        if (plain_constant(weights[1], i) != 0)
          AverageObserver::fixing(observer[1], T(weights[1][i]), asset[0].log_return);
    };
    const auto make_block = [&](const Real* four) {
      ERGODE_UNROLL
      for (int i = 0; i < steps_a_block; ++i) make_step(i, four + i * Model::normals);
      done += steps_a_block;
    };
    if constexpr (blocks_at_once == 2)
      for (; done + 2 * steps_a_block <= steps; block += 2) {
        draws.four(block, normals[0]);
        draws.four(block + 1, normals[1]);
        make_block(normals[0]);
        make_block(normals[1]);
      }
    Real* const four = normals[0];
    for (; done + steps_a_block <= steps; ++block) {
      draws.four(block, four);
      make_block(four);
      if constexpr (!alike) {
        for (Constants<T>& weight : weights) weight = weight + steps_a_block;
        c.step = c.step + steps_a_block * Model::step_constants;
      }
    }
    if (done == steps) return;
    draws.last_four(block, four);
    // The last steps are fewer than a block.
    ERGODE_UNROLL
    for (int i = 0; i < steps_a_block - 1; ++i)
      if (done + i < steps) make_step(i, four + i * Model::normals);
  }

  /// run() where nothing watches between fixings and no cash is paid: one copy of all that may watch fixings.
  template <class Draws>
  ERGODE_HOST_DEVICE void run_watched(const Draws& draws, const Recorder<Element<T>>& recorder) {
    using Model = KnownModel;
    AssetConstants<T> c = constants_of(0, 0);
    Real four[4];
    for (int step = 0, block = 0; step < steps; ++block) {
      draws.four(block, four);
      ERGODE_ROLLED
      for (int i = 0; i < 4 && step < steps; i += Model::normals, ++step, c.step = c.step + Model::step_constants) {
        const bool late = i >= 2, odd = (i & 1) != 0;
        const Real z[2] = {late ? (odd ? four[3] : four[2]) : (odd ? four[1] : four[0]), late ? four[3] : four[1]};
        Model::step(asset[0], c, z);
        each_observer([&](int k)
                          ERGODE_INLINE_LAMBDA { observe_fixing(observer_spec(k), observer[k], step, recorder); });
      }
    }
  }

  template <class Draws>
  ERGODE_HOST_DEVICE void advance_correlated(int step, Draws& draws) {
    Real own[assets][normals_per_step];
    for (int a = 0; a < spec.assets; ++a) draws.increments(a, step, own[a]);
    for (int a = spec.assets - 1; a >= 0; --a) {
      const Constants<T> row = constants + spec.correlation + a * spec.assets;
      Real sum = Real(0);
      for (int b = 0; b <= a; ++b) sum = multiply_add(value_of(row[b]), own[b][0], sum);
      own[a][0] = sum;  // rows below a have been done, and need it no more
    }
    for (int a = 0; a < spec.assets; ++a) advance_asset(a, step, own[a], draws);
  }

  template <class Draws>
  ERGODE_HOST_DEVICE void advance_asset(int a, int step, const Real* z, Draws& draws) {
    const bool watches = continuous != 0;
    const AssetConstants<T> c = constants_of(a, step);
    AssetState<T>& s = asset[a];
    const T before = s.log_return;
    switch (model_of(a)) {
      case ModelKind::gbm:
        Gbm::step(s, c, z);
        if (watches) observe_segment(a, step, before, s.log_return, s.segment_variance, draws, 0);
        // Watchers see the spot before the dividend and after it; no bridge spans the fall.
        if (Gbm::pay_dividend(s, c) && watches) observe_segment(a, step, s.log_return, s.log_return, T(0), draws, 0);
        return;
      case ModelKind::cev:
        Cev::step(s, c, z);
        break;
      case ModelKind::local_volatility:
        LocalVolatility::step(s, c, z);
        break;
      case ModelKind::heston:
        Heston::step(s, c, z);
        break;
      case ModelKind::bates:
        Heston::step(s, c, z);
        // Jumps are put at the step's end.
        if (watches) observe_segment(a, step, before, s.log_return, s.segment_variance, draws, 0);
        s.log_return = s.log_return + sum_of_jumps<MertonJumpSize>(a, step, c.model + Bates::jump_constants, draws);
        if (watches) observe_segment(a, step, s.log_return, s.log_return, T(0), draws, 0);
        return;
      case ModelKind::merton_jump:
        return jump_diffusion<MertonJumpSize>(a, step, c, z, draws);
      case ModelKind::kou_jump:
        return jump_diffusion<KouJumpSize>(a, step, c, z, draws);
    }
    if (watches) observe_segment(a, step, before, s.log_return, s.segment_variance, draws, 0);
  }

  /// The step's length in years, of the models with jumps.
  ERGODE_HOST_DEVICE double step_length(int a, int step) const {
    const AssetConstants<T> c = constants_of(a, step);
    return static_cast<double>(plain_constant(c.step, model_of(a) == ModelKind::bates ? 1 : 4));
  }

  /// The jumps of one fine step in all lanes.
  template <class Draws>
  ERGODE_HOST_DEVICE JumpsInLanes<Real> jumps_of(int a, int fine_step, Constants<T> jump, const Draws& draws) const {
    const double length = step_length(a, fine_step >> draws.coarse) / (1 + draws.coarse);
    return JumpsInLanes<Real>(a, fine_step, static_cast<double>(plain_constant(jump, 0)) * length);
  }

  template <class Size, class Draws>
  ERGODE_HOST_DEVICE T sum_of_jumps(int a, int step, Constants<T> jump, const Draws& draws) const {
    const int halves = 1 + draws.coarse;
    T sum = T(0);
    for (int half = 0; half < halves; ++half) {
      JumpsInLanes<Real> jumps = jumps_of(a, step * halves + half, jump, draws);
      for (;;) {
        const auto jumped = jumps.next(draws);
        if (!any(jumped)) break;
        sum = select(jumped, sum + jumps.template size<Size, T>(jump), sum);
      }
    }
    return sum;
  }

  /// Geometric Brownian motion with jumps: exact, for any step. Where something watches between fixings, the Brownian
  /// path is bridged to the jump times, so that no bridge of the watchers runs across a jump.
  template <class Size, class Draws>
  ERGODE_HOST_DEVICE void jump_diffusion(int a, int step, const AssetConstants<T>& c, const Real* z,
                                         const Draws& draws) {
    using Word = typename Draws::Word;
    AssetState<T>& s = asset[a];
    const T start = s.log_return;
    Gbm::step(s, c, z);
    if (continuous == 0) {
      s.log_return = s.log_return + sum_of_jumps<Size>(a, step, c.model, draws);
      return;
    }
    const T variance = s.segment_variance, end = s.log_return;
    T x = start, jumps_so_far = T(0);
    Real done = Real(0);
    Word segment(0);
    const int halves = 1 + draws.coarse;
    for (int half = 0; half < halves; ++half) {
      JumpsInLanes<Real> jumps = jumps_of(a, step * halves + half, c.model, draws);
      for (;;) {
        const auto jumped = jumps.next(draws);
        if (!any(jumped)) break;
        const Real at = jumps.time(half, halves);
        const Real share = quotient(at - done, Real(1) - done);
        const T diffused = x - jumps_so_far;  // without the jumps so far: a Brownian motion that ends at `end`
        const T next =
            diffused + share * (end - diffused) + square_root(variance * (share * (Real(1) - at))) * jumps.normal();
        observe_segment(a, step, x, next + jumps_so_far, variance * (at - done), draws, segment, jumped);
        segment = select(jumped, segment + Word(1), segment);
        jumps_so_far = select(jumped, jumps_so_far + jumps.template size<Size, T>(c.model), jumps_so_far);
        x = select(jumped, next + jumps_so_far, x);
        done = select(jumped, at, done);
      }
    }
    observe_segment(a, step, x, end + jumps_so_far, variance * (Real(1) - done), draws, segment);
    s.log_return = end + jumps_so_far;
  }

  ERGODE_HOST_DEVICE void start_observer(const ObserverSpec& o, T* state) const {
    const Constants<T> c = constants + o.constants;
    for (int i = 0; i < observer_state; ++i) state[i] = T(0);
    if constexpr (averages) {
      state[0] = c[0];
      return;
    }
    switch (o.kind) {
      case ObserverKind::arithmetic_average:
      case ObserverKind::geometric_average:
      case ObserverKind::maximum_fixing:
      case ObserverKind::minimum_fixing:
      case ObserverKind::maximum_continuous:
      case ObserverKind::minimum_continuous:
      case ObserverKind::spot_fixing:
        state[0] = c[0];
        break;
      case ObserverKind::variance_continuous:
        VarianceObserver::instant(state, T(c[0]), asset[assets == 1 ? 0 : o.asset].variance);
        break;
      case ObserverKind::barrier_fixing:
      case ObserverKind::barrier_continuous:
      case ObserverKind::double_barrier_fixing:
      case ObserverKind::double_barrier_continuous:
        BarrierObserver::start(state, o, c);
        break;
      case ObserverKind::autocall:
        AutocallObserver::start(state, c, least_performance(c));
        break;
      case ObserverKind::exercise:
        if (plain_constant(c, 1) != 0) exercise_now(o, state, c);
        break;
      default:
        break;
    }
  }

  ERGODE_HOST_DEVICE void observe_fixing(const ObserverSpec& o, T* state, int step,
                                         const Recorder<Element<T>>& recorder) const {
    if (plain_constant(constants, o.table + step) == 0) return;
    const T mark = constants[o.table + step];
    const int a = assets == 1 ? 0 : o.asset;
    const Constants<T> c = constants + o.constants;
    switch (o.kind) {
      case ObserverKind::arithmetic_average:
        AverageObserver::fixing(state, mark * spot_today(a), growth(a));
        break;
      case ObserverKind::geometric_average:
        AverageObserver::fixing(state, mark, asset[a].log_return);
        break;
      case ObserverKind::maximum_fixing:
        ExtremeObserver::fixing(state, true, asset[a].log_return);
        break;
      case ObserverKind::minimum_fixing:
        ExtremeObserver::fixing(state, false, asset[a].log_return);
        break;
      case ObserverKind::barrier_fixing:
      case ObserverKind::double_barrier_fixing:
        BarrierObserver::fixing(state, o, c, asset[a].log_return, mark);
        break;
      case ObserverKind::variance_fixing:
        VarianceObserver::fixing(state, mark, asset[a].log_return);
        break;
      case ObserverKind::variance_continuous:
        VarianceObserver::instant(state, mark, asset[a].variance);
        break;
      case ObserverKind::spot_fixing:
        state[0] = spot(a);
        break;
      case ObserverKind::cliquet:
        CliquetObserver::fixing(state, c, asset[a].log_return);
        break;
      case ObserverKind::autocall:
        AutocallObserver::fixing(state, c, least_performance(c), mark);
        break;
      case ObserverKind::exercise:
        exercise(o, state, c, plain_array(constants)[o.table + step]);
        break;
      case ObserverKind::record:
        record(static_cast<int>(plain_constant(constants, o.table + step)) - 1, recorder);
        break;
      default:
        break;
    }
  }

  template <class Draws>
  ERGODE_HOST_DEVICE void observe_segment(int a, int step, const T& x0, const T& x1, const T& variance,
                                          const Draws& draws, typename Draws::Word segment) {
    WordBlock<typename Draws::Word> words{};
    if (spec.bridge_draws != 0) words = draws.words(a, step << draws.coarse, Purpose::bridge, segment);
    each_observer([&](int k) ERGODE_INLINE_LAMBDA {
      const ObserverSpec& o = observer_spec(k);
      const Constants<T> c = constants + o.constants;
      const bool watched = assets == 1 || o.asset == a;
      switch (o.kind) {
        case ObserverKind::maximum_continuous:
          if (watched) ExtremeObserver::segment(observer[k], true, x0, x1, variance, uniform_from_word<Real>(words[0]));
          break;
        case ObserverKind::minimum_continuous:
          if (watched)
            ExtremeObserver::segment(observer[k], false, x0, x1, variance, uniform_from_word<Real>(words[1]));
          break;
        case ObserverKind::barrier_continuous:
        case ObserverKind::double_barrier_continuous:
          if (watched) BarrierObserver::segment(observer[k], o, c, x0, x1, variance, T(constants[o.table + step]));
          break;
        case ObserverKind::autocall:
          AutocallObserver::segment(observer[k], c, x0 + c[AutocallObserver::first_initial + a],
                                    x1 + c[AutocallObserver::first_initial + a], variance);
          break;
        default:
          break;
      }
    });
  }

  /// Where some lanes alone have this segment.
  template <class Draws, class Condition>
  ERGODE_HOST_DEVICE void observe_segment(int a, int step, const T& x0, const T& x1, const T& variance,
                                          const Draws& draws, typename Draws::Word segment, const Condition& happens) {
    if constexpr (lanes_of<T> == 1) {
      observe_segment(a, step, x0, x1, variance, draws, segment);
    } else {
      T before[observers][observer_state];
      each_observer([&](int k) ERGODE_INLINE_LAMBDA {
        for (int i = 0; i < observer_state; ++i) before[k][i] = observer[k][i];
      });
      observe_segment(a, step, x0, x1, variance, draws, segment);
      each_observer([&](int k) ERGODE_INLINE_LAMBDA {
        for (int i = 0; i < observer_state; ++i) observer[k][i] = select(happens, observer[k][i], before[k][i]);
      });
    }
  }

  /// Called early, or exercised before the last date.
  ERGODE_HOST_DEVICE Real observed_event(const ObserverSpec& o, const T* state) const {
    const Real mark = value_of(state[1]);
    const Constants<T> c = constants + o.constants;
    if (o.kind == ObserverKind::autocall) return select(mark == Real(-1), Real(1), Real(0));
    return select(mark > Real(0) && mark < value_of(c[2]), Real(1), Real(0));
  }

  /// The least ln(S / initial spot).
  ERGODE_HOST_DEVICE T least_performance(Constants<T> c) const {
    T least = asset[0].log_return + c[AutocallObserver::first_initial];
    for (int a = 1; a < count(); ++a)
      least = minimum(least, asset[a].log_return + c[AutocallObserver::first_initial + a]);
    return least;
  }

  /// A lane at a time: policies are tables.
  ERGODE_HOST_DEVICE void exercise(const ObserverSpec& o, T* state, Constants<T> c,
                                   const typename NumberTraits<T>::Constant& discount) const {
    using One = typename NumberTraits<T>::Constant;
    constexpr int lanes = lanes_of<T>;
    One spots[lanes][assets], states[observer_state][lanes];
    Element<T> variances[lanes][assets];
    for (int a = 0; a < count(); ++a) {
      One spots_of_asset[lanes];
      Element<T> variances_of_asset[lanes];
      store(spots_of_asset, spot(a));
      store(variances_of_asset, value_of(asset[a].variance));
      for (int lane = 0; lane < lanes; ++lane) {
        spots[lane][a] = spots_of_asset[lane];
        variances[lane][a] = variances_of_asset[lane];
      }
    }
    for (int i = 0; i < observer_state; ++i) store(states[i], state[i]);
    const ExercisePolicyView<Element<T>> policy = policy_of(o);
    for (int lane = 0; lane < lanes; ++lane) {
      One state_of_lane[observer_state];
      Element<T> spot_values[assets];
      for (int a = 0; a < count(); ++a) spot_values[a] = value_of(spots[lane][a]);
      for (int i = 0; i < observer_state; ++i) state_of_lane[i] = states[i][lane];
      ExerciseObserver::fixing(state_of_lane, plain_array(c), policy, spots[lane], spot_values, variances[lane],
                               discount);
      for (int i = 0; i < observer_state; ++i) states[i][lane] = state_of_lane[i];
    }
    for (int i = 0; i < observer_state; ++i) load(state[i], states[i]);
  }

  /// Marked by a date number between 0 and the first.
  ERGODE_HOST_DEVICE void exercise_now(const ObserverSpec& o, T* state, Constants<T> c) const {
    typename NumberTraits<T>::Constant spots[assets];
    for (int a = 0; a < count(); ++a) spots[a] = plain_array(constants)[asset_spec(a).spot];
    const auto paid = ExerciseObserver::payoff(policy_of(o), plain_array(c)[0], spots);
    for (int lane = 0; lane < lanes_of<T>; ++lane) set_lane(state[0], lane, paid);
    state[1] = T(Real(Element<T>(0.5)));
  }

  ERGODE_HOST_DEVICE void record(int slot, const Recorder<Element<T>>& recorder) const {
    if (recorder.spot == nullptr) return;
    for (int a = 0; a < count(); ++a) {
      const std::int64_t at = (static_cast<std::int64_t>(slot) * count() + a) * recorder.paths + recorder.index;
      const Real s = value_of(spot(a)), v = value_of(asset[a].variance);
      for (int lane = 0; lane < lanes_of<T> && recorder.index + lane < recorder.paths; ++lane) {
        recorder.spot[at + lane] = lane_of(s, lane);
        if (recorder.variance != nullptr) recorder.variance[at + lane] = lane_of(v, lane);
      }
    }
  }
};

template <int model, class T, int assets, int observers>
ERGODE_HOST_DEVICE inline Payment<T> Path<model, T, assets, observers>::payment(int k) const {
  const PayoffSpec& p = spec.payoff[k];
  const Constants<T> c = constants + p.constants;
  const Statistic<T> statistic = statistic_of(p);
  const T* o = statistic.state;
  const int a = assets == 1 ? 0 : p.asset;
  switch (p.kind) {
    case PayoffKind::european:
      return {european_payoff(p, c, spot(a)), Real(0)};
    case PayoffKind::digital_cash:
    case PayoffKind::digital_asset:
      return {digital_payoff(p, c, spot(a)), Real(0)};
    case PayoffKind::average_price:
    case PayoffKind::average_strike: {
      const bool geometric = observer_spec(p.observer).kind == ObserverKind::geometric_average;
      return {average_payoff(p, c, geometric ? exponential(o[0]) : o[0], spot(a)), Real(0)};
    }
    case PayoffKind::terminal_spot:
      return {c[0] * spot(a), Real(0)};
    default:
      break;
  }
  if constexpr (averages) return {};
  switch (p.kind) {
    case PayoffKind::extreme_price:
    case PayoffKind::extreme_strike:
      return {extreme_payoff(p, c, spot_today(a) * exponential(o[0]), spot(a)), Real(0)};
    case PayoffKind::barrier:
      return barrier_payoff(p, c, o, spot(a));
    case PayoffKind::forward_start:
      return {forward_start_payoff(p, c, o[0], spot(a)), Real(0)};
    case PayoffKind::cliquet:
      return {cliquet_payoff(c, o[0]), Real(0)};
    case PayoffKind::variance_swap:
      return {variance_swap_payoff(c, o[0]), Real(0)};
    case PayoffKind::observed:
      return {c[0] * o[0], observed_event(observer_spec(p.observer), o)};
    default:
      break;
  }
  // Several underlyings: [2 ...) weights.
  T x = T(0);
  if (p.kind == PayoffKind::best_of || p.kind == PayoffKind::worst_of || p.kind == PayoffKind::spread) x = spot(0);
  for (int i = 0; i < count(); ++i) {
    switch (p.kind) {
      case PayoffKind::portfolio:
      case PayoffKind::basket_arithmetic:
        x = x + c[2 + i] * spot(i);
        break;
      case PayoffKind::basket_geometric:
        x = x + c[2 + i] * (logarithm(spot_today(i)) + asset[i].log_return);
        break;
      case PayoffKind::best_of:
        x = maximum(x, spot(i));
        break;
      case PayoffKind::worst_of:
        x = minimum(x, spot(i));
        break;
      default:
        if (i == 1) x = x - spot(1);  // spread
    }
  }
  if (p.kind == PayoffKind::portfolio) return {c[0] * x, Real(0)};
  if (p.kind == PayoffKind::basket_geometric) x = exponential(x);
  return {european_payoff(p, c, x), Real(0)};
}

}  // namespace ergode::kernels::options
