#include "kernels/device/ceilings.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace ergode::kernels {

namespace {

constexpr std::int64_t rounds_a_pass = 1 << 20;

const CeilingLoops& loops_of(Isa isa) {
  if (isa == Isa::avx512) return avx512::ceiling_loops;
  return isa == Isa::avx2 ? avx2::ceiling_loops : baseline::ceiling_loops;
}

CeilingProbe multiply_adds(Ceiling ceiling, double (*loop)(std::int64_t, int, double*), int threads) {
  double sink = 0;
  CeilingProbe probe;
  probe.ceiling = ceiling;
  probe.work = 2 * static_cast<double>(rounds_a_pass) * loop(1, threads, &sink);
  probe.pass = [loop, threads] {
    volatile double kept;
    double sum = 0;
    loop(rounds_a_pass, threads, &sum);
    kept = sum;
    static_cast<void>(kept);
  };
  return probe;
}

/// Each thread copies its part, which it has touched first.
CeilingProbe copies(int threads, std::int64_t bytes) {
  struct Arrays {
    std::unique_ptr<char[]> from, to;
  };
  const auto arrays = std::make_shared<Arrays>();
  arrays->from.reset(new char[static_cast<std::size_t>(bytes)]);  // not yet touched
  arrays->to.reset(new char[static_cast<std::size_t>(bytes)]);
  const std::int64_t part = bytes / threads;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int thread = 0; thread < threads; ++thread) {
    std::memset(arrays->from.get() + thread * part, 0x5a + thread, static_cast<std::size_t>(part));
    std::memset(arrays->to.get() + thread * part, thread, static_cast<std::size_t>(part));
  }
  CeilingProbe probe;
  probe.ceiling = Ceiling::copy;
  probe.work = 2 * static_cast<double>(part) * threads;
  probe.pass = [arrays, part, threads] {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int thread = 0; thread < threads; ++thread)
      std::memcpy(arrays->to.get() + thread * part, arrays->from.get() + thread * part, static_cast<std::size_t>(part));
  };
  return probe;
}

}  // namespace

std::string_view name(Ceiling ceiling) {
  switch (ceiling) {
    case Ceiling::fma_double:
      return "fma_double";
    case Ceiling::rsqrt:
      return "rsqrt";
    case Ceiling::copy:
      return "copy";
    case Ceiling::fma_float:
      break;
  }
  return "fma_float";
}

std::string_view unit(Ceiling ceiling) {
  if (ceiling == Ceiling::copy) return "bytes";
  return ceiling == Ceiling::rsqrt ? "operations" : "flop";
}

std::vector<CeilingProbe> ceiling_probes(const Device& device, int threads, std::int64_t copy_bytes) {
  if (device.backend == Backend::cuda) return cuda_ceiling_probes(device, copy_bytes);
  const CeilingLoops& loops = loops_of(device.isa);
  const std::int64_t bytes = std::min(copy_bytes, device.memory_free / 8);
  return {multiply_adds(Ceiling::fma_float, loops.fma_float, threads),
          multiply_adds(Ceiling::fma_double, loops.fma_double, threads), copies(threads, bytes)};
}

}  // namespace ergode::kernels
