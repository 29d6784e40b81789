#include "kernels/device/profile.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <thread>

using namespace ergode::kernels;
using Clock = std::chrono::steady_clock;

namespace {

void spend(int milliseconds) {
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (Clock::now() < end) {
  }
}

double sum(const Profile& profile) {
  double seconds = 0;
  for (const auto& [key, total] : profile.totals()) seconds += total.seconds;
  return seconds;
}

}  // namespace

TEST_CASE("a profile gives each moment to the innermost scope") {
  Profile profile(Clock::now() - std::chrono::milliseconds(50));
  {
    Scope outer(Phase::kernels, "steps");
    spend(20);
    {
      const Scope inner(Phase::copies, "from the device", 64);
      spend(40);
    }
    { const Scope inner(Phase::copies, "from the device", 36); }
    outer.did(7, "interactions");
  }
  profile.stop();
  const auto& totals = profile.totals();
  REQUIRE(totals.size() == 3);
  const auto& steps = totals.at({Phase::kernels, "steps"});
  const auto& copies = totals.at({Phase::copies, "from the device"});
  const auto& other = totals.at({Phase::host, "other"});
  CHECK(steps.calls == 1);
  CHECK(steps.amount == 7);
  CHECK(steps.unit == "interactions");
  CHECK(copies.calls == 2);
  CHECK(copies.amount == 100);
  CHECK(copies.unit == "B");
  CHECK(steps.seconds >= 0.020);
  CHECK(copies.seconds >= 0.040);
  CHECK(other.seconds >= 0.050);
  CHECK(sum(profile) == Catch::Approx(profile.wall_seconds()).epsilon(1e-12));
  // Were the copies' time the steps' too, the sum would be larger by them.
  CHECK(profile.wall_seconds() >= 0.110);
}

TEST_CASE("a profile is of its thread, and ends with stop()") {
  CHECK(Profile::current() == nullptr);
  {
    Profile profile(Clock::now());
    CHECK(Profile::current() == &profile);
    std::thread([] {
      CHECK(Profile::current() == nullptr);
      const Scope scope(Phase::files, "of another thread");
    }).join();
    {
      const Scope open(Phase::files, "open at the end");
      profile.stop();
      CHECK(Profile::current() == nullptr);
      const Scope late(Phase::files, "too late");
    }
    CHECK(profile.totals().size() == 2);
    CHECK(profile.totals().at({Phase::files, "open at the end"}).calls == 1);
    CHECK(sum(profile) == Catch::Approx(profile.wall_seconds()).epsilon(1e-12));
  }
  CHECK(Profile::current() == nullptr);
}

TEST_CASE("begins and ends of a trace match, within its bound too, and all scopes are counted") {
  Profile profile(Clock::now());
  constexpr std::int64_t scopes = Profile::most_events;
  for (std::int64_t i = 0; i < scopes / 2; ++i) {
    const Scope outer(Phase::kernels, "outer");
    const Scope inner(Phase::copies, "inner");
  }
  profile.ran_on_device("forces", 0.5, 0.75, 3, "interactions");
  profile.ran_on_device("forces", 0.75, 1, 3, "interactions");
  profile.stop();
  CHECK(profile.events().size() <= Profile::most_events);
  CHECK(profile.untraced() > 0);
  CHECK(profile.totals().at({Phase::kernels, "outer"}).calls == scopes / 2);
  CHECK(profile.totals().at({Phase::copies, "inner"}).calls == scopes / 2);
  std::vector<std::string_view> open;
  double last = 0;
  for (const auto& event : profile.events()) {
    REQUIRE(event.at >= last);
    last = event.at;
    if (event.begin) {
      open.push_back(event.name);
    } else {
      REQUIRE_FALSE(open.empty());
      REQUIRE(open.back() == event.name);
      open.pop_back();
    }
  }
  CHECK(open.empty());
  CHECK(profile.device_totals().at("forces").seconds == 0.5);
  CHECK(profile.device_totals().at("forces").amount == 6);
  CHECK(profile.device_events().size() == 4);
}
