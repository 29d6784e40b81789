#include "tests/kernels/lanes.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/device/device.hpp"
#include "kernels/random/normal.hpp"

// Vectors against scalars bit by bit, and both against long double.

using namespace ergode::kernels;
using namespace ergode::kernels::test;

namespace {

template <class Real>
struct Build {
  Isa isa;
  LaneFunctions<Real> functions;
};

template <class Real>
std::vector<Build<Real>> builds() {
  std::vector<Build<Real>> all;
  const auto add = [&](Isa isa, const LaneFunctions<float>& single, const LaneFunctions<double>& real) {
    if (!isa_supported(isa)) return;
    if constexpr (sizeof(Real) == 4)
      all.push_back({isa, single});
    else
      all.push_back({isa, real});
  };
  add(Isa::baseline, baseline::functions_float, baseline::functions_double);
  add(Isa::avx2, avx2::functions_float, avx2::functions_double);
  add(Isa::avx512, avx512::functions_float, avx512::functions_double);
  return all;
}

template <class Real>
bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

template <class Real>
std::vector<Real> values(const LaneFunctions<Real>& f, Function function, bool in_lanes, const std::vector<Real>& x) {
  std::vector<Real> y(x.size());
  f.apply(function, in_lanes, x.data(), y.data(), static_cast<int>(x.size()));
  return y;
}

long double exact(Function function, long double x) {
  switch (function) {
    case Function::exponential:
      return std::exp(x);
    case Function::logarithm:
      return std::log(x);
    case Function::logarithm_of_one_plus:
      return std::log1p(x);
    case Function::logarithm_beyond_first:
      return std::log1p(x) - x;
    case Function::normal_cumulative:
      return 0.5L * std::erfc(-x * std::sqrt(0.5L));
    case Function::square_root:
      return std::sqrt(x);
  }
  return 0;
}

/// Units in the last place of Real at an exact value.
template <class Real>
double ulps(Real y, long double value) {
  const int digits = std::numeric_limits<Real>::digits;
  const long double unit =
      std::ldexp(1.0L, std::max(std::ilogb(value), std::numeric_limits<Real>::min_exponent - 1) - digits + 1);
  return static_cast<double>(std::fabs(static_cast<long double>(y) - value) / unit);
}

constexpr int many = 1 << 18;  // a multiple of all lanes

/// Evenly spread over the numbers from `low` to `high`, both of one sign, as the representation has them.
template <class Real>
std::vector<Real> over_representations(Real low, Real high) {
  const auto a = static_cast<double>(bits_of(low)), b = static_cast<double>(bits_of(high));
  std::vector<Real> x(many);
  for (int i = 0; i < many; ++i) {
    const double at = a + (b - a) * i / (many - 1);
    x[static_cast<std::size_t>(i)] = number_of_bits(static_cast<typename NumberTraits<Real>::Bits>(at));
  }
  x.front() = low;
  x.back() = high;
  return x;
}
template <class Real>
std::vector<Real> over_interval(double low, double high) {
  std::vector<Real> x(many);
  for (int i = 0; i < many; ++i) {
    const Words4 w = philox4x32(philox_counter(static_cast<std::uint64_t>(i), 3, 4), {1, 2});
    x[static_cast<std::size_t>(i)] = static_cast<Real>(low + (high - low) * philox_uniform(w[0], w[1]));
  }
  x.front() = static_cast<Real>(low);
  x.back() = static_cast<Real>(high);
  return x;
}

/// Vectors give the scalars' bits, and these are within so many ulps of the truth (without a fused multiply-add a half
/// more).
template <class Real>
void check_function(Function function, const std::vector<Real>& x, double bound) {
  for (const Build<Real>& build : builds<Real>()) {
    const auto lanes = values(build.functions, function, true, x);
    double worst = 0;
    Real at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = ulps(lanes[i], exact(function, static_cast<long double>(x[i])));
      if (!(error <= worst)) worst = error, at = x[i];
    }
    INFO(name(build.isa) << ", function " << static_cast<int>(function) << ", " << sizeof(Real) << " bytes: " << worst
                         << " ulp at " << at);
    CHECK(worst <= bound + (build.isa == Isa::baseline ? 0.5 : 0));
    CHECK(same_bits(lanes, values(build.functions, function, false, x)));
  }
}

template <class Real>
constexpr Real infinity = std::numeric_limits<Real>::infinity();
template <class Real>
constexpr Real smallest = std::numeric_limits<Real>::min();
template <class Real>
constexpr Real largest = std::numeric_limits<Real>::max();

/// What is no ordinary number, with enough of it for any vector.
template <class Real>
std::vector<Real> odd_numbers() {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  std::vector<Real> x;
  for (int i = 0; i < 2; ++i)
    for (const Real v : {Real(0), Real(1), smallest<Real>, largest<Real>, infinity<Real>, nan,
                         std::numeric_limits<Real>::denorm_min(), Real(1e-3)})
      x.insert(x.end(), {v, -v});
  return x;
}

