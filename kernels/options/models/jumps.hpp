#pragma once

#include "kernels/options/draws.hpp"
#include "kernels/options/models/model.hpp"

namespace ergode::kernels::options {

/// The jumps of a compound Poisson process in one fine step, in order of time: waiting times are exponential.
/// Each jump takes one block of Philox words: [0] its waiting time, [1] and [2] its size, [3] the diffusion at it.
struct JumpTimes {
  int asset, fine_step;
  double intensity;  ///< expected jumps in the step
  double time = 0;   ///< of the last jump, as a fraction of the step
  std::uint32_t count = 0;
  Words4 words{};

  /// Goes to the next jump; false when it lies beyond the step.
  template <class Real>
  ERGODE_HOST_DEVICE bool next(const DrawsOfPath<Real>& draws) {
    if (!(intensity > 0)) return false;
    words = draws.words(asset, fine_step, Purpose::jumps, count);
    // Mirrored paths jump at the same times: only sizes are mirrored.
    const std::uint32_t w = draws.mirrored ? ~words[0] : words[0];
    time -= ::log((w + 0.5) * 0x1p-32) / intensity;
    ++count;
    return time < 1;
  }
};

/// The jumps of one fine step in every lane of Real: the first of each, then the second of each that has one, and so
/// on.
template <class Real>
struct JumpsInLanes {
  static constexpr int lanes = lanes_of<Real>;
  JumpTimes each[lanes];
  bool jumped[lanes];

  ERGODE_HOST_DEVICE JumpsInLanes(int asset, int fine_step, double intensity) {
    for (int i = 0; i < lanes; ++i) {
      each[i] = {asset, fine_step, intensity};
      jumped[i] = true;
    }
  }

  /// Goes to the lanes' next jumps; a mask of the lanes that have one.
  ERGODE_HOST_DEVICE auto next(const DrawsOfPath<Real>& draws) {
    Real mark = Real(0);
    for (int i = 0; i < lanes; ++i) {
      jumped[i] = jumped[i] && each[i].next(draws.lane(i));
      set_lane(mark, i, Element<Real>(jumped[i] ? 1 : 0));
    }
    return mark > Real(0);
  }

  /// As a fraction of a step of `halves` fine ones, of which this one is number `half`.
  ERGODE_HOST_DEVICE Real time(int half, int halves) const {
    Real at = Real(0);
    for (int i = 0; i < lanes; ++i) set_lane(at, i, static_cast<Element<Real>>((half + each[i].time) / halves));
    return at;
  }

  /// A normal for where the diffusion is at the jump.
  ERGODE_HOST_DEVICE Real normal() const {
    Real z = Real(0);
    for (int i = 0; i < lanes; ++i) set_lane(z, i, normal_from_word<Element<Real>>(each[i].words[3]));
    return z;
  }

  /// The jumps of the log, of the law Size.
  template <class Size, class T>
  ERGODE_HOST_DEVICE T size(Constants<T> jump) const {
    T sizes = T(0);
    for (int i = 0; i < lanes; ++i) set_lane(sizes, i, Size::size(plain_array(jump), each[i].words));
    return sizes;
  }
};

}  // namespace ergode::kernels::options
