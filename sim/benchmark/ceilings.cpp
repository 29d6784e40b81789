#include "sim/benchmark/ceilings.hpp"

#include <algorithm>

namespace ergode::sim {

using kernels::Ceiling;

double Ceilings::rate(Ceiling which) const {
  for (const MeasuredCeiling& c : measured)
    if (c.which == which) return c.rate();
  return 0;
}

double Ceilings::fraction(const Need& need, double seconds) const {
  const double slots = rate(need.in_double ? Ceiling::fma_double : Ceiling::fma_float) / 2;
  const double functions = rate(Ceiling::rsqrt);
  const double of_slots = slots > 0 ? need.slots / seconds / slots : 0;
  return std::max(of_slots, functions > 0 ? need.functions / seconds / functions : 0);
}

Ceilings measure_ceilings(const kernels::Device& device, int threads, const Pace& pace, std::span<const Ceiling> which,
                          std::int64_t copy_bytes) {
  Ceilings ceilings;
  ceilings.threads = threads;
  for (kernels::CeilingProbe& probe : kernels::ceiling_probes(device, threads, copy_bytes)) {
    if (std::find(which.begin(), which.end(), probe.ceiling) == which.end()) continue;
    const auto passes = [&](std::int64_t count) {
      for (; count > 0; --count) probe.pass();
    };
    ceilings.measured.push_back({probe.ceiling, probe.work, time_passes(passes, pace, 1 << 20)});
  }
  return ceilings;
}

}  // namespace ergode::sim