template <class Real>
void check_edges(const LaneFunctions<Real>& f) {
  const auto x = odd_numbers<Real>();
  for (const Function function :
       {Function::exponential, Function::logarithm, Function::logarithm_of_one_plus, Function::logarithm_beyond_first,
        Function::normal_cumulative, Function::square_root}) {
    const auto y = values(f, function, true, x);
    const auto one_by_one = values(f, function, false, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      CAPTURE(static_cast<int>(function), x[i], y[i]);
      CHECK((y[i] == one_by_one[i] || (std::isnan(y[i]) && std::isnan(one_by_one[i]))));
      const auto truth = exact(function, static_cast<long double>(x[i]));
      if (function == Function::logarithm && std::fabs(x[i]) > 0 && std::fabs(x[i]) < smallest<Real>) {
        CHECK((x[i] > 0 ? y[i] == -infinity<Real> : std::isnan(y[i])));
      } else if (std::isnan(truth)) {
        CHECK(std::isnan(y[i]));
      } else if (std::fabs(truth) > static_cast<long double>(largest<Real>)) {
        CHECK((std::isinf(y[i]) && (y[i] > 0) == (truth > 0)));
      } else if (std::fabs(truth) < static_cast<long double>(smallest<Real>)) {
        CHECK(std::fabs(y[i]) <= smallest<Real>);
      } else if (function == Function::logarithm_beyond_first) {
        const long double unit = std::numeric_limits<Real>::epsilon() * (1 + std::fabs(static_cast<long double>(x[i])));
        CHECK(std::fabs(static_cast<long double>(y[i]) - truth) <= unit);
      } else {
        CHECK(ulps(y[i], truth) < 8);
      }
    }
  }
}

}  // namespace

TEST_CASE("Exponentials in vectors are those of scalars and within 1.1 ulp over their whole range") {
  check_function(Function::exponential, over_interval<float>(-87.3365, 88.7228), 1.1);
  check_function(Function::exponential, over_interval<double>(-708.396, 709.782), 1.1);
  check_function(Function::exponential, over_interval<float>(-1, 1), 1.1);
  check_function(Function::exponential, over_interval<double>(-1, 1), 1.1);
}

TEST_CASE("Logarithms in vectors are those of scalars and within an ulp over their whole range") {
  check_function(Function::logarithm, over_representations(smallest<float>, largest<float>), 1);
  check_function(Function::logarithm, over_representations(smallest<double>, largest<double>), 1);
  check_function(Function::logarithm, over_interval<float>(0.5, 2), 1.5);
  check_function(Function::logarithm, over_interval<double>(0.5, 2), 1.5);
}

TEST_CASE("Logarithms of one plus a number in vectors are those of scalars and within three ulps") {
  check_function(Function::logarithm_of_one_plus, over_interval<float>(-0.999, 3), 3);
  check_function(Function::logarithm_of_one_plus, over_interval<double>(-0.999, 3), 3);
  check_function(Function::logarithm_of_one_plus, over_representations(smallest<float>, 1e30f), 3);
  check_function(Function::logarithm_of_one_plus, over_representations(smallest<double>, 1e300), 3);
}

TEST_CASE("The normal law in vectors is that of scalars and keeps its digits far into the lower tail") {
  check_function(Function::normal_cumulative, over_interval<float>(-11, 9), 7);
  check_function(Function::normal_cumulative, over_interval<double>(-36, 9), 6);
}

TEST_CASE("Square roots in vectors are those of scalars and rounded correctly") {
  check_function(Function::square_root, over_representations(smallest<float>, largest<float>), 0.5);
  check_function(Function::square_root, over_representations(smallest<double>, largest<double>), 0.5);
}

TEST_CASE("Functions in vectors of zeros, infinities, subnormal and missing numbers") {
  for (const auto& build : builds<float>()) check_edges(build.functions);
  for (const auto& build : builds<double>()) check_edges(build.functions);
}

