#pragma once

#include <vector>

#include "kernels/random/philox.hpp"

namespace ergode::kernels::test {

/// A Philox block and its two uniforms, as a thread of the device computes them.
struct DeviceDraw {
  Words4 words;
  double first, second;
};

/// One draw for each counter. Throws kernels::Error.
std::vector<DeviceDraw> draw_on_device(const std::vector<Words4>& counters, PhiloxKey key);

}  // namespace ergode::kernels::test
