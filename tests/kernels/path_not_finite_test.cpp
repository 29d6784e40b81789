#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/options/chunk.hpp"

// No comparison may turn a path that is not finite into a payoff of 0.

using namespace ergode::kernels::options;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const float lost = std::nanf("");

/// Two assets of spot 100 and payoffs of strike 100 paid in full, at the ends that a test sets.
struct TwoAssets {
  PathSpec spec{};
  std::vector<float> constants{1, 100, 1, 1, 100, 100};  // discount, strike, weights or cash, spots
  Path<static_cast<int>(ModelKind::gbm), float, 2, max_observers> path{spec, constants.data(), nullptr};

  TwoAssets(float first, float second) {
    spec.assets = 2;
    for (int a = 0; a < 2; ++a) {
      spec.asset[a].spot = 4 + a;
      path.asset[a] = {};
    }
    path.asset[0].log_return = first;
    path.asset[1].log_return = second;
  }
  float pays(PayoffKind kind, int sign = 1) {
    spec.payoff[0] = {kind, 0, -1, 0, sign};
    return path.payment(0).value;
  }
};

}  // namespace

TEST_CASE("A difference of two spots that overflow is no payoff of 0") {
  TwoAssets p(200, 200);  // 100 e^200 is beyond float
  CHECK(std::isnan(p.pays(PayoffKind::spread)));
  CHECK(std::isnan(p.pays(PayoffKind::spread, -1)));
  CHECK(std::isinf(p.pays(PayoffKind::european)));
  CHECK(p.pays(PayoffKind::european, -1) == 0);
  TwoAssets q(0.1f, 0);
  q.constants[1] = 1;
  CHECK(std::abs(q.pays(PayoffKind::spread) - (100 * std::expm1(0.1f) - 1)) < 1e-3);
  CHECK(q.pays(PayoffKind::spread, -1) == 0);
}

TEST_CASE("A path is tainted where an asset's state is not finite, and only there") {
  CHECK(TwoAssets(1, -60).path.taint() == 0);
  CHECK(TwoAssets(88, 88).path.taint() == 0);
  for (const float bad : {lost, infinity, -infinity}) {
    CHECK(std::isnan(TwoAssets(bad, 0).path.taint()));
    CHECK(std::isnan(TwoAssets(0, bad).path.taint()));
  }
  CHECK(std::isnan(TwoAssets(infinity, -infinity).path.taint()));
  CHECK(std::isnan(TwoAssets(lost, 0).pays(PayoffKind::european)));
}

TEST_CASE("A digital, which only compares, adds NaN for a path that is not finite") {
  const Term term{0, Component::value, 1};
  const TermTarget target{0, 0};
  GroupView<float> group;
  group.terms = &term;
  group.targets = &target;
  const VariationSpec variation{0, 0, 1, 0, 1};
  const auto added = [&](float log_return) {
    TwoAssets p(log_return, 0);
    p.pays(PayoffKind::digital_cash);
    double x = 0, c = 0;
    SampleSums<1> sums{&x, &c};
    add_terms(group, variation, p.path, sums);
    CHECK(c == 0);
    return x;
  };
  CHECK(added(0.1f) == 1);
  CHECK(added(-0.1f) == 0);
  CHECK(std::isnan(added(lost)));
  CHECK(std::isnan(added(-infinity)));
}

TEST_CASE("A level of CEV that is not a number is not absorbed at 0") {
  const std::vector<float> spot{100}, model{0.2f, 0.5f}, step{1, 0.5f};
  const float z[] = {-30, 1};
  AssetState<float> s;
  Cev::start(s, AssetConstants<float>{spot.data(), model.data(), step.data()});
  Cev::step(s, AssetConstants<float>{spot.data(), model.data(), step.data()}, z);
  CHECK(s.level == 0);
  const std::vector<float> broken{lost, 0.5f};
  Cev::start(s, AssetConstants<float>{spot.data(), model.data(), step.data()});
  Cev::step(s, AssetConstants<float>{spot.data(), model.data(), broken.data()}, z + 1);
  CHECK(std::isnan(s.level));
  CHECK(std::isnan(s.log_return));
}