TEST_CASE("Points of the circle in vectors are those of scalars and of the words' angles") {
  const long double pi = 4 * std::atan(1.0L);
  std::vector<std::uint32_t> words;
  for (std::uint32_t eighth = 0; eighth < 8; ++eighth)
    for (std::uint32_t i = 0; i < 1024; ++i) words.push_back((eighth << 29) + 512 * (i - 512));
  for (std::uint32_t i = 0; i < 1 << 16; ++i) words.push_back(i << 16 | 0x9e37u);
  const auto check = [&](const auto& builds_of, auto zero, double bound) {
    using Real = decltype(zero);
    for (const auto& build : builds_of) {
      const auto size = words.size();
      std::vector<Real> c(size), s(size), c1(size), s1(size);
      build.functions.cosine_sine(true, words.data(), c.data(), s.data(), static_cast<int>(size));
      build.functions.cosine_sine(false, words.data(), c1.data(), s1.data(), static_cast<int>(size));
      CHECK((same_bits(c, c1) && same_bits(s, s1)));
      double worst = 0;
      for (std::size_t i = 0; i < size; ++i) {
        // In float the 23 leading bits count.
        const long double turn = sizeof(Real) == 4 ? (static_cast<long double>(words[i] >> 9) + 0.5L) * 0x1p-23L
                                                   : (static_cast<long double>(words[i]) + 0.5L) * 0x1p-32L;
        // Reduced to the nearest axis, which is exact: cosines near 0 have all their digits.
        const long double quarters = 4 * turn - 2, axis = std::round(quarters);
        const long double rest = (quarters - axis) * (pi / 2);
        const long double near = std::cos(rest), away = std::sin(rest);
        const int quarter = (static_cast<int>(axis) + 4) % 4;
        const long double cosines[] = {near, -away, -near, away}, sines[] = {away, near, -away, -near};
        worst = std::max({worst, ulps(c[i], cosines[quarter]), ulps(s[i], sines[quarter])});
      }
      INFO(name(build.isa) << ", " << sizeof(Real) << " bytes: " << worst);
      CHECK(worst <= bound + (build.isa == Isa::baseline ? 0.5 : 0));
    }
  };
  check(builds<float>(), 0.0f, 2.2);
  check(builds<double>(), 0.0, 2.2);
}

TEST_CASE("Normals in vectors are those of one sample after another, across 2^32 too") {
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{0xfffffff3}, std::uint64_t{0x123456789abcdef}}) {
    const auto check = [&](const auto& builds_of, auto zero) {
      using Real = decltype(zero);
      for (const auto& build : builds_of) {
        constexpr int count = 64;
        std::vector<Real> lanes(4 * count), scalars(4 * count);
        const PhiloxKey key{0x01234567u, 0x89abcdefu};
        build.functions.normals(true, first, key, lanes.data(), count);
        build.functions.normals(false, first, key, scalars.data(), count);
        CHECK(same_bits(lanes, scalars));
        for (int i = 0; i < count; ++i) {
          Real four[4];
          normals4<Real>(philox4x32(philox_counter(first + static_cast<std::uint64_t>(i), 5, 7), key), four);
          for (int k = 0; k < 4; ++k)
            CHECK(std::fabs(lanes[static_cast<std::size_t>(k * count + i)] - four[k]) <=
                  8 * std::numeric_limits<Real>::epsilon());
        }
      }
    };
    check(builds<float>(), 0.0f);
    check(builds<double>(), 0.0);
  }
}

TEST_CASE("Comparisons, masks and choices in vectors are those of scalars, of every pair of odd numbers") {
  const auto check = [](const auto& builds_of, auto zero) {
    using Real = decltype(zero);
    const auto odd = odd_numbers<Real>();
    std::vector<Real> a, b;
    for (const Real x : odd)
      for (const Real y : odd) {
        a.push_back(x);
        b.push_back(y);
      }
    const auto size = a.size();
    for (const auto& build : builds_of) {
      CAPTURE(name(build.isa));
      const auto count = static_cast<int>(size), lanes = build.functions.lanes;
      std::vector<std::uint32_t> bits(size), one_by_one(size);
      build.functions.compare(true, a.data(), b.data(), bits.data(), count);
      build.functions.compare(false, a.data(), b.data(), one_by_one.data(), count);
      for (std::size_t i = 0; i < size; ++i) {
        const bool less = a[i]<b[i], more = a[i]> b[i], equal = a[i] == b[i];
        const bool each[] = {less, more, less || equal, more || equal, equal, !less, less || more, equal};
        std::uint32_t truth = 0;
        for (int k = 0; k < 8; ++k) truth |= each[k] ? 1u << k : 0;
        CAPTURE(a[i], b[i]);
        CHECK((bits[i] & 0xff) == truth);
        CHECK((one_by_one[i] & 0xff) == truth);
        bool some = false;
        const std::size_t start = i - i % static_cast<std::size_t>(lanes);
        for (std::size_t k = start; k < start + static_cast<std::size_t>(lanes); ++k) some = some || a[k] < b[k];
        CHECK((bits[i] >> 8 != 0) == some);
        CHECK((one_by_one[i] >> 8 != 0) == less);
      }
      std::vector<Real> most(size), least(size), positive(size), most1(size), least1(size), positive1(size);
      build.functions.choose(true, a.data(), b.data(), most.data(), least.data(), positive.data(), count);
      build.functions.choose(false, a.data(), b.data(), most1.data(), least1.data(), positive1.data(), count);
      CHECK(same_bits(most, most1));
      CHECK(same_bits(least, least1));
      CHECK(same_bits(positive, positive1));
    }
  };
  check(builds<float>(), 0.0f);
  check(builds<double>(), 0.0);
}
