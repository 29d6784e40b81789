#include <cstring>

#include "kernels/gravity/over_cube.hpp"
#include "tests/kernels/over_cube.hpp"

namespace ergode::kernels::test::ERGODE_ISA {
namespace {

using namespace kernels::ERGODE_ISA;

template <class V>
void apply(const typename V::Scalar* mass, const typename V::Scalar* square, typename V::Scalar* result, int count) {
  constexpr std::size_t size = sizeof(Twin<V>);
  for (int i = 0; i < count; i += Lanes<Twin<V>>::count) {
    Twin<V> m, s;
    std::memcpy(&m, mass + i, size);
    std::memcpy(&s, square + i, size);
    const Twin<V> r = over_cube(m, s);
    std::memcpy(result + i, &r, size);
  }
}

std::uint64_t checksum_of_estimates() {
#if defined(ERGODE_ISA_avx512)
  std::uint64_t sum = 0xcbf29ce484222325;
  for (std::uint32_t bits = 0x3f800000; bits < 0x40800000; bits += 1u << 4) {
    float x;
    std::memcpy(&x, &bits, 4);
    const float estimate = estimated_inverse_square_root(FloatV(x)).lanes[0];
    std::uint32_t found;
    std::memcpy(&found, &estimate, 4);
    sum = (sum ^ found) * 0x100000001b3;
  }
  return sum;
#else
  return 0;
#endif
}

}  // namespace

const OverCube over_cube_loops = {over_cube_factor<float>, over_cube_factor<double>, apply<FloatV>, apply<DoubleV>,
                                  checksum_of_estimates};

}  // namespace ergode::kernels::test::ERGODE_ISA
