#include "kernels/options/paths_cpu.hpp"
#include "tests/kernels/lanes.hpp"

// The path loop of any model, of one asset and of many, a sample at a time.

namespace ergode::kernels::test::ERGODE_ISA {
namespace {

template <class Real>
void chunk(const options::GroupView<Real>& g, std::int64_t number, double* sums,
           const options::ThreadScratch<Real>& scratch) {
  using namespace options;
  if (g.grids[0].assets == 1)
    options::ERGODE_ISA::run_chunk<Real, any_model, 1, true, max_observers>(g, number, sums, scratch);
  else
    options::ERGODE_ISA::run_chunk<Real, any_model, max_assets, true, max_observers>(g, number, sums, scratch);
}

}  // namespace

const ScalarChunk<float> chunk_float = chunk<float>;
const ScalarChunk<double> chunk_double = chunk<double>;

}  // namespace ergode::kernels::test::ERGODE_ISA
