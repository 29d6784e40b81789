#pragma once

#include "kernels/core/lanes.hpp"
#include "kernels/random/philox.hpp"

// Philox in the lanes of vectors. A word stands in the lower half of a 64-bit lane, where the processors multiply words
// to double length; what gathers in the upper half is ignored. A vector of floats has twice as many lanes and takes two
// registers: that of the even lanes and that of the odd ones.

namespace ergode::kernels {
namespace ERGODE_ISA {

template <int registers>
struct WordRegisters {
  Bits64V word[registers];
};

template <int registers>
ERGODE_SIMD WordRegisters<registers> operator^(WordRegisters<registers> a, WordRegisters<registers> b) {
  for (int i = 0; i < registers; ++i) a.word[i] = a.word[i] ^ b.word[i];
  return a;
}
template <int registers>
ERGODE_SIMD WordRegisters<registers> operator^(WordRegisters<registers> a, std::uint32_t b) {
  for (int i = 0; i < registers; ++i) a.word[i] = a.word[i] ^ Bits64V(b);
  return a;
}
template <int registers>
ERGODE_SIMD WordRegisters<registers> wide_product(WordRegisters<registers> a, std::uint32_t b) {
  for (int i = 0; i < registers; ++i) a.word[i] = product_of_low_halves(a.word[i], Bits64V(b));
  return a;
}
template <int registers>
ERGODE_SIMD WordRegisters<registers> high_word(WordRegisters<registers> product) {
  for (int i = 0; i < registers; ++i) product.word[i] = product.word[i] >> 32;
  return product;
}
template <int registers>
ERGODE_SIMD WordRegisters<registers> low_word(WordRegisters<registers> product) {
  return product;
}

ERGODE_SIMD Bits64V words_in_lanes(WordRegisters<1> w) {
  return w.word[0] & Bits64V(0xffffffffu);
}
ERGODE_SIMD Bits32V words_in_lanes(WordRegisters<2> w) {
  return (Bits32Lanes)((w.word[0] & Bits64V(0xffffffffu)) | (w.word[1] << 32)).lanes;
}
ERGODE_SIMD WordRegisters<1> registers_of(Bits64V w) {
  return {{w}};
}
ERGODE_SIMD WordRegisters<2> registers_of(Bits32V w) {
  const Bits64V pairs = (Bits64Lanes)w.lanes;
  return {{pairs, pairs >> 32}};
}

}  // namespace ERGODE_ISA

template <class L>
struct PhiloxWords<ERGODE_ISA::Vector<L>> {
  using Real = ERGODE_ISA::Vector<L>;
  using Word = typename NumberTraits<Real>::Bits;

  ERGODE_HOST_DEVICE static WordBlock<Word> draw(std::uint64_t index, std::uint32_t step, Word purpose, PhiloxKey key) {
    constexpr int registers = 8 / sizeof(Element<Real>);
    using namespace ERGODE_ISA;
    WordRegisters<registers> low, high, steps;
    for (int r = 0; r < registers; ++r) {
      Bits64V lane;
      for (int i = 0; i < double_lanes; ++i) lane.lanes[i] = static_cast<std::uint64_t>(registers * i + r);
      low.word[r] = Bits64V(index) + lane;
      high.word[r] = low.word[r] >> 32;
      steps.word[r] = Bits64V(step);
    }
    const auto words = philox4x32(WordBlock<WordRegisters<registers>>{{low, high, steps, registers_of(purpose)}}, key);
    return {{words_in_lanes(words[0]), words_in_lanes(words[1]), words_in_lanes(words[2]), words_in_lanes(words[3])}};
  }
};

}  // namespace ergode::kernels
