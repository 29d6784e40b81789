#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/elementary.hpp"
#include "kernels/random/philox.hpp"

// Uniform and normal draws from random words, for scalars and vectors of words. Each is the same number in float and in
// double to rounding. On a device in float the elementary functions are those of the hardware; this is the one place
// that tells them apart.

namespace ergode::kernels {

namespace elementary {

template <class Real>
inline constexpr bool single = sizeof(Element<Real>) == 4;

/// n scale + offset for n below 2^23 (float) or 2^32, scale a power of two and an exact result. Vectors may have no
/// conversion: in float the bits of 2^23 + n are put together instead, and the 2^23 goes with the offset.
template <class Real, class Word>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) Real scaled_bits(Word n, Element<Real> scale,
                                                                          Element<Real> offset) {
#ifdef __CUDA_ARCH__
  if constexpr (single<Real>)
    return ::fmaf(__uint_as_float(0x4b000000u | n), scale, offset - 0x1p23f * scale);
  else
    return static_cast<double>(n) * scale + offset;
#else
  return formulas::number<Real>(typename NumberTraits<Real>::Bits(n)) * Real(scale) + Real(offset);
#endif
}

/// A word as a float, a signed one too, rounded: one instruction, where putting bits together takes three.
#ifdef __CUDA_ARCH__
__device__ inline float float_of(std::uint32_t w) {
  return __uint2float_rn(w);
}
__device__ inline float signed_float_of(std::uint32_t w) {
  return __int2float_rn(static_cast<int>(w));
}
#endif

/// -factor ln x of 2^-33 <= x <= 1. In float on a device wrong by at most 2e-7 near 1, and by as much relatively
/// elsewhere.
template <class Real>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) Real minus_log(Real x, Element<Real> factor = 1) {
#ifdef __CUDA_ARCH__
  if constexpr (single<Real>) {
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));  // no x here is subnormal
    return ::fabsf(y) * (0.6931471806f * factor);          // just below 1 the approximation may have either sign
  } else {
    return -factor * ::log(x);
  }
#else
  return Real(-factor) * formulas::normal_logarithm(x);
#endif
}

/// (w + 1/2) 2^-32, in float rounded once: accurate near 0, and may be 1.
template <class Real, class Word>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) Real open_unit(Word w) {
  if constexpr (single<Real>) {
#ifdef __CUDA_ARCH__
    return ::fmaf(float_of(w), 0x1p-32f, 0x1p-33f);
#else
    const Real high = scaled_bits<Real>(w >> 16, 0x1p-16f, 0.0f);
    const Real low = scaled_bits<Real>(w & Word(0xffffu), 0x1p-32f, 0x1p-33f);
    return high + low;
#endif
  } else {
    return scaled_bits<Real>(w, 0x1p-32, 0x1p-33);
  }
}

/// Cosine and sine of the angle in (-pi, pi) at fraction (w + 1/2) 2^-32 of the circle; in float on a host of the 23
/// leading bits. In float on a device wrong by at most 1e-6, and both with the other sign, which the radius takes back:
/// the angle is then that of the word as a signed number.
template <class Real, class Word>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) void cosine_sine(Word w, Real& cosine, Real& sine) {
#ifdef __CUDA_ARCH__
  if constexpr (single<Real>) {
    constexpr float pi = 3.14159265f;
    const float angle = ::fmaf(signed_float_of(w), pi * 0x1p-31f, pi * 0x1p-32f);
    cosine = __cosf(angle);
    sine = __sinf(angle);
  } else {
    const double angle = ((static_cast<double>(w) + 0.5) * 0x1p-31 - 1.0) * 3.14159265358979323846;
    cosine = ::cos(angle);
    sine = ::sin(angle);
  }
#else
  // The word's leading bits are the quarter, nearest to the angle, of which the rest is a signed fraction.
  using Bits = typename NumberTraits<Real>::Bits;
  constexpr int quarter = single<Real> ? 23 : 30;  // where the number of the quarter begins
  Bits turn(w);
  Real rest;
  if constexpr (single<Real>) {
    turn = ((turn >> 7) & Bits(0x1fffffcu)) + Bits(0x1400000u);
    rest = number_of_bits((turn & Bits(0x7ffffcu)) | Bits(0x3f800000u)) - Real(1.5f - 0x1p-22f);
  } else {
    turn = turn + Bits(0xa0000000u);
    rest = scaled_bits<Real>(turn & Bits(0x3fffffffu), 0x1p-30, 0x1p-31 - 0.5);
  }
  Real c, s;
  formulas::cosine_sine_near_0(rest, c, s);
  const auto even = (turn & (Bits(1) << quarter)) == Bits(0);
  constexpr int to_sign = 8 * sizeof(Element<Real>) - 2 - quarter;
  const Bits upper = turn << to_sign, lower = turn << (to_sign + 1);
  const Bits sign = Bits(1) << (8 * sizeof(Element<Real>) - 1);
  cosine = number_of_bits(bits_of(select(even, c, s)) ^ ((upper ^ lower) & sign));
  sine = number_of_bits(bits_of(select(even, s, c)) ^ (upper & sign));
#endif
}

/// sign sqrt(-2 ln u) of a word's u; on a device in float with the other sign.
template <class Real, class Word>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) Real radius_of(Word w, Element<Real> sign) {
#ifdef __CUDA_ARCH__
  if constexpr (single<Real>) {
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(open_unit<float>(w)));
    return square_root(::fabsf(y)) * (-1.17741002f * sign);  // sqrt(2 ln 2)
  }
