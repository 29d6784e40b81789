#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "kernels/options/group_data.hpp"
#include "kernels/random/joe_kuo.hpp"
#include "tests/gpu/option_groups.hpp"
#include "tests/kernels/lanes.hpp"

// Paths in the lanes of vectors against the same paths one at a time, bit by bit, on each instruction set that this
// machine has: every model, product, Greek and source of random numbers.

using namespace ergode;
using namespace ergode::testing;
using namespace ergode::kernels;
using namespace ergode::kernels::options;

namespace {

std::vector<Isa> instruction_sets() {
  std::vector<Isa> sets;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    if (isa_supported(isa)) sets.push_back(isa);
  return sets;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

test::ScalarChunk<float> scalar_chunk(Isa isa, float) {
  return isa == Isa::avx512 ? test::avx512::chunk_float
         : isa == Isa::avx2 ? test::avx2::chunk_float
                            : test::baseline::chunk_float;
}
test::ScalarChunk<double> scalar_chunk(Isa isa, double) {
  return isa == Isa::avx512 ? test::avx512::chunk_double
         : isa == Isa::avx2 ? test::avx2::chunk_double
                            : test::baseline::chunk_double;
}

/// All sums, a path at a time.
template <class Real>
std::vector<double> one_at_a_time(const GroupPlan& plan, Isa isa) {
  const GroupData<Real> data = group_data<Real>(plan);
  const auto directions = sobol_directions(sobol_dimensions);
  GroupView<Real> view = data.view;
  view.sobol.directions = directions.data();
  const auto row = static_cast<std::size_t>(view.estimators * moments);
  std::vector<Real> normals(static_cast<std::size_t>(data.grids[0].steps * data.grids[0].normals + 1));
  std::vector<double> scratch(row * chunk_lanes), sums(row * static_cast<std::size_t>(plan.chunks()));
  for (std::int64_t c = 0; c < plan.chunks(); ++c)
    scalar_chunk(isa, Real())(view, c, sums.data() + static_cast<std::size_t>(c) * row,
                              {normals.data(), scratch.data()});
  return sums;
}

/// `paths` as of monte_carlo.
void check_book(const std::string& paths, const std::string& precision) {
  for (const ReadyGroup& g : ready_groups(every_kernel(paths + ", precision: " + precision))) {
    INFO(paths << ", " << precision << ": " << g.name(0));
    std::vector<std::vector<double>> sums;
    for (const Isa isa : instruction_sets()) {
      CAPTURE(name(isa));
      sums.push_back(g.run(*make_path_engine(cpu_device(isa), 2)));
      CHECK(same_bits(sums.back(),
                      precision == "float" ? one_at_a_time<float>(g.plan, isa) : one_at_a_time<double>(g.plan, isa)));
    }
    // Both have a fused multiply-add, and the same formulas.
    if (sums.size() == 3) CHECK(same_bits(sums[1], sums[2]));
  }
}

}  // namespace

TEST_CASE("Paths in vectors are the paths one at a time: every model and product, with a part of a vector at the end") {
  for (const std::string precision : {"float", "double"}) {
    check_book("paths: 1069", precision);
    check_book("paths: 1069, antithetic: false", precision);
    check_book("rng: sobol, replications: 3, paths: 333", precision);
  }
}

TEST_CASE("Fewer paths than lanes give the sums of these paths") {
  for (const std::string precision : {"float", "double"})
    for (const int paths : {2, 6, 15}) check_book("paths: " + std::to_string(paths), precision);
}

TEST_CASE("Values and recordings of paths in vectors are the same on both instruction sets with a fused multiply-add") {
  if (!isa_supported(Isa::avx512)) SKIP("this processor has one of them at most");
  const auto narrow = make_path_engine(cpu_device(Isa::avx2), 1), wide = make_path_engine(cpu_device(Isa::avx512), 3);
  for (const std::string paths : {"paths: 2100", "rng: sobol, replications: 3, paths: 333"})
    for (const std::string precision : {"float", "double"})
      for (const ReadyGroup& g : ready_groups(every_kernel(paths + ", precision: " + precision))) {
        INFO(paths << ", " << precision << ": " << g.name(0));
        const int a = narrow->add(g.plan), b = wide->add(g.plan);
        for (const std::int64_t samples : {std::int64_t{1}, std::int64_t{37}, g.plan.points()})
          CHECK(same_bits(narrow->values(a, samples), wide->values(b, samples)));
        narrow->remove(a);
        wide->remove(b);
      }
}
