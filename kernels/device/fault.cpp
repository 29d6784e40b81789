#include "kernels/device/fault.hpp"

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace ergode::kernels {

namespace {

struct Plan {
  bool armed = false;
  FaultPoint point = FaultPoint::kernel;
  long at = 0;
  std::atomic<long> passed{0};

  Plan() {
    const char* text = std::getenv("ERGODE_KERNEL_FAULT");
    if (text == nullptr) return;
    const std::string_view spec(text);
    const auto colon = spec.find(':');
    if (colon == std::string_view::npos) return;
    const auto name = spec.substr(0, colon);
    point = name == "host_alloc"     ? FaultPoint::host_alloc
            : name == "device_alloc" ? FaultPoint::device_alloc
                                     : FaultPoint::kernel;
    at = std::atol(text + colon + 1);
    armed = at > 0;
  }
};

}  // namespace

bool fault_due(FaultPoint point) {
  static Plan plan;
  return plan.armed && plan.point == point && ++plan.passed == plan.at;
}

}  // namespace ergode::kernels
