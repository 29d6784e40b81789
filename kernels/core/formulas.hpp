#pragma once

#include <cstring>

#include "kernels/core/arithmetic.hpp"

// The elementary functions of a host, as formulas that scalars and vectors of every instruction set share: a lane of a
// vector has the bits of a scalar. The polynomials are near-minimax on their intervals (Chebyshev interpolation in 40
// digits; exp and log after Cody & Waite 1980). Errors as stated are with a fused multiply-add; without one they are up
// to half an ulp more.

namespace ergode::kernels {

ERGODE_HOST_DEVICE inline std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
ERGODE_HOST_DEVICE inline std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
ERGODE_HOST_DEVICE inline float number_of_bits(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
ERGODE_HOST_DEVICE inline double number_of_bits(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

namespace formulas {

/// The formats of float and double.
template <class Element>
struct Format;
template <>
struct Format<float> {
  static constexpr int mantissa = 23, bias = 127;
  static constexpr std::uint32_t one = 0x3f800000u, mantissa_mask = 0x7fffffu, root_half = 0x3f3504f3u;
  static constexpr std::uint32_t integer = 0x4b000000u;  ///< 2^23: with an integer below in the mantissa, their sum
  static constexpr float rounder = 0x1.8p23f;            ///< x + rounder has round(x) in its low bits
  static constexpr float smallest = 0x1p-126f, largest = 0x1.fffffep127f;
  static constexpr float ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;  ///< n ln2_high is exact
  static constexpr float exp_overflow = 88.72283f, exp_underflow = -87.33654f;
};
template <>
struct Format<double> {
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr std::uint64_t one = 0x3ff0000000000000u, mantissa_mask = 0xfffffffffffffu,
                                 root_half = 0x3fe6a09e667f3bcdu, integer = 0x4330000000000000u;
  static constexpr double rounder = 0x1.8p52;
  static constexpr double smallest = 0x1p-1022, largest = 0x1.fffffffffffffp1023;
  static constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double exp_overflow = 709.782712893384, exp_underflow = -708.396418532264;
};

/// The highest coefficient first. Even and odd powers apart, each by Horner's rule in x^2: two chains that a processor
/// works on at once.
template <class V, int count>
ERGODE_HOST_DEVICE inline V polynomial(const Element<V> (&coefficient)[count], V x) {
  static_assert(count >= 3);
  const V x2 = x * x;
  V first = V(coefficient[0]), second = V(coefficient[1]);
  ERGODE_UNROLL
  for (int i = 2; i + 1 < count; i += 2) {
    first = multiply_add(first, x2, V(coefficient[i]));
    second = multiply_add(second, x2, V(coefficient[i + 1]));
  }
  if constexpr (count % 2 == 0) return multiply_add(first, x, second);
  return multiply_add(second, x, multiply_add(first, x2, V(coefficient[count - 1])));
}

/// An integer below 2^mantissa as a number.
template <class V, class Bits>
ERGODE_HOST_DEVICE inline V number(Bits n) {
  using F = Format<Element<V>>;
  return number_of_bits(n | Bits(F::integer)) - V(number_of_bits(F::integer));
}

/// e^x, within 1.1 ulp; 0 where it is below the smallest normal number.
template <class V>
ERGODE_HOST_DEVICE inline V exponential(V x) {
  using F = Format<Element<V>>;
  const V shifted = multiply_add(x, V(Element<V>(1.4426950408889634)), V(F::rounder));
  const V n = shifted - V(F::rounder);
  const V r = multiply_add(n, V(-F::ln2_low), multiply_add(n, V(-F::ln2_high), x));
  V p;  // (e^r - 1 - r) / r^2
  if constexpr (sizeof(Element<V>) == 4) {
    p = polynomial<V>({1.392625039e-03f, 8.363232948e-03f, 4.166655242e-02f, 1.666657627e-01f, 0.5f}, r);
  } else {
    p = polynomial<V>(
        {2.09147553258932021e-09, 2.51053127296221029e-08, 2.75572734787185824e-07, 2.75572551700008879e-06,
         2.48015873256774607e-05, 1.98412698750022792e-04, 1.38888888888837113e-03, 8.33333333332608381e-03,
         4.16666666666666713e-02, 1.66666666666666713e-01, 0.5},
        r);
  }
  p = multiply_add(r * r, p, r) + V(1);
  const V scaled = number_of_bits(bits_of(p) + (bits_of(shifted) << F::mantissa));
  const V normal = select(x >= V(F::exp_underflow), scaled, V(0));
  return select(x <= V(F::exp_overflow), normal, x * V(F::largest));  // infinity, or NaN
}

/// ln x of a normal x > 0, within 1 ulp of it, or near 1 of ln x itself.
template <class V>
ERGODE_HOST_DEVICE inline V normal_logarithm(V x) {
  using F = Format<Element<V>>;
  using Bits = typename NumberTraits<V>::Bits;
  // x = m 2^k, sqrt(1/2) <= m < sqrt 2.
  const Bits shifted = bits_of(x) + Bits(F::one - F::root_half);
  const V k = number_of_bits((shifted >> F::mantissa) | Bits(F::integer)) -
              V(number_of_bits(F::integer + static_cast<unsigned>(F::bias)));
  const V f = number_of_bits((shifted & Bits(F::mantissa_mask)) + Bits(F::root_half)) - V(1);
  if constexpr (sizeof(Element<V>) == 4) {
    // f - f^2 / 2 + f^3 p
    const V p =
        polynomial<V>({6.971620768e-02f, -1.147974879e-01f, 1.168542355e-01f, -1.242568567e-01f, 1.424905658e-01f,
                       -1.666780263e-01f, 2.000071555e-01f, -2.499999702e-01f, 3.333333135e-01f},
                      f);
    const V f2 = f * f;
    V low = multiply_add(k, V(F::ln2_low), f2 * f * p);
    low = multiply_add(f2, V(-0.5f), low);
    return multiply_add(k, V(F::ln2_high), f + low);
  } else {
    // 2 atanh(s) = f - (f^2 / 2 - s (f^2 / 2 + s^2 p)), s = f / (2 + f)
    const V s = f / (V(2) + f), z = s * s;
    const V p = z * polynomial<V>({1.30881665185919094e-01, 1.32686257658570506e-01, 1.53862452087255602e-01,
                                   1.81817955388507785e-01, 2.22222223926622692e-01, 2.85714285707994287e-01,
                                   4.00000000000008848e-01, 6.66666666666666630e-01},
                                  z);
    const V half = V(0.5) * f * f;
    const V low = multiply_add(s, half + p, k * V(F::ln2_low));
    return multiply_add(k, V(F::ln2_high), f - (half - low));
  }
}

/// ln x: NaN below 0, -infinity below the smallest normal number, infinity of infinity.
template <class V>
ERGODE_HOST_DEVICE inline V logarithm(V x) {
  using F = Format<Element<V>>;
  const V infinity = V(F::largest) * V(2);
  const V small = select(x < V(0), x - x + (infinity - infinity), -infinity);
  const V result = select(x < V(F::smallest), small, normal_logarithm(x));
  return select(x <= V(F::largest), result, x);
}

/// ln(1 + x), x > -1: what rounding 1 + x loses is made up for (Kahan).
template <class V>
ERGODE_HOST_DEVICE inline V logarithm_of_one_plus(V x) {
  const V u = V(1) + x, d = u - V(1);
  const V result = select(d == V(0), x, logarithm(u) * (x / d));
  return select(x <= V(Format<Element<V>>::largest), result, x);
}

/// Cosine and sine of a quarter circle times `quarters` in [-1/2, 1/2], within 2.2 ulps.
template <class V>
ERGODE_HOST_DEVICE inline void cosine_sine_near_0(V quarters, V& cosine, V& sine) {
  const V z = quarters * quarters;
  if constexpr (sizeof(Element<V>) == 4) {
    sine = quarters * polynomial<V>({-4.602149129e-03f, 7.968021929e-02f, -6.459634900e-01f, 1.570796371e+00f}, z);
    cosine = multiply_add(
        z, polynomial<V>({9.067399078e-04f, -2.086152881e-02f, 2.536694109e-01f, -1.233700514e+00f}, z), V(1));
  } else {
    sine = quarters * polynomial<V>({-6.62762493899247229e-10, 5.69192785048963330e-08, -3.59884271714485789e-06,
                                     1.60441184726672290e-04, -4.68175413531482683e-03, 7.96926262461669227e-02,
                                     -6.45964097506246282e-01, 1.57079632679489656e+00},
                                    z);
    cosine = multiply_add(z,
                          polynomial<V>({-6.32939634496742380e-09, 4.71067840550522707e-07, -2.52020390280291777e-05,
                                         9.19260274546844654e-04, -2.08634807633407728e-02, 2.53669507901047808e-01,
                                         -1.23370055013616975e+00},
                                        z),
                          V(1));
  }
}

/// The distribution function of the standard normal law, of which no tail cancels. Phi(-y) exp(y^2 / 2) (1 + 2 y) is a
/// polynomial in (y - 4) / (y + 4) for all y >= 0 (the transformation of Shepherd & Laframboise 1981). Within 7 ulp,
/// of tails down to 1e-30 (float) and 1e-300.
template <class V>
ERGODE_HOST_DEVICE inline V normal_cumulative(V x) {
  const V y = minimum(V(100), select(x < V(0), -x, x));  // beyond, the tail is 0; NaN stays
  const V s = (y - V(4)) / (y + V(4));
  V p;
  V high;  // the leading digits of y, whose square is exact
  if constexpr (sizeof(Element<V>) == 4) {
    p = polynomial<V>(
        {2.32161806e-05f, -1.34796435e-04f, -1.28057076e-04f, 1.50665530e-03f, -1.21767156e-03f, -1.04776332e-02f,
         4.43660386e-02f, -9.52684003e-02f, 1.28907987e-01f, -9.63793154e-02f, -2.30092310e-02f, 8.49695762e-01f},
        s);
    high = number_of_bits(bits_of(y) & typename NumberTraits<V>::Bits(0xfffff000u));
  } else {
    p = polynomial<V>(
        {4.41646090242926945e-10,  3.05856168456031524e-10,  -4.29854013526263999e-09, -4.87874986418694148e-09,
         2.05617549256712843e-08,  4.01610604764978061e-08,  -5.98683202771567638e-08, -2.38191760746902823e-07,
         6.26662356343836638e-08,  1.20384372739461204e-06,  5.99050799977455210e-07,  -5.89037779609980663e-06,
         -6.03348060985812758e-06, 3.15583833842705838e-05,  3.78681466452807344e-05,  -2.04354964328374927e-04,
         -1.43305545177471456e-04, 1.57697851533713813e-03,  -1.21006005516191323e-03, -1.05123192602497306e-02,
         4.43642904419319917e-02,  -9.52604789623534426e-02, 1.28908135444824490e-01,  -9.63799858904149515e-02,
         -2.30092331045960649e-02, 8.49695771717720483e-01},
        s);
    high = number_of_bits(bits_of(y) & typename NumberTraits<V>::Bits(0xfffffffff8000000u));
  }
  const V rest = (y - high) * (y + high);
  const V density = exponential(V(Element<V>(-0.5)) * high * high) * exponential(V(Element<V>(-0.5)) * rest);
  const V tail = density * p / (V(1) + V(2) * y);
  return select(x < V(0), tail, V(1) - tail);
}

}  // namespace formulas
}  // namespace ergode::kernels
