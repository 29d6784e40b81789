#pragma once

#include "kernels/options/path.hpp"
#include "kernels/random/brownian_bridge.hpp"
#include "kernels/random/sobol.hpp"

// From paths to sums. A sample is one path, or two mirrored ones. Samples are counted off in chunks of `chunk_samples`,
// and a chunk is summed in a fixed shape: lane l adds samples l, l + lanes, ... in this order, then the lanes are added
// as a binary tree. So no launch shape and no number of threads changes a bit.

namespace ergode::kernels::options {

inline constexpr int chunk_lanes = 128;
inline constexpr int chunk_samples = 1024;
inline constexpr int moments = 5;  ///< sums of x, c, x x, x c, c c: x the estimator, c its control variate

/// Sobol points in place of Philox draws.
template <class Real>
struct SobolView {
  const std::uint32_t* directions = nullptr;  ///< (dimension, 32); null: Philox
  std::int32_t dimensions = 0;                ///< in the table; normals beyond come from Philox
  std::int64_t points = 0;                    ///< of one replication
  std::int32_t replications = 0;
  BridgeView<Real> bridge;
};

/// A group of paths as the loops see it. Constants of variation v: at offset[v] of `plain`, or of `dual`.
template <class Real>
struct GroupView {
  const PathSpec* grids = nullptr;  ///< fine, coarse
  PhiloxRounds rounds{};            ///< of the first asset
  const VariationSpec* variations = nullptr;
  std::int32_t variation_count = 0;
  const Term* terms = nullptr;  ///< of mirrored pairs with half the coefficient
  const TermTarget* targets = nullptr;
  std::int32_t estimators = 0;
  const Real* plain = nullptr;
  const Dual<Real>* dual = nullptr;
  const std::int64_t* offsets = nullptr;
  const Real* policies = nullptr;
  std::int32_t antithetic = 0;
  std::uint64_t first_sample = 0;  ///< number of sample 0 in the stream
  std::int64_t samples = 0;        ///< in all
  SobolView<Real> sobol;
  double* values = nullptr;  ///< x of each sample when wanted: (estimator, sample) over `value_samples`
  std::int64_t value_samples = 0;
  Recorder<Real> recorder;
};

/// Where a sample's estimators are added up, with their controls: x and c of (estimator, lane).
template <int lanes>
struct SampleSums {
  double* x;
  double* c;

