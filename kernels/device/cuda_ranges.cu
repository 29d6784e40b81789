#include <nvtx3/nvToolsExt.h>

#include "kernels/device/ranges.hpp"

namespace ergode::kernels {

void begin_range(const char* name) {
  nvtxRangePushA(name);
}
void end_range() {
  nvtxRangePop();
}

}  // namespace ergode::kernels
