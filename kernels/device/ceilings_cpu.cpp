#include "kernels/core/simd.hpp"
#include "kernels/device/ceilings.hpp"

namespace ergode::kernels::ERGODE_ISA {

namespace {

/// Independent sums: enough to fill two pipes of four to five cycles, few enough for sixteen registers.
constexpr int chains = 12;

template <class V>
ERGODE_SIMD double sum_of_chains(std::int64_t rounds) {
  using Scalar = typename Lanes<V>::Scalar;
  const V factor = broadcast<V>(Scalar(0.999)), term = broadcast<V>(Scalar(0.001));
  V value[chains];
  for (int c = 0; c < chains; ++c) value[c] = broadcast<V>(Scalar(c));
  for (std::int64_t round = 0; round < rounds; ++round)
    for (int c = 0; c < chains; ++c) value[c] = fused_multiply_add(value[c], factor, term);
  double sum = 0;
  for (int c = 0; c < chains; ++c)
    for (int l = 0; l < Lanes<V>::count; ++l) sum += static_cast<double>(value[c].lanes[l]);
  return sum;
}

template <class V>
double multiply_add(std::int64_t rounds, int threads, double* sink) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) num_threads(threads)
  for (int thread = 0; thread < threads; ++thread) sum += sum_of_chains<V>(rounds);
  *sink = sum;
  return static_cast<double>(rounds) * chains * Lanes<V>::count * threads;
}

double fma_float(std::int64_t rounds, int threads, double* sink) {
  return multiply_add<FloatV>(rounds, threads, sink);
}
double fma_double(std::int64_t rounds, int threads, double* sink) {
  return multiply_add<DoubleV>(rounds, threads, sink);
}

}  // namespace

extern const CeilingLoops ceiling_loops;
const CeilingLoops ceiling_loops = {fma_float, fma_double};

}  // namespace ergode::kernels::ERGODE_ISA
