#include "kernels/random/normal.hpp"
#include "kernels/random/philox_lanes.hpp"
#include "tests/kernels/lanes.hpp"

namespace ergode::kernels::test::ERGODE_ISA {
namespace {

template <class Number>
Number value(Function f, Number x) {
  switch (f) {
    case Function::exponential:
      return exponential(x);
    case Function::logarithm:
      return logarithm(x);
    case Function::logarithm_of_one_plus:
      return logarithm_of_one_plus(x);
    case Function::logarithm_beyond_first:
      return logarithm_beyond_first(x);
    case Function::normal_cumulative:
      return normal_cumulative(x);
    case Function::square_root:
      return square_root(x);
  }
  return x;
}

template <class Number>
void apply(Function f, const Element<Number>* x, Element<Number>* y, int count) {
  for (int i = 0; i < count; i += lanes_of<Number>) {
    Number number;
    load(number, x + i);
    store(y + i, value(f, number));
  }
}

/// Words as draws have them: a vector of doubles holds them in 64-bit lanes.
template <class Number>
void circle(const std::uint32_t* words, Element<Number>* cosines, Element<Number>* sines, int count) {
  using Word = typename PhiloxWords<Number>::Word;
  for (int i = 0; i < count; i += lanes_of<Number>) {
    Number c, s;
    Word w(words[i]);
    if constexpr (lanes_of < Number >> 1)
      for (int l = 0; l < lanes_of<Number>; ++l) set_lane(w, l, words[i + l]);
    elementary::cosine_sine(w, c, s);
    store(cosines + i, c);
    store(sines + i, s);
  }
}

template <class Number>
void draw(std::uint64_t first, PhiloxKey key, Element<Number>* z, int count) {
  for (int i = 0; i < count; i += lanes_of<Number>) {
    Number four[4];
    normals4<Number>(PhiloxWords<Number>::draw(first + static_cast<std::uint64_t>(i), 5, 7, key), four);
    for (int k = 0; k < 4; ++k) store(z + k * count + i, four[k]);
  }
}

/// 1 in the lanes of a mask.
template <class Number, class Condition>
Number mark(const Condition& condition) {
  return select(condition, Number(1), Number(0));
}

template <class Number>
void compare_all(const Element<Number>* a, const Element<Number>* b, std::uint32_t* bits, int count) {
  for (int i = 0; i < count; i += lanes_of<Number>) {
    Number x, y;
    load(x, a + i);
    load(y, b + i);
    const Number marks[] = {mark<Number>(x < y),          mark<Number>(x > y),           mark<Number>(x <= y),
                            mark<Number>(x >= y),         mark<Number>(x == y),          mark<Number>(!(x < y)),
                            mark<Number>(x < y || y < x), mark<Number>(x <= y && y <= x)};
    const bool some = any(x < y);
    for (int l = 0; l < lanes_of<Number>; ++l) {
      bits[i + l] = some ? 1u << 8 : 0;
      for (int k = 0; k < 8; ++k) bits[i + l] |= lane_of(marks[k], l) != 0 ? 1u << k : 0;
    }
  }
}

template <class Number>
void choose_all(const Element<Number>* a, const Element<Number>* b, Element<Number>* most, Element<Number>* least,
                Element<Number>* positive, int count) {
  for (int i = 0; i < count; i += lanes_of<Number>) {
    Number x, y;
    load(x, a + i);
    load(y, b + i);
    store(most + i, maximum(x, y));
    store(least + i, minimum(x, y));
    store(positive + i, select(x > Number(0), x, y));
  }
}

template <class Real>
struct Table {
  using V = kernels::ERGODE_ISA::VectorOf<Real>;
  static void apply_(Function f, bool in_lanes, const Real* x, Real* y, int n) {
    in_lanes ? apply<V>(f, x, y, n) : apply<Real>(f, x, y, n);
  }
  static void circle_(bool in_lanes, const std::uint32_t* words, Real* c, Real* s, int n) {
    in_lanes ? circle<V>(words, c, s, n) : circle<Real>(words, c, s, n);
  }
  static void draw_(bool in_lanes, std::uint64_t first, PhiloxKey key, Real* z, int n) {
    in_lanes ? draw<V>(first, key, z, n) : draw<Real>(first, key, z, n);
  }
  static void compare_(bool in_lanes, const Real* a, const Real* b, std::uint32_t* bits, int n) {
    in_lanes ? compare_all<V>(a, b, bits, n) : compare_all<Real>(a, b, bits, n);
  }
  static void choose_(bool in_lanes, const Real* a, const Real* b, Real* most, Real* least, Real* positive, int n) {
    in_lanes ? choose_all<V>(a, b, most, least, positive, n) : choose_all<Real>(a, b, most, least, positive, n);
  }
  static constexpr LaneFunctions<Real> functions{lanes_of<V>, apply_, circle_, draw_, compare_, choose_};
};

}  // namespace

const LaneFunctions<float> functions_float = Table<float>::functions;
const LaneFunctions<double> functions_double = Table<double>::functions;

}  // namespace ergode::kernels::test::ERGODE_ISA