  ERGODE_HOST_DEVICE void clear(int estimators) {
    for (int i = 0; i < estimators * lanes; ++i) x[i] = c[i] = 0;
  }
  template <class Number>
  ERGODE_HOST_DEVICE void add(const TermTarget& target, double factor, const Number& amount) {
    add_scaled((target.control != 0 ? c : x) + target.estimator * lanes, factor, amount);
  }
};

/// The component of a payment that a term takes.
template <int model, class T, int assets, int observers>
ERGODE_HOST_DEVICE inline Scalar<T> amount_of(const Path<model, T, assets, observers>& path, const Term& term,
                                              const Payment<T>& paid) {
  using Number = Scalar<T>;
  const Number value = value_of(paid.value), tangent = tangent_along(term.direction, paid.value);
  if (term.component == Component::value) return value;
  if (term.component == Component::tangent) return tangent;
  if (term.component == Component::event) return paid.event;
  const Number score = tangent_along(term.direction, path.asset[0].score);
  const T spot = path.spot_today(0);
  const Number by_spot = quotient(tangent_along(term.direction, spot), value_of(spot));
  if (term.component == Component::tangent_score) return tangent * (score - by_spot);
  if (term.component == Component::second_score) {
    const Number d = quotient(by_spot, path.asset[0].first_deviation);
    return value * (score * score - d * d - score * by_spot);
  }
  const T discount = path.constants[path.spec.payoff[term.payoff].constants];
  return value * (score + quotient(tangent_along(term.direction, discount), value_of(discount)));
}

/// What one path, or a path in each lane, adds to the estimators of its variation.
template <int model, class T, int assets, int observers, class Real, class Sums>
ERGODE_HOST_DEVICE inline void add_terms(const GroupView<Real>& g, const VariationSpec& v,
                                         const Path<model, T, assets, observers>& path, Sums& sums) {
  const Scalar<T> taint = path.taint();
  Payment<T> paid{};
  for (int t = v.first, payoff = -1; t < v.last; ++t) {
    const Term& term = g.terms[t];
    if (term.payoff != payoff) paid = path.payment(term.payoff);
    payoff = term.payoff;
    sums.add(g.targets[t], term.coefficient, amount_of(path, term, paid) + taint);
  }
}

/// Whether a chunk counts for what only one chunk in `stride` counts for; with Sobol points one in `stride` of each
/// replication.
ERGODE_HOST_DEVICE inline bool takes_part(std::int64_t chunk, std::int32_t stride, std::int64_t replications) {
  return stride <= 1 || (replications > 0 ? chunk / replications : chunk) % stride == 0;
}

/// All variations of sample number `sample`, added to `sums`. `make(grid, mirrored)` gives the draws, and with them the
/// number type.
template <int model, int assets, bool tangents, int observers = max_observers, class Real, class Sums, class MakeDraws>
ERGODE_HOST_DEVICE inline void run_sample(const GroupView<Real>& g, std::int64_t sample, std::int64_t chunk, Sums& sums,
                                          const MakeDraws& make) {
  using Number = typename decltype(make(0, false))::Number;
  sums.clear(g.estimators);
  const int signs = g.antithetic != 0 ? 2 : 1;
  Recorder<Real> recorder = g.recorder;
  recorder.index = sample;
  for (int k = 0; k < g.variation_count; ++k) {
    const VariationSpec& v = g.variations[k];
    if (!takes_part(chunk, v.stride, g.sobol.replications)) continue;
    for (int sign = 0; sign < signs; ++sign) {
      auto draws = make(v.grid, sign != 0);
      const PathSpec& spec = g.grids[v.grid];
      if constexpr (tangents) {
        if (v.tangent != 0) {
          Path<model, Dual<Number>, assets, observers> path(spec, {g.dual + g.offsets[k]}, g.policies);
          path.run(draws, recorder);
          add_terms(g, v, path, sums);
          continue;
        }
      }
      Path<model, Number, assets, observers> path(spec, {g.plain + g.offsets[k]}, g.policies);
      path.run(draws, recorder);
      add_terms(g, v, path, sums);
    }
  }
}

/// Keeps x of the samples whose values are wanted, of which `count` lanes are from `sample` on.
template <int lanes, class Real>
ERGODE_HOST_DEVICE inline void keep_values(const GroupView<Real>& g, std::int64_t sample, const double* x,
                                           int count = 1) {
  if (g.values == nullptr) return;
  for (int lane = 0; lane < (lanes == 1 ? 1 : count) && sample + lane < g.value_samples; ++lane)
    for (int e = 0; e < g.estimators; ++e) g.values[e * g.value_samples + sample + lane] = x[e * lanes + lane];
}

/// Adds x and c, (estimator, lane), to the sums of the first `count` lanes: element (estimator, moment, lane), of which
/// rows are `stride` apart. Where c is null there are no controls, and what would be 0 is left alone.
template <int lanes = 1>
ERGODE_HOST_DEVICE inline void add_moments(const double* x, const double* c, int estimators, double* sums,
                                           int stride = 1, int count = 1) {
  for (int e = 0; e < estimators; ++e) {
    double* s = sums + e * moments * stride;
    for (int l = 0; l < (lanes == 1 ? 1 : count); ++l) {
      const double xl = x[e * lanes + l];
      s[l] += xl;
      s[l + 2 * stride] = multiply_add(xl, xl, s[l + 2 * stride]);
      if (c == nullptr) continue;
      const double cl = c[e * lanes + l];
      s[l + stride] += cl;
      s[l + 3 * stride] = multiply_add(xl, cl, s[l + 3 * stride]);
      s[l + 4 * stride] = multiply_add(cl, cl, s[l + 4 * stride]);
    }
  }
}

/// Whether a chunk is wanted at all: a run for the values of some samples needs theirs alone.
template <class Real>
ERGODE_HOST_DEVICE inline bool wanted(const GroupView<Real>& g, std::int64_t first_sample) {
  return g.values == nullptr || first_sample < g.value_samples;
}

/// Which samples a chunk holds. With Sobol points a chunk stays within one replication: chunk n belongs to replication
/// n modulo their number.
struct ChunkRange {
  std::int64_t first, count;
  std::int64_t replication;
};
ERGODE_HOST_DEVICE inline ChunkRange chunk_range(std::int64_t chunk, std::int64_t samples, std::int64_t points,
                                                 std::int64_t replications) {
  if (replications == 0) {
    const std::int64_t first = chunk * chunk_samples, left = samples - first;
    return {first, left < chunk_samples ? left : chunk_samples, 0};
  }
  const std::int64_t r = chunk % replications, within = chunk / replications * chunk_samples;
  const std::int64_t left = points - within;
  return {r * points + within, left < chunk_samples ? left : chunk_samples, r};
}

/// The normals of one Sobol point, bridged: element (step, normal) at (step * normals + normal) * stride. Dimensions go
/// to the bridge's levels first, all assets' normals level by level. Past the table they are Philox's.
template <class Real>
ERGODE_HOST_DEVICE inline void store_sobol_normals(const PathSpec& spec, const SobolView<Real>& sobol,
                                                   std::uint64_t sample, std::int64_t index, Real* z,
                                                   std::int64_t stride) {
  const auto replication = static_cast<std::uint32_t>(index / sobol.points);
  const auto point = static_cast<std::uint32_t>(index % sobol.points);
  for (int a = 0; a < spec.assets; ++a) {
    const AssetSpec& asset = spec.asset[a];
    for (int f = 0; f < asset.normals; ++f) {
      const int normal = asset.first_normal + f;
      for (int level = 0; level < sobol.bridge.count; ++level) {
        const int dimension = level * spec.normals + normal;
        std::uint32_t word;
        if (dimension < sobol.dimensions)
          // The stream's own name is in the seed, so that two groups' points are independent.
          word = owen_scramble(sobol_word(sobol.directions + dimension * 32, point),
                               sobol_seed(asset.key, replication, static_cast<std::uint32_t>(dimension)));
        else
          word = philox4x32(
              philox_counter(sample, static_cast<std::uint32_t>(level),
                             static_cast<std::uint32_t>(Purpose::increments) | static_cast<std::uint32_t>(f) << 8),
              asset.key)[0];
        z[(static_cast<std::int64_t>(sobol.bridge.steps[level].point) * spec.normals + normal) * stride] =
            normal_from_word<Real>(word);
      }
      brownian_increments(sobol.bridge, z + normal * stride, spec.normals * stride);
    }
  }
}

}  // namespace ergode::kernels::options
