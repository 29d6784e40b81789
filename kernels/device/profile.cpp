#include "kernels/device/profile.hpp"

#include "kernels/device/ranges.hpp"

namespace ergode::kernels {

thread_local Profile* Profile::current_ = nullptr;

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::kernels:
      return "kernels";
    case Phase::copies:
      return "copies";
    case Phase::files:
      return "files";
    case Phase::waiting:
      return "waiting";
    case Phase::host:
      break;
  }
  return "host";
}

Profile::Profile(std::chrono::steady_clock::time_point start) : start_(start) {
  open_.push_back({{Phase::host, "other"}, true});
  totals_[open_.front().key].calls = 1;
  events_.push_back({"run", Phase::host, 0, true});
  current_ = this;
}

Profile::~Profile() {
  current_ = nullptr;
}

void Profile::charge(double now) {
  totals_[open_.back().key].seconds += now - charged_;
  charged_ = now;
}

void Profile::enter(Phase phase, const char* name) {
  const double at = now();
  charge(at);
  // A begin keeps room for its end, and for those of the scopes around it.
  const bool traced = events_.size() + open_.size() + 1 < most_events;
  open_.push_back({{phase, name}, traced});
  ++totals_[open_.back().key].calls;
  if (traced)
    events_.push_back({name, phase, at, true});
  else
    ++untraced_;
  begin_range(name);
}

void Profile::leave(double amount, std::string_view unit) {
  if (open_.size() == 1) return;  // after stop()
  end_range();
  const double at = now();
  charge(at);
  const Open& scope = open_.back();
  Total& total = totals_[scope.key];
  total.amount += amount;
  if (!unit.empty()) total.unit = unit;
  if (scope.traced) events_.push_back({scope.key.second, scope.key.first, at, false});
  open_.pop_back();
}

void Profile::ran_on_device(const char* name, double begin, double end, double amount, std::string_view unit) {
  Total& total = device_totals_[name];
  ++total.calls;
  total.seconds += end - begin;
  total.amount += amount;
  if (!unit.empty()) total.unit = unit;
  if (device_events_.size() + 2 > most_events) {
    ++untraced_;
    return;
  }
  device_events_.push_back({name, Phase::kernels, begin, true});
  device_events_.push_back({name, Phase::kernels, end, false});
}

void Profile::stop() {
  while (open_.size() > 1) leave(0, {});
  stopped_ = now();
  charge(stopped_);
  events_.push_back({"run", Phase::host, stopped_, false});
  current_ = nullptr;
}

}  // namespace ergode::kernels
