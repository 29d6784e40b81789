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
  ERGODE_HOST_DEVICE bool next(const DrawsOfPath& draws) {
    if (!(intensity > 0)) return false;
    words = draws.words(asset, fine_step, Purpose::jumps, count);
    // Mirrored paths jump at the same times: only sizes are mirrored.
    const std::uint32_t w = draws.mirrored ? ~words[0] : words[0];
    time -= ::log((w + 0.5) * 0x1p-32) / intensity;
    ++count;
    return time < 1;
  }
};

}  // namespace ergode::kernels::options