#endif
  return square_root(minus_log(open_unit<Real>(w), 2)) * Real(sign);
}

template <class Real, class Word>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) void box_muller(Word radius_word, Word angle_word,
                                                                         Element<Real> sign, Real* out) {
  Real cosine, sine;
  cosine_sine(angle_word, cosine, sine);
  const Real radius = radius_of<Real>(radius_word, sign);
  out[0] = radius * cosine;
  out[1] = radius * sine;
}

}  // namespace elementary

/// Four independent standard normals from four words (Box & Muller 1958): words 0 and 1 give the radius and the angle
/// of the first two, 2 and 3 those of the others. The largest magnitude is sqrt(66 ln 2) = 6.76. `sign` 1, or -1 for
/// their mirror image.
template <class Real, class Word = std::uint32_t>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) void normals4(WordBlock<Word> words, Real out[4],
                                                                       Element<Real> sign = 1) {
  elementary::box_muller(words[0], words[1], sign, out);
  elementary::box_muller(words[2], words[3], sign, out + 2);
}

/// A word as a number in (0, 1), never 0 or 1: (w + 1/2) 2^-32 in double; in float (n + 1/2) 2^-23 of the 23 leading
/// bits n, which is exact.
template <class Real, class Word>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) Real uniform_from_word(Word w) {
  if constexpr (elementary::single<Real>)
    return elementary::scaled_bits<Real>(w >> 9, 0x1p-23f, 0x1p-24f);
  else
    return elementary::scaled_bits<Real>(w, 0x1p-32, 0x1p-33);
}

namespace elementary {

/// A polynomial by Horner's rule, the highest coefficient first.
template <class Real, int count>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) Real polynomial(const Real (&coefficient)[count], Real x) {
  Real sum = coefficient[0];
  for (int i = 1; i < count; ++i) sum = multiply_add(sum, x, coefficient[i]);
  return sum;
}

/// The rational functions of Wichura (1988), "Algorithm AS 241: the percentage points of the normal distribution",
/// Appl. Statist. 37, 477: PPND7 in float (1 part in 10^7), PPND16 in double (1 part in 10^16). Of the two tails the
/// nearer one alone: the farther begins at p = e^-25 and a word ends at 2^-33.
/// @param r 0.425^2 - q^2 of |q| <= 0.425; result times q
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) float quantile_centre(float r) {
  const float above[] = {5.9109374720e+01f, 1.5929113202e+02f, 5.0434271938e+01f, 3.3871327179e+00f};
  const float below[] = {6.7187563600e+01f, 7.8757757664e+01f, 1.7895169469e+01f, 1.0f};
  return quotient(polynomial(above, r), polynomial(below, r));
}
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) double quantile_centre(double r) {
  const double above[] = {2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4,
                          4.5921953931549871457e+4, 1.3731693765509461125e+4, 1.9715909503065514427e+3,
                          1.3314166789178437745e+2, 3.3871328727963666080e+0};
  const double below[] = {
      5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4, 2.1213794301586595867e+4,
      5.3941960214247511077e+3, 6.8718700749205790830e+2, 4.2313330701600911252e+1, 1.0};
  return quotient(polynomial(above, r), polynomial(below, r));
}
/// @param r sqrt(-ln p) - 1.6 of 2^-33 <= p < 0.075
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) float quantile_tail(float r) {
  const float above[] = {1.7023821103e-01f, 1.3067284816e+00f, 2.7568153900e+00f, 1.4234372777e+00f};
  const float below[] = {1.2021132975e-01f, 7.3700164250e-01f, 1.0f};
  return quotient(polynomial(above, r), polynomial(below, r));
}
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) double quantile_tail(double r) {
  const double above[] = {7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
                          1.27045825245236838258e+0, 3.64784832476320460504e+0, 5.76949722146069140550e+0,
                          4.63033784615654529590e+0, 1.42343711074968357734e+0};
  const double below[] = {
      1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
      6.89767334985100004550e-1, 1.67638483018380384940e+0, 2.05319162663775882187e+0, 1.0};
  return quotient(polynomial(above, r), polynomial(below, r));
}

}  // namespace elementary

/// The standard normal quantile of (w + 1/2) 2^-32, from -6.33 to 6.33: monotone in w, odd about the middle. For
/// quasi-random words, whose structure Box & Muller's pairs would break.
template <class Real>
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) Real normal_from_word(std::uint32_t w) {
  // Both the distance to the nearer end and that to the middle are formed from integers: no digit cancels.
  const bool lower = w < 0x80000000u;
  const std::uint32_t tail = lower ? w : ~w;
  const Real p = elementary::open_unit<Real>(tail), q = elementary::open_unit<Real>(0x7fffffffu - tail);
  Real magnitude;
  if (q <= Real(0.425)) {
    magnitude = q * elementary::quantile_centre(Real(0.180625) - q * q);
  } else {
    magnitude = elementary::quantile_tail(square_root(elementary::minus_log(p)) - Real(1.6));
  }
  return lower ? -magnitude : magnitude;
}

/// The standard normal distribution function; nothing cancels in the lower tail.
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) float normal_cdf(float x) {
  return 0.5f * ::erfcf(-0.707106781f * x);
}
ERGODE_HOST_DEVICE inline __attribute__((always_inline)) double normal_cdf(double x) {
  return 0.5 * ::erfc(-0.70710678118654752440 * x);
}

}  // namespace ergode::kernels
