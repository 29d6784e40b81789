#pragma once

#include "kernels/options/plan.hpp"
#include "kernels/random/normal.hpp"

// Where a path's randomness comes from. Both sources give the same interface: increments(asset, step, z) fills the
// standard normals of one step, words(...) the bits of bridges and jumps. On the coarse grid a step's normal is the sum
// of the fine grid's two, over sqrt 2: the two grids see one Brownian path.

namespace ergode::kernels::options {

/// What both share. A mirrored path (antithetic) has -z for z and 1 - u for u. Where Real is a vector, its lanes are
/// consecutive samples from `sample` on.
template <class Real>
struct DrawsOfPath {
  using Number = Real;
  using Word = typename PhiloxWords<Real>::Word;
  const PathSpec* spec;
  std::uint64_t sample;
  std::int32_t coarse;  ///< 0 or 1
  bool mirrored;

  /// Philox words number `sub` of a fine step for a purpose other than the increments.
  ERGODE_HOST_DEVICE WordBlock<Word> words(int asset, int fine_step, Purpose purpose, Word sub) const {
    WordBlock<Word> w =
        PhiloxWords<Real>::draw(sample, static_cast<std::uint32_t>(fine_step),
                                Word(static_cast<std::uint32_t>(purpose)) | (sub << 8), spec->asset[asset].key);
    if (mirrored)
      for (int i = 0; i < 4; ++i) w.word[i] = w.word[i] ^ Word(0xffffffffu);  // of 64-bit lanes the lower halves
    return w;
  }

  /// Of one lane.
  ERGODE_HOST_DEVICE DrawsOfPath<Element<Real>> lane(int number) const {
    return {spec, sample + static_cast<std::uint64_t>(number), coarse, mirrored};
  }
};

/// Normals made on the fly, four a Philox block.
template <class Real, int assets>
struct PhiloxDraws : DrawsOfPath<Real> {
  using DrawsOfPath<Real>::spec, DrawsOfPath<Real>::sample, DrawsOfPath<Real>::coarse, DrawsOfPath<Real>::mirrored;
  static constexpr bool in_blocks = true;
  const PhiloxRounds& rounds;  ///< of the first asset
  const Real* known;   ///< the first four normals, where they are known, and the path of its sample has no others
  Element<Real> sign;  ///< -1 of a mirrored path
  std::int32_t block[assets];
  Real cache[assets][4];

  ERGODE_HOST_DEVICE PhiloxDraws(const PathSpec& s, const PhiloxRounds& first, std::uint64_t sample_, int coarse_,
                                 bool mirrored_, const Real* known_ = nullptr)
      : DrawsOfPath<Real>{&s, sample_, coarse_, mirrored_},
        rounds(first),
        known(known_),
        sign(mirrored_ ? Element<Real>(-1) : Element<Real>(1)) {
    for (int a = 0; a < (assets == 1 ? 1 : s.assets); ++a) block[a] = -1;
  }

  ERGODE_HOST_DEVICE void increments(int a, int step, Real* z) {
    const int count = spec->asset[a].normals;
    z[1] = 0;
    if (coarse == 0) return fine_increments(a, step, count, z);
    Real second[normals_per_step];
    second[1] = 0;
    fine_increments(a, 2 * step, count, z);
    fine_increments(a, 2 * step + 1, count, second);
    for (int f = 0; f < normals_per_step; ++f) z[f] = (z[f] + second[f]) * Real(0.70710678118654752);
  }

  /// Four normals of the fine grid in a row, from number 4 `number` on, of the first asset: for loops that take a block
  /// at a time.
  ERGODE_HOST_DEVICE void four(int number, Real* z) const {
    normals4<Real>(philox_rounds(philox_counter(sample, static_cast<std::uint32_t>(number),
                                                static_cast<std::uint32_t>(Purpose::increments)),
                                 rounds),
                   z, sign);
  }
  /// The same of the last block, of which not all are needed.
  ERGODE_HOST_DEVICE void last_four(int number, Real* z) const {
    if (known == nullptr || number != 0) return four(number, z);
    for (int i = 0; i < 4; ++i) z[i] = mirrored ? -known[i] : known[i];
  }

 private:
  ERGODE_HOST_DEVICE void fine_increments(int a, int step, int count, Real* z) {
    const int first = step * count;
    if (first >> 2 != block[a]) {
      block[a] = first >> 2;
      normals4<Real>(philox4x32(philox_counter(sample, static_cast<std::uint32_t>(block[a]),
                                               static_cast<std::uint32_t>(Purpose::increments)),
                                spec->asset[a].key),
                     cache[a]);
    }
    // Selects rather than an index, so that the four stay in registers.
    const Real low = (first & 1) != 0 ? cache[a][1] : cache[a][0], high = (first & 1) != 0 ? cache[a][3] : cache[a][2];
    const Real one = (first & 2) != 0 ? high : low;
    z[0] = mirrored ? -one : one;
    if (count == 2) {
      const Real other = (first & 2) != 0 ? cache[a][3] : cache[a][1];
      z[1] = mirrored ? -other : other;
    }
  }
};

/// Normals that were made before the path: element (step, normal) at (step * normals + normal) * stride, the lanes of a
/// vector next to each other.
template <class Real>
struct StoredDraws : DrawsOfPath<Real> {
  using DrawsOfPath<Real>::spec, DrawsOfPath<Real>::coarse, DrawsOfPath<Real>::mirrored;
  static constexpr bool in_blocks = false;
  const Element<Real>* stored;
  std::int64_t stride;

  ERGODE_HOST_DEVICE StoredDraws(const PathSpec& s, std::uint64_t sample_, int coarse_, bool mirrored_,
                                 const Element<Real>* stored_, std::int64_t stride_)
      : DrawsOfPath<Real>{&s, sample_, coarse_, mirrored_}, stored(stored_), stride(stride_) {}

  ERGODE_HOST_DEVICE void increments(int a, int step, Real* z) const {
    const Element<Real>* at =
        stored + (static_cast<std::int64_t>(step << coarse) * spec->normals + spec->asset[a].first_normal) * stride;
    z[0] = normal_at(at);
    z[1] = spec->asset[a].normals == 2 ? normal_at(at + stride) : Real(0);
  }

 private:
  ERGODE_HOST_DEVICE Real normal_at(const Element<Real>* at) const {
    Real n;
    load(n, at);
    if (coarse != 0) {
      Real second;
      load(second, at + spec->normals * stride);
      n = (n + second) * Real(0.70710678118654752);
    }
    return mirrored ? -n : n;
  }
};

/// The same normals as PhiloxDraws makes, stored: for backends that use them several times.
template <class Real>
ERGODE_HOST_DEVICE inline void store_philox_normals(const PathSpec& spec, std::uint64_t sample, Element<Real>* z,
                                                    std::int64_t stride) {
  for (int a = 0; a < spec.assets; ++a) {
    const AssetSpec& asset = spec.asset[a];
    const int total = spec.steps * asset.normals;
    for (int block = 0; 4 * block < total; ++block) {
      Real four[4];
      normals4<Real>(PhiloxWords<Real>::draw(sample, static_cast<std::uint32_t>(block),
                                             static_cast<std::uint32_t>(Purpose::increments), asset.key),
                     four);
      ERGODE_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int k = 4 * block + i;
        if (k >= total) break;
        const int step = asset.normals == 2 ? k >> 1 : k, f = asset.normals == 2 ? k & 1 : 0;
        store(z + (static_cast<std::int64_t>(step) * spec.normals + asset.first_normal + f) * stride, four[i]);
      }
    }
  }
}

}  // namespace ergode::kernels::options
